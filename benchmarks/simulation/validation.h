// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The model against reality: runs a scenario on a real store and in virtual time, and prints both
// with the error. Takes as long as the scenario; the machine should have nothing else to do.
#pragma once

#include <string>

#include "benchmarks/simulation/scenarios.h"

namespace lull::sim {

/// What a store did with a load, real or modelled.
struct Performance {
  double ops_per_sec = 0;  ///< while clients were at work
  double mb_per_sec = 0;   ///< written, MiB
  double p50_us = 0, p99_us = 0, p999_us = 0;
  double stalled_seconds = 0;  ///< without a completed write, in pieces of more than 100 ms
  double l0_tables_max = 0;
  double debt_mb_max = 0;    ///< MiB
  double drain_seconds = 0;  ///< from the last request to the end of the background work
};

/// Runs the load of the scenario on a store in `folder`, which is emptied before and after. Returns
/// what went wrong, or "".
std::string MeasureReal(const Scenario& scenario, const std::string& policy,
                        const std::string& folder, Performance* performance);

Performance PerformanceOf(const SimulationOptions& options, const SimulationResult& result);

void PrintComparison(const Scenario& scenario, const std::string& policy, const Performance& real,
                     const Performance& modelled);

}  // namespace lull::sim
