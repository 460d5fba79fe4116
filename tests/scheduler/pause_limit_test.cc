// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/pause_limit.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "scheduler/policy.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::kSecondUs;

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

}  // namespace
}  // namespace lull
