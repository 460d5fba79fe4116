// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The sweeps of fixed scenarios (tests/support/sweep.h). After a power loss at any step of the I/O,
// the recovered state must be a prefix of the commits and must include every acked and synced one.
// While any I/O operation fails in any way, reads return correct data or an error. After the fault
// the store opens and has lost no acked write.
//
// Pairs of faults: LULL_FAULT_PAIRS in each scenario, from LULL_FAULT_SEED on.
#include "tests/support/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <tuple>

#include "tests/support/rng.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

// Each layout under one policy only: all four combinations would find little more.
constexpr char kVsst[] = ";layout=vsst;table_bytes_max=8K;growth_factor=4";

const Scenario& AllOf(size_t index) { return AllScenarios()[index]; }

void ExpectNothingWrong(const SweepReport& report) {
  EXPECT_GE(report.runs, 1u);
  EXPECT_EQ(report.violations, 0u)
      << "of " << report.states << " states; first: " << report.first_violation;
}

class CrashAtEveryStep : public ::testing::TestWithParam<std::tuple<std::string, size_t>> {};

TEST_P(CrashAtEveryStep, LeavesAPrefix) {
  const auto& [policy, index] = GetParam();
  SweepOptions options;
  options.scheduling = "policy=" + policy + (policy == "leveldb" ? kVsst : "");
  const SweepReport report = CrashSweep(AllOf(index), options);
  ExpectNothingWrong(report);
  EXPECT_GT(report.states, 100u / options.stride);
  if (options.stride <= 20) {
    EXPECT_GT(report.recoveries_cut_behind_current, 0u);
  }
  std::cout << report.states << " states after a crash\n";
  // Where all writes are synced, they go to recycled WALs.
  if (AllOf(index).name == std::string("SyncedSwitches")) {
    EXPECT_GT(report.appends_to_reused_logs, report.runs);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, CrashAtEveryStep,
                         ::testing::Combine(::testing::Values("lull", "leveldb"),
                                            ::testing::Range<size_t>(0, AllScenarios().size())),
                         [](const auto& param) {
                           return std::get<0>(param.param) + "_" +
                                  AllOf(std::get<1>(param.param)).name;
                         });

// Deleted ranges and filtered values, with a few states each.
class RemovalCrash : public ::testing::TestWithParam<size_t> {};

TEST_P(RemovalCrash, BringsNothingBack) {
  SweepOptions options;
  options.brief = true;
  options.random_states = 5;
  options.scheduling = GetParam() % 2 == 0 ? "policy=lull" : "policy=leveldb";
  const SweepReport report = CrashSweep(RemovalScenarios()[GetParam()], options);
  ExpectNothingWrong(report);
  EXPECT_GT(report.states, 100u / options.stride);
  std::cout << report.states << " states after a crash\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, RemovalCrash,
                         ::testing::Range<size_t>(0, RemovalScenarios().size()),
                         [](const auto& param) { return RemovalScenarios()[param.param].name; });

class FaultAtEveryOperation : public ::testing::TestWithParam<std::tuple<FaultKind, size_t>> {};

TEST_P(FaultAtEveryOperation, LosesNothingThatWasAcked) {
  const auto& [kind, index] = GetParam();
  SweepOptions options;
  options.scheduling = std::string("policy=lull") + (index % 2 == 1 ? kVsst : "");
  const SweepReport report = FaultSweep(AllOf(index), kind, options);
  ExpectNothingWrong(report);
  std::cout << report.runs << " faults\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FaultAtEveryOperation,
                         ::testing::Combine(::testing::ValuesIn(kAllFaultKinds),
                                            ::testing::Range<size_t>(0, AllScenarios().size())),
                         [](const auto& param) {
                           std::string name = FaultKindName(std::get<0>(param.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + AllOf(std::get<1>(param.param)).name;
                         });

TEST(FaultPairs, LoseNothingThatWasAcked) {
  const std::string schedulings[] = {"policy=lull", "policy=leveldb", "policy=silk", "policy=adoc",
                                     std::string("policy=lull") + kVsst};
  const auto seed = static_cast<uint64_t>(Setting("LULL_FAULT_SEED", 1));
  const auto pairs = static_cast<uint64_t>(Setting("LULL_FAULT_PAIRS", 5));
  uint64_t runs = 0;
  for (size_t index = 0; index < AllScenarios().size(); ++index) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SweepOptions options;
    options.seed = SubSeed(seed, index);
    options.scheduling = schedulings[(seed + index) % std::size(schedulings)];
    const SweepReport report = FaultPairs(AllOf(index), pairs, options);
    runs += report.runs;
    ExpectNothingWrong(report);
  }
  EXPECT_EQ(runs, pairs * AllScenarios().size());
  std::cout << runs << " pairs\n";
}

}  // namespace
}  // namespace lull::testing
