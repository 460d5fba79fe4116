// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LayoutOptions: the parameters of a layout. A layout decides which tables a compaction takes and
// where it cuts its outputs. Plain values and pure functions; any thread. Each open can use a
// different layout: all of them accept and produce LevelDB's structure (L0 tables overlap, deeper
// levels are sorted and disjoint).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "db/base/dbformat.h"

namespace lull {

struct PolicyOptions;
struct OptionValues;

enum class LayoutKind {
  kLeveled,  ///< LevelDB's rules: several L0 tables per job
  kVsst,     ///< vLSM's rules: few L0 tables per job, L1 tables cut by their overlap with L2
};

/// The names of the layouts, in the order of the documentation.
const std::vector<std::string>& LayoutNames();

/// The defaults are LevelDB's.
struct LayoutOptions {
  LayoutKind kind = LayoutKind::kLeveled;
  int l0_trigger = 4;                    ///< table count at which a compaction of L0 is due
  uint64_t l1_bytes_target = 10u << 20;  ///< leveled only; vsst: growth_factor tables
  double growth_factor = 10.0;           ///< target of L(n+1) / target of Ln
  double vsst_phi = 8.0;                 ///< vsst: target of L2 / target of L1
  int vsst_l0_tables_max = 4;            ///< vsst: one L0 job takes at most so many tables
  uint64_t table_bytes_max = 2u << 20;   ///< a compaction ends an output at this size: in L1, or
                                         ///< without tables_grow, in all levels
  bool tables_grow = false;              ///< leveled: tables of deeper levels are larger
  uint64_t l0_job_bytes_max = 0;  ///< leveled: one job takes this much of L0, oldest first, or the
                                  ///< size of L1 if larger, and more of a long L0; 0: all
  bool pick_by_overlap = false;   ///< deep levels: pick the table with the least overlap per byte;
                                  ///< false: round-robin by key, as LevelDB does
  bool align_outputs = true;      ///< cut at the ends of the next level's tables
  int grandparent_overlap_tables_max = 10;  ///< tables' worth of overlap with the grandparent level
  int expanded_inputs_tables_max = 25;      ///< inputs are widened up to this total size

  /// vsst: the minimum size of an L1 table. A table of this size that overlaps exactly one full L2
  /// table is just good; see vsst_picker.cc.
  uint64_t TableBytesMin() const;

  /// Sets what depends on the policy: l0_trigger, l0_job_bytes_max, l1_bytes_target.
  void Follow(const PolicyOptions& policy);
};

/// Target sizes of all levels. [0] is unused; the deepest level's is UINT64_MAX (unlimited).
std::array<uint64_t, kLevels> LevelTargets(const LayoutOptions& layout);

/// The size at which a compaction into `level`, at least 1, ends an output. With tables_grow it
/// doubles with each level, up to 64 MiB.
///
/// Larger tables mean fewer files: 6 GB take 490 tables instead of 2500. With a factor of 2, an
/// output can still end where a table of the next level ends. With a factor of 4, compactions write
/// 8 % more in total (TableModel, 6 GB of random keys). The limit bounds a deep job, which reads
/// one table and about ten times its size of the next level.
uint64_t TableBytesAt(const LayoutOptions& layout, int level);

/// The table size from the user's options, the layout's default, or
/// leveldb::Options::max_file_size. With tables_grow, the size in L1.
uint64_t TableBytesMax(const OptionValues& options, uint64_t max_file_size);

/// Replaces unset options with defaults of the layout, the policy and `max_file_size`. REQUIRES:
/// `options` are valid.
LayoutOptions ResolveLayoutOptions(const OptionValues& options, const PolicyOptions& policy,
                                   uint64_t max_file_size);

}  // namespace lull
