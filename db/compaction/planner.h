// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// From "take these tables down" to a whole plan: what must come along so that no key's entries
// change their order, what lies below, whether a running job is in the way, whether a move will do.
// The same for every layout. One object a pick; borrows everything; no state of its own.
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

  /// Everything of a plan that follows from its upper inputs, which are whole in themselves (see
  /// AddSplitKeys, CloseOverOlder); nullopt when it conflicts. `widen`: more of the upper level
  /// comes along where that costs nothing below.
  std::optional<CompactionPlan> Complete(int level, Tables upper, bool widen) const;

  /// The same for tables of a level >= 1, by smallest key, that may lie apart: what lies below
  /// between them is left alone, and fenced off.
  std::optional<CompactionPlan> CompleteScattered(int level, Tables upper) const;

  /// The next table of a level >= 1: by `pointer`, or by overlap if the layout's options say so.
  std::optional<CompactionPlan> PickOne(int level, const std::string& pointer) const;

  /// Bytes of a level that no running job is taking down: several must not take more than the
  /// excess.
  uint64_t StayingBytes(int level) const;

  /// Whether a running job uses these tables' keys on `level` or the next.
  bool Blocked(int level, const Tables& inputs) const;

  /// Extends `inputs`, which are consecutive, by tables that go on with the user key on which they
  /// end. If a part of a key's entries moved down and older ones stayed behind, those would come to
  /// light again.
  void AddSplitKeys(int level, Tables* inputs) const;

  /// Extends tables of L0 by the older ones that they overlap, which must not stay behind.
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

/// Where to begin trying tables that are in the order of their keys: behind `pointer`, or at the
/// start when nothing lies there.
size_t FirstBehind(const KeyOrder& order, const std::vector<TableRef>& tables,
                   const std::string& pointer);

}  // namespace lull
