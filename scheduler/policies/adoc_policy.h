// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "adoc": look once a window for data that overflows, and turn two knobs (Yu and others, USENIX
// FAST 2023, section 5). The first overflow that is found counts:
//
//   overflow     sign                                                     compactions   batch
//   L0           l0_slowdown tables                                       + step        as it is
//   redundancy   debt_bytes_max of debt                                   + step        halved
//   memory       the active memtable is full, another one is unflushed    halved        + step
//
// Compactions stay between one and compaction_threads, or the cores if those are fewer: more would
// only take turns. The batch, which is the size of memtables and, in proportion, of tables, stays
// between the configured size and adoc_batch_factor_max times that, as far as two memtables fit
// into the memory budget. Knobs are turned at the end of every window, whether anything finished in
// it or not, and nothing is compared with a maximum of the past.
//
// Writes are slowed where RocksDB, which the paper works on, slows them: from l0_slowdown tables
// and from debt_bytes_max on. Here the rate is a function of the distance to the limits.
#pragma once

#include "scheduler/policy.h"

namespace lull {

class AdocPolicy final : public Policy {
 public:
  explicit AdocPolicy(const PolicyOptions& options);
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  /// What overflowed at some moment of a window.
  struct Overflows {
    bool l0 = false;
    bool redundancy = false;
    bool memory = false;
  };

  void Look(const Pressure& pressure);
  void TurnKnobs(const Pressure& pressure);
  void PaceWrites(const Pressure& pressure, Directive* wanted) const;

  const PolicyOptions options_;
  const uint64_t batch_step_bytes_;
  const int threads_max_;
  bool began_ = false;
  uint64_t window_began_us_ = 0;
  Overflows seen_;
  const char* last_overflow_ = "none";  // that turned a knob
  int threads_;
  uint64_t batch_bytes_;
};

}  // namespace lull
