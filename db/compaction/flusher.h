// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The flush thread's work on memtables and logs: which memtables a flush takes, its slices, its
// install, and what becomes of their WALs. Flush thread only, unless a function says otherwise;
// takes the store's mutex for moments, never during I/O.
//
// What always holds:
//   - Memtables are flushed oldest first, and one flush at a time.
//   - A WAL is released only after the install, which makes the MANIFEST's log number pass it.
//   - A flush that failed leaves its memtables and their WALs as they were.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "db/compaction/merge_job.h"
#include "db/context.h"
#include "db/disk_room.h"
#include "db/limits.h"
#include "db/obsolete_files.h"
#include "db/read/store_reader.h"
#include "db/report/activity_stats.h"
#include "db/store_state.h"
#include "db/version/manifest_keeper.h"
#include "db/write/write_path.h"
#include "leveldb/status.h"
#include "scheduler/threads/coordinator.h"

namespace lull {

/// How many memtables a flush takes at most: fewer after one that lacked resources, since a smaller
/// table may still fit; more again after each that succeeded.
class FlushBatch {
 public:
  size_t memtables_max() const { return memtables_max_; }
  /// Whether the last flush lacked resources.
  bool lacks_resources() const { return lacks_resources_; }

  void Succeeded();
  /// A flush of so many memtables failed.
  void Failed(size_t memtables, bool lacked_resources);

 private:
  static constexpr size_t kMemTablesMax = 1 << 20;
  size_t memtables_max_ = kMemTablesMax;
  bool lacks_resources_ = false;
};

/// Finds stretches of time in which clients write little.
class LullWatch {
 public:
  /// To be asked at least once a second. True once for each second in which less than `bytes_max`
  /// was written: a heartbeat is no burst.
  bool IsLull(uint64_t now_nanos, uint64_t client_bytes, uint64_t bytes_max);

 private:
  uint64_t looked_at_nanos_ = 0;
  uint64_t client_bytes_ = 0;
};

class Flusher {
 public:
  /// What it uses of the store; all outlive it.
  struct Parts {
    StoreContext* context;
    Coordinator* coordinator;
    StoreState* state;
    StoreReader* reader;
    WritePath* writes;
    const StoreGates* gates;
    const Limits* limits;
    DiskRoom* room;
    ManifestKeeper* keeper;
    ObsoleteFiles* obsolete;
    ActivityStats* activity;
  };
  explicit Flusher(const Parts& parts);
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;

  /// Seals, releases and prepares logs. Returns in how many nanoseconds to call it again; nullopt:
  /// not before something has happened.
  std::optional<uint64_t> TendLogs() LULL_EXCLUDES(state_->mutex);
  /// Runs one slice of a flush if one is due, and installs it at its end. Returns the same.
  std::optional<uint64_t> Advance() LULL_EXCLUDES(state_->mutex);
  /// After a burst its memory goes back to the heap, but for what the next one begins with.
  void TrimInLull();

  /// Abandons a flush that is under way. REQUIRES: the flush thread does not call any more.
  void Close() { job_.reset(); }

  // Any thread.
  /// Written to tables since the store was opened.
  uint64_t written_bytes() const { return written_bytes_.load(std::memory_order_relaxed); }
  /// Of the running flush's memtables, what is in its table.
  uint64_t merged_bytes() const { return merged_bytes_.load(std::memory_order_relaxed); }
  /// How fast flushes free memory, smoothed; 0: not known yet.
  uint64_t bytes_per_sec() const { return bytes_per_sec_.load(std::memory_order_relaxed); }

 private:
  bool IsFlushWaiting() LULL_EXCLUDES(state_->mutex);
  bool WantsFlushLocked() const LULL_REQUIRES(state_->mutex);
  bool TryBegin(std::optional<uint64_t>* again) LULL_EXCLUDES(state_->mutex);
  void BeginLocked() LULL_REQUIRES(state_->mutex);
  leveldb::Status RunSlice(Job::Progress* progress);
  bool Failed(const leveldb::Status& status, size_t memtables) LULL_EXCLUDES(state_->mutex);
  leveldb::Status Install() LULL_EXCLUDES(state_->mutex);
  void MeasureRate();

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  WritePath* const writes_;
  const StoreGates* const gates_;
  const Limits* const limits_;
  DiskRoom* const room_;
  ManifestKeeper* const keeper_;
  ObsoleteFiles* const obsolete_;
  ActivityStats* const activity_;
  std::unique_ptr<FlushJob> job_;
  uint64_t began_nanos_ = 0;
  FlushBatch batch_;
  LullWatch lull_;
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> merged_bytes_{0};
  std::atomic<uint64_t> bytes_per_sec_{0};
};

}  // namespace lull
