// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/rhythm.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::kMiB;
using testing::kSecondUs;

using Phase = Rhythm::Phase;

/// Lets time pass in steps of 10 ms, while the debt changes linearly.
class RhythmTest : public ::testing::Test {
 protected:
  void Pass(Phase phase, uint64_t length_us, int64_t debt_change_bytes = 0) {
    const int64_t from = debt_bytes_;
    for (uint64_t passed = 0; passed < length_us; passed += 10'000) {
      const double share = static_cast<double>(passed) / static_cast<double>(length_us);
      debt_bytes_ = from + static_cast<int64_t>(share * static_cast<double>(debt_change_bytes));
      rhythm_.Observe(phase, static_cast<uint64_t>(debt_bytes_), now_us_ += 10'000);
    }
    debt_bytes_ = from + debt_change_bytes;
  }

  Rhythm rhythm_;
  int64_t debt_bytes_ = 0;
  uint64_t now_us_ = 0;
};

TEST_F(RhythmTest, KnowsNothingAtFirst) {
  Pass(Phase::kLull, kSecondUs);
  Pass(Phase::kLight, kSecondUs, 100 * kMiB);
  EXPECT_EQ(rhythm_.burst_us(), 0u);
  EXPECT_EQ(rhythm_.LongestBurstUs(), 0u);
  EXPECT_EQ(rhythm_.NextBurstDebtBytes(), 0u);
  EXPECT_EQ(rhythm_.NextLullsPayBytes(), 0u);
}

TEST_F(RhythmTest, TimesTheBurstThatGoesOn) {
  Pass(Phase::kLull, kSecondUs);
  Pass(Phase::kHard, 3 * kSecondUs, 30 * kMiB);
  EXPECT_NEAR(static_cast<double>(rhythm_.burst_us()), 3e6, 2e4);
  // A burst counts only after it has ended and another one has begun.
  EXPECT_EQ(rhythm_.LongestBurstUs(), 0u);
  Pass(Phase::kLull, kSecondUs);
  EXPECT_EQ(rhythm_.burst_us(), 0u);
  EXPECT_EQ(rhythm_.LongestBurstUs(), 0u);
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 3e6, 2e4);
}

TEST_F(RhythmTest, ExpectsTheWorstOfTheLastRounds) {
  for (const uint64_t seconds : {5, 9, 2, 3}) {
    Pass(Phase::kHard, seconds * kSecondUs, static_cast<int64_t>(seconds * 10 * kMiB));
    Pass(Phase::kLull, seconds * kSecondUs, -static_cast<int64_t>(seconds * 10 * kMiB));
  }
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 9e6, 2e4);
  EXPECT_NEAR(static_cast<double>(rhythm_.NextBurstDebtBytes()), 90.0 * kMiB, kMiB);
  // 10 MiB a second, over the shortest of the lulls.
  EXPECT_NEAR(static_cast<double>(rhythm_.NextLullsPayBytes()), 20.0 * kMiB, kMiB);
}

TEST_F(RhythmTest, ForgetsWhatIsLongAgo) {
  Pass(Phase::kHard, 60 * kSecondUs, 900 * kMiB);
  Pass(Phase::kLull, 10 * kSecondUs, -900 * static_cast<int64_t>(kMiB));
  for (int i = 0; i < 5; ++i) {
    Pass(Phase::kHard, kSecondUs, kMiB);
    Pass(Phase::kLull, kSecondUs, -static_cast<int64_t>(kMiB));
  }
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 1e6, 2e4);
  EXPECT_LE(rhythm_.NextBurstDebtBytes(), kMiB);
}

TEST_F(RhythmTest, AShortRestIsABreakInTheBurst) {
  Pass(Phase::kHard, 10 * kSecondUs, 100 * kMiB);
  Pass(Phase::kLull, kSecondUs / 2);
  Pass(Phase::kHard, 10 * kSecondUs, 100 * kMiB);
  EXPECT_NEAR(static_cast<double>(rhythm_.burst_us()), 20.5e6, 2e4);
  Pass(Phase::kLull, 5 * kSecondUs);
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 20.5e6, 3e4);
  EXPECT_NEAR(static_cast<double>(rhythm_.NextBurstDebtBytes()), 200.0 * kMiB, kMiB);
}

// A rate near the threshold, or a client with short waits, must not count as a hundred bursts.
TEST_F(RhythmTest, NoRoundIsShorterThanHalfASecond) {
  for (int i = 0; i < 100; ++i) {
    Pass(Phase::kHard, 60'000, kMiB);
    Pass(Phase::kLight, 40'000);
  }
  // One continuous burst: each rest is a break in it.
  EXPECT_EQ(rhythm_.LongestBurstUs(), 0u);
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.burst_us()), 10e6, 2e4);
  Pass(Phase::kLull, 2 * kSecondUs);
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 10e6, 5e4);
  EXPECT_NEAR(static_cast<double>(rhythm_.NextBurstDebtBytes()), 100.0 * kMiB, 2.0 * kMiB);
}

TEST_F(RhythmTest, ShortBurstsWithLongRestsAreRounds) {
  for (int i = 0; i < 3; ++i) {
    Pass(Phase::kHard, 100'000, kMiB);
    Pass(Phase::kLull, 500'000, -static_cast<int64_t>(kMiB));
  }
  EXPECT_NEAR(static_cast<double>(rhythm_.LongestBurstUs()), 1e5, 2e4);
}

TEST_F(RhythmTest, LightWritingIsRestButNoLull) {
  for (int i = 0; i < 3; ++i) {
    Pass(Phase::kHard, kSecondUs, 10 * kMiB);
    Pass(Phase::kLight, 5 * kSecondUs, -5 * static_cast<int64_t>(kMiB));
    Pass(Phase::kLull, kSecondUs, -5 * static_cast<int64_t>(kMiB));
  }
  Pass(Phase::kHard, 10'000);
  EXPECT_NEAR(static_cast<double>(rhythm_.NextLullsPayBytes()), 5.0 * kMiB, kMiB / 4.0);
}

TEST_F(RhythmTest, TimeInWhichNothingWasLeftToPayDoesNotCount) {
  for (int i = 0; i < 3; ++i) {
    Pass(Phase::kHard, kSecondUs, 100 * kMiB);
    Pass(Phase::kLull, kSecondUs, -100 * static_cast<int64_t>(kMiB));
    Pass(Phase::kLull, 9 * kSecondUs);
  }
  Pass(Phase::kHard, 10'000);
  // 100 MiB a second for ten seconds: more than the debt ever was.
  EXPECT_NEAR(static_cast<double>(rhythm_.NextLullsPayBytes()), 1000.0 * kMiB, 40.0 * kMiB);
}

}  // namespace
}  // namespace lull
