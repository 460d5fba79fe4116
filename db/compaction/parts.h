// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Parts: disjoint ranges of user keys into which a large compaction of L0 is divided, so that all
// workers merge it at once. Pure functions without I/O; any thread. compaction.h has the state of
// the parts.
//
// Invariant: every user key is in exactly one part, with all its versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/picker.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

/// From `begin`, inclusive, to `end`, exclusive: user keys; a missing one is unbounded.
struct PartRange {
  std::optional<std::string> begin;
  std::optional<std::string> end;
  // Estimated fractions of the whole input that lie before the two ends.
  double from = 0;
  double to = 1;
};

/// A known point of the distribution of keys: about `bytes` of entries lie at or shortly after it.
struct WeightedKey {
  leveldb::Slice user_key;
  uint64_t bytes = 0;
};

/// Divides the whole key space at some of the keys into at most `parts_max` parts of about the same
/// weight, in order. None has less than half of its due weight. One unbounded part if the keys
/// allow no division.
std::vector<PartRange> DivideKeys(const KeyOrder& order, std::vector<WeightedKey> keys,
                                  size_t parts_max);

/// The parts of a plan that `workers` workers can merge at once. O(n log n) in the input tables.
std::vector<PartRange> PartsOf(const CompactionPlan& plan, const KeyOrder& order, int workers,
                               uint64_t part_bytes_min);

/// The plan without the tables that lie outside the part.
CompactionPlan PlanOfPart(const CompactionPlan& whole, const PartRange& part,
                          const KeyOrder& order);

}  // namespace lull
