// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What policies are made of: rates, the limit of pauses, the rhythm of bursts and lulls.
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/policies/pause_limit.h"
#include "scheduler/policies/rates.h"
#include "scheduler/policies/rhythm.h"
#include "scheduler/policy.h"
#include "tests/support/units.h"

namespace lull::testing {
namespace {

TEST(ProgressTest, IsAPlaceOnARamp) {
  EXPECT_EQ(Progress(5, 10, 20), 0.0);
  EXPECT_EQ(Progress(10, 10, 20), 0.0);
  EXPECT_EQ(Progress(15, 10, 20), 0.5);
  EXPECT_EQ(Progress(20, 10, 20), 1.0);
  EXPECT_EQ(Progress(99, 10, 20), 1.0);
  // A ramp without length is a step.
  EXPECT_EQ(Progress(9, 10, 10), 0.0);
  EXPECT_EQ(Progress(10, 10, 10), 1.0);
}

TEST(RateMeterTest, MeasuresSpansOfALeastLength) {
  RateMeter meter(1000);
  EXPECT_FALSE(meter.Sample(500, 10'000));  // starts a span
  EXPECT_FALSE(meter.Sample(900, 10'999));  // too short
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
  EXPECT_TRUE(meter.Sample(1500, 11'000));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
  EXPECT_EQ(meter.span_us(), 1000u);
  // A span can be longer; the rate is kept until the next span ends.
  EXPECT_FALSE(meter.Sample(9999, 11'500));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
  EXPECT_TRUE(meter.Sample(3500, 15'000));
  EXPECT_EQ(meter.bytes_per_sec(), 5e5);
  EXPECT_EQ(meter.span_us(), 4000u);
}

TEST(RateMeterTest, ATotalThatShrinksHasNotGrown) {
  RateMeter meter(10);
  meter.Sample(1000, 0);
  EXPECT_TRUE(meter.Sample(0, 10));
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
  EXPECT_TRUE(meter.Sample(10, 20));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
}

constexpr uint64_t kStepUs = 10'000;

using Verdict = PauseClock::Verdict;

/// Work that is always due, checked every 10 ms.
class PauseClockTest : public ::testing::Test {
 protected:
  PauseClockTest() {
    clock_.Sample(0, 0);
    clock_.Note(PauseClock::Standing::kHeldUp);
  }

  /// Lets time pass; `share` of it goes into slices.
  void Pass(uint64_t length_us, double share) {
    for (const uint64_t end_us = now_us_ + length_us; now_us_ < end_us;) {
      now_us_ += step_us_;
      slices_ += share * static_cast<double>(step_us_) / 1000;
      const Verdict verdict = clock_.Sample(static_cast<uint64_t>(slices_), now_us_);
      if (verdict != Verdict::kMayWait && first_us_ == 0) first_us_ = now_us_;
    }
  }

  PauseClock clock_{10 * kSecondUs};
  uint64_t step_us_ = kStepUs;
  uint64_t now_us_ = 0;
  uint64_t first_us_ = 0;
  double slices_ = 0;
};

TEST_F(PauseClockTest, OnePartInElevenOfAWorkerIsEnough) {
  Pass(100 * kSecondUs, 0.1);
  EXPECT_EQ(first_us_, 0u);
  Pass(100 * kSecondUs, 0.08);  // 12 % of the required time are missing
  EXPECT_GT(first_us_, 0u);
}

// The end of each slice is an event, and slices under an I/O limit are shorter than others.
TEST_F(PauseClockTest, WhatRunsIsNoticedHoweverOftenOneLooks) {
  for (const uint64_t step_us : {300, 800, 1'300}) {
    step_us_ = step_us;
    Pass(30 * kSecondUs, 1.0);
    EXPECT_EQ(first_us_, 0u) << step_us;
  }
  step_us_ = 300;
  Pass(9 * kSecondUs, 0);
  Pass(2 * kSecondUs, 0);
  EXPECT_GT(first_us_, 0u);
}

TEST_F(PauseClockTest, SlicesOfSeveralWorkersAreNoMoreThanTheTime) {
  Pass(9 * kSecondUs, 0);
  Pass(kSecondUs / 2, 8.0);  // 9 s old - 5 s, not less
  Pass(6 * kSecondUs + kStepUs, 0);
  EXPECT_GT(first_us_, 0u);
}

class PauseLimitTest : public ::testing::Test {
 protected:
  using Deep = PauseLimit::Deep;

  PauseLimitTest() {
    options_.pause_us_max = kSecondUs;
    options_.compaction_threads = 3;
  }
  PolicyOptions options_;
};

TEST_F(PauseLimitTest, WhatGetsNoCpuAtIdlePriorityRunsAtNormal) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = pressure.deep_due = true;
  pressure.l0_running = pressure.deep_running = 1;
  const Grant idle{2, CpuPriority::kIdle};
  for (uint64_t now_us = 0; now_us < 2 * kSecondUs; now_us += kStepUs) {
    Directive wanted;
    wanted.l0 = wanted.deep = idle;
    limit.Apply(pressure, now_us, CpuPriority::kIdle, &wanted);
    EXPECT_EQ(wanted.l0, idle);
    pressure.deep_slices_total += 1;  // enough work for the deep class
  }
  Directive wanted;
  wanted.l0 = wanted.deep = idle;
  EXPECT_EQ(limit.Apply(pressure, 2 * kSecondUs, CpuPriority::kIdle, &wanted), Deep::kMayWait);
  EXPECT_EQ(wanted.l0, (Grant{2, CpuPriority::kNormal}));
  EXPECT_EQ(wanted.deep, idle);
}

// It runs as fast as it can, so the fact that L0 waits for it lifts no limit.
TEST_F(PauseLimitTest, ADeepJobThatRunsAnywayIsGivenNoMoreForL0) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = true;
  pressure.deep_paused = 1;
  for (uint64_t now_us = 0; now_us < kSecondUs / 2; now_us += kStepUs) {
    Directive wanted;
    wanted.l0 = wanted.deep = {2, CpuPriority::kNormal};
    EXPECT_EQ(limit.Apply(pressure, now_us, CpuPriority::kNormal, &wanted), Deep::kMayWait)
        << now_us;
    pressure.deep_paused = 0;
    pressure.deep_running = 1;
  }
}

using Phase = Rhythm::Phase;

/// A time in which the debt changes linearly.
struct Stretch {
  Phase phase;
  double seconds;
  double debt_change_mib = 0;
};

class RhythmTest : public ::testing::Test {
 protected:
  void Pass(const Stretch& stretch) {
    const double from_mib = debt_mib_;
    const auto steps = static_cast<int>(std::lround(stretch.seconds * 100));
    for (int step = 0; step < steps; ++step) {
      debt_mib_ = from_mib + stretch.debt_change_mib * step / steps;
      rhythm_.Observe(stretch.phase, static_cast<uint64_t>(debt_mib_ * kMiB), now_us_ += 10'000);
    }
    debt_mib_ = from_mib + stretch.debt_change_mib;
  }
  void PassAll(const std::vector<Stretch>& stretches, int times = 1) {
    for (int i = 0; i < times; ++i) {
      for (const Stretch& stretch : stretches) Pass(stretch);
    }
  }
  double burst() const { return static_cast<double>(rhythm_.burst_us()) / 1e6; }
  double longest() const { return static_cast<double>(rhythm_.LongestBurstUs()) / 1e6; }
  double built_mib() const { return static_cast<double>(rhythm_.NextBurstDebtBytes()) / kMiB; }
  double paid_mib() const { return static_cast<double>(rhythm_.NextLullsPayBytes()) / kMiB; }

  Rhythm rhythm_;
  double debt_mib_ = 0;
  uint64_t now_us_ = 0;
};

TEST_F(RhythmTest, SkippedTimeBelongsToNothing) {
  PassAll({{Phase::kHard, 6, 60}});
  for (int step = 0; step < 300; ++step)  // in which the debt is paid
    rhythm_.Skip(static_cast<uint64_t>((debt_mib_ -= 0.2) * kMiB), now_us_ += 10'000);
  PassAll({{Phase::kLight, 0.1}, {Phase::kHard, 4, 40}, {Phase::kLull, 2, -20}});
  for (int step = 0; step < 300; ++step) rhythm_.Skip(0, now_us_ += 10'000);
  debt_mib_ = 0;
  PassAll({{Phase::kHard, 0.01}});
  EXPECT_NEAR(longest(), 10.1, 0.05);
  EXPECT_NEAR(built_mib(), 100, 2);
  EXPECT_NEAR(paid_mib(), 20, 1);
}

constexpr Stretch kBegin{Phase::kHard, 0.01};  // of a burst, which ends the round before it

TEST_F(RhythmTest, KnowsNothingAtFirst) {
  PassAll({{Phase::kLull, 1}, {Phase::kLight, 1, 100}});
  EXPECT_EQ(burst() + longest() + built_mib() + paid_mib(), 0);
}

TEST_F(RhythmTest, TimesTheBurstThatGoesOn) {
  PassAll({{Phase::kLull, 1}, {Phase::kHard, 3, 30}});
  EXPECT_NEAR(burst(), 3, 0.02);
  // A burst counts only after it has ended and another one has begun.
  EXPECT_EQ(longest(), 0);
  Pass({Phase::kLull, 1});
  EXPECT_EQ(burst() + longest(), 0);
  Pass(kBegin);
  EXPECT_NEAR(longest(), 3, 0.02);
}

TEST_F(RhythmTest, ExpectsTheWorstOfTheLastRounds) {
  for (const double seconds : {5, 9, 2, 3}) {
    PassAll({{Phase::kHard, seconds, seconds * 10}, {Phase::kLull, seconds, -seconds * 10}});
  }
  Pass(kBegin);
  EXPECT_NEAR(longest(), 9, 0.02);
  EXPECT_NEAR(built_mib(), 90, 1);
  EXPECT_NEAR(paid_mib(), 20, 1);  // 10 MiB a second, over the shortest of the lulls
}

TEST_F(RhythmTest, ForgetsWhatIsLongAgo) {
  PassAll({{Phase::kHard, 60, 900}, {Phase::kLull, 10, -900}});
  PassAll({{Phase::kHard, 1, 1}, {Phase::kLull, 1, -1}}, 5);
  EXPECT_NEAR(longest(), 1, 0.02);
  EXPECT_LE(built_mib(), 1);
}

TEST_F(RhythmTest, AShortRestIsABreakInTheBurst) {
  PassAll({{Phase::kHard, 10, 100}, {Phase::kLull, 0.5}, {Phase::kHard, 10, 100}});
  EXPECT_NEAR(burst(), 20.5, 0.02);
  PassAll({{Phase::kLull, 5}, kBegin});
  EXPECT_NEAR(longest(), 20.5, 0.03);
  EXPECT_NEAR(built_mib(), 200, 1);
}

// A rate near the threshold, or a client with short waits, must not count as a hundred bursts.
TEST_F(RhythmTest, NoRoundIsShorterThanHalfASecond) {
  PassAll({{Phase::kHard, 0.06, 1}, {Phase::kLight, 0.04}}, 100);
  // One continuous burst: each rest is a break in it.
  EXPECT_EQ(longest(), 0);
  Pass(kBegin);
  EXPECT_NEAR(burst(), 10, 0.02);
  PassAll({{Phase::kLull, 2}, kBegin});
  EXPECT_NEAR(longest(), 10, 0.05);
  EXPECT_NEAR(built_mib(), 100, 2);
}

TEST_F(RhythmTest, ShortBurstsWithLongRestsAreRounds) {
  PassAll({{Phase::kHard, 0.1, 1}, {Phase::kLull, 0.5, -1}}, 3);
  EXPECT_NEAR(longest(), 0.1, 0.02);
}

TEST_F(RhythmTest, LightWritingIsRestButNoLull) {
  PassAll({{Phase::kHard, 1, 10}, {Phase::kLight, 5, -5}, {Phase::kLull, 1, -5}}, 3);
  Pass(kBegin);
  EXPECT_NEAR(paid_mib(), 5, 0.25);
}

TEST_F(RhythmTest, TimeInWhichNothingWasLeftToPayDoesNotCount) {
  PassAll({{Phase::kHard, 1, 100}, {Phase::kLull, 1, -100}, {Phase::kLull, 9}}, 3);
  Pass(kBegin);
  EXPECT_NEAR(paid_mib(), 1000, 40);  // 100 MiB a second for ten: more than the debt ever was
}

}  // namespace
}  // namespace lull::testing
