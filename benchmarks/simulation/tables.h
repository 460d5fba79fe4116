// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The tables of a modelled store: a real Version, with descriptions of tables that no file stands
// behind, the real picker and the real rule for where outputs are cut. Keys are numbers, uniform in
// the key space; a table is a range of it and a number of entries, evenly spread. From that follows
// what a merge leaves: of tables that hold the shares a and b of the keys of a range, the result
// holds 1 - (1 - a)(1 - b).
//
// One thread. What comes in is either listed in a table or counted as dropped, to a byte a table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "db/compaction/picker.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull::sim {

/// A compaction that was picked: what it reads and what will stand in its place.
struct TableMerge {
  CompactionPlan plan;
  std::vector<TableMeta> outputs;
  double entries_in = 0;
  double entries_out = 0;
  uint64_t bytes_in = 0;  ///< 0 for a table that is only moved, likewise below
  uint64_t bytes_out = 0;
};

class TableModel {
 public:
  /// `key_count` 0: no key ever comes twice.
  TableModel(double key_count, double entry_bytes, const LayoutOptions& layout);

  /// Fills the levels to their targets from L1 down, the last of them with what is left.
  void Populate(double bytes);

  /// Of so many entries, drawn from all keys, how many different ones there are.
  double Distinct(double entries) const;
  double BytesOf(double entries) const { return entries * entry_bytes_; }

  /// A new L0 table with so many distinct entries.
  void AddFlushed(double entries);

  /// What the picker chooses now: an L0 or a deep compaction. Its range counts as in flight until
  /// Install or Release. `table_bytes`: where outputs are cut; 0: as the layout says.
  std::optional<TableMerge> Begin(JobClass job_class, uint64_t table_bytes);
  void Install(const TableMerge& merge);
  /// The merge will not be finished.
  void Release(const TableMerge& merge);
  /// Which of these merges keep an L0 compaction from beginning that could begin without all of
  /// them.
  std::vector<bool> BlockL0(const std::vector<const TableMerge*>& merges) const;

  const Version& version() const { return *version_; }
  const LayoutOptions& layout() const { return layout_; }
  bool Due(JobClass job_class) const { return due_[job_class == JobClass::kL0 ? 0 : 1]; }
  uint64_t DebtBytes() const { return debt_bytes_; }
  /// How many tables of L0 a get of any key looks into that do not hold it, newest first, until one
  /// does.
  double L0SearchedInVain() const { return l0_searched_in_vain_; }
  /// Of all tables.
  double EntriesListed() const;
  double entries_dropped() const { return entries_dropped_; }

 private:
  /// A range of keys, both ends included, and the entries in it for each position.
  struct Spread {
    uint64_t first, last;
    double density;
  };

  TableMeta Describe(int level, uint64_t first, uint64_t last, double entries);
  void Apply(const VersionEdit& edit);
  double CountL0SearchedInVain() const;
  double MergedDensity(const std::vector<Spread>& inputs, uint64_t position) const;
  void Merge(TableMerge* merge, uint64_t table_bytes);

  const double key_count_;
  const double entry_bytes_;
  const LayoutOptions layout_;
  const std::array<uint64_t, kLevels> targets_;
  VersionRef version_;
  std::vector<RunningRange> running_;
  CompactPointers pointers_;
  uint64_t next_number_ = 1;
  uint64_t debt_bytes_ = 0;
  double l0_searched_in_vain_ = 0;
  std::array<bool, 2> due_{};          // L0, deep
  uint64_t changes_ = 1;               // of what the picker sees
  std::array<uint64_t, 2> refused_{};  // when it last had nothing to offer: L0, deep
  double entries_dropped_ = 0;
};

}  // namespace lull::sim
