// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What to compact: a pure function of a Version, the ranges in flight and the layout. No files,
// threads, clocks. Called by the store under its mutex (so that ranges in flight cannot change
// meanwhile); must stay cheap: O(tables).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/version.h"

namespace lull {

/// LevelDB's sizes; every one live-settable by the store's options.
struct LayoutOptions {
  int l0_trigger = 4;                    ///< tables in L0 that make its compaction due
  uint64_t l1_bytes_target = 10u << 20;  ///< target of L1
  double level_multiplier = 10.0;        ///< target of L(n+1) / target of Ln
  uint64_t table_bytes_max = 2u << 20;   ///< a compaction cuts its output here
  uint64_t l0_job_bytes_max = 0;  ///< oldest L0 tables taken by one job, or L1 if more; 0: all
  int grandparent_overlap_tables_max =
      10;  ///< an output may overlap this many tables' worth two levels down
  int expanded_inputs_tables_max =
      25;  ///< upper-level inputs are widened for free up to this in sum
};

/// Targets of all levels; [0] is unused (0), the deepest level's is unlimited (UINT64_MAX).
std::array<uint64_t, kLevels> LevelTargets(const LayoutOptions& layout);

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
  std::vector<TableRef> upper;         ///< inputs on level
  std::vector<TableRef> lower;         ///< inputs on output_level
  std::vector<TableRef> grandparents;  ///< tables on output_level + 1 that the outputs may overlap
  bool trivial_move = false;  ///< one upper table, nothing below it: only the MANIFEST changes
  RunningRange range;         ///< hull of all inputs
  uint64_t input_bytes = 0;
  std::string next_pointer;  ///< internal key: the round-robin position of `level` after this job
};

/// Internal keys, empty: from the start. Index: level.
using CompactPointers = std::array<std::string, kLevels>;

enum class Depth { kL0, kDeep };

/// How urgent a level is: >= 1 means due. L0: tables / trigger; deeper: bytes / target.
double LevelScore(const Version& version, int level, const LayoutOptions& layout);

/// The most urgent compaction of that depth that conflicts with nothing running; nullopt when
/// nothing is due (or all that is due conflicts). Round-robin by `pointers` within a level, as
/// LevelDB does.
std::optional<CompactionPlan> Pick(const Version& version, Depth depth,
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
