// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DiskSpace: the free space of a store's file system. When space is low, the store stops postponing
// flushes and compactions. A flush needs space for its table while the memtable's WAL still exists.
//
// Only the flush thread asks the file system, which can hang. Others use the last figure, and ask
// for a new one if it is old.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "db/base/context.h"

namespace lull {

class DiskSpace {
 public:
  explicit DiskSpace(const StoreContext* context) : context_(context) {}

  /// `unflushed_bytes`: size of the sealed memtables. Queries the file system at most once per
  /// millisecond. Returns true if the figure that RequestLook asked for is there. Flush thread; at
  /// the open, the opening one.
  bool Sample(uint64_t now_nanos, uint64_t unflushed_bytes, uint64_t memtable_bytes);

  // ---- any thread

  /// Makes the flush thread look.
  void RequestLook();
  /// As of the last look, at looked_at_nanos; nullopt: unknown.
  std::optional<uint64_t> free_bytes() const {
    const uint64_t bytes = free_bytes_.load(std::memory_order_relaxed);
    return bytes == kUnknown ? std::nullopt : std::optional(bytes);
  }
  uint64_t looked_at_nanos() const { return looked_at_nanos_.load(std::memory_order_acquire); }
  /// Whether free space was below twice the size of the unflushed memtables plus two more.
  bool is_low() const { return is_low_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  const StoreContext* const context_;
  std::atomic<uint64_t> looked_at_nanos_{0};
  std::atomic<uint64_t> free_bytes_{kUnknown};
  std::atomic<bool> is_low_{false};
  std::atomic<bool> is_requested_{false};
};

}  // namespace lull
