// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/disk_space.h"

#include <optional>

namespace lull {

bool DiskSpace::Sample(uint64_t now_nanos, uint64_t unflushed_bytes, uint64_t memtable_bytes) {
  constexpr uint64_t kLookEveryNanos = 1'000'000;
  const bool is_requested = is_requested_.exchange(false, std::memory_order_relaxed);
  if (!is_requested && now_nanos - looked_at_nanos() < kLookEveryNanos) return false;
  if (context_->extension != nullptr) {
    const std::optional<uint64_t> free_bytes = context_->extension->FreeBytes(context_->name);
    const uint64_t wanted_bytes = 2 * (unflushed_bytes + 2 * memtable_bytes);
    free_bytes_.store(free_bytes.value_or(kUnknown), std::memory_order_relaxed);
    is_low_.store(free_bytes && *free_bytes < wanted_bytes, std::memory_order_relaxed);
  }
  looked_at_nanos_.store(now_nanos, std::memory_order_release);
  return is_requested;
}

void DiskSpace::RequestLook() {
  is_requested_.store(true, std::memory_order_relaxed);
  context_->flush_thread->Wake();
}

}  // namespace lull
