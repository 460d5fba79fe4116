// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The resource sweep on stock LevelDB, for comparison. Stock's background error is permanent, and
// its writers can wait forever, so short timeouts show the same as long ones.
#include <cstdio>

#include "tests/resources/sweep.h"

int main() {
  lull::testing::ResourceSweepOptions options = lull::testing::ResourceSettings();
  options.patience_ms = 2000;
  options.scenario_ms = 5000;
  options.at_a_time = 64;
  const lull::testing::ResourceSweepReport report = lull::testing::ResourceSweep(options);
  for (const std::string& violation : report.violations) std::puts(violation.c_str());
  std::fputs(lull::testing::TableOf(report).c_str(), stdout);
  return 0;
}
