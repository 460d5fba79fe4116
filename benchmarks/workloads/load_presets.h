// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The workloads b0 to b11 of docs/benchmarks.md, as values for the flags that describe a load.
// Flags that the user sets override these values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/db_bench/config.h"

namespace lull::bench {

// One run.
struct LoadCase {
  std::string name;       // "b4/60%"
  std::string benchmark;  // which runs it: "load" or "burstsintime"
  Config config;
};

// The runs of workload `name`, in order; empty if there is no such workload.
std::vector<LoadCase> CasesOf(std::string_view name, const Config& config);

std::vector<std::string_view> LoadNames();

}  // namespace lull::bench
