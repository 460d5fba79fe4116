// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Memory that is freed all at once: nodes of one memtable. One thread allocates; any thread reads
// the total.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "util/block_pool.h"

namespace lull {

class Arena {
 public:
  /// Blocks are taken from the pool as needed, and given back at the end; larger requests get their
  /// own from the heap.
  explicit Arena(std::shared_ptr<BlockPool> pool = std::make_shared<BlockPool>())
      : pool_(std::move(pool)) {}
  ~Arena() { pool_->Give(std::move(blocks_)); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Aligned for a pointer. Never fails short of std::bad_alloc.
  char* Allocate(size_t bytes) {
    const size_t rounded = (bytes + 7) & ~size_t{7};
    if (rounded > remaining_) return AllocateSlow(rounded);
    char* result = next_;
    next_ += rounded;
    remaining_ -= rounded;
    return result;
  }

  /// Bytes of all blocks. Any thread.
  size_t MemoryBytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  char* AllocateSlow(size_t bytes);

  const std::shared_ptr<BlockPool> pool_;
  char* next_ = nullptr;
  size_t remaining_ = 0;
  std::vector<BlockPool::Block> blocks_;
  std::vector<std::unique_ptr<char[]>> large_;
  std::atomic<size_t> memory_bytes_{0};
};

}  // namespace lull
