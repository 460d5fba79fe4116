// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Output of a simulation: a progress line, CSV rows per second, JSON lines, and a table that
// compares policies. Main thread only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/simulation/scenarios.h"
#include "benchmarks/simulation/simulation.h"

namespace lull::sim {

/// The result of a simulation, with figures over all its seconds.
struct Outcome {
  std::string policy;
  SimulationResult result;
  double p99_median_us = 0;  ///< over the seconds in which requests were served
  double p99_worst_us = 0;
  double slow_share = 0;          ///< share of seconds with a p99 over 10 ms
  double first_slow_seconds = 0;  ///< time of the first of them; 0: never
  double jobs_max = 0;
  // Means over time.
  double device_share = 0;
  double cores = 0;
  double memory_bytes = 0;
  double compactions = 0;  ///< that the policy allows at a time
  double memtable_bytes = 0;
  // Seconds after which the policy had changed them.
  int compactions_changes = 0;
  int memtable_changes = 0;
  double wall_seconds = 0;
};

/// Runs one policy of a scenario. `csv` and `json` can be null. Shows progress on standard error if
/// that is a terminal or `progress` is set.
Outcome RunPolicy(const Scenario& scenario, const std::string& policy,
                  const SimulationOptions& options, std::FILE* csv, std::FILE* json, bool progress);

void PrintTable(const Scenario& scenario, const std::vector<Outcome>& outcomes);

}  // namespace lull::sim
