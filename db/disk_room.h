// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DiskRoom: watches the free space of a store's file system. When space is low, the store stops
// postponing flushes and compactions. A flush needs space for its table while the memtable's WAL
// still exists. Look: flush thread only. is_low: any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "db/context.h"

namespace lull {

class DiskRoom {
 public:
  explicit DiskRoom(const StoreContext* context) : context_(context) {}

  /// `unflushed_bytes`: size of the sealed memtables. Queries the file system at most once per
  /// millisecond.
  void Look(uint64_t now_nanos, uint64_t unflushed_bytes, uint64_t memtable_bytes);

  /// Whether free space is below twice the size of the unflushed memtables plus two more.
  bool is_low() const { return is_low_.load(std::memory_order_relaxed); }

 private:
  const StoreContext* const context_;
  uint64_t looked_at_nanos_ = 0;
  std::atomic<bool> is_low_{false};
};

}  // namespace lull
