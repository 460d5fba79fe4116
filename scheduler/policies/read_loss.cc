// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/read_loss.h"

#include <utility>

namespace lull {

void ReadLoss::Observe(const Pressure& pressure) {
  const bool taken_out = pressure.l0_tables < std::exchange(seen_l0_tables_, pressure.l0_tables);
  // Ignores losses from before this policy started; another policy may have handled them.
  if (taken_out || !misses_before_) misses_before_ = pressure.l0_misses_total;
  if (taken_out || !pressure.l0_due) pays_ = false;
  if (pays_ || !pressure.l0_due) return;
  const uint64_t lost_bytes = (pressure.l0_misses_total - *misses_before_) * miss_bytes_;
  // An L0 job rewrites what overlaps it in L1, usually all of it.
  pays_ = lost_bytes > 0 && lost_bytes >= pressure.l0_bytes + pressure.l1_bytes;
}

}  // namespace lull
