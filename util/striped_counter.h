// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A sum to which many threads add. Each adds to the cache line of its ordinal, so that threads
// rarely share a line. Reading loads every stripe and can miss concurrent additions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "util/thread.h"

namespace lull {

class StripedCounter {
 public:
  /// Any thread.
  void Add(uint64_t amount) {
    stripes_[ThreadOrdinal() % kStripes].value.fetch_add(amount, std::memory_order_relaxed);
  }
  /// Any thread.
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (const Stripe& stripe : stripes_) sum += stripe.value.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr unsigned kStripes = 32;  // power of two
  struct alignas(64) Stripe {
    std::atomic<uint64_t> value{0};
  };
  std::array<Stripe, kStripes> stripes_{};
};

}  // namespace lull
