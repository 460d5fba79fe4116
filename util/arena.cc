// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/arena.h"

namespace lull {

char* Arena::AllocateSlow(size_t bytes) {
  // A large request gets its own block and leaves the rest of the current block usable. So at most
  // a quarter of any block is wasted.
  if (bytes > pool_->block_bytes() / 4) {
    large_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    large_charge_.Set(large_charge_.bytes() + bytes);
    memory_bytes_.fetch_add(bytes + sizeof(large_.back()), std::memory_order_relaxed);
    return large_.back().get();
  }
  // Reserves before Take: the block would leak if push_back threw.
  if (blocks_.size() == blocks_.capacity()) blocks_.reserve(2 * blocks_.size() + 16);
  blocks_.push_back(pool_->Take());
  memory_bytes_.fetch_add(pool_->block_bytes() + sizeof(blocks_.back()), std::memory_order_relaxed);
  char* const start = blocks_.back();
  next_ = start + bytes;
  remaining_ = pool_->block_bytes() - bytes;
  return start;
}

}  // namespace lull
