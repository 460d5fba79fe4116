// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/leveldb_policy.h"

namespace lull {

Directive LevelDbPolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t) {
  Directive wanted;
  wanted.immutables_max = 1;
  wanted.l0_stop = options_.l0_stop;
  wanted.compactions_max = 1;
  if (pressure.l0_tables >= options_.l0_slowdown) {
    wanted.delay_us_per_write = 1000;
    wanted.cause = StallCause::kL0;
  }
  // LevelDB's only thread interrupts its compaction to flush, and resumes it afterwards.
  if (pressure.immutables > 0) return wanted;
  // It finishes what it began: the coordinator would let L0 replace a deep job.
  wanted.l0.jobs_max = pressure.deep_running + pressure.deep_paused > 0 ? 0 : 1;
  wanted.deep.jobs_max = 1;
  return wanted;
}

}  // namespace lull
