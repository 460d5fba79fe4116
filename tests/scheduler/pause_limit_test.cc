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
    clock_.Look(0, 0);
    clock_.Note(PauseClock::Standing::kHeldUp);
  }

  /// Lets time pass; `share` of it goes into slices whenever `runs(verdict)`. Returns the time in
  /// which `runs` was true.
  template <class Runs>
  uint64_t Pass(uint64_t length_us, double share, const Runs& runs) {
    uint64_t ran_us = 0;
    for (const uint64_t end_us = now_us_ + length_us; now_us_ < end_us;) {
      now_us_ += step_us_;
      if (runs(verdict_)) {
        slices_ += share * static_cast<double>(step_us_) / 1000;
        ran_us += step_us_;
      }
      verdict_ = clock_.Look(static_cast<uint64_t>(slices_), now_us_);
      if (verdict_ != Verdict::kMayWait && first_us_ == 0) first_us_ = now_us_;
    }
    return ran_us;
  }
  static bool IfItMust(Verdict verdict) { return verdict != Verdict::kMayWait; }
  static bool Always(Verdict) { return true; }
  static bool Never(Verdict) { return false; }

  PauseClock clock_{10 * kSecondUs};
  Verdict verdict_ = Verdict::kMayWait;
  uint64_t step_us_ = kStepUs;
  uint64_t now_us_ = 0;
  uint64_t first_us_ = 0;
  double slices_ = 0;
};

TEST_F(PauseClockTest, WhatIsPausedTooLongRunsForATenthOfThat) {
  const uint64_t ran_us = Pass(110 * kSecondUs, 1.0, IfItMust);
  EXPECT_EQ(first_us_, 10 * kSecondUs);
  EXPECT_NEAR(static_cast<double>(ran_us), 10e6, 1e5);
}

TEST_F(PauseClockTest, ALullMakesYoungerTenTimesAsFast) {
  Pass(9 * kSecondUs, 0, Never);
  Pass(kSecondUs / 2, 1.0, Always);  // 9 s old - 5 s
  Pass(5 * kSecondUs, 0, Never);     // 4 s + 5 s
  EXPECT_EQ(first_us_, 0u);
  Pass(2 * kSecondUs, 0, Never);
  EXPECT_GT(first_us_, 0u);
}

// A grant is not work: no worker or CPU was free, or the limit left nothing.
TEST_F(PauseClockTest, WhatMayRunAndDoesNotGrowsOlderAllTheSame) {
  Pass(20 * kSecondUs - kStepUs, 0, Always);
  EXPECT_EQ(first_us_, 10 * kSecondUs);
  EXPECT_EQ(verdict_, Verdict::kMustRun);
  Pass(kSecondUs, 0, Always);
  EXPECT_EQ(verdict_, Verdict::kMustRunAtNormalPriority);
  // The verdict stays until all of it is made up for: a tenth of the age of 20 s.
  Pass(kSecondUs * 19 / 10, 1.0, Always);
  EXPECT_EQ(verdict_, Verdict::kMustRunAtNormalPriority);
  Pass(kSecondUs * 2 / 10, 1.0, Always);
  EXPECT_EQ(verdict_, Verdict::kMayWait);
}

TEST_F(PauseClockTest, OnePartInElevenOfAWorkerIsEnough) {
  Pass(100 * kSecondUs, 0.1, Always);
  EXPECT_EQ(first_us_, 0u);
  Pass(100 * kSecondUs, 0.08, Always);  // 12 % of the required time are missing
  EXPECT_GT(first_us_, 0u);
}

// The end of each slice is an event, and slices under an I/O limit are shorter than others.
TEST_F(PauseClockTest, WhatRunsIsNoticedHoweverOftenOneLooks) {
  for (const uint64_t step_us : {300, 800, 1'300}) {
    step_us_ = step_us;
    Pass(30 * kSecondUs, 1.0, Always);
    EXPECT_EQ(first_us_, 0u) << step_us;
  }
  step_us_ = 300;
  Pass(9 * kSecondUs, 0, Never);
  Pass(2 * kSecondUs, 0, Never);
  EXPECT_GT(first_us_, 0u);
}

TEST_F(PauseClockTest, SlicesOfSeveralWorkersAreNoMoreThanTheTime) {
  Pass(9 * kSecondUs, 0, Never);
  Pass(kSecondUs / 2, 8.0, Always);  // 9 s old - 5 s, not less
  Pass(6 * kSecondUs + kStepUs, 0, Never);
  EXPECT_GT(first_us_, 0u);
}

TEST_F(PauseClockTest, WhatMayRunAndHasNoJobIsNotHeldUp) {
  Pass(9 * kSecondUs, 0, Never);
  clock_.Note(PauseClock::Standing::kFree);  // another job has its tables
  Pass(kSecondUs / 2, 0, Never);             // 9 s old - 5 s
  clock_.Note(PauseClock::Standing::kHeldUp);
  Pass(5 * kSecondUs, 0, Never);
  EXPECT_EQ(first_us_, 0u);
  Pass(2 * kSecondUs, 0, Never);
  EXPECT_GT(first_us_, 0u);
}

TEST_F(PauseClockTest, WhatIsNotDueDoesNotAge) {
  Pass(9 * kSecondUs, 0, Never);
  clock_.Note(PauseClock::Standing::kNotDue);
  Pass(100 * kSecondUs, 0, Never);
  EXPECT_EQ(first_us_, 0u);
  // Its age starts at zero when it becomes due again.
  clock_.Note(PauseClock::Standing::kHeldUp);
  Pass(10 * kSecondUs - kStepUs, 0, Never);
  EXPECT_EQ(first_us_, 0u);
  Pass(kStepUs, 0, Never);
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

TEST_F(PauseLimitTest, GrantsEachClassByItself) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.deep_due = true;
  Directive wanted;
  EXPECT_EQ(limit.Apply(pressure, 0, CpuPriority::kIdle, &wanted), Deep::kMayWait);
  EXPECT_EQ(wanted, Directive());
  EXPECT_EQ(limit.Apply(pressure, kSecondUs, CpuPriority::kIdle, &wanted), Deep::kMustRun);
  const Grant idle{3, CpuPriority::kIdle};
  EXPECT_EQ(wanted.deep, idle);
  EXPECT_EQ(wanted.l0, Grant());
}

TEST_F(PauseLimitTest, ChangesNoGrantThatThePolicyGave) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = pressure.deep_due = true;
  Directive paused;
  limit.Apply(pressure, 0, CpuPriority::kIdle, &paused);
  Directive wanted;
  wanted.l0 = wanted.deep = {1, CpuPriority::kNormal};
  const Directive before = wanted;
  EXPECT_EQ(limit.Apply(pressure, 2 * kSecondUs, CpuPriority::kIdle, &wanted),
            Deep::kMustRunUnlimited)
      << "it was granted but did not run, so no limit may remain";
  EXPECT_EQ(wanted, before);
}

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

// L0 jobs can take all of a limit. They can wait, so no limit has to be lifted.
TEST_F(PauseLimitTest, DeepWorkThatOnlyL0HoldsUpRunsInsteadOfIt) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = pressure.deep_due = true;
  pressure.l0_running = pressure.deep_running = 1;
  Deep deep = Deep::kMayWait;
  for (uint64_t now_us = 0; now_us <= 2 * kSecondUs; now_us += kStepUs) {
    Directive wanted;
    wanted.l0 = wanted.deep = {3, CpuPriority::kIdle};
    deep = limit.Apply(pressure, now_us, CpuPriority::kIdle, &wanted);
    EXPECT_NE(deep, Deep::kMustRunUnlimited);
    pressure.l0_slices_total += kStepUs / 1'000;
  }
  EXPECT_EQ(deep, Deep::kMustRunInsteadOfL0);
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

TEST_F(PauseLimitTest, DeepJobsGetOutOfTheWayOfL0) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = true;
  pressure.deep_paused = 1;
  const auto deep_jobs = [&](uint64_t now_us) {
    Directive wanted;
    wanted.l0 = {2, CpuPriority::kNormal};
    const Deep deep = limit.Apply(pressure, now_us, CpuPriority::kIdle, &wanted);
    EXPECT_EQ(deep, wanted.deep.jobs_max > 0 ? Deep::kMustRun : Deep::kMayWait);
    pressure.deep_paused = wanted.deep.jobs_max > 0 ? 0 : 1;
    return wanted.deep.jobs_max;
  };
  EXPECT_EQ(deep_jobs(0), 0);
  EXPECT_EQ(deep_jobs(10'000), 0);
  EXPECT_EQ(deep_jobs(20'000), 3);
  EXPECT_EQ(deep_jobs(30'000), 3);  // the deep job runs, but L0 still cannot
  pressure.l0_running = 1;
  EXPECT_EQ(deep_jobs(40'000), 0);
  EXPECT_EQ(deep_jobs(100'000), 0);
}

}  // namespace
}  // namespace lull
