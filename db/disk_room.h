// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Watches the free space of a store's file system, so that the store stops deferring work before
// the disk is full: a flush needs space for its table while the log of the memtable still exists.
// The flush thread looks; any thread asks.
#pragma once

#include <atomic>
#include <cstdint>

#include "db/context.h"

namespace lull {

class DiskRoom {
 public:
  explicit DiskRoom(const StoreContext* context) : context_(context) {}

  /// `unflushed_bytes`: of sealed memtables. Asks the file system at most once a millisecond.
  void Look(uint64_t now_nanos, uint64_t unflushed_bytes, uint64_t memtable_bytes);

  /// Whether less is free than twice what the unflushed memtables and two more can grow to.
  bool is_low() const { return is_low_.load(std::memory_order_relaxed); }

 private:
  const StoreContext* const context_;
  uint64_t looked_at_nanos_ = 0;
  std::atomic<bool> is_low_{false};
};

}  // namespace lull
