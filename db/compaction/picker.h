// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The picker: decides what to compact. A pure function of a Version, the running ranges and the
// layout's options: no files, threads or clocks. The store calls it under its mutex, so that the
// running ranges cannot change. It must be cheap: little more than O(tables).
//
// planner.h has what all layouts share, layout_rules.h what differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/compaction/layout_options.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull {

/// The key range of a running job: smallest to largest user key, inclusive, on both its levels.
struct RunningRange {
  int input_level = 0;
  int output_level = 0;
  std::string smallest_user;
  std::string largest_user;
  bool operator==(const RunningRange&) const = default;
};

/// Whether `candidate` shares a level and a key with any of `running`.
bool Conflicts(const KeyOrder& order, const RunningRange& candidate,
               const std::vector<RunningRange>& running);

struct CompactionPlan {
  int level = 0;
  int output_level = 1;
  std::vector<TableRef> upper;         ///< inputs on level; below L0: by smallest key
  std::vector<TableRef> lower;         ///< inputs on output_level
  std::vector<TableRef> grandparents;  ///< tables on output_level + 1 that the outputs may overlap
  /// User keys, ascending. No output can span one, since a table that is not an input follows it.
  /// Empty if the inputs have no gaps.
  std::vector<std::string> fences;
  bool trivial_move = false;  ///< no lower inputs: only the MANIFEST changes
  bool least_bad = false;     ///< vsst: every candidate overlaps too much
  RunningRange range;         ///< key range of all inputs, including gaps
  uint64_t input_bytes = 0;
  std::string next_pointer;  ///< internal key: where `level`'s round-robin continues after this job
};

/// The urgency of a level; 1 or more means due. L0: tables / trigger. Deeper: bytes / target.
double LevelScore(const Version& version, int level, const LayoutOptions& layout);

/// Picks the most urgent L0 or deep compaction that conflicts with no running job. Returns nullopt
/// if nothing is due or all of it conflicts. For class kL0, a layout can pick a deeper level first;
/// see the plan's `level`. `pointers`: where each level's round-robin continues.
std::optional<CompactionPlan> Pick(const Version& version, JobClass job_class,
                                   const std::vector<RunningRange>& running,
                                   const CompactPointers& pointers, const LayoutOptions& layout);

/// Plans a CompactRange: moves the tables of `level` in `range` one level down. At a deep level it
/// stops after one table's worth of inputs, and `next_begin` is the user key to continue from.
/// `plan` is nullopt if the level has nothing in range. If it must wait for a running job,
/// `conflict` is set too.
struct ManualPick {
  std::optional<CompactionPlan> plan;
  bool conflict = false;
  std::optional<std::string> next_begin;
};
ManualPick PickManual(const Version& version, int level, const UserRange& range,
                      const std::vector<RunningRange>& running, const LayoutOptions& layout);

}  // namespace lull
