// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/clock.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"

namespace lull {
namespace {

TEST(Clock, SystemTimeNeverGoesBack) {
  uint64_t last = Clock::System()->NowNanos();
  for (int i = 0; i < 10000; i++) {
    const uint64_t now = Clock::System()->NowNanos();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, SleepLastsAtLeastAsLongAsAsked) {
  const uint64_t before = Clock::System()->NowNanos();
  Clock::System()->SleepForNanos(2'000'000);
  EXPECT_GE(Clock::System()->NowNanos() - before, 2'000'000u);
}

TEST(Clock, MicrosecondsAreRoundedDown) {
  ManualClock clock;
  clock.Advance(2500);
  EXPECT_EQ(clock.NowMicros(), 2u);
}

TEST(Clock, WallClockIsInThisCentury) {
  EXPECT_GT(WallClockMicros(), 1'600'000'000'000'000u);
  EXPECT_LT(WallClockMicros(), 4'200'000'000'000'000u);
}

}  // namespace
}  // namespace lull
