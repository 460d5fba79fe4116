// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs commands of a text file on one policy, so that a reviewer reads the policy's behaviour
// instead of test code. A command is one line; its output is the transcript:
//
//   policy NAME [KEY=VALUE...]    starts over with a new policy, for a store just opened; prints
//                                 its limits and its directive. Keys: threads, l0_trigger,
//                                 l0_slowdown, l0_stop, debt_max, pause_max, memtable, table,
//                                 budget, and constants of single policies by their names in
//                                 OptionValues, without units (see SetConstant)
//   set KEY=VALUE...              changes the pressure; prints nothing. Keys: used, budget,
//                                 immutables, immutable_bytes, flush_rate, l0, l0_bytes, l1_bytes,
//                                 debt, l0_due, deep_due, drain, active, l0_running, deep_running,
//                                 deep_paused. For the commands that let time pass: reads and
//                                 background (bytes a second), misses (tables a second), and
//                                 starved=1: due and granted work gets no slice
//   event KIND [KEY=VALUE...]     as set, then the event at the current time; prints the directive
//   write RATE TIME [trace]       clients write at RATE bytes a second, with a tick every 10 ms;
//                                 prints the last directive, or with "trace" every changed one
//   quiet TIME [trace]            as write, with no writes
//   state                         prints the state that the policy reports
//   sweep KEY FROM TO STEP        prints how writes are admitted at each value of a pressure
//
// Sizes take K, M and G, times us, ms and s. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/policy.h"

namespace lull::testing {

/// One line for people. Fields without a value in it are not granted.
std::string DirectiveText(const Directive& directive);

class PolicyScript {
 public:
  /// The output of the command; its lines end in '\n'. For an invalid command: "error: " and the
  /// cause.
  std::string Run(const std::string& command);

 private:
  using Words = std::vector<std::string>;

  std::string StartPolicy(const Words& words);
  std::string FireEvent(const Words& words);
  std::string PassTime(uint64_t bytes_per_sec, uint64_t length_us, bool trace);
  std::string StateText() const;
  std::string Sweep(const Words& words);
  /// Reads pairs from `first` on; returns the error, or "".
  std::string SetPressure(const Words& words, size_t first);
  uint64_t* PressureNumber(const std::string& key);
  Pressure CurrentPressure() const;

  struct Numbers {
    uint64_t used = 0, budget = 0, immutables = 0, immutable_bytes = 0, flush_rate = 0, l0 = 0,
             l0_bytes = 0, l1_bytes = 0, debt = 0, l0_due = 0, deep_due = 0, drain = 0, active = 0,
             l0_running = 0, deep_running = 0, deep_paused = 0, reads = 0, misses = 0,
             background = 0, starved = 0;
  };
  Numbers numbers_;
  std::unique_ptr<Policy> policy_;
  Directive directive_;  // the last one of the policy
  uint64_t now_us_ = 0;
  uint64_t memtable_bytes_ = 0;
  uint64_t client_bytes_ = 0;
  uint64_t read_bytes_ = 0;
  uint64_t misses_ = 0;
  uint64_t background_bytes_ = 0;
  uint64_t l0_slices_ = 0;
  uint64_t deep_slices_ = 0;
  uint64_t last_write_us_ = 0;
};

}  // namespace lull::testing
