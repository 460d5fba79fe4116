// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "lull", the default: flush at once, compact when the clients leave room.
//
// - The flush thread and the WAL are never held back. Sealed memtables queue within the memory
//   budget, and are flushed several at a time while clients write hard or L0 is long, so that a
//   burst leaves few L0 tables behind.
// - A lull begins when no write was seen for lull_after_us; it ends with the first write. In a lull
//   every worker runs at normal priority.
// - While clients write, pressure decides: the larger of L0 tables / l0_stop and debt /
//   debt_bytes_max. Below a half, and if clients write hard, compactions pause: on a small machine
//   they would take the core that the clients need. Light writing leaves room: then L0 is kept near
//   its trigger at idle CPU priority. From a half on, both classes run at idle priority; from three
//   quarters L0 runs at normal priority, and so do deep compactions once the debt is at its cap.
// - What compactions write while clients work is limited to what those leave of the device's
//   bandwidth, as in SILK; from a half on to more and more, from three quarters on not at all.
// - Whatever the phase, L0 runs at normal priority when reads have lost more by its length than a
//   compaction of it costs: ReadLoss.
// - The rhythm of bursts and lulls is learned. Hard writing that lasts much longer than bursts do
//   is not one, and compactions no longer wait for its end. Deep compactions use light writing when
//   the lulls are too short for the debt of the next burst.
// - Nothing is paused for ever: PauseLimit.
// - Admission has no memory: the rate allowed is a function of the present distance to the limits
//   alone (PaceWrites), and grows as soon as that distance does.
//
// "Hard" is relative: more than a quarter of the fastest rate that the store was seen to take, a
// maximum that halves in a minute, so that a program's own rhythm sets the scale; and more than a
// tenth of what the flush thread can do, so that a trickle is never hard. Once hard, it stays so
// down to three fifths of either, so that a rate near the threshold does not change the phase at
// every look.
#pragma once

#include "scheduler/policies/bandwidth.h"
#include "scheduler/policies/pause_limit.h"
#include "scheduler/policies/rates.h"
#include "scheduler/policies/read_loss.h"
#include "scheduler/policies/rhythm.h"
#include "scheduler/policy.h"

namespace lull {

class LullPolicy final : public Policy {
 public:
  explicit LullPolicy(const PolicyOptions& options);
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  void MeasureClients(const Pressure& pressure, uint64_t now_us);
  bool ClientsWriteHard(const Pressure& pressure) const;
  bool BurstWillEnd() const;
  bool NextBurstNeedsRoom(const Pressure& pressure) const;
  double Level(const Pressure& pressure) const;
  void GrantCompactions(const Pressure& pressure, Directive* wanted) const;
  double UsableBandwidth(const Pressure& pressure) const;
  RateBudget LimitCompactions(const Pressure& pressure);
  void PaceWrites(const Pressure& pressure, Directive* wanted) const;

  const PolicyOptions options_;
  Rhythm::Phase phase_ = Rhythm::Phase::kLull;
  bool writes_are_hard_ = false;
  RateMeter meter_;
  SmoothedValue client_bytes_per_sec_;
  FadingMaximum client_bytes_per_sec_max_;
  RateMeter read_meter_;
  SmoothedValue client_read_bytes_per_sec_;
  Bandwidth bandwidth_;
  double limit_bytes_per_sec_ = 0;  // of compactions, or what it was last
  bool is_limited_ = false;
  Rhythm rhythm_;
  ReadLoss read_loss_;
  PauseLimit pauses_;
};

}  // namespace lull
