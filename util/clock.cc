// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/clock.h"

#include <ctime>

namespace lull {
namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;

uint64_t ReadNanos(clockid_t id) {
  timespec now;
  clock_gettime(id, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNanosPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

class SystemClock final : public Clock {
 public:
  uint64_t NowNanos() const override { return ReadNanos(CLOCK_MONOTONIC); }

  void SleepForNanos(uint64_t nanos) override {
    // By the deadline, so that signals do not lengthen the sleep.
    const uint64_t wake_nanos = NowNanos() + nanos;
    for (uint64_t left = nanos; left > 0;) {
      const timespec rest = {.tv_sec = static_cast<time_t>(left / kNanosPerSecond),
                             .tv_nsec = static_cast<long>(left % kNanosPerSecond)};
      if (nanosleep(&rest, nullptr) == 0) return;
      const uint64_t now_nanos = NowNanos();
      left = wake_nanos > now_nanos ? wake_nanos - now_nanos : 0;
    }
  }
};

}  // namespace

Clock* Clock::System() {
  static Clock* const clock = new SystemClock;  // never destroyed: threads can outlive main
  return clock;
}

uint64_t WallClockMicros() { return ReadNanos(CLOCK_REALTIME) / 1000; }

}  // namespace lull
