// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// AppliedDirective: the sizes and hard limits of the current directive, clamped to safe bounds. The
// monitor applies directives. Any thread reads, without a lock; two values read one after the other
// can come from different directives.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/policy.h"

namespace lull {

class AppliedDirective {
 public:
  struct Defaults {
    uint64_t memtable_bytes = 0;  ///< at the open
    uint64_t table_bytes = 0;
  };
  explicit AppliedDirective(const Defaults& defaults);

  /// Monitor only. Returns true if a flush can become due sooner.
  bool Apply(const Directive& directive, uint64_t memory_budget_bytes);

  /// The memtable size from which the leading writer checks whether it can grow: the smaller of its
  /// full size and the default.
  uint64_t ask_at_bytes() const { return ask_at_bytes_.load(std::memory_order_relaxed); }
  /// A memtable of this size is full. The memory budget has room for two.
  uint64_t memtable_bytes() const { return memtable_bytes_.load(std::memory_order_relaxed); }
  /// A compaction ends an output at this size.
  uint64_t table_bytes() const { return table_bytes_.load(std::memory_order_relaxed); }
  /// A full memtable keeps growing while another one waits for its flush.
  bool absorbs() const { return absorbs_.load(std::memory_order_relaxed); }
  /// Background work yields its core to clients between two entries.
  bool offers_core() const { return offers_core_.load(std::memory_order_relaxed); }
  /// A flush is due once this much sealed memory waits.
  uint64_t flush_bytes_min() const { return flush_bytes_min_.load(std::memory_order_relaxed); }
  /// A flush writes at most so much, unless someone waits for it; 0: no limit.
  uint64_t flush_bytes_per_sec_max() const {
    return flush_bytes_per_sec_max_.load(std::memory_order_relaxed);
  }
  /// Maximum count of sealed memtables; at least 1.
  int immutables_max() const { return immutables_max_.load(std::memory_order_relaxed); }
  /// A full memtable is not sealed while L0 has this many tables.
  int l0_stop() const { return l0_stop_.load(std::memory_order_relaxed); }

 private:
  const Defaults defaults_;
  std::atomic<uint64_t> ask_at_bytes_;
  std::atomic<uint64_t> memtable_bytes_;
  std::atomic<uint64_t> table_bytes_;
  std::atomic<bool> absorbs_{false};
  std::atomic<bool> offers_core_{false};
  std::atomic<uint64_t> flush_bytes_min_{0};
  std::atomic<uint64_t> flush_bytes_per_sec_max_{0};
  std::atomic<int> immutables_max_{1 << 20};
  std::atomic<int> l0_stop_{1 << 20};
};

}  // namespace lull
