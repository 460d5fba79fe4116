// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Validates the model: runs a scenario on a real store and in virtual time, and prints both results
// with the error. Takes as long as the scenario; the machine should be otherwise idle.
#pragma once

#include <string>

#include "benchmarks/simulation/scenarios.h"

namespace lull::sim {

/// A store's performance under a load, real or modelled.
struct Performance {
  double ops_per_sec = 0;  ///< while clients were active
  double mb_per_sec = 0;   ///< written, MiB
  double p50_us = 0, p99_us = 0, p999_us = 0;
  double stalled_seconds = 0;  ///< time without a completed write, in spans over 100 ms
  double l0_tables_max = 0;
  double debt_mb_max = 0;    ///< MiB
  double drain_seconds = 0;  ///< from the last request to the end of the background work
};

/// Runs the scenario's load on a store in `directory`, which is emptied before and after. Returns
/// an error, empty if none.
std::string MeasureReal(const Scenario& scenario, const std::string& policy,
                        const std::string& directory, Performance* performance);

Performance PerformanceOf(const SimulationOptions& options, const SimulationResult& result);

void PrintComparison(const Scenario& scenario, const std::string& policy, const Performance& real,
                     const Performance& modelled);

}  // namespace lull::sim
