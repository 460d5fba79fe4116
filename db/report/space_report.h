// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SpaceReport: where a store's disk space is, as a plain value, and its text for the property
// lull.space. stats_prometheus.cc has the same for lull.metrics. The names are an interface, as in
// stats_report.h. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "db/base/dbformat.h"
#include "db/base/filename.h"

namespace lull {

struct SpaceReport {
  /// By estimate for tables that LevelDB wrote.
  struct Level {
    uint64_t values = 0;  ///< entries that are not deletions
    uint64_t deletions = 0;
    uint64_t unknown_bytes = 0;  ///< of tables whose contents are unknown
  };

  /// What clients keep from being freed.
  struct Pins {
    uint64_t count = 0;
    uint64_t oldest_nanos = 0;  ///< age of the oldest
    uint64_t bytes = 0;         ///< what they keep, all together
  };

  FileTotals tables;          ///< of the current Version
  FileTotals logs;            ///< the current one, and sealed ones
  FileTotals prepared_logs;   ///< without records yet
  FileTotals pinned_tables;   ///< obsolete, but an iterator, compaction or checkpoint needs them
  FileTotals obsolete_files;  ///< wait for their deletion
  // Of table bytes, by estimate: deleted or overwritten but not yet compacted.
  uint64_t hidden_bytes = 0;
  uint64_t overwritten_bytes = 0;
  std::array<Level, kLevels> levels{};
  uint64_t oldest_deletion_seconds = 0;  ///< upper bound on its age, if known; 0 without any

  // Compactions since the open that only freed space.
  uint64_t reclaim_compactions = 0;
  uint64_t reclaim_freed_bytes = 0;

  /// Old Versions that iterators and reads use, or that snapshots keep because of a removal; the
  /// bytes of their obsolete tables.
  Pins readers;
  Pins snapshots;  ///< the hidden bytes that the oldest one keeps

  uint64_t disk_free_bytes = 0;  ///< of the file system; 0 if unknown, 1 if full
  uint64_t awaited_bytes = 0;    ///< output of the largest compaction that waits for disk space

  uint64_t LiveBytes() const { return tables.bytes - hidden_bytes - overwritten_bytes; }

  /// One kind of files, as both texts name it.
  struct Kind {
    const char* name;
    FileTotals SpaceReport::*totals;
  };
  static std::span<const Kind> Kinds();
};

/// Returns one JSON object.
std::string RenderSpaceJson(const SpaceReport& report);

}  // namespace lull
