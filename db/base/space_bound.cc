// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/space_bound.h"

#include <algorithm>

namespace lull {
namespace {

// An empty store needs so much for its memtables and logs; some logs are prepared.
constexpr uint64_t kMemtablesMin = 16;
// With less room beside its live entries, a store would compact after each memtable: for the output
// of a compaction of L0 and L1, at most as large as the live entries, and for memtables and logs.
constexpr uint64_t kMemtablesOfOutput = 16;
constexpr uint64_t kMemtablesBesideOutput = 8;
// What clients can write until a compaction has begun.
constexpr uint64_t kMemtablesAhead = 4;
// Old readers are waited for, and a few dozen files deleted, in this time.
constexpr uint64_t kHoldNanos = 100'000'000;
// The table of a memtable, the log of the next one, and an error of the estimates.
constexpr uint64_t kMemtablesNext = 3;

}  // namespace

uint64_t SpaceBound::BytesMax(const Use& use) const {
  const uint64_t output = std::min(use.live_bytes, kMemtablesOfOutput * use.memtable_bytes);
  const uint64_t workable = use.live_bytes + output + kMemtablesBesideOutput * use.memtable_bytes;
  return std::max(
      {use.live_bytes / 100 * percent_max_, workable, kMemtablesMin * use.memtable_bytes});
}

bool SpaceBound::IsNear(const Use& use) const {
  const uint64_t ahead = use.output_bytes + kMemtablesAhead * use.memtable_bytes;
  return is_set() && use.file_bytes + ahead > BytesMax(use);
}

bool SpaceBound::IsReached(const Use& use) const {
  const uint64_t ahead = use.output_bytes + kMemtablesNext * use.memtable_bytes;
  return is_set() && use.file_bytes + ahead > BytesMax(use);
}

bool SpaceBound::HoldsCompactions(const Use& use, uint64_t now_nanos) const {
  return is_set() && use.file_bytes + use.output_bytes > BytesMax(use) &&
         use.doomed_bytes > use.output_bytes / 4 && now_nanos - installed_nanos_ < kHoldNanos;
}

}  // namespace lull
