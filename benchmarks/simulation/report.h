// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a simulation leaves behind: a line while it runs, CSV a second, JSON lines, and a table in
// which policies stand side by side. Used by the main thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/simulation/scenarios.h"
#include "benchmarks/simulation/simulation.h"

namespace lull::sim {

/// A simulation that was run, with what only all its seconds together tell.
struct Outcome {
  std::string policy;
  SimulationResult result;
  double p99_median_us = 0;  ///< of the seconds in which something was served
  double p99_worst_us = 0;
  double slow_share = 0;          ///< of seconds with a p99 over 10 ms
  double first_slow_seconds = 0;  ///< when the first of them was; 0: never
  double jobs_max = 0;
  double wall_seconds = 0;
};

/// Runs one policy of a scenario. `csv` and `json` may be null; progress goes to standard error if
/// that is a terminal or `progress` is set.
Outcome RunPolicy(const Scenario& scenario, const std::string& policy,
                  const SimulationOptions& options, std::FILE* csv, std::FILE* json, bool progress);

void PrintTable(const Scenario& scenario, const std::vector<Outcome>& outcomes);

}  // namespace lull::sim
