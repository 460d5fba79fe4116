// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A load, parsed from the flags and checked, as loadgen's clients need it. Constant while they run,
// except for KeySpace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/loadgen/client.h"

namespace lull::bench {

struct LoadPlan {
  explicit LoadPlan(uint64_t num) : keys(num) {}

  // Parses the load of `config`, with `x` as the sustainable rate, and sets `*plan`. Returns an
  // error that names the flag; empty if none.
  static std::string Make(const Config& config, double x, std::shared_ptr<LoadPlan>* plan);

  // Whether the load's rates are multiples of the sustainable rate.
  static bool NeedsSustainableRate(const Config& config);

  int clients() const;  // in all groups
  const loadgen::ClientGroup& GroupOf(int client, int* index_in_group) const;
  uint64_t value_bytes_max() const;
  double duration() const { return groups.front().shape.duration(); }
  bool closed_loop() const;  // whether the whole load is one
  // Requests due per second, in all groups; infinite if a closed loop is among them.
  double OfferedRate(double from_seconds, double to_seconds) const;

  std::vector<loadgen::ClientGroup> groups;  // at least one
  loadgen::KeySpace keys;
  std::vector<double> arrival_times;  // recorded; empty: Poisson processes
};

}  // namespace lull::bench
