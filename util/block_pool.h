// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A pool of memory blocks that memtables reuse. In a burst, a memtable fills and is freed every few
// milliseconds. Blocks from the heap would fault in their pages each time and wait for the address
// space lock, which for example mmap of a WAL holds. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "util/mutex.h"

namespace lull {

class BlockPool {
 public:
  using Block = std::unique_ptr<char[]>;

  explicit BlockPool(size_t block_bytes = 256 << 10) : block_bytes_(block_bytes) {}
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool() { TrimTo(0); }

  size_t block_bytes() const { return block_bytes_; }

  /// Returns a pooled block or a new one. Its contents are unspecified.
  Block Take() LULL_EXCLUDES(mutex_);
  /// Returns blocks to the pool. REQUIRES: every block has block_bytes() bytes.
  void Give(std::vector<Block> blocks) LULL_EXCLUDES(mutex_);
  /// Frees pooled blocks beyond `bytes`.
  void TrimTo(size_t bytes) LULL_EXCLUDES(mutex_);

 private:
  const size_t block_bytes_;
  Mutex mutex_;
  std::vector<Block> free_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
