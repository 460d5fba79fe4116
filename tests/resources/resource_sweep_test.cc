// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Every scenario under limits of every kind. LULL_RESOURCE_POINTS and LULL_RESOURCE_SEED select
// random points instead; LULL_RESOURCE_ONLY=KIND/SCENARIO/STEP runs one.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/resources/sweep.h"

namespace lull::testing {
namespace {

TEST(ResourceSweep, LosesNothingAndRecovers) {
  const ResourceSweepReport report = ResourceSweep(ResourceSettings());
  uint64_t points = 0;
  for (const auto& [kind, tally] : report.tallies) points += tally.points;
  EXPECT_GT(points, 0u) << "LULL_RESOURCE_ONLY names no existing point";
  for (const std::string& violation : report.violations) ADD_FAILURE() << violation;
  std::cout << TableOf(report) << points << " points\n";
}

}  // namespace
}  // namespace lull::testing
