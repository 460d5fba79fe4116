// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/clock.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace lull {
namespace {

using std::chrono::nanoseconds;

constinit std::atomic<uint64_t> passed_nanos{0};  // time that threads have waited for

class SystemClock final : public Clock {
 public:
  uint64_t NowNanos() const override {
    const nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    return std::max(static_cast<uint64_t>(now.count()),
                    passed_nanos.load(std::memory_order_relaxed));
  }
  void SleepForNanos(uint64_t nanos) override {
    const uint64_t end = NowNanos() + nanos;
    std::this_thread::sleep_for(nanoseconds(nanos));
    NotePassed(end);
  }
};

}  // namespace

void NotePassed(uint64_t nanos) {
  uint64_t before = passed_nanos.load(std::memory_order_relaxed);
  while (before < nanos &&
         !passed_nanos.compare_exchange_weak(before, nanos, std::memory_order_relaxed)) {
  }
}

Clock* Clock::System() {
  static Clock* const clock = new SystemClock;  // never destroyed: threads can outlive main
  return clock;
}

uint64_t WallClockMicros() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count());
}

}  // namespace lull
