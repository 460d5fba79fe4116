// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs commands of a text file on one policy, so that a reviewer reads the policy's behaviour
// instead of test code. A command is one line; its output is the transcript:
//
//   policy NAME [KEY=VALUE...]    starts over with a new policy, for a store just opened; prints
//                                 its limits and its directive. Keys: budget (memory), threads,
//                                 l0_trigger, l0_slowdown, l0_stop, debt_max, pause_max, and
//                                 constants of single policies by their names in OptionValues,
//                                 without units (see OptionKeys)
//   set KEY=VALUE...              changes the pressure; prints nothing. Keys: used, budget,
//                                 immutables, immutable_bytes, flush_rate, l0, l0_bytes, l1_bytes,
//                                 debt, l0_due, deep_due, drain, low (space), stopped (a write),
//                                 writing, active, l0_running, deep_running, deep_paused. For the
//                                 commands that let time pass: reads and background (bytes a
//                                 second), misses (tables a second), and starved=1: due and granted
//                                 work gets no slice
//   event KIND [KEY=VALUE...]     as set, then the event at the current time; prints the directive
//   write RATE TIME [trace]       clients write at RATE bytes a second, with a tick every 10 ms;
//                                 prints the last directive, or with "trace" every changed one
//   quiet TIME [trace]            as write, with no writes
//   state [NAME...]               prints the state that the policy reports, or these figures
//   sweep KEY FROM TO STEP        prints how writes are admitted at each value of a pressure
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/policy.h"
#include "tests/scheduler/script.h"

namespace lull::testing {

/// One line for people. Fields without a value in it are not granted.
std::string DirectiveText(const Directive& directive);

class PolicyScript final : public Script {
 public:
  std::optional<std::string> Run(const Words& words) override;

 private:
  std::optional<std::string> StartPolicy(const Words& words);
  std::optional<std::string> FireEvent(const Words& words);
  std::string PassTime(uint64_t bytes_per_sec, uint64_t length_us, bool trace);
  std::string StateText(const Words& words) const;
  std::optional<std::string> Sweep(const Words& words);
  std::vector<Key> PressureKeys();
  /// Sends the event; returns the text of the directive.
  std::string Fire(EventKind kind);

  std::unique_ptr<Policy> policy_;
  Directive directive_;  // the last one of the policy
  Pressure pressure_;
  uint64_t now_us_ = 0;
  uint64_t last_write_us_ = 0;
  uint64_t reads_per_sec_ = 0;
  uint64_t misses_per_sec_ = 0;
  uint64_t background_per_sec_ = 0;
  bool starved_ = false;
};

}  // namespace lull::testing
