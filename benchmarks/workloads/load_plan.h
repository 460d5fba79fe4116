// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A load as the flags describe it, read and checked: what loadgen's clients need. Constant while
// they run, but for what KeySpace says.
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

  // Reads the load of `config`, with `x` as the sustainable rate. Returns what is wrong with it,
  // naming the flag, or sets `*plan`.
  static std::string Make(const Config& config, double x, std::shared_ptr<LoadPlan>* plan);

  // Whether the load's rates are multiples of the sustainable rate.
  static bool NeedsSustainableRate(const Config& config);

  int clients() const;  // of all groups
  const loadgen::ClientGroup& GroupOf(int client, int* index_in_group) const;
  uint64_t value_bytes_max() const;
  double duration() const { return groups.front().shape.duration(); }
  bool closed_loop() const;  // all of it
  // Requests due a second, of all groups; infinite where a closed loop is among them.
  double OfferedRate(double from_seconds, double to_seconds) const;

  std::vector<loadgen::ClientGroup> groups;  // at least one
  loadgen::KeySpace keys;
  std::vector<double> arrival_times;  // recorded; empty for Poisson processes
};

}  // namespace lull::bench
