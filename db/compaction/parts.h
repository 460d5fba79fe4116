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

/// User keys from `begin` (inclusive) to `end` (exclusive). A missing bound means no bound.
struct PartRange {
  std::optional<std::string> begin;
  std::optional<std::string> end;
  // Estimated fractions of the input before `begin` and before `end`.
  double from = 0;
  double to = 1;
};

/// A sample of the key distribution: about `bytes` bytes of entries are at this key or shortly
/// after.
struct WeightedKey {
  leveldb::Slice user_key;
  uint64_t bytes = 0;
};

/// Divides the key space at some of the keys into at most `parts_max` parts of about equal weight,
/// in key order. Each has at least half of an equal share. Returns one unbounded part if the keys
/// allow no division.
std::vector<PartRange> DivideKeys(const KeyOrder& order, std::vector<WeightedKey> keys,
                                  size_t parts_max);

/// Divides a plan for `workers` workers. O(n log n) in the input tables.
std::vector<PartRange> PartsOf(const CompactionPlan& plan, const KeyOrder& order, int workers,
                               uint64_t part_bytes_min);

/// The plan without the tables that lie outside the part.
CompactionPlan PlanOfPart(const CompactionPlan& whole, const PartRange& part,
                          const KeyOrder& order);

}  // namespace lull
