// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Blocks of memory that memtables pass on to one another. A burst fills and frees a memtable every
// few milliseconds; from the heap, each would fault in its pages anew, and wait for whoever holds
// the address space's lock meanwhile (a WAL being mapped, for one). Any thread.
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

  /// One that was given back, or a new one. Its content is anything.
  Block Take() LULL_EXCLUDES(mutex_);
  /// REQUIRES: every block is of block_bytes().
  void Give(std::vector<Block> blocks) LULL_EXCLUDES(mutex_);
  /// Frees what is held beyond `bytes`.
  void TrimTo(size_t bytes) LULL_EXCLUDES(mutex_);

 private:
  const size_t block_bytes_;
  Mutex mutex_;
  std::vector<Block> free_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
