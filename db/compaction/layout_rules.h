// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What tells layouts apart when a compaction is chosen. Objects without state, one a layout, for
// the life of the process; any thread. How outputs are cut is the other half: output_cutter.h.
#pragma once

#include <optional>
#include <string>

#include "db/compaction/planner.h"

namespace lull {

class LayoutRules {
 public:
  virtual ~LayoutRules() = default;

  /// Whether `level` goes before L0 where both are due.
  virtual bool GoesBeforeL0(const Planner& planner, int level) const = 0;
  /// L0 is due. `pointer`: see CompactPointers. nullopt when all that could be taken conflicts. The
  /// plan may be of a deeper level, which has to make room first.
  virtual std::optional<CompactionPlan> PickL0(const Planner& planner,
                                               const std::string& pointer) const = 0;
  /// `level`, which is at least 1, is due.
  virtual std::optional<CompactionPlan> PickDeep(const Planner& planner, int level,
                                                 const std::string& pointer) const = 0;
};

const LayoutRules& LeveledRules();  // leveled_picker.cc
const LayoutRules& VsstRules();     // vsst_picker.cc

}  // namespace lull
