// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/leveldb_policy.h"

#include "gtest/gtest.h"

namespace lull {
namespace {

TEST(LevelDbPolicyTest, ACompactionThatBeganIsFinishedBeforeAnother) {
  LevelDbPolicy policy{PolicyOptions{}};
  Pressure pressure;
  pressure.l0_due = pressure.deep_due = true;
  EXPECT_EQ(policy.OnEvent(EventKind::kTick, pressure, 1).l0.jobs_max, 1);
  pressure.deep_running = 1;
  EXPECT_EQ(policy.OnEvent(EventKind::kTick, pressure, 2).l0.jobs_max, 0);
  EXPECT_EQ(policy.OnEvent(EventKind::kTick, pressure, 2).deep.jobs_max, 1);
  pressure.deep_running = 0;
  pressure.deep_paused = 1;
  EXPECT_EQ(policy.OnEvent(EventKind::kTick, pressure, 3).l0.jobs_max, 0);
  pressure.immutables = 1;
  EXPECT_EQ(policy.OnEvent(EventKind::kSealed, pressure, 4).deep.jobs_max, 0);
}

}  // namespace
}  // namespace lull
