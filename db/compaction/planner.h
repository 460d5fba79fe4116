// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Planner: completes a plan from the tables to move down. It adds the tables that must move with
// them to keep the order of each key's entries, and the lower inputs. It detects conflicts and
// trivial moves. Shared by all layouts. One object per pick; stateless; its arguments outlive it.
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
          const LayoutOptions& layout)
      : version_(version), order_(version.order()), running_(running), layout_(layout) {}

  const Version& version() const { return version_; }
  const LayoutOptions& layout() const { return layout_; }

  /// Completes a plan from its upper inputs; nullopt if it conflicts. REQUIRES: `upper` is closed
  /// (see AddSplitKeys, CloseOverOlder). `widen`: add upper tables that add no lower table.
  std::optional<CompactionPlan> Complete(int level, Tables upper, bool widen) const;

  /// The same for tables of a deep level with gaps between them, by smallest key. Lower tables in a
  /// gap are not inputs, and get a fence.
  std::optional<CompactionPlan> CompleteScattered(int level, Tables upper) const;

  /// Picks one table of a deep level: by `pointer`, or by overlap with pick_by_overlap.
  std::optional<CompactionPlan> PickOne(int level, const std::string& pointer) const;

  /// Bytes of `level` that no running job moves down. Only their excess over the target is still to
  /// compact.
  uint64_t StayingBytes(int level) const;

  /// Whether a running job uses the key range of `inputs` on `level` or the next.
  bool Blocked(int level, const Tables& inputs) const;

  /// Extends the consecutive `inputs` by tables that continue their last user key. Otherwise newer
  /// entries of the key would move below older ones, and the older ones would become visible again.
  void AddSplitKeys(int level, Tables* inputs) const;

  /// Extends L0 tables by the older ones that they overlap, which must move with them.
  void CloseOverOlder(Tables* chosen) const;

 private:
  std::optional<CompactionPlan> PickByOverlap(int level) const;
  std::optional<CompactionPlan> Finish(CompactionPlan plan) const;
  Tables LowerInputs(int level, const UserRange& range) const;
  void Widen(int level, Tables* upper, Tables* lower) const;
  bool CanMove(const CompactionPlan& plan) const;

  const Version& version_;
  const KeyOrder& order_;
  const std::vector<RunningRange>& running_;
  const LayoutOptions& layout_;
};

uint64_t SumBytes(const std::vector<TableRef>& tables);
bool UserRangesTouch(const KeyOrder& order, const TableFile& a, const TableFile& b);
bool Contains(const std::vector<TableRef>& tables, const TableRef& table);

/// The position of the first table after `pointer`, by key; 0 if no table follows.
size_t FirstBehind(const KeyOrder& order, const std::vector<TableRef>& tables,
                   const std::string& pointer);

}  // namespace lull
