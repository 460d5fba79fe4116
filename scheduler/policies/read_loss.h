// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What reads lose by a long L0, held against what a compaction of it costs.
//
// A read searches one table after another in L0, most of them in vain. Whether it is worth a core
// to make one table of them depends on how long the reads go on, which nobody knows. So the loss is
// added up, and when it has reached the cost of the compaction, that is made: whether to rent or to
// buy. What reads lose and compactions take together is then at most twice what it would have been
// had the future been known; and where nobody reads, nothing is ever compacted for readers.
//
// Both are CPU time, and of both it is taken how much a compaction merges in it: rates that were
// measured are of no use here, since they are lowest where CPU is short.
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/policy.h"

namespace lull {

class ReadLoss {
 public:
  /// `miss_bytes`: what a compaction merges in the time that a table searched in vain takes; 0:
  /// reads never pay.
  explicit ReadLoss(uint64_t miss_bytes) : miss_bytes_(miss_bytes) {}

  /// At each event.
  void Observe(const Pressure& pressure);

  /// Reads have lost as much since tables were last taken out of L0 as it cost to do so then. Holds
  /// until it is done, even if L0 grows meanwhile.
  bool PaysForL0() const { return pays_; }

 private:
  const uint64_t miss_bytes_;
  int seen_l0_tables_ = 0;
  std::optional<uint64_t> misses_before_;  // total when tables were last taken out of L0
  bool pays_ = false;
};

}  // namespace lull
