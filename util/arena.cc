// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/arena.h"

namespace lull {

Arena::Arena(size_t block_bytes) : block_bytes_(block_bytes) {}

char* Arena::AllocateSlow(size_t bytes) {
  // A large request gets a block of its own, so that what is left of the current one is not thrown
  // away for it: at most a quarter of any block is wasted.
  const bool is_alone = bytes > block_bytes_ / 4;
  const size_t taken = is_alone ? bytes : block_bytes_;
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(taken));
  memory_bytes_.fetch_add(taken + sizeof(blocks_.back()), std::memory_order_relaxed);
  char* const start = blocks_.back().get();
  if (!is_alone) {
    next_ = start + bytes;
    remaining_ = taken - bytes;
  }
  return start;
}

}  // namespace lull
