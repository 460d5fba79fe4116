// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/block_pool.h"

#include <algorithm>

#include "util/os.h"
#include "util/page_buffer.h"

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
namespace {

/// Size of a mapping. Only pages that are used take up memory.
constexpr size_t kSlabBytes = 1 << 20;

/// How many adjacent blocks are faulted in at once, which is faster than one fault per page.
constexpr size_t kBlocksAtOnce = 16;

}  // namespace

BlockPool::BlockPool(size_t block_bytes) : block_bytes_(InWholePages(block_bytes)) {}

BlockPool::~BlockPool() {
  const size_t slab_bytes = std::max(kSlabBytes, block_bytes_);
  for (char* const slab : slabs_) {
    ASAN_UNPOISON_MEMORY_REGION(slab, slab_bytes);
    os::UnmapMemory(slab, slab_bytes);
  }
}

BlockPool::Block BlockPool::Take() {
  MutexLock lock(mutex_);
  if (warm_.empty()) {
    if (cold_.empty()) AddSlabLocked();
    const Block first = cold_.back();
    // No more than is in use: a store that is hardly used stays small.
    const size_t bytes_max = std::min<size_t>(kBlocksAtOnce * block_bytes_, used_bytes());
    size_t bytes = 0;
    do {
      warm_.push_back(cold_.back());
      cold_.pop_back();
      bytes += block_bytes_;
    } while (bytes < bytes_max && !cold_.empty() && cold_.back() == first + bytes);
    std::reverse(warm_.begin(), warm_.end());  // the first is taken first
    warm_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    // Otherwise each page faults at its first store, as those of the only block in use do.
    if (bytes_max > 0) os::FaultIn(first, bytes);
  }
  const Block block = warm_.back();
  warm_.pop_back();
  warm_bytes_.fetch_sub(block_bytes_, std::memory_order_relaxed);
  used_bytes_.fetch_add(block_bytes_, std::memory_order_relaxed);
  ASAN_UNPOISON_MEMORY_REGION(block, block_bytes_);
  return block;
}

void BlockPool::AddSlabLocked() {
  const size_t slab_bytes = std::max(kSlabBytes, block_bytes_);
  const size_t blocks = slab_bytes / block_bytes_;
  // Reserves all memory first, since that can throw. Then Give cannot throw: it returns only blocks
  // of these slabs.
  slabs_.reserve(slabs_.size() + 1);
  cold_.reserve((slabs_.size() + 1) * blocks);
  warm_.reserve((slabs_.size() + 1) * blocks);
  slabs_.push_back(MapPages(slab_bytes));
  for (size_t i = blocks; i > 0; --i) cold_.push_back(slabs_.back() + (i - 1) * block_bytes_);
}

void BlockPool::Give(const std::vector<Block>& blocks) {
  // Lets ASan report a read of a freed memtable, as if its blocks were freed to the heap.
  for (const Block block : blocks) ASAN_POISON_MEMORY_REGION(block, block_bytes_);
  MutexLock lock(mutex_);
  warm_.insert(warm_.end(), blocks.begin(), blocks.end());
  used_bytes_.fetch_sub(blocks.size() * block_bytes_, std::memory_order_relaxed);
  warm_bytes_.fetch_add(blocks.size() * block_bytes_, std::memory_order_relaxed);
}

void BlockPool::TrimTo(size_t bytes) {
  std::vector<Block> surplus;
  const size_t kept = bytes / block_bytes_;
  {
    MutexLock lock(mutex_);
    if (warm_.size() <= kept) return;
    const auto kept_begin = warm_.end() - static_cast<std::ptrdiff_t>(kept);
    surplus.assign(warm_.begin(), kept_begin);
    warm_.erase(warm_.begin(), kept_begin);
    warm_bytes_.fetch_sub(surplus.size() * block_bytes_, std::memory_order_relaxed);
  }
  // Highest address first, so that Take returns them in ascending order.
  std::sort(surplus.rbegin(), surplus.rend());
  for (const Block block : surplus) os::DropPages(block, block_bytes_);
  MutexLock lock(mutex_);
  cold_.insert(cold_.end(), surplus.begin(), surplus.end());
}

}  // namespace lull
