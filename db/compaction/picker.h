// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What to compact: a pure function of a Version, the ranges in flight and the layout's numbers. No
// files, threads, clocks. Called by the store under its mutex (so that ranges in flight cannot
// change meanwhile); must stay cheap: little more than O(tables).
//
// What every layout has in common is in planner.h, what tells them apart behind layout_rules.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/layout_options.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull {

/// The hull of a running job: user keys smallest..largest, inclusive, on both its levels.
struct RunningRange {
  int input_level = 0;
  int output_level = 0;
  std::string smallest_user;
  std::string largest_user;
  bool operator==(const RunningRange&) const = default;
};

/// True when a job on `level` -> `output_level` over these user keys would touch a level and range
/// that `running` uses.
bool Conflicts(const KeyOrder& order, const RunningRange& candidate,
               const std::vector<RunningRange>& running);

struct CompactionPlan {
  int level = 0;
  int output_level = 1;
  std::vector<TableRef> upper;         ///< inputs on level; deeper than L0: by smallest key
  std::vector<TableRef> lower;         ///< inputs on output_level
  std::vector<TableRef> grandparents;  ///< tables on output_level + 1 that the outputs may overlap
  /// User keys, ascending: no output may reach across one, because a table that is not an input
  /// lies behind it. Empty when the inputs have no gaps.
  std::vector<std::string> fences;
  bool trivial_move = false;  ///< nothing below the upper tables: only the MANIFEST changes
  bool least_bad = false;     ///< vsst: every table that could be taken overlaps too much
  RunningRange range;         ///< hull of all inputs, gaps included
  uint64_t input_bytes = 0;
  std::string next_pointer;  ///< internal key: the round-robin position of `level` after this job
};

/// How urgent a level is: >= 1 means due. L0: tables / trigger; deeper: bytes / target.
double LevelScore(const Version& version, int level, const LayoutOptions& layout);

/// The most urgent L0 or deep compaction that conflicts with nothing running; nullopt when
/// nothing is due (or all that is due conflicts). For L0, a layout may let a deeper level go first:
/// the plan says which level it takes from. `pointers` say where a layout that goes round the keys
/// of a level goes on.
std::optional<CompactionPlan> Pick(const Version& version, JobClass job_class,
                                   const std::vector<RunningRange>& running,
                                   const CompactPointers& pointers, const LayoutOptions& layout);

/// The plan that moves everything of `level` in `range` one level down (a client's CompactRange),
/// cut at the end of a table's worth of inputs where the level is >= 1: then `next_begin` gets the
/// user key to go on from. nullopt when the level holds nothing in range, or `conflict` when it
/// must wait for a running job.
struct ManualPick {
  std::optional<CompactionPlan> plan;
  bool conflict = false;
  std::optional<std::string> next_begin;
};
ManualPick PickManual(const Version& version, int level, const UserRange& range,
                      const std::vector<RunningRange>& running, const LayoutOptions& layout);

}  // namespace lull
