// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Arena: memory for the nodes of one memtable, freed all at once. One thread allocates; any thread
// can read the total.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "util/block_pool.h"
#include "util/memory_charge.h"

namespace lull {

class Arena {
 public:
  /// Takes blocks from the pool as needed and returns them at destruction. Large requests come from
  /// the heap.
  explicit Arena(std::shared_ptr<BlockPool> pool = std::make_shared<BlockPool>())
      : pool_(std::move(pool)), large_charge_(pool_->used()) {}
  ~Arena() { pool_->Give(blocks_); }

  /// Aligned for a pointer. Fails only by throwing std::bad_alloc.
  char* Allocate(size_t bytes) {
    const size_t rounded = (bytes + 7) & ~size_t{7};
    if (rounded > remaining_) return AllocateSlow(rounded);
    char* result = next_;
    next_ += rounded;
    remaining_ -= rounded;
    return result;
  }

  /// Takes back the last `bytes` of the latest piece, which ends at `end`. REQUIRES: a multiple
  /// of 8.
  void GiveBack(const char* end, size_t bytes) {
    if (end != next_) return;  // a block of its own
    next_ -= bytes;
    remaining_ += bytes;
  }

  /// Total bytes of all blocks. Any thread.
  size_t MemoryBytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  char* AllocateSlow(size_t bytes);

  const std::shared_ptr<BlockPool> pool_;
  char* next_ = nullptr;
  size_t remaining_ = 0;
  std::vector<BlockPool::Block> blocks_;
  std::vector<std::unique_ptr<char[]>> large_;
  MemoryCharge large_charge_;
  std::atomic<size_t> memory_bytes_{0};
};

}  // namespace lull
