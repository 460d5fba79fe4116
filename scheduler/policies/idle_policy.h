// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "idle-threshold" and "idle-quiet": compact while next to nothing is written (Pramanik and
// Venkatesh, sections 5 and 6.3). Flushes have their own thread; while one runs, the active
// memtable takes writes beyond its size. They differ in what they call idle:
//
//   threshold   the rate of the clients, taken every idle_probe_us, is below
//               idle_threshold_bytes_per_sec; that holds until the next probe
//   quiet       nothing was written for idle_quiet_us; that holds until the next write
//
// The paper lets debt grow for as long as nobody is idle. Here compactions run regardless from
// debt_bytes_max and from l0_slowdown tables on, no pause outlasts pause_us_max, and memory is
// bounded by its budget.
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
  bool capped_ = false;  // debt or L0 are where compactions run regardless
  PauseLimit pauses_;
};

}  // namespace lull
