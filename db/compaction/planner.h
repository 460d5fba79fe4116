// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Planner: turns a choice of tables to move down into a complete plan. It adds the tables that must
// move with them to keep the entries of each key in order, and the tables of the next level that
// they overlap (lower inputs). It detects conflicts and trivial moves. All layouts (layout_rules.h)
// share it. One object per pick; stateless; its arguments must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/picker.h"

namespace lull {

class Planner {
 public:
  using Tables = std::vector<TableRef>;

  Planner(const Version& version, const std::vector<RunningRange>& running,
          const LayoutOptions& layout, const OutputLimit& limit)
      : version_(version),
        order_(version.order()),
        running_(running),
        layout_(layout),
        output_limit_(limit) {}

  const Version& version() const { return version_; }
  const LayoutOptions& layout() const { return layout_; }
  /// Whether a smaller plan can fit where a larger one does not.
  bool has_output_limit() const { return output_limit_.IsLimited(); }

  /// Completes a plan from its upper inputs; nullopt if it conflicts with a running job or does not
  /// fit the limit. `widen`:
  /// also take more upper tables if that adds no lower table. REQUIRES: `upper` includes all tables
  /// that must move with it: of L0 the older ones that it overlaps, deeper see AddSplitKeys.
  std::optional<CompactionPlan> Complete(int level, Tables upper, bool widen) const;

  /// The same for tables of a deep level that are not adjacent, sorted by smallest key. Lower
  /// tables in the gaps between them are not inputs; the plan gets a fence (CompactionPlan::fences)
  /// for each gap with such tables.
  std::optional<CompactionPlan> CompleteScattered(int level, Tables upper) const;

  /// A plan that rewrites tables of a deep level in place; nullopt if it conflicts with a running
  /// job. REQUIRES: `tables` are consecutive and include all that AddSplitKeys adds.
  std::optional<CompactionPlan> Rewrite(int level, Tables tables) const;

  /// Picks one table of a deep level: the next one after `pointer`, or if the layout has
  /// pick_by_overlap, the one with the least overlap per byte. If that is a trivial move, the
  /// tables after it move too until the level is within its target: an install costs the same for
  /// one table or many.
  std::optional<CompactionPlan> PickOne(int level, const std::string& pointer) const;

  /// Turns a trivial move into a merge, since only a merge drops deletions. Returns false if the
  /// merge does not fit the limit.
  bool MakeMerge(CompactionPlan* plan) const;

  /// Bytes of `level`, without tables that running jobs move down. Only their excess over the
  /// level's target needs another job.
  uint64_t StayingBytes(int level) const;

  /// Whether a running job uses the key range of `inputs` on `level` or on the next level.
  bool Blocked(int level, const Tables& inputs) const;

  /// Adds to `inputs`, which are consecutive, the tables that continue their last user key.
  /// Otherwise newer entries of that key would move below older ones, and the older ones would
  /// become visible again.
  void AddSplitKeys(int level, Tables* inputs) const;

 private:
  std::optional<CompactionPlan> PickNext(int level, const std::string& pointer) const;
  std::optional<CompactionPlan> PickByOverlap(int level) const;
  CompactionPlan MoveMore(CompactionPlan plan) const;
  std::optional<CompactionPlan> Finish(CompactionPlan plan) const;
  Tables LowerInputs(int level, const UserRange& range) const;
  void Widen(int level, Tables* upper, Tables* lower) const;
  bool CanMove(const CompactionPlan& plan) const;
  uint64_t OutputBytes(const CompactionPlan& plan) const;

  const Version& version_;
  const KeyOrder& order_;
  const std::vector<RunningRange>& running_;
  const LayoutOptions& layout_;
  const OutputLimit output_limit_;
};

uint64_t SumBytes(const std::vector<TableRef>& tables);
/// The smallest range that covers the tables, of which there is at least one.
UserRange RangeOf(const KeyOrder& order, const std::vector<TableRef>& tables);
/// Whether the tables' ranges of user keys, ends included, overlap.
bool UserRangesTouch(const KeyOrder& order, const TableFile& a, const TableFile& b);
bool Contains(const std::vector<TableRef>& tables, const TableRef& table);

/// The position of the first table that ends after `pointer`, an internal key. 0 if no table
/// does: the round-robin starts again.
size_t FirstAfter(const KeyOrder& order, const std::vector<TableRef>& tables,
                  const std::string& pointer);

}  // namespace lull
