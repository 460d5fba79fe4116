// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the directive in force says of sizes and of the hard limits, brought into bounds. The
// monitor applies directives; any thread reads, without a lock. Values that are read together may
// come from two directives.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/policy.h"

namespace lull {

class Limits {
 public:
  struct Defaults {
    uint64_t memtable_bytes = 0;  ///< with which the store was opened
    uint64_t table_bytes = 0;
  };
  explicit Limits(const Defaults& defaults);
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

  /// Monitor only. True if a flush may be due sooner than before.
  bool Apply(const Directive& directive, uint64_t memory_budget_bytes);

  /// At this size of the memtable the leading writer looks whether it may grow: the smaller of its
  /// full size and the default.
  uint64_t ask_at_bytes() const { return ask_at_bytes_.load(std::memory_order_relaxed); }
  /// A memtable of this size is full. The memory budget holds two.
  uint64_t memtable_bytes() const { return memtable_bytes_.load(std::memory_order_relaxed); }
  /// Outputs of compactions are cut at this size.
  uint64_t table_bytes() const { return table_bytes_.load(std::memory_order_relaxed); }
  /// A full memtable takes more while another waits for its flush.
  bool absorbs() const { return absorbs_.load(std::memory_order_relaxed); }
  /// Background work offers its core to clients between two entries.
  bool offers_core() const { return offers_core_.load(std::memory_order_relaxed); }
  /// So much sealed memory makes a flush due.
  uint64_t flush_bytes_min() const { return flush_bytes_min_.load(std::memory_order_relaxed); }
  /// Sealed memtables. At least one may be sealed.
  int immutables_max() const { return immutables_max_.load(std::memory_order_relaxed); }
  /// A full memtable is not sealed while L0 has so many tables.
  int l0_stop() const { return l0_stop_.load(std::memory_order_relaxed); }

 private:
  const Defaults defaults_;
  std::atomic<uint64_t> ask_at_bytes_;
  std::atomic<uint64_t> memtable_bytes_;
  std::atomic<uint64_t> table_bytes_;
  std::atomic<bool> absorbs_{false};
  std::atomic<bool> offers_core_{false};
  std::atomic<uint64_t> flush_bytes_min_{0};
  std::atomic<int> immutables_max_{1 << 20};
  std::atomic<int> l0_stop_{1 << 20};
};

}  // namespace lull
