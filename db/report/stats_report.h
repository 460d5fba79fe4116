// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How a store stands, as a plain value, and the two texts made of it: JSON for the property
// lull.stats, and Prometheus' text format for lull.metrics. The names in them are an interface,
// described in docs/metrics.md: they are added to, not changed. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/report/activity_stats.h"
#include "db/report/properties.h"
#include "util/latency_histogram.h"

namespace lull {

struct LevelReport {
  int tables = 0;
  uint64_t bytes = 0;
  uint64_t target_bytes = 0;  ///< 0: the level has none (L0, and the deepest)
  double score = 0;           ///< from 1 on its compaction is due
  LevelStats compactions;     ///< into this level; of L0: flushes
};

struct LatencyReport {
  LatencySnapshot write;       ///< writes that did not sync
  LatencySnapshot sync_write;  ///< writes that did
  LatencySnapshot get;
};

struct StoreReport {
  std::string name;
  ActivityReport activity;

  std::array<LevelReport, kLevels> levels{};
  uint64_t debt_bytes = 0;

  uint64_t active_bytes = 0;
  uint64_t immutable_bytes = 0;
  uint64_t key_filter_bytes = 0;   ///< of tables in L0
  uint64_t memory_used_bytes = 0;  ///< sealed memtables of all stores that share the budget
  uint64_t memory_budget_bytes = 0;

  // What waits.
  uint64_t waiting_writers = 0;
  uint64_t immutables = 0;
  uint64_t waiting_installs = 0;
  uint64_t waiting_manual = 0;
  uint64_t obsolete_files = 0;

  uint64_t open_descriptors = 0;  ///< of files of this Env: all stores of the process
  bool disk_is_low = false;       ///< free space no longer allows work to be deferred

  // Since the store was opened.
  uint64_t user_bytes = 0;    ///< of batches, as clients gave them
  uint64_t user_entries = 0;  ///< in them
  uint64_t wal_bytes = 0;
  uint64_t dropped_events = 0;  ///< that listeners missed, because their queue was full

  std::string write_error;       ///< empty: writes are accepted
  std::string background_error;  ///< of the last try; empty: none
  std::optional<LatencyReport> latencies;

  uint64_t JobBytes(uint64_t JobTotals::*member, bool flushes, bool compactions) const;
  /// Bytes written to WALs and tables for each byte that clients wrote; 0 before they wrote any.
  double WriteAmplification() const;
};

std::string RenderJson(const StoreReport& report);
std::string RenderPrometheus(const StoreReport& report);

}  // namespace lull
