// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <optional>
#include <string>

#include "db/compaction/picker.h"
#include "tests/db/version_text.h"

namespace lull::testing {

/// A plan as one line, for comparison: "L1 3 4 + 7 8 | 9", followed by " move" for a trivial move.
inline std::string PlanText(const std::optional<CompactionPlan>& plan) {
  if (!plan) return "nothing";
  std::string text = "L" + std::to_string(plan->level) + " " + Numbers(plan->upper);
  if (!plan->lower.empty()) text += " + " + Numbers(plan->lower);
  if (!plan->grandparents.empty()) text += " | " + Numbers(plan->grandparents);
  return plan->trivial_move ? text + " move" : text;
}

}  // namespace lull::testing
