// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LayoutRules: how a layout chooses a compaction. Stateless singletons; any thread. The cutting of
// outputs is in output_cutter.h.
#pragma once

#include <optional>
#include <string>

#include "db/compaction/planner.h"

namespace lull {

class LayoutRules {
 public:
  /// Whether `level` goes before L0 if both are due.
  virtual bool GoesBeforeL0(const Planner& planner, int level) const = 0;
  /// Called if L0 is due. `pointer`: see CompactPointers. Returns nullopt if every choice
  /// conflicts. The plan can be for a deeper level that must shrink first.
  virtual std::optional<CompactionPlan> PickL0(const Planner& planner,
                                               const std::string& pointer) const = 0;
  /// Called if `level`, at least 1, is due.
  virtual std::optional<CompactionPlan> PickDeep(const Planner& planner, int level,
                                                 const std::string& pointer) const = 0;

 protected:
  ~LayoutRules() = default;  // not virtual: those that exist are never destroyed
};

const LayoutRules& LeveledRules();  // leveled_picker.cc
const LayoutRules& VsstRules();     // vsst_picker.cc

}  // namespace lull
