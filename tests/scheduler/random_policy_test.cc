// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The policy for tests of the mechanism. It must be replayable and hostile, and grant everything
// often enough that a store makes progress.
#include "tests/support/random_policy.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "scheduler/policy.h"

namespace lull::testing {
namespace {

Pressure SomePressure() {
  Pressure pressure;
  pressure.memory_budget_bytes = 64 << 20;
  pressure.l0_due = pressure.deep_due = true;
  return pressure;
}

TEST(RandomPolicyTest, TheSameSeedSaysTheSame) {
  RandomPolicy one(7);
  RandomPolicy two(7);
  RandomPolicy other(8);
  int different = 0;
  for (uint64_t tick = 0; tick < 1000; ++tick) {
    const Directive wanted = one.OnEvent(EventKind::kTick, SomePressure(), tick * 10'000);
    EXPECT_EQ(wanted, two.OnEvent(EventKind::kTick, SomePressure(), tick * 10'000));
    different += wanted != other.OnEvent(EventKind::kTick, SomePressure(), tick * 10'000);
  }
  EXPECT_GT(different, 100);
}

TEST(RandomPolicyTest, IsNastyAndKindInTurn) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomPolicy policy(seed);
    uint64_t kind_at_us = 0;
    int paused = 0, slowed = 0, limited = 0, resized = 0, stopped = 0, silent = 0;
    for (uint64_t now_us = 0; now_us < 20'000'000; now_us += 10'000) {
      const Directive wanted = policy.OnEvent(EventKind::kTick, SomePressure(), now_us);
      silent += !wanted.tick;
      EXPECT_LE(wanted.delay_us_per_write, 1000u);
      paused += wanted.l0.jobs_max == 0 || wanted.compactions_max == 0;
      slowed += wanted.write_bytes_per_sec_max > 0;
      limited += wanted.rate.bytes_per_sec > 0;
      resized += wanted.memtable_bytes > 0 || wanted.table_bytes > 0;
      stopped += wanted.l0_stop < 4;
      Directive kind;
      kind.l0 = kind.deep = {1000, CpuPriority::kNormal};
      kind.compactions_max = 1000;
      kind.tick = true;
      if (wanted == kind) kind_at_us = now_us;
      EXPECT_LE(now_us - kind_at_us, RandomPolicy::kStretchesMax * 40'000);
    }
    EXPECT_GT(silent, 0);
    EXPECT_LT(silent, 200) << "of 2000 looks";
    for (const int often : {paused, slowed, limited, resized, stopped}) EXPECT_GT(often, 20);
  }
}

}  // namespace
}  // namespace lull::testing
