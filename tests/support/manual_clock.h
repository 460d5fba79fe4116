// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <atomic>
#include <cstdint>

#include "util/clock.h"

namespace lull {

/// Advances only when set; a sleep advances it at once. Thread-safe.
class ManualClock final : public Clock {
 public:
  uint64_t NowNanos() const override { return now_nanos_.load(std::memory_order_relaxed); }
  void SleepForNanos(uint64_t nanos) override { Advance(nanos); }
  void Advance(uint64_t nanos) { now_nanos_.fetch_add(nanos, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> now_nanos_{1};
};

}  // namespace lull
