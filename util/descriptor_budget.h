// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A limit on file descriptors for files that also work without one: a table that can be reopened
// for each read, a log that is not needed yet. It leaves the program enough descriptors even if
// stores have many tables. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

class DescriptorBudget {
 public:
  /// `limit` returns the current limit; it can change over time.
  explicit DescriptorBudget(int64_t (*limit)()) : limit_(limit) {}

  bool TryTake() {
    if (taken_.fetch_add(1, std::memory_order_relaxed) < limit_()) return true;
    GiveBack();
    return false;
  }
  void GiveBack() { taken_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  int64_t (*const limit_)();
  std::atomic<int64_t> taken_{0};
};

}  // namespace lull
