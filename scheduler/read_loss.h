// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What reads lose by a long L0, held against what a compaction of it costs.
//
// A read searches one table after another in L0, most of them in vain. Whether it is worth a core
// to make one table of them depends on how long the reads go on, which nobody knows. So the loss is
// added up, and when it has reached the cost of the compaction, that is made: whether to rent or to
// buy. What reads lose and compactions take together is then at most twice what it would have been
// had the future been known; and where nobody reads, nothing is ever compacted for readers.
#pragma once

#include <cstdint>

#include "scheduler/policy.h"

namespace lull {

class ReadLoss {
 public:
  explicit ReadLoss(uint64_t miss_ns) : miss_ns_(miss_ns) {}

  /// At each event.
  void Observe(const Pressure& pressure);

  /// Reads have lost as much since tables were last taken out of L0 as it costs to do so now.
  bool PaysForL0() const { return pays_; }

 private:
  const uint64_t miss_ns_;
  int seen_l0_tables_ = 0;
  uint64_t misses_before_ = 0;  // total when tables were last taken out of L0
  bool pays_ = false;
};

}  // namespace lull
