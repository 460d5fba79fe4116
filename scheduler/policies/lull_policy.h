// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "lull", the default: flush late, compact when clients leave room.
//
// - The WAL is never held back. Sealed memtables queue within the memory budget. While clients
//   write, a flush takes several, so that L0 gets few tables, and is only as fast as keeps up with
//   them, so that the device has room for the WAL. If anyone waits for a flush, it has no limit.
// - A lull begins when no write was seen for lull_after_us, and ends with the first write. In a
//   lull every worker runs at normal priority.
// - While clients write, the level decides: the largest of L0 tables / l0_stop, debt /
//   debt_bytes_max, and entries that deletions hide / (live entries + 64 MiB), in bytes. Below 1/2,
//   compactions pause if clients write hard: on a small machine they would take the core that the
//   clients need. During light writing, L0 is compacted at idle CPU priority once it has as many
//   bytes as L1, which the compaction can rewrite. From 1/2, both classes run at idle priority.
//   From 3/4, L0 runs at normal priority, and so do deep compactions once the debt reaches
//   debt_bytes_max. Below level 1, L0 uses at most half of the workers while clients write hard.
// - While clients work, compactions are limited to the device bandwidth that clients leave, as in
//   SILK. From 1/2 the limit rises; from 3/4 it is off.
// - In every phase, L0 runs at normal priority once its length has cost reads more than a
//   compaction of it costs: see ReadLoss.
// - The policy learns the rhythm of bursts and lulls from what clients write. While one of them
//   waits, or disk space is low, compactions run as in a lull, but teach it nothing. Hard writing
//   that lasts much longer than earlier bursts is not a burst, so compactions stop waiting for its
//   end. If lulls are too short for the debt of the next burst, deep compactions also run during
//   light writing.
// - No pause is endless: see PauseLimit.
// - The write rate has no memory: it depends only on the current distance to the limits
//   (PaceWrites), and rises as soon as that distance does. The user's bound on disk space is one of
//   these limits.
//
// Two conditions define hard writing. First, more than a quarter of the fastest rate that the store
// has taken; this maximum halves every minute, so that it adapts to the program. Second, more than
// a tenth of the flush rate, so that a trickle is never hard. Writing stays hard down to 3/5 of
// these rates, so that a rate near a threshold does not change the phase at every event.
#pragma once

#include "scheduler/policies/bandwidth.h"
#include "scheduler/policies/device_watch.h"
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
  void LearnRhythm(const Pressure& pressure, uint64_t now_us);
  bool BurstWillEnd() const;
  bool NextBurstNeedsMemory(const Pressure& pressure) const;
  double Level(const Pressure& pressure) const;
  void GrantCompactions(const Pressure& pressure, Directive* wanted) const;
  void LeaveCores(const Pressure& pressure, Directive* wanted) const;
  double UsableBandwidth(const Pressure& pressure) const;
  RateBudget LimitCompactions(const Pressure& pressure, bool must_run);
  static double MemoryRate(const Pressure& pressure);
  uint64_t LimitFlush(const Pressure& pressure) const;
  void PaceWrites(const Pressure& pressure, Directive* wanted) const;

  const PolicyOptions options_;
  Rhythm::Phase clients_do_ = Rhythm::Phase::kLull;
  Rhythm::Phase phase_ = Rhythm::Phase::kLull;  // the same, or a lull where compactions go first
  bool writes_are_hard_ = false;
  RateMeter meter_;
  SmoothedValue client_bytes_per_sec_;
  FadingMaximum client_bytes_per_sec_max_;
  RateMeter read_meter_;
  SmoothedValue client_read_bytes_per_sec_;
  Bandwidth bandwidth_;
  DeviceWatch device_;
  double limit_bytes_per_sec_ = 0;  // limit of compactions: current or, if none, the last
  bool is_limited_ = false;
  uint64_t flush_limit_bytes_per_sec_ = 0;
  bool slows_writes_ = false;
  Rhythm rhythm_;
  ReadLoss read_loss_;
  PauseLimit pauses_;
};

}  // namespace lull
