// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compares what a long L0 costs reads with the cost of compacting it.
//
// A read searches many L0 tables without finding its key. Whether merging them is worth a core
// depends on how long the reads continue, which is unknown. So the policy adds up the loss, and
// compacts when it reaches the cost of the compaction: the rent-or-buy rule. The total cost is then
// at most twice the optimum with known future. Without reads, nothing is compacted for readers.
//
// Both costs are CPU time, expressed as the bytes that a compaction merges in that time. Measured
// rates would not work: they are lowest when CPU is scarce.
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/policy.h"

namespace lull {

class ReadLoss {
 public:
  /// `miss_bytes`: bytes that a compaction merges in the time of one unsuccessful table search; 0:
  /// reads never pay.
  explicit ReadLoss(uint64_t miss_bytes) : miss_bytes_(miss_bytes) {}

  /// Call at each event.
  void Observe(const Pressure& pressure);

  /// True if, since tables last left L0, reads have lost as much as a compaction of L0 cost at that
  /// time. Stays true until the compaction is done, even if L0 grows.
  bool PaysForL0() const { return pays_; }

 private:
  const uint64_t miss_bytes_;
  int seen_l0_tables_ = 0;
  std::optional<uint64_t> misses_before_;  // total when tables last left L0
  bool pays_ = false;
};

}  // namespace lull
