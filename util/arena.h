// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Memory that is freed all at once: nodes of one memtable. One thread allocates; any thread reads
// the total.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace lull {

class Arena {
 public:
  /// Blocks of `block_bytes` are taken from the heap as needed; larger requests get their own.
  explicit Arena(size_t block_bytes = 256 << 10);
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

  /// Bytes taken from the heap. Any thread.
  size_t MemoryBytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  char* AllocateSlow(size_t bytes);

  const size_t block_bytes_;
  char* next_ = nullptr;
  size_t remaining_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::atomic<size_t> memory_bytes_{0};
};

}  // namespace lull
