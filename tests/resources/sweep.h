// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs scenarios in processes that lack a resource, returns the resource, and checks that the store
// works again without being reopened and has lost nothing. The calling process has one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/resources/limits.h"

namespace lull::testing {

// Step 2n applies LimitSteps[n] before the scenario, step 2n + 1 after its first open. Steps past
// those draw a value.
struct Point {
  LimitKind kind;
  size_t scenario;
  uint64_t step;
};

enum class Outcome : uint32_t {
  kOk,
  kSkipped,      // the kernel does not let this process set the limit
  kOutOfMemory,  // std::bad_alloc ended the process, and all that was acked was found again
  kLost,         // something acked is missing, or the store cannot be opened
  kWrong,        // a read under the limit gave wrong data
  kStuck,        // the store did not work again in time
  kDied,
};

struct Tally {
  uint64_t points = 0;
  uint64_t outcomes[7] = {};
  uint32_t longest_ms = 0;
};

struct ResourceSweepReport {
  std::map<LimitKind, Tally> tallies;
  std::vector<std::string> violations;  // each with what runs it again
};

struct ResourceSweepOptions {
  uint64_t seed = 1;
  // 0: every step of every kind; otherwise so many points drawn by the seed.
  uint64_t points = 0;
  // KIND, KIND/SCENARIO or KIND/SCENARIO/STEP; empty: all.
  std::string only;
  // How long a store may take to work again.
  uint64_t patience_ms = 10'000;
  // How long the scenario may take under the limit.
  uint64_t scenario_ms = 60'000;
  // Most points wait for the store's next try, so many run at a time.
  size_t at_a_time = 24;
};

// The seed, the points and the one point of LULL_RESOURCE_SEED, _POINTS and _ONLY.
ResourceSweepOptions ResourceSettings();

ResourceSweepReport ResourceSweep(const ResourceSweepOptions& options);

// Several lines.
std::string TableOf(const ResourceSweepReport& report);

}  // namespace lull::testing
