// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The positive control of the crash and fault sweeps: on stock LevelDB they must find violations,
// of kinds that tests/support/weaknesses.h lists. (In some other sweeps stock's assertions abort
// the process, so only these are run.)
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/sweep.h"

namespace lull::testing {
namespace {

const Scenario& Named(const std::string& name) {
  for (const Scenario& scenario : AllScenarios()) {
    if (name == scenario.name) return scenario;
  }
  ADD_FAILURE() << "no scenario " << name;
  return AllScenarios().front();
}

void ExpectWrong(const char* what, const SweepReport& report) {
  EXPECT_GT(report.violations, 0u) << what;
  std::printf("%s: %llu of %llu states are wrong; first: %s\n", what,
              static_cast<unsigned long long>(report.violations),
              static_cast<unsigned long long>(report.states), report.first_violation.c_str());
}

TEST(StockSweep, CrashesLoseSyncedWritesOrTheStore) {
  for (const char* name : {"SyncedPuts", "MemtableSwitches", "AsyncBurst", "ReopeningWithData"}) {
    ExpectWrong(name, CrashSweep(Named(name), {}));
  }
}

TEST(StockSweep, FaultsLoseAckedWrites) {
  for (const FaultKind kind : {FaultKind::kErrorOnce, FaultKind::kShortWrite}) {
    ExpectWrong(FaultKindName(kind), FaultSweep(Named("SyncedPuts"), kind, {}));
  }
}

}  // namespace
}  // namespace lull::testing
