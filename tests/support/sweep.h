// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The sweeps over a scenario in memory: a power loss at each step of its I/O, or a fault of each
// operation. Then the store must hold a prefix of the commits with everything that had to survive.
// tests/resources/sweep.h does the same with limits of real processes.
//
// LULL_TEST_STRIDE (setting.h) is the stride over steps and operations.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/fault_env.h"
#include "tests/support/scenario.h"
#include "tests/support/setting.h"

namespace lull::testing {

struct SweepOptions {
  uint64_t seed = 1;
  std::string scheduling;
  // Every stride-th step or operation.
  uint64_t stride = TestStride();
  // Random crash states at each step, besides "all unsynced lost" and "only the process died".
  int random_states = 2;
  // Also crashes in the recovery: the maximal depth of such nested crashes.
  int recovery_depth = 2;
  // Compares each state once; only some of them are also compacted, or reopened and compared again.
  bool brief = false;
};

struct SweepReport {
  uint64_t runs = 0;    // times the scenario ran
  uint64_t states = 0;  // stores reopened and compared
  uint64_t violations = 0;
  uint64_t appends_to_reused_logs = 0;
  uint64_t recoveries_cut_behind_current = 0;  // crashes of an open that had changed CURRENT
  std::string first_violation;                 // with everything needed to run it again
};

// Crashes the scenario at every step of its I/O, reopens each after-crash state, and compares it
// with the prefixes of the commits.
SweepReport CrashSweep(const Scenario& scenario, const SweepOptions& options);

// Hits every operation of the scenario with a fault of this kind, in one run each. Each read must
// be correct or an error. After the fault is healed, a reopened store must contain all acked
// commits; after a power loss, all acked and synced commits.
SweepReport FaultSweep(const Scenario& scenario, FaultKind kind, const SweepOptions& options);

// The same with two faults in each of `pairs` runs, of random kinds, at random operations.
SweepReport FaultPairs(const Scenario& scenario, uint64_t pairs, const SweepOptions& options);

}  // namespace lull::testing
