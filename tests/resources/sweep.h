// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The sweep of tests/support/sweep.h with real processes: runs scenarios that lack a resource, and
// then returns the resource. The store must work again without being reopened, and must have lost
// nothing. The calling process has one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/resources/limits.h"

namespace lull::testing {

// Step 2n applies LimitSteps[n] before the scenario, step 2n + 1 after its first open. Higher steps
// select a random value.
struct Point {
  LimitKind kind;
  size_t scenario;
  uint64_t step;
};

enum class Outcome : uint32_t {
  kOk,
  kSkipped,      // the kernel does not let this process set the limit
  kOutOfMemory,  // std::bad_alloc ended the process; all acked writes were found after it
  kLost,         // an acked write is missing, or the store cannot be opened
  kWrong,        // a read under the limit gave wrong data
  kStuck,        // the store did not recover in time
  kDied,
};

struct Tally {
  uint64_t points = 0;
  std::map<Outcome, uint64_t> outcomes;
  uint32_t longest_ms = 0;
};

struct ResourceSweepReport {
  std::map<LimitKind, Tally> tallies;
  std::vector<std::string> violations;  // each with the setting that repeats it
};

struct ResourceSweepOptions {
  uint64_t seed = 1;
  // 0: every step of every kind; otherwise the number of random points.
  uint64_t points = 0;
  // KIND, KIND/SCENARIO or KIND/SCENARIO/STEP; empty: all.
  std::string only;
  // One in so many points, drawn by the seed.
  uint64_t stride = 1;
  // The time in which a store must recover.
  uint64_t patience_ms = 10'000;
  // The time limit of the scenario under the limit.
  uint64_t scenario_ms = 60'000;
  // Most points wait for the store's next retry, so many run in parallel.
  size_t at_a_time = 24;
};

// Reads LULL_RESOURCE_SEED, LULL_RESOURCE_POINTS, LULL_RESOURCE_ONLY and LULL_TEST_STRIDE.
ResourceSweepOptions ResourceSettings();

ResourceSweepReport ResourceSweep(const ResourceSweepOptions& options);

// Several lines.
std::string TableOf(const ResourceSweepReport& report);

}  // namespace lull::testing
