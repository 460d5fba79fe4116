// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Every I/O operation of fixed scenarios with every kind of fault: reads return correct data or an
// error. After the fault the store opens and has lost no acked write. Also pairs of faults:
// LULL_FAULT_PAIRS in each scenario, from LULL_FAULT_SEED on.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <tuple>

#include "tests/support/rng.h"
#include "tests/support/scenario.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

#if !defined(LULL_SWEEP_STRIDE)
#define LULL_SWEEP_STRIDE 1
#endif

std::string NameOf(FaultKind kind) {
  std::string name = FaultKindName(kind);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class FaultAtEveryOperation : public ::testing::TestWithParam<std::tuple<FaultKind, size_t>> {};

TEST_P(FaultAtEveryOperation, LosesNothingThatWasAcked) {
  const auto& [kind, index] = GetParam();
  FaultSweepOptions options;
  options.stride = LULL_SWEEP_STRIDE;
  options.scheduling = "policy=lull";
  if (index % 2 == 1) options.scheduling += ";layout=vsst;table_bytes_max=8K;growth_factor=4";
  const SweepReport report = FaultSweep(AllScenarios()[index], kind, options);
  EXPECT_GE(report.runs, 1u);
  EXPECT_EQ(report.violations, 0u)
      << "of " << report.states << " states; first: " << report.first_violation;
  std::cout << report.runs << " faults\n";
}

INSTANTIATE_TEST_SUITE_P(Scenarios, FaultAtEveryOperation,
                         ::testing::Combine(::testing::ValuesIn(kAllFaultKinds),
                                            ::testing::Range<size_t>(0, AllScenarios().size())),
                         [](const auto& param) {
                           return NameOf(std::get<0>(param.param)) + "_" +
                                  AllScenarios()[std::get<1>(param.param)].name;
                         });

TEST(FaultPairs, LoseNothingThatWasAcked) {
  const char* const schedulings[] = {"policy=lull", "policy=leveldb", "policy=silk", "policy=adoc",
                                     "policy=lull;layout=vsst;table_bytes_max=8K;growth_factor=4"};
  const auto seed = static_cast<uint64_t>(Setting("LULL_FAULT_SEED", 1));
  const auto pairs = static_cast<uint64_t>(Setting("LULL_FAULT_PAIRS", 5));
  uint64_t runs = 0;
  for (size_t index = 0; index < AllScenarios().size(); ++index) {
    FaultPairOptions options;
    options.seed = SubSeed(seed, index);
    options.pairs = pairs;
    options.scheduling = schedulings[(seed + index) % std::size(schedulings)];
    const SweepReport report = FaultPairs(AllScenarios()[index], options);
    runs += report.runs;
    EXPECT_EQ(report.violations, 0u) << "of " << report.states << " states, seed " << seed
                                     << "; first: " << report.first_violation;
  }
  EXPECT_EQ(runs, pairs * AllScenarios().size());
  std::cout << runs << " pairs\n";
}

}  // namespace
}  // namespace lull::testing
