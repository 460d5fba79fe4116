// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "silk": give compactions the bandwidth that clients leave (Balmau and others, USENIX ATC 2019,
// section 5).
//
// - Every silk_tick_us the clients' bandwidth C is taken, and background work gets
//   I = T - C - reserve. A flush is never held up, and flushes and L0 compactions together always
//   get silk_urgent_bytes_per_sec_min. The limit is changed only when I has moved by
//   silk_change_bytes_per_sec_min.
// - L0 compactions are never paused. When workers are short, one deep job makes room: the
//   coordinator sees to that. Deep compactions pause all together when no more than the urgent
//   minimum is left, and go on when silk_change_bytes_per_sec_min more is.
// - C is the larger of what clients write (to the WAL; their flush draws from I) and what they
//   read. A device does both at once, and compactions read about as much as they write: each
//   direction has its own T - C, and the narrower one counts. Reads are never added to writes.
// - T is given, or measured: see Bandwidth. Until something is known of it, and while
//   clients are quiet (for 20 ticks on end they took no more than the reserve), a measured T limits
//   nothing: that is when the device shows what it can do.
// - The paper's constants belong to a device of 200 MB/s. Of one that was measured, and is slower,
//   the urgent minimum is a quarter at most, the reserve and the change of the limit a twentieth.
//
// Beyond the paper: from debt_bytes_max on nothing is limited or paused, and no pause outlasts
// pause_us_max. Writers are never slowed, only stopped by the hard limits, as in the paper.
#pragma once

#include "scheduler/policies/bandwidth.h"
#include "scheduler/policies/pause_limit.h"
#include "scheduler/policies/rates.h"
#include "scheduler/policy.h"

namespace lull {

class SilkPolicy final : public Policy {
 public:
  explicit SilkPolicy(const PolicyOptions& options);
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  void Measure(const Pressure& pressure, uint64_t now_us);
  void Allot();
  double Scaled(uint64_t bytes_per_sec, double share_max) const;

  const PolicyOptions options_;
  RateMeter writes_;
  RateMeter reads_;
  double clients_bytes_per_sec_ = 0;  // C
  Bandwidth bandwidth_;               // T

  bool is_limited_ = false;
  double limit_bytes_per_sec_ = 0;   // the limiter's, or what it was last; 0: there was none yet
  double urgent_bytes_per_sec_ = 0;  // of that, the minimum for flushes and L0
  uint64_t quiet_us_ = 0;            // since clients last took more than the reserve
  bool deep_is_paused_ = false;
  PauseLimit pauses_;
};

}  // namespace lull
