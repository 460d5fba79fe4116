// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Power loss at every step of the I/O of fixed scenarios: the recovered state must be a prefix of
// the commits and must include every acked and synced commit.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <tuple>

#include "tests/support/scenario.h"

namespace lull::testing {
namespace {

#if !defined(LULL_SWEEP_STRIDE)
#define LULL_SWEEP_STRIDE 1
#endif

class CrashAtEveryStep : public ::testing::TestWithParam<std::tuple<std::string, size_t>> {};

TEST_P(CrashAtEveryStep, LeavesAPrefix) {
  const auto& [policy, index] = GetParam();
  CrashSweepOptions options;
  options.stride = LULL_SWEEP_STRIDE;
  options.scheduling = "policy=" + policy;
  // Each layout under one policy only: all four combinations would find little more.
  if (policy == "leveldb") options.scheduling += ";layout=vsst;table_bytes_max=8K;growth_factor=4";
  const SweepReport report = CrashSweep(AllScenarios()[index], options);
  EXPECT_GT(report.states, 100u / LULL_SWEEP_STRIDE);
  EXPECT_EQ(report.violations, 0u)
      << "of " << report.states << " after-crash states; first: " << report.first_violation;
  EXPECT_GT(report.recoveries_cut_behind_current, 0u);
  std::cout << report.states << " states after a crash\n";
  // Where all writes are synced, they go to recycled WALs.
  if (AllScenarios()[index].name == std::string("SyncedSwitches")) {
    EXPECT_GT(report.appends_to_reused_logs, report.runs);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, CrashAtEveryStep,
                         ::testing::Combine(::testing::Values("lull", "leveldb"),
                                            ::testing::Range<size_t>(0, AllScenarios().size())),
                         [](const auto& param) {
                           return std::get<0>(param.param) + "_" +
                                  AllScenarios()[std::get<1>(param.param)].name;
                         });

// Deleted ranges and filtered values, with a few states each. Under ASan twice as many steps as of
// the sweep above.
constexpr uint64_t kRemovalStride = LULL_SWEEP_STRIDE == 1 ? 1 : LULL_SWEEP_STRIDE / 2;

class RemovalCrash : public ::testing::TestWithParam<size_t> {};

TEST_P(RemovalCrash, BringsNothingBack) {
  const Scenario& scenario = RemovalScenarios()[GetParam()];
  CrashSweepOptions options;
  options.brief = true;
  options.random_states = 5;
  options.stride = kRemovalStride;
  options.scheduling = GetParam() % 2 == 0 ? "policy=lull" : "policy=leveldb";
  const SweepReport report = CrashSweep(scenario, options);
  EXPECT_GT(report.states, 100u / kRemovalStride);
  EXPECT_EQ(report.violations, 0u)
      << "of " << report.states << " after-crash states; first: " << report.first_violation;
  std::cout << report.states << " states after a crash\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, RemovalCrash,
                         ::testing::Range<size_t>(0, RemovalScenarios().size()),
                         [](const auto& param) { return RemovalScenarios()[param.param].name; });

}  // namespace
}  // namespace lull::testing
