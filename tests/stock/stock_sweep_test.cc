// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The positive control of the crash and fault sweeps: on stock LevelDB they must find violations,
// of kinds that tests/support/weaknesses.h lists. (In some other sweeps stock's assertions abort
// the process, so only these are run.)
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/scenario.h"

namespace lull::testing {
namespace {

const Scenario& Named(const std::string& name) {
  for (const Scenario& scenario : AllScenarios()) {
    if (name == scenario.name) return scenario;
  }
  ADD_FAILURE() << "no scenario " << name;
  return AllScenarios().front();
}

TEST(StockSweep, CrashesLoseSyncedWritesOrTheStore) {
  for (const char* name : {"SyncedPuts", "MemtableSwitches", "AsyncBurst", "ReopeningWithData"}) {
    const SweepReport report = CrashSweep(Named(name), CrashSweepOptions());
    EXPECT_GT(report.states, 100u);
    EXPECT_GT(report.violations, 0u) << name;
    std::printf("%s: %llu of %llu states are wrong; first: %s\n", name,
                static_cast<unsigned long long>(report.violations),
                static_cast<unsigned long long>(report.states), report.first_violation.c_str());
  }
}

TEST(StockSweep, FaultsLoseAckedWrites) {
  for (const FaultKind kind : {FaultKind::kErrorOnce, FaultKind::kShortWrite}) {
    const SweepReport report = FaultSweep(Named("SyncedPuts"), kind, FaultSweepOptions());
    EXPECT_GT(report.violations, 0u) << FaultKindName(kind);
    std::printf("%s: %llu of %llu states are wrong; first: %s\n", FaultKindName(kind),
                static_cast<unsigned long long>(report.violations),
                static_cast<unsigned long long>(report.states), report.first_violation.c_str());
  }
}

}  // namespace
}  // namespace lull::testing
