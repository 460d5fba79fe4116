// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/idle_policy.h"

namespace lull {

bool IdlePolicy::ClientsAreIdle(const Pressure& pressure, uint64_t now_us) {
  if (rule_ == Rule::kQuiet) return pressure.idle_us >= options_.idle.quiet_us;
  if (meter_.Sample(pressure.client_bytes_total, now_us)) {
    below_threshold_ =
        meter_.bytes_per_sec() < static_cast<double>(options_.idle.threshold_bytes_per_sec);
  }
  return below_threshold_;
}

Directive IdlePolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) {
  clients_are_idle_ = ClientsAreIdle(pressure, now_us);
  capped_ =
      pressure.debt_bytes >= options_.debt_bytes_max || pressure.l0_tables >= options_.l0_slowdown;

  Directive wanted;
  wanted.absorb = true;
  wanted.immutables_max = 1;
  wanted.l0_stop = options_.l0_stop;
  wanted.compactions_max = options_.compaction_threads;
  if (clients_are_idle_ || capped_ || pressure.GoesFirst()) {
    wanted.l0 = wanted.deep = {options_.compaction_threads, CpuPriority::kNormal};
  }
  pauses_.Apply(pressure, now_us, CpuPriority::kNormal, &wanted);
  wanted.tick =
      !clients_are_idle_ || pressure.l0_due || pressure.deep_due || pressure.immutables > 0;
  return wanted;
}

PolicyState IdlePolicy::State() const {
  PolicyState state = {{"clients_idle", clients_are_idle_}, {"capped", capped_}};
  if (rule_ == Rule::kThreshold) {
    state.push_back({"clients_bytes_per_sec", Whole(meter_.bytes_per_sec())});
  }
  pauses_.AddTo(&state);
  return state;
}

}  // namespace lull
