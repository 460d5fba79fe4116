// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/disk_room.h"

namespace lull {

void DiskRoom::Look(uint64_t now_nanos, uint64_t unflushed_bytes, uint64_t memtable_bytes) {
  constexpr uint64_t kLookEveryNanos = 1'000'000;
  if (context_->extension == nullptr || now_nanos - looked_at_nanos_ < kLookEveryNanos) return;
  looked_at_nanos_ = now_nanos;
  const uint64_t wanted_bytes = 2 * (unflushed_bytes + 2 * memtable_bytes);
  is_low_.store(context_->extension->FreeBytes(context_->name) < wanted_bytes,
                std::memory_order_relaxed);
}

}  // namespace lull
