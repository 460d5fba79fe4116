// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/space_bound.h"

#include <algorithm>

namespace lull {
namespace {

// Each memtable has a log, and some logs are prepared.
constexpr uint64_t kMemtablesMin = 16;
// What clients can write until a compaction has begun.
constexpr uint64_t kMemtablesAhead = 4;
// Old readers are waited for, and a few dozen files deleted, in this time.
constexpr uint64_t kHoldNanos = 100'000'000;
// The table of a memtable, the log of the next one, and an error of the estimates.
constexpr uint64_t kMemtablesNext = 3;

}  // namespace

uint64_t SpaceBound::BytesMax(const Use& use) const {
  return std::max(use.live_bytes / 100 * percent_max_, kMemtablesMin * use.memtable_bytes);
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
