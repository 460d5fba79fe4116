// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A number that one thread at a time adds to and any thread reads. An addition is a plain load and
// store: no locked instruction, so it may stand in the innermost loop. Who the one thread is
// belongs to the owner; a hand-over from one to the next needs an order of its own.
#pragma once

#include <atomic>
#include <cstdint>

namespace lull {

class OwnedCounter {
 public:
  /// The owning thread only.
  OwnedCounter& operator+=(uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    return *this;
  }

  /// Any thread; may lag behind.
  operator uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace lull
