// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The set-ups that the simulator knows by name: those of the papers, with what the papers say came
// out, and those that this machine can run too. Pure functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/simulation/simulation.h"

namespace lull::sim {

struct Scenario {
  std::string name;
  std::string title;
  std::string claim;  ///< the paper's; empty if there is none
  std::vector<std::string> policies;
  /// Everything but the policy and its limits.
  SimulationOptions base;
  uint64_t memtable_bytes = 4u << 20;
  std::string scheduling;                                         ///< for every policy: "k=v;k=v"
  std::string silk_scheduling, adoc_scheduling, lull_scheduling;  ///< on top of that
};

/// In the order in which they are listed and run.
std::vector<std::string> ScenarioNames();

/// Returns what is wrong, or "". `seconds` 0: the scenario's own length.
std::string MakeScenario(const std::string& name, const Costs& costs, uint64_t seed, double seconds,
                         Scenario* scenario);

/// The options for one policy of it; `policy` is one of lull::PolicyNames(), "rocksdb",
/// "rocksdb-autotuned", "silk-rate-only" or "silk-priority-only"; with "+vsst" behind it, on that
/// layout. Returns what is wrong, or "".
std::string MakeOptions(const Scenario& scenario, const std::string& policy,
                        SimulationOptions* options);

}  // namespace lull::sim
