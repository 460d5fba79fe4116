// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "silk": give compactions the bandwidth that clients leave (Balmau and others, USENIX ATC 2019,
// section 5).
//
// - Every silk_tick_us the clients' bandwidth C is measured, and background work gets
//   I = T - C - reserve. Flushes never wait, and flushes and L0 compactions together always get
//   silk_urgent_bytes_per_sec_min. The limit changes only when I has moved by
//   silk_change_bytes_per_sec_min.
// - L0 compactions are never paused. If workers are short, the dispatcher makes one deep job yield.
//   Deep compactions all pause when only the urgent minimum is left, and resume when
//   silk_change_bytes_per_sec_min more is available.
// - C is the larger of what clients write (to the WAL; their flush draws from I) and what they
//   read. A device reads and writes at once, and compactions read about as much as they write. So
//   each direction has its own T - C, and the smaller one counts. Reads are never added to writes.
// - T is given, or measured: see Bandwidth. A measured T limits nothing while it is unknown, and
//   while clients are quiet (at most the reserve for 20 ticks in a row): then the device shows what
//   it can do.
// - The paper's constants are for a device of 200 MB/s. On a slower, measured device, the urgent
//   minimum is at most a quarter of T, and the reserve and the change of the limit a twentieth.
//
// Beyond the paper: from debt_bytes_max nothing is limited or paused, and no pause exceeds
// pause_us_max. As in the paper, writers are never slowed, only stopped by the hard limits.
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
  double limit_bytes_per_sec_ = 0;   // current limit or, if none, the last; 0: none so far
  double urgent_bytes_per_sec_ = 0;  // its guaranteed minimum for flushes and L0
  uint64_t quiet_us_ = 0;            // time since clients last used more than the reserve
  bool deep_is_paused_ = false;
  PauseLimit pauses_;
};

}  // namespace lull
