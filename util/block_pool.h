// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A pool of memory blocks that memtables reuse. In a burst, a memtable fills and is freed every few
// milliseconds. Blocks from the heap would fault in their pages each time, and the heap keeps
// freed pages. Thread-safe.
//
// Blocks are parts of anonymous mappings, which exist until the pool is destroyed. A free block is
// warm (it has memory) or cold (it has none). TrimTo makes blocks cold.
#pragma once

#include <cstddef>
#include <vector>

#include "util/memory_charge.h"
#include "util/mutex.h"

namespace lull {

class BlockPool {
 public:
  /// Belongs to the pool, which outlives it.
  using Block = char*;

  /// Rounds `block_bytes` up to whole pages.
  explicit BlockPool(size_t block_bytes = 256 << 10);
  /// REQUIRES: all blocks were returned, or are never used again.
  ~BlockPool();

  size_t block_bytes() const { return block_bytes_; }

  /// Returns a free block, preferably a warm one. Its contents are unspecified. Fails only as
  /// operator new does: it calls the new-handler, or throws std::bad_alloc.
  Block Take() LULL_EXCLUDES(mutex_);
  /// Returns blocks to the pool, warm.
  void Give(const std::vector<Block>& blocks) LULL_EXCLUDES(mutex_);
  /// Releases the memory of warm blocks beyond `bytes`.
  void TrimTo(size_t bytes) LULL_EXCLUDES(mutex_);

  // Memory in bytes. Any thread.
  /// Blocks that memtables have, and what else they charge to `used()`.
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  /// Warm blocks.
  uint64_t warm_bytes() const { return warm_bytes_.load(std::memory_order_relaxed); }
  /// The counter of used_bytes(), for heap memory that is freed together with blocks.
  MemoryCounter* used() { return &used_bytes_; }

 private:
  void AddSlabLocked() LULL_REQUIRES(mutex_);

  const size_t block_bytes_;
  MemoryCounter used_bytes_{0};
  MemoryCounter warm_bytes_{0};
  Mutex mutex_;
  std::vector<Block> warm_ LULL_GUARDED_BY(mutex_);
  std::vector<Block> cold_ LULL_GUARDED_BY(mutex_);
  std::vector<char*> slabs_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
