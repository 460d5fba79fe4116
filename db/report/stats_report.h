// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreReport: the state of a store as a plain value, and its texts: JSON for the properties
// lull.stats and lull.space, Prometheus' text format for lull.metrics. The names in them are an
// interface, described in docs/metrics.md: names are added, never changed. metric_table.h has those
// of metrics, and where JSON has the same values. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/base/dbformat.h"
#include "db/base/filename.h"
#include "db/compaction/entry_filter.h"
#include "db/compaction/picker.h"
#include "db/read/read_counts.h"
#include "db/report/activity_stats.h"
#include "db/report/properties.h"
#include "util/env_extension.h"
#include "util/latency_histogram.h"

namespace lull {

struct LevelReport {
  int tables = 0;
  uint64_t bytes = 0;
  uint64_t target_bytes = 0;  ///< 0: none (L0 and the deepest level)
  double score = 0;           ///< a compaction is due at 1 or more
  LevelStats compactions;     ///< into this level; for L0: flushes
};

struct LatencyReport {
  LatencySnapshot write;       ///< writes without sync
  LatencySnapshot sync_write;  ///< writes with sync
  LatencySnapshot get;
};

/// Memory of a store in bytes, by purpose. No byte is in two members.
struct MemoryReport {
  uint64_t memtables = 0;      ///< including flushed ones that a reader uses
  uint64_t pooled_blocks = 0;  ///< ready for the next memtables
  uint64_t mapped_wals = 0;    ///< their loaded pages, which are in the page cache too
  uint64_t job_buffers = 0;    ///< of flushes and compactions
  uint64_t key_filters = 0;    ///< of tables above the deepest level
  uint64_t open_tables = 0;    ///< indexes and filters
  uint64_t block_cache = 0;    ///< shared if the client passed the cache
  uint64_t event_queue = 0;

  uint64_t Total() const {
    return memtables + pooled_blocks + mapped_wals + job_buffers + key_filters + open_tables +
           block_cache + event_queue;
  }
};

/// What clients' reads did since the store was opened.
struct ReadReport {
  ReadCounts::Sums counts{};
  uint64_t open_tables = 0;
  uint64_t tables_opened = 0;
  uint64_t tables_evicted = 0;

  uint64_t GetsFound() const;
  uint64_t GetsNotFound() const {
    return counts[kGetsOfAbsentKeys] + counts[kGetsEndedWithoutValue];
  }
  uint64_t OpenIterators() const { return Difference(kIteratorsOpened, kIteratorsClosed); }
  /// The sums are of slightly different moments, so a part can exceed its whole; then 0.
  uint64_t Difference(size_t whole, size_t part) const {
    return counts[whole] - std::min(counts[whole], counts[part]);
  }
};

/// Where a store's disk space is.
struct SpaceReport {
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
  std::array<TableSpace, kLevels> levels{};
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
};

struct StoreReport {
  std::string name;
  Mount mount;                ///< of the store's directory
  uint64_t wall_seconds = 0;  ///< since 1970, when the report was made; can jump
  ActivityReport activity;

  std::array<LevelReport, kLevels> levels{};
  uint64_t debt_bytes = 0;
  uint64_t debt_bytes_max = 0;  ///< the option, resolved

  uint64_t active_bytes = 0;
  uint64_t immutable_bytes = 0;
  MemoryReport memory;
  ReadReport reads;
  uint64_t memory_used_bytes = 0;  ///< sealed memtables of all stores that share the budget
  uint64_t memory_budget_bytes = 0;

  // Lengths of queues.
  uint64_t waiting_writers = 0;
  uint64_t immutables = 0;
  uint64_t waiting_installs = 0;
  uint64_t waiting_manual = 0;
  uint64_t obsolete_files = 0;

  SpaceReport space;  ///< for lull.metrics only; the other texts do not have it

  uint64_t open_descriptors = 0;  ///< of this Env's files, for all stores of the process
  bool disk_is_low = false;       ///< too little free space to defer work

  // Since the store was opened.
  uint64_t user_bytes = 0;    ///< total size of the clients' batches
  uint64_t user_entries = 0;  ///< entries in those batches
  uint64_t wal_bytes = 0;
  uint64_t dropped_events = 0;  ///< missed by listeners because the queue was full

  std::string filter;            ///< name of the compaction filter; empty: none
  std::string filter_error;      ///< why the last one was set aside; empty: it was not
  FilterTotals filtered;         ///< dropped by filters
  std::string write_error;       ///< empty: writes are accepted
  std::string background_error;  ///< of the last attempt; empty: none
  bool found_damage = false;     ///< a compaction could not read its input
  std::optional<LatencyReport> latencies;

  uint64_t JobBytes(uint64_t JobTotals::*member, bool flushes, bool compactions) const;
  /// Bytes written to WALs and tables per byte that clients wrote; 0 before the first write.
  double WriteAmplification() const;
};

/// `text` as the value of a label in Prometheus' format.
std::string EscapedLabel(std::string_view text);

std::string RenderJson(const StoreReport& report);
std::string RenderSpaceJson(const SpaceReport& report);
std::string RenderPrometheus(const StoreReport& report);

}  // namespace lull
