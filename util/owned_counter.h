// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A counter with one writer at a time and any number of readers. An addition is a plain load and
// store, without a locked instruction, so it is cheap enough for inner loops. The user defines
// which thread is the writer, and must synchronize when that changes.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

class OwnedCounter {
 public:
  /// Only the writer.
  OwnedCounter& operator+=(uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    return *this;
  }

  /// Returns the value, and sets it to 0. Only the writer.
  uint64_t Take() {
    const uint64_t value = value_.load(std::memory_order_relaxed);
    value_.store(0, std::memory_order_relaxed);
    return value;
  }

  /// Any thread; the value can be stale.
  operator uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace lull
