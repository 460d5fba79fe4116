// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Flusher: flushes memtables, and seals, prepares and releases WALs. Flush thread only, except
// where noted. Takes the store's mutex for short sections, never during I/O.
//
// Invariants:
//   - Memtables are flushed oldest first, one flush at a time.
//   - A WAL is released only after an install has moved the MANIFEST's log number past it.
//   - A failed flush changes neither its memtables nor their WALs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "db/base/applied_directive.h"
#include "db/base/context.h"
#include "db/base/disk_space.h"
#include "db/base/thread_roles.h"
#include "db/compaction/merge_job.h"
#include "db/engine/engine_parts.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/store_state.h"
#include "db/engine/version_set.h"
#include "db/engine/write_path.h"
#include "db/report/activity_stats.h"
#include "leveldb/status.h"
#include "scheduler/threads/coordinator.h"

namespace lull {

/// The maximum count of memtables in one flush. Halved after a flush that ran out of disk space,
/// descriptors or memory, since a smaller table can still fit. Doubled after each success.
class FlushBatch {
 public:
  size_t memtables_max() const { return memtables_max_; }
  /// Whether the last flush ran out of such a resource.
  bool lacks_resources() const { return lacks_resources_; }

  void Succeeded();
  /// A flush of `memtables` memtables failed.
  void Failed(size_t memtables, bool lacked_resources);

 private:
  static constexpr size_t kMemTablesMax = 1 << 20;
  size_t memtables_max_ = kMemTablesMax;
  bool lacks_resources_ = false;
};

/// Finds quiet seconds, in which clients write little. (The policy's lulls are shorter and without
/// any write.)
class LullWatch {
 public:
  /// Call at least once a second. Returns true at most once a second: if clients wrote less than
  /// `bytes_max` since the last check. `client_bytes`: total since the open.
  bool IsLull(uint64_t now_nanos, uint64_t client_bytes, uint64_t bytes_max);

  /// Whether clients wrote nothing for some seconds, as of the last check.
  bool IsRest() const { return idle_checks_ >= kRestChecks; }
  /// When to call IsLull next, in nanoseconds; nullopt: not before clients write more. REQUIRES:
  /// IsLull was just called.
  std::optional<uint64_t> UntilNextLook(uint64_t now_nanos) const {
    if (IsRest()) return std::nullopt;
    return looked_at_nanos_ + kLookEveryNanos - now_nanos;
  }

 private:
  static constexpr uint64_t kLookEveryNanos = 900'000'000;
  static constexpr int kRestChecks = 4;
  uint64_t looked_at_nanos_ = 0;
  uint64_t client_bytes_ = 0;
  int idle_checks_ = 0;
};

class Flusher {
 public:
  Flusher(const EngineParts& parts, WritePath* writes, VersionSet* versions);

  /// Seals, releases and prepares WALs. Returns the nanoseconds until the next call; nullopt: only
  /// after something changes.
  std::optional<uint64_t> MaintainWals() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());
  /// Runs one slice of a due flush, and installs the flush after its last slice. Returns the time
  /// until the next call, as MaintainWals does.
  std::optional<uint64_t> Advance() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());
  /// In a quiet second, frees the memory that the last burst used, except for what the next
  /// memtable and its WAL need; after some such seconds, all of it. Returns the time until the next
  /// call, as MaintainWals does.
  std::optional<uint64_t> TrimInLull() LULL_REQUIRES(kFlushThread);

  /// Abandons a running flush.
  void Close() LULL_REQUIRES(kFlushThread) { job_.reset(); }

  // Any thread.
  /// Bytes written to tables since the open.
  uint64_t written_bytes() const { return written_bytes_.load(std::memory_order_relaxed); }
  /// Bytes of the running flush's memtables that are already in its table; 0 if none runs.
  uint64_t merged_bytes() const { return merged_bytes_.load(std::memory_order_relaxed); }
  /// Memtable bytes that flushes free per second of flushing, smoothed; 0: not yet known.
  uint64_t bytes_per_sec() const { return bytes_per_sec_.load(std::memory_order_relaxed); }

 private:
  bool IsFlushWaiting() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());
  bool WantsFlushLocked() const LULL_REQUIRES(kFlushThread, state_->mutex());
  bool IsAwaitedLocked() const LULL_REQUIRES(state_->mutex());
  bool TryBegin(std::optional<uint64_t>* again) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(state_->mutex());
  void BeginLocked() LULL_REQUIRES(kFlushThread, state_->mutex());
  leveldb::Status RunSlice(Job::Progress* progress) LULL_REQUIRES(kFlushThread);
  uint64_t PauseNanos() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());
  bool Failed(const leveldb::Status& status, size_t memtables) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status Install() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(state_->mutex());
  void MeasureRate() LULL_REQUIRES(kFlushThread);

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  WritePath* const writes_;
  const PublishedFlags* const flags_;
  const AppliedDirective* const applied_;
  DiskSpace* const disk_;
  VersionSet* const versions_;
  ObsoleteFiles* const obsolete_;
  ActivityStats* const activity_;
  std::unique_ptr<FlushJob> job_ LULL_GUARDED_BY(kFlushThread);
  bool paused_ LULL_GUARDED_BY(kFlushThread) = false;  // the running flush, for its limit
  // What a limited flush wrote ahead of its limit, in bytes, as of a moment.
  double ahead_bytes_ LULL_GUARDED_BY(kFlushThread) = 0;
  uint64_t ahead_at_nanos_ LULL_GUARDED_BY(kFlushThread) = 0;
  FlushBatch batch_ LULL_GUARDED_BY(kFlushThread);
  LullWatch lull_ LULL_GUARDED_BY(kFlushThread);
  std::atomic<uint64_t> written_bytes_{0};
  std::atomic<uint64_t> merged_bytes_{0};
  std::atomic<uint64_t> bytes_per_sec_{0};
};

}  // namespace lull
