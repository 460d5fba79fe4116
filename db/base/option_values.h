// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The values of all scheduling options of one store. Plain data: the parser fills it, Store and the
// layouts read it. Each option has a row in option_table.cc.
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/policy.h"

namespace lull {

/// Initialized to the defaults. 0 often stands for a choice of the policy, the layout or the
/// machine; the option's row says which.
struct OptionValues {
  std::string policy = "lull";
  int compaction_threads = 0;
  uint64_t memory_budget_bytes = kDefaultMemoryBudgetBytes;
  uint64_t background_bytes_per_sec = 0;
  uint64_t memtable_bytes = 0;
  int l0_trigger = 0;
  int l0_slowdown = 0;
  int l0_stop = 0;
  uint64_t debt_bytes_max = 0;
  int space_percent_max = 0;
  uint64_t delete_persist_seconds = 0;
  uint64_t pause_us_max = 120'000'000;
  bool own_coordinator = false;
  bool latency_histograms = false;
  std::string stats_file;

  std::string layout = "leveled";
  int growth_factor = 0;
  int vsst_phi = 8;
  int vsst_l0_tables_max = 4;
  uint64_t table_bytes_max = 0;
  bool pick_by_overlap = false;
  bool align_outputs = true;

  // Constants of single policies.
  LullConstants lull;
  IdleConstants idle;
  SilkConstants silk;
  AdocConstants adoc;

  bool operator==(const OptionValues&) const = default;
};

}  // namespace lull
