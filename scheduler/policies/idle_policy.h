// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "idle-threshold" and "idle-quiet": compact while almost nothing is written (Pramanik and
// Venkatesh, sections 5 and 6.3). Flushes have their own thread; while one runs, the active
// memtable can grow past its size. The two differ in what they call idle:
//
//   threshold   the clients' rate, measured every idle_probe_us, is below
//               idle_threshold_bytes_per_sec; this holds until the next probe
//   quiet       nothing was written for idle_quiet_us; this holds until the next write
//
// In the paper, debt grows without limit while clients are busy. Here compactions always run from
// debt_bytes_max and from l0_slowdown tables, no pause exceeds pause_us_max, and the budget bounds
// memory.
#pragma once

#include "scheduler/policies/pause_limit.h"
#include "scheduler/policies/rates.h"
#include "scheduler/policy.h"

namespace lull {

class IdlePolicy final : public Policy {
 public:
  enum class Rule { kThreshold, kQuiet };

  IdlePolicy(Rule rule, const PolicyOptions& options)
      : rule_(rule), options_(options), meter_(options.idle.probe_us), pauses_(options) {}
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  bool ClientsAreIdle(const Pressure& pressure, uint64_t now_us);

  const Rule rule_;
  const PolicyOptions options_;
  RateMeter meter_;
  bool below_threshold_ = false;  // at the last probe
  bool clients_are_idle_ = false;
  bool capped_ = false;  // debt or L0 is so high that compactions run regardless
  PauseLimit pauses_;
};

}  // namespace lull
