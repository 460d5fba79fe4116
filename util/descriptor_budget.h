// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A share of the process' file descriptors, for files that can do without one: a table that is
// reopened for each read, a log that is not yet needed. Stores with many tables thus leave the
// program enough descriptors for its own business. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

class DescriptorBudget {
 public:
  /// `limit` returns how many descriptors may be taken now; it may change.
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
