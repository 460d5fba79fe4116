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

TEST(Clock, ManualClockMovesOnlyWhenTold) {
  ManualClock clock;
  const uint64_t start = clock.NowNanos();
  EXPECT_EQ(clock.NowNanos(), start);
  clock.Advance(1500);
  EXPECT_EQ(clock.NowNanos(), start + 1500);
  clock.SleepForNanos(500);
  EXPECT_EQ(clock.NowNanos(), start + 2000);
  EXPECT_EQ(clock.NowMicros(), clock.NowNanos() / 1000);
}

TEST(Clock, WallClockIsInThisCentury) {
  EXPECT_GT(WallClockMicros(), 1'600'000'000'000'000u);
  EXPECT_LT(WallClockMicros(), 4'200'000'000'000'000u);
}

}  // namespace
}  // namespace lull
