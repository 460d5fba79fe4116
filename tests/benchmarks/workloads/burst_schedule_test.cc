// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/burst_schedule.h"

#include <gtest/gtest.h>

#include "benchmarks/measure/platform.h"
#include "tests/support/units.h"
#include "tests/util/threads.h"

namespace lull::bench {
namespace {

using testing::kMsNanos;

void Ignore(const char*) {}

// Runs through a schedule with empty bursts.
void RunThrough(BurstSchedule& schedule, uint64_t ops) {
  while (schedule.BeginBurst()) {
    const uint64_t due_ns = schedule.current().due_ns;
    if (due_ns != UINT64_MAX) SleepUntilNs(due_ns);
    schedule.EndBurst(ops);
  }
}

TEST(BurstScheduleTest, TakesLengthsInTurnUntilTheDurationIsOver) {
  BurstSchedule schedule(
      {.duration_seconds = 0.5, .burst_seconds = {0.02, 0.01}, .idle_seconds = {0.03}}, 1, Ignore);
  RunThrough(schedule, 5);
  const auto bursts = schedule.bursts();
  ASSERT_GE(bursts.size(), 2u);
  EXPECT_EQ(bursts[0].due_ns - bursts[0].begin_ns, 20 * kMsNanos);
  EXPECT_EQ(bursts[1].due_ns - bursts[1].begin_ns, 10 * kMsNanos);
  EXPECT_EQ(bursts[1].begin_ns, bursts[0].end_ns + 30 * kMsNanos);
  for (const Burst& burst : bursts) {
    EXPECT_LT(burst.begin_ns, bursts[0].begin_ns + 500 * kMsNanos);
    EXPECT_LE(burst.due_ns, bursts[0].begin_ns + 500 * kMsNanos);
    EXPECT_GE(burst.end_ns, burst.due_ns);
    EXPECT_EQ(burst.ops, 5u);
  }
  EXPECT_GE(schedule.ActiveSeconds(), 0.03);
}

TEST(BurstScheduleTest, BurstsByCountHaveNoDueTime) {
  BurstSchedule schedule({.duration_seconds = 0.02, .burst_seconds = {}, .idle_seconds = {0.03}}, 1,
                         Ignore);
  RunThrough(schedule, 1);
  ASSERT_EQ(schedule.bursts().size(), 1u);
  EXPECT_EQ(schedule.bursts()[0].due_ns, UINT64_MAX);
}

TEST(BurstScheduleTest, ThreadsShareTheirBursts) {
  BurstSchedule schedule(
      {.duration_seconds = 0.05, .burst_seconds = {0.005}, .idle_seconds = {0.005}}, 3, Ignore);
  RunThreads(3, [&](int i) { RunThrough(schedule, static_cast<uint64_t>(i) + 1); });
  ASSERT_GE(schedule.bursts().size(), 1u);
  for (const Burst& burst : schedule.bursts()) EXPECT_EQ(burst.ops, 6u);
}

TEST(BurstScheduleTest, AThreadThatLeavesHoldsUpNobody) {
  BurstSchedule schedule(
      {.duration_seconds = 0.02, .burst_seconds = {0.005}, .idle_seconds = {0.005}}, 2, Ignore);
  RunThreads(2, [&](int i) {
    if (i == 0) return RunThrough(schedule, 1);
    EXPECT_TRUE(schedule.BeginBurst());
    schedule.Leave();
  });
  EXPECT_GE(schedule.bursts().size(), 1u);
}

}  // namespace
}  // namespace lull::bench
