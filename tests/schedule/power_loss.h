// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs one seed: a store, several clients and the store's own threads on a Schedule. The power
// fails at some steps, in several ways each. The test opens each resulting disk and compares it
// with the results that the clients got. The power can fail again during the open, and once more.
//
// A power loss is a copy of the disk, and the run continues after it. So one schedule gives many
// power losses, and the end of the run shows the order of commits that were in progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace lull::testing {

struct PowerLossOptions {
  uint64_t seed = 1;
  size_t points = 15;           // number of steps at which the power fails
  size_t states_per_point = 2;  // different disks for each of these
  std::set<size_t> left_out;    // operations of clients, by number
  bool trace = false;
};

struct PowerLossReport {
  std::string failure;  // empty: no failure
  std::string setup;    // the store's options
  uint64_t hash = 0;    // of all schedules
  uint64_t steps = 0;
  uint64_t operations = 0;  // of clients
  uint64_t commits = 0;
  uint64_t states = 0;            // opened and compared
  uint64_t recovery_crashes = 0;  // those that followed a power loss during a recovery
};

PowerLossReport RunPowerLoss(const PowerLossOptions& options);

}  // namespace lull::testing
