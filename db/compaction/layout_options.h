// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The numbers of a layout: the rules that decide which tables a compaction takes and where it cuts
// what it writes. Plain values and pure functions of them; any thread. A store may be opened with
// another layout at any time: every layout keeps to what LevelDB expects of a store (L0 overlaps,
// deeper levels are sorted and disjoint) and takes any such store over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "db/dbformat.h"

namespace lull {

struct PolicyOptions;
struct OptionValues;

enum class LayoutKind {
  kLeveled,  ///< LevelDB's rules: tables of one size, several L0 tables at once into L1
  kVsst,     ///< vLSM's: one L0 table at a time, L1 tables cut by what they overlap in L2
};

/// The names that users choose by, in the order in which they are listed to them.
const std::vector<std::string>& LayoutNames();

/// LevelDB's sizes, unless a layout or a user says otherwise.
struct LayoutOptions {
  LayoutKind kind = LayoutKind::kLeveled;
  int l0_trigger = 4;                    ///< tables in L0 that make its compaction due
  uint64_t l1_bytes_target = 10u << 20;  ///< of leveled; vsst: growth_factor tables
  double growth_factor = 10.0;           ///< target of L(n+1) / target of Ln
  double vsst_phi = 32.0;                ///< vsst: target of L2 / target of L1
  uint64_t table_bytes_max = 2u << 20;   ///< a compaction cuts its output here at the latest
  uint64_t l0_job_bytes_max = 0;  ///< leveled: oldest L0 tables taken by one job, or L1 if more; 0:
                                  ///< all
  bool pick_by_overlap = false;   ///< deep levels: the most bytes moved for the least rewritten,
                                  ///< where false goes round the keys as LevelDB does
  bool align_outputs = true;      ///< cut at the ends of the next level's tables
  int grandparent_overlap_tables_max =
      10;  ///< an output may overlap this many tables' worth two levels down
  int expanded_inputs_tables_max =
      25;  ///< upper-level inputs are widened for free up to this in sum

  /// vsst: an L1 table is not cut smaller than this. At this size, a table that overlaps one whole
  /// table of L2 has just the overlap that makes it good.
  uint64_t TableBytesMin() const;
};

/// Targets of all levels; [0] is unused (0), the deepest level's is unlimited (UINT64_MAX).
std::array<uint64_t, kLevels> LevelTargets(const LayoutOptions& layout);

/// The size of tables that the user, the layout or `max_file_size` (of leveldb::Options) asks for.
uint64_t TableBytesMax(const OptionValues& options, uint64_t max_file_size);

/// Fills in what the user left to the layout, the policy and `max_file_size`. REQUIRES:
/// `options` are valid.
LayoutOptions ResolveLayoutOptions(const OptionValues& options, const PolicyOptions& policy,
                                   uint64_t max_file_size);

}  // namespace lull
