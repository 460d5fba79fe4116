// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/pause_limit.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "scheduler/policy.h"

namespace lull {
namespace {

constexpr uint64_t kSecond = 1'000'000;
constexpr uint64_t kStepUs = 10'000;

TEST(PauseClockTest, WhatIsPausedTooLongRunsForATenthOfThat) {
  PauseClock clock(10 * kSecond);
  uint64_t ran_us = 0;
  uint64_t first_us = 0;
  for (uint64_t now_us = 0; now_us <= 110 * kSecond; now_us += kStepUs) {
    const bool runs = clock.MustRun(now_us);
    if (runs && first_us == 0) first_us = now_us;
    if (runs) ran_us += kStepUs;
    clock.Note(true, runs);
  }
  EXPECT_EQ(first_us, 10 * kSecond);
  EXPECT_NEAR(static_cast<double>(ran_us), 10e6, 1e5);
}

TEST(PauseClockTest, ALullMakesYoungerTenTimesAsFast) {
  PauseClock clock(10 * kSecond);
  uint64_t now_us = 0;
  const auto pass = [&](uint64_t length_us, bool due, bool granted) {
    bool must_run = false;
    for (const uint64_t end_us = now_us + length_us; now_us < end_us; now_us += kStepUs) {
      must_run |= clock.MustRun(now_us);
      clock.Note(due, granted);
    }
    return must_run;
  };
  EXPECT_FALSE(pass(9 * kSecond, true, false));
  EXPECT_FALSE(pass(kSecond / 2, true, true));   // 9 s old - 5 s
  EXPECT_FALSE(pass(5 * kSecond, true, false));  // 4 s + 5 s
  EXPECT_TRUE(pass(2 * kSecond, true, false));
}

TEST(PauseClockTest, WhatIsNotDueDoesNotAge) {
  PauseClock clock(kSecond);
  clock.MustRun(0);
  clock.Note(false, false);
  EXPECT_FALSE(clock.MustRun(100 * kSecond));
  // And is young again when it is due the next time.
  clock.Note(true, false);
  EXPECT_FALSE(clock.MustRun(101 * kSecond - 1));
  clock.Note(false, false);
  clock.MustRun(102 * kSecond);
  clock.Note(true, false);
  EXPECT_FALSE(clock.MustRun(103 * kSecond - 1));
  clock.Note(true, false);
  EXPECT_TRUE(clock.MustRun(103 * kSecond));
}

class PauseLimitTest : public ::testing::Test {
 protected:
  PauseLimitTest() {
    options_.pause_us_max = kSecond;
    options_.compaction_threads = 3;
  }
  PolicyOptions options_;
};

TEST_F(PauseLimitTest, GrantsEachClassByItself) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.deep_due = true;
  Directive wanted;
  EXPECT_FALSE(limit.Apply(pressure, 0, CpuPriority::kIdle, &wanted));
  EXPECT_EQ(wanted, Directive());
  EXPECT_TRUE(limit.Apply(pressure, kSecond, CpuPriority::kIdle, &wanted));
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
  EXPECT_FALSE(limit.Apply(pressure, 2 * kSecond, CpuPriority::kIdle, &wanted));
  EXPECT_EQ(wanted, before);
}

TEST_F(PauseLimitTest, DeepJobsGetOutOfTheWayOfL0) {
  PauseLimit limit(options_);
  Pressure pressure;
  pressure.l0_due = true;
  pressure.deep_paused = 1;
  const auto deep_jobs = [&](uint64_t now_us) {
    Directive wanted;
    wanted.l0 = {2, CpuPriority::kNormal};
    limit.Apply(pressure, now_us, CpuPriority::kIdle, &wanted);
    pressure.deep_paused = wanted.deep.jobs_max > 0 ? 0 : 1;
    return wanted.deep.jobs_max;
  };
  EXPECT_EQ(deep_jobs(0), 0);
  EXPECT_EQ(deep_jobs(10'000), 0);
  EXPECT_EQ(deep_jobs(20'000), 3);
  EXPECT_EQ(deep_jobs(30'000), 3);  // it runs, and L0 still does not
  pressure.l0_running = 1;
  EXPECT_EQ(deep_jobs(40'000), 0);
  EXPECT_EQ(deep_jobs(100'000), 0);
}

}  // namespace
}  // namespace lull
