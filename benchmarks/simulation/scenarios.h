// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The named scenarios of the simulator: those of the papers, with the results they report, and
// those that this machine can run too. Pure functions of their arguments.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/simulation/simulation.h"

namespace lull::sim {

struct Scenario {
  std::string name;
  std::string title;
  std::string claim;  ///< the paper's result; empty without a paper
  std::vector<std::string> policies;
  /// Everything but the policy and its limits.
  SimulationOptions base;
  uint64_t memtable_bytes = 4u << 20;
  std::string scheduling;  ///< for every policy: "k=v;k=v"
  struct Setting {
    std::string scheduling;       ///< in addition
    uint64_t memtable_bytes = 0;  ///< 0: as all
  };
  /// By policy. A variant without its own setting ("adoc-t") has that of its policy ("adoc").
  std::map<std::string, Setting> settings;
};

/// In the order in which --list shows them.
std::vector<std::string> ScenarioNames();

/// Returns an error, empty if none. `seconds` 0: the scenario's default length.
std::string MakeScenario(const std::string& name, const Costs& costs, uint64_t seed, double seconds,
                         Scenario* scenario);

/// The options for one policy of the scenario. `policy` is one of lull::PolicyNames(), or
///   rocksdb, rocksdb-autotuned            RocksDB's rules
///   silk-rate-only, silk-priority-only    the parts of SILK
///   silk-d, silk-p, silk-o                SILK in the three configurations of ADOC's paper
///   adoc-t, adoc-b                        ADOC that turns only the threads, or only the batch
/// A suffix "+vsst" selects that layout, "+vsst-8-32" also its S_M in MiB and its Φ; memtables are
/// then of S_M. Returns an error, empty if none.
std::string MakeOptions(const Scenario& scenario, const std::string& policy,
                        SimulationOptions* options);

}  // namespace lull::sim
