// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The tables of a modelled store: a real Version whose tables have no files, the real picker, and
// the real rule for cutting outputs. Keys are numbers, uniform in the key space. A table is a key
// range with a number of evenly spread entries. This determines the size of a merge's output: if
// two tables have the shares a and b of the keys in a range, the result has 1 - (1 - a)(1 - b).
//
// One thread. Every entry that comes in is either listed in a table or counted as dropped, to
// within one byte per table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "db/compaction/picker.h"
#include "db/report/layout_stats.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull::sim {

/// A picked compaction: its inputs and outputs.
struct TableMerge {
  CompactionPlan plan;
  std::vector<TableMeta> outputs;
  double entries_in = 0;
  double entries_out = 0;
  uint64_t bytes_in = 0;  ///< this and bytes_out are 0 for a trivial move
  uint64_t bytes_out = 0;
};

class TableModel {
 public:
  /// `key_count` 0: no key ever repeats.
  TableModel(double key_count, double entry_bytes, const LayoutOptions& layout);

  /// Fills the levels to their targets from L1 down; the last level gets the rest.
  void Populate(double bytes);

  /// The expected number of different keys among this many random entries.
  double Distinct(double entries) const;
  double BytesOf(double entries) const { return entries * entry_bytes_; }

  /// Adds an L0 table with this many distinct entries.
  void AddFlushed(double entries);

  /// The picker's choice now, an L0 or a deep compaction. Its range counts as running until Install
  /// or Release. `table_bytes`: size at which outputs are cut; 0: as the layout says.
  std::optional<TableMerge> Begin(JobClass job_class, uint64_t table_bytes);
  void Install(const TableMerge& merge);
  /// Drops a merge that will not finish.
  void Release(const TableMerge& merge);
  /// For each of these merges, whether it blocks an L0 compaction that could begin without all of
  /// them.
  std::vector<bool> BlockL0(const std::vector<const TableMerge*>& merges) const;

  const Version& version() const { return *version_; }
  const LayoutOptions& layout() const { return layout_; }
  bool Due(JobClass job_class) const { return due_[job_class == JobClass::kL0 ? 0 : 1]; }
  uint64_t DebtBytes() const { return debt_bytes_; }
  /// The average number of L0 tables that a get of a random key searches without finding it, newest
  /// first.
  double L0SearchedInVain() const { return l0_searched_in_vain_; }
  /// In all tables.
  double EntriesListed() const;
  double entries_dropped() const { return entries_dropped_; }
  const LayoutFigures& layout_figures() const { return layout_stats_.figures(); }

 private:
  /// A range of keys, both ends included, and its entries per position.
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
  uint64_t changes_ = 1;               // counts changes of the picker's input
  std::array<uint64_t, 2> refused_{};  // `changes_` when it last found nothing: L0, deep
  double entries_dropped_ = 0;
  LayoutStats layout_stats_;
};

}  // namespace lull::sim
