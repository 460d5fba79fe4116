// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/block_pool.h"

#include <iterator>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#if !defined(ASAN_POISON_MEMORY_REGION)
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

namespace lull {

BlockPool::Block BlockPool::Take() {
  {
    MutexLock lock(mutex_);
    if (!free_.empty()) {
      Block block = std::move(free_.back());
      free_.pop_back();
      ASAN_UNPOISON_MEMORY_REGION(block.get(), block_bytes_);
      return block;
    }
  }
  return std::make_unique_for_overwrite<char[]>(block_bytes_);
}

void BlockPool::Give(std::vector<Block> blocks) {
  // Lets ASan report a read of a freed memtable, as if its blocks were freed to the heap.
  for (const Block& block : blocks) ASAN_POISON_MEMORY_REGION(block.get(), block_bytes_);
  MutexLock lock(mutex_);
  free_.insert(free_.end(), std::make_move_iterator(blocks.begin()),
               std::make_move_iterator(blocks.end()));
}

void BlockPool::TrimTo(size_t bytes) {
  std::vector<Block> surplus;
  const size_t kept = bytes / block_bytes_;
  {
    MutexLock lock(mutex_);
    if (free_.size() <= kept) return;
    surplus.assign(std::make_move_iterator(free_.begin() + static_cast<std::ptrdiff_t>(kept)),
                   std::make_move_iterator(free_.end()));
    free_.resize(kept);
  }
  for (const Block& block : surplus) ASAN_UNPOISON_MEMORY_REGION(block.get(), block_bytes_);
}

}  // namespace lull
