// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One seed: a store, several clients and the store's own threads on a Schedule; the power fails at
// some of its steps, in several ways each; what each of them leaves is opened and compared with
// what the clients were told. The power may fail again while it is opened, and once more.
//
// The run itself goes on behind a power loss, which is a copy of the disk: so one schedule gives
// many, and the end of it tells in what order commits stood that were under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace lull::testing {

struct PowerLossOptions {
  uint64_t seed = 1;
  size_t points = 15;           // at which the power fails
  size_t states_per_point = 2;  // that it may leave
  std::set<size_t> left_out;    // operations of clients, by number
  bool trace = false;
};

struct PowerLossReport {
  std::string failure;  // empty: all is well
  std::string setup;    // the store's options
  uint64_t hash = 0;    // of all schedules
  uint64_t steps = 0;
  uint64_t operations = 0;  // of clients
  uint64_t commits = 0;
  uint64_t states = 0;            // opened and compared
  uint64_t recovery_crashes = 0;  // of them, left by a power loss after another one
};

PowerLossReport RunPowerLoss(const PowerLossOptions& options);

}  // namespace lull::testing
