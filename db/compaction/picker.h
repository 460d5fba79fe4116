// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The picker: decides what to compact. A pure function of a Version, the running ranges and the
// layout's options: no files, threads or clocks. The store calls it under its mutex, so that the
// running ranges cannot change. It must be cheap: little more than O(tables).
//
// planner.h has what all layouts share, layout_rules.h what differs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/base/layout_options.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull {

/// The key range of a running job, on both its levels: from smallest to largest user key,
/// inclusive.
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
  std::vector<TableRef> grandparents;  ///< tables on output_level + 1 that the outputs can overlap
  /// User keys, ascending. Each is the last key before a gap in the inputs, where output_level has
  /// tables that are not inputs. So an output must end there. Empty if there are no gaps.
  std::vector<std::string> fences;
  bool trivial_move = false;  ///< no lower inputs: only the MANIFEST changes
  bool least_bad = false;     ///< vsst: chosen only because no table with little overlap exists
  bool reclaims = false;      ///< only frees space: see PickReclaim
  RunningRange range;         ///< key range of all inputs, including gaps
  uint64_t input_bytes = 0;
  uint64_t output_bytes = 0;  ///< by estimate; 0 for a trivial move
  /// Of all inputs, see TableContents; 0 if that of one is unknown, nullopt if none has deletions.
  std::optional<uint64_t> deletions_since;
  /// Internal key: where `level`'s round-robin continues after this job. Empty: where it was.
  std::string next_pointer;

  /// Whether the outputs stay on the level of the inputs, which are all in `upper`.
  bool is_rewrite() const { return output_level == level; }
};

/// How much a compaction that begins now can write, in bytes. By default without a limit.
struct OutputLimit {
  uint64_t bytes_max = UINT64_MAX;
  /// For a compaction that frees at least a quarter of its input; never less than bytes_max.
  uint64_t freeing_bytes_max = UINT64_MAX;
  /// Deletions newer than this free nothing.
  SequenceNumber oldest_snapshot = kMaxSequence;

  bool IsLimited() const { return bytes_max != UINT64_MAX; }
  bool Fits(const CompactionPlan& plan) const {
    const bool frees = plan.input_bytes - plan.output_bytes >= plan.input_bytes / 4;
    return plan.output_bytes <= (frees ? freeing_bytes_max : bytes_max);
  }
  bool operator==(const OutputLimit&) const = default;
};

/// The urgency of a level; 1 or more means due. L0: tables / trigger. Deeper: bytes / target.
double LevelScore(const Version& version, int level, const LayoutOptions& layout);

/// Picks the most urgent L0 or deep compaction that conflicts with no running job. Returns nullopt
/// if nothing is due, or if everything due conflicts. For class kL0, a layout can pick a deeper
/// level that must shrink first; the plan's `level` says so. `pointers`: where each level's
/// round-robin continues. Picks only what fits `limit`: the next best if the best does not.
std::optional<CompactionPlan> Pick(const Version& version, JobClass job_class,
                                   const std::vector<RunningRange>& running,
                                   const CompactPointers& pointers, const LayoutOptions& layout,
                                   const OutputLimit& limit = {});

/// Which deletions are old, by their time in seconds since 1970. By default none.
struct OldDeletions {
  uint64_t before = 0;          ///< those from before this time
  uint64_t after = UINT64_MAX;  ///< and those from after this one: the clock was wrong
  bool Include(uint64_t seconds) const { return seconds < before || seconds > after; }
  bool operator==(const OldDeletions&) const = default;
};

/// Which compactions that only free space pay.
struct ReclaimRule {
  /// Deletions newer than this must stay, so their tables are not picked.
  SequenceNumber oldest_snapshot = kMaxSequence;
  /// How many of the values hide older ones. They count once the store has many.
  double overwrite_share = 0;
  /// These deletions go down whatever that frees.
  OldDeletions old{};
  /// Only these count.
  bool only_old = false;
};

/// Picks a compaction that only frees space: it brings deletions to the entries that they hide, or
/// drops them where nothing is below. Returns nullopt if none would free enough for what it
/// rewrites. Levels need not be due, so call it only while no client writes, or with `only_old`.
/// (reclaim_picker.cc)
std::optional<CompactionPlan> PickReclaim(const Version& version,
                                          const std::vector<RunningRange>& running,
                                          const LayoutOptions& layout, const ReclaimRule& rule,
                                          const OutputLimit& limit = {});

/// What tables contain, by estimate. Without tables of unknown contents, except for their bytes.
struct TableSpace {
  uint64_t known_bytes = 0;
  uint64_t unknown_bytes = 0;
  uint64_t values = 0;  ///< entries that are not deletions
  uint64_t deletions = 0;
  uint64_t upper_values = 0;  ///< values above the deepest level
  /// Bytes of values that these and `more` deletions hide, if each hides one.
  uint64_t HiddenBytes(uint64_t more = 0) const;
  /// Bytes of values that values of upper levels hide.
  uint64_t OverwrittenBytes(double overwrite_share) const;

  void Add(const TableFile& table);
  void Add(const std::vector<TableRef>& tables) {
    for (const TableRef& table : tables) Add(*table);
  }
};
TableSpace SpaceOf(const Version& version);
std::array<TableSpace, kLevels> SpaceByLevel(const Version& version);
/// Bytes that deletions hide and no compaction can free, since a snapshot is older than the
/// deletions.
uint64_t HiddenBytesKept(const Version& version, SequenceNumber oldest_snapshot);
/// Bytes of each level that deletions above it hide, if each hides the next value below. In L0,
/// deletions hide values of L0 first.
std::array<uint64_t, kLevels> HiddenByLevel(const std::array<TableSpace, kLevels>& levels);

/// Whether deletions in a memtable could hide so much of all tables that a flush pays. Returns
/// false if the contents of some table are unknown.
bool IsFlushToReclaimDue(const TableSpace& space, uint64_t deletions);

/// The result of PickManual. `plan` is nullopt if the level has nothing in the range, or with
/// `conflict`, if the plan must wait for a running job or for disk space. `next_begin`: the user
/// key to continue from after this job, if it does not cover the whole range.
struct ManualPick {
  std::optional<CompactionPlan> plan;
  bool conflict = false;
  std::optional<std::string> next_begin;
};
/// Plans one step of a CompactRange: moves the tables of `level` in `range` one level down. A step
/// at a deep level takes about eight tables' worth of inputs, or one table if more do not fit
/// `limit`.
ManualPick PickManual(const Version& version, int level, const UserRange& range,
                      const std::vector<RunningRange>& running, const LayoutOptions& layout,
                      const OutputLimit& limit = {});
/// Plans one step that rewrites tables of `level`, at least 1, in place: those in `range` whose
/// filter_pass is less than `pass`. So a filter sees entries that no other step merges.
ManualPick PickRewrite(const Version& version, int level, const UserRange& range, uint64_t pass,
                       const std::vector<RunningRange>& running, const LayoutOptions& layout,
                       const OutputLimit& limit = {});

}  // namespace lull
