// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "adoc": once per window, look for an overflow of data and turn two knobs (Yu and others, USENIX
// FAST 2023, section 5). The first overflow found counts:
//
//   overflow     sign                                                    compactions   batch
//   L0           l0_slowdown tables                                      + step        unchanged
//   redundancy   debt_bytes_max of debt                                  + step        halved
//   memory       the active memtable is full, another one is unflushed   halved        + step
//
// Compactions stay between one and compaction_threads. The batch is the size of memtables and, in
// proportion, of tables. It stays between the configured size and adoc_batch_factor_max times that,
// as long as two memtables fit into the memory budget. Knobs are turned at the end of every window,
// whether anything finished in it or not. Nothing is compared with a past maximum.
//
// Writes are slowed where RocksDB, the paper's base, slows them: from l0_slowdown tables and from
// debt_bytes_max. Here the rate is a function of the distance to the limits.
#pragma once

#include "scheduler/policy.h"

namespace lull {

class AdocPolicy final : public Policy {
 public:
  explicit AdocPolicy(const PolicyOptions& options);
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;
  PolicyState State() const override;

 private:
  /// Overflows seen during a window.
  struct Overflows {
    bool l0 = false;
    bool redundancy = false;
    bool memory = false;
  };

  void Sample(const Pressure& pressure);
  void TurnKnobs(const Pressure& pressure);
  void PaceWrites(const Pressure& pressure, Directive* wanted) const;

  const PolicyOptions options_;
  const uint64_t batch_step_bytes_;
  bool began_ = false;
  uint64_t window_began_us_ = 0;
  Overflows seen_;
  const char* last_overflow_ = "none";  // the last one that turned a knob
  int threads_;
  uint64_t batch_bytes_;
};

}  // namespace lull
