// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/rhythm.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::kMiB;

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
}  // namespace lull
