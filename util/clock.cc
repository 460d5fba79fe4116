// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/clock.h"

#include <chrono>
#include <thread>

namespace lull {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

class SystemClock final : public Clock {
 public:
  uint64_t NowNanos() const override {
    return static_cast<uint64_t>(nanoseconds(steady_clock::now().time_since_epoch()).count());
  }
  void SleepForNanos(uint64_t nanos) override {
    // By the deadline, so that signals do not lengthen the sleep. Windows can wake too early.
    const auto wake = steady_clock::now() + nanoseconds(nanos);
    while (steady_clock::now() < wake) std::this_thread::sleep_until(wake);
  }
};

}  // namespace

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
