// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreState: the state that the threads of a store share, guarded by the store's mutex. A thread
// that holds the mutex can read all of it. It changes only in the transitions below, each of which
// leaves it consistent: it publishes what readers see, keeps the count of shared memory, and wakes
// the threads that wait. Only CompactionState has transitions of its own, see compactions(). The
// parts contain no locks.
//
// Those ending in Locked are for callers that hold the mutex; the others take it. Hold it only for
// short sections, never during I/O.
//
// Invariant: the published view has the memtables and the version of the state whenever the mutex
// is free. Commit (of a flush, a compaction, a removal or an ingestion) is how the version of an
// open store changes.
//
// Lock order: TableIngester's mutex, RangeRemover's mutex, Store's options mutex, then this one,
// then one of ObsoleteFiles, WalSet, its parts, ActivityStats, EventHub and GraceDomain. No thread
// holds two of these, except for ActivityStats and then EventHub.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "db/base/context.h"
#include "db/base/health.h"
#include "db/base/published_flags.h"
#include "db/base/space_bound.h"
#include "db/base/thread_roles.h"
#include "db/compaction/compaction_state.h"
#include "db/compaction/entry_filter.h"
#include "db/memory/memtables.h"
#include "db/read/old_versions.h"
#include "db/read/snapshots.h"
#include "db/read/store_reader.h"
#include "db/report/activity_stats.h"
#include "db/report/install_stats.h"
#include "db/version/version.h"
#include "leveldb/status.h"
#include "scheduler/threads/coordinator.h"
#include "util/mutex.h"

namespace lull {

class StoreState {
 public:
  StoreState(const StoreContext* context, Coordinator* coordinator, PublishedFlags* flags,
             const LayoutOptions& layout, StoreReader* reader, ActivityStats* activity)
      : context_(context),
        coordinator_(coordinator),
        reader_(reader),
        activity_(activity),
        memtables_(flags),
        compactions_(layout),
        health_(flags) {}

  Mutex& mutex() LULL_RETURN_CAPABILITY(mutex_) { return mutex_; }

  // ---- the state

  const MemTables& memtables() const LULL_REQUIRES(mutex_) { return memtables_; }
  /// The tables that the MANIFEST lists.
  const VersionRef& version() const LULL_REQUIRES(mutex_) { return version_; }
  /// The newest sequence in tables.
  SequenceNumber flushed_sequence() const LULL_REQUIRES(mutex_) { return flushed_sequence_; }
  const SnapshotList& snapshots() const LULL_REQUIRES(mutex_) { return snapshots_; }
  const OldVersions& old_versions() const LULL_REQUIRES(mutex_) { return old_versions_; }
  const StoreHealth& health() const LULL_REQUIRES(mutex_) { return health_; }
  const StoreFilter& filter() const LULL_REQUIRES(mutex_) { return filter_; }
  const InstallStats& installs() const LULL_REQUIRES(mutex_) { return installs_; }
  const SpaceBound& space_bound() const LULL_REQUIRES(mutex_) { return space_bound_; }
  /// The option, in seconds; 0: not set.
  uint64_t delete_persist_seconds() const LULL_REQUIRES(mutex_) { return delete_persist_seconds_; }
  /// The flush thread has a flush.
  bool is_flushing() const LULL_REQUIRES(mutex_) { return is_flushing_; }
  /// The leading writer waits at a hard limit.
  bool has_waiting_writer() const LULL_REQUIRES(mutex_) { return has_waiting_writer_; }
  /// A client waits for background work.
  bool is_draining() const LULL_REQUIRES(mutex_) { return drains_ > 0; }
  /// No compaction begins any more.
  bool is_closing() const LULL_REQUIRES(mutex_) { return is_closing_; }
  /// Writers wait for the space bound.
  bool space_is_full() const LULL_REQUIRES(mutex_) { return space_is_full_; }
  /// No compaction begins, since deleted files are about to free space.
  bool space_is_clearing() const LULL_REQUIRES(mutex_) { return space_is_clearing_; }

  /// All readers see the same entries up to this sequence.
  SequenceNumber OldestSnapshotLocked() const LULL_REQUIRES(mutex_) {
    return snapshots_.OldestOr(reader_->published());
  }
  ReclaimScope ReclaimScopeLocked() const LULL_REQUIRES(mutex_) {
    return reclaims_ ? ReclaimScope::kAll : ReclaimScope::kOldDeletions;
  }
  /// How much the next compactions must merge, in bytes. Excludes what running ones have merged, so
  /// that it does not jump when a large one is installed.
  uint64_t DebtBytesLocked() const LULL_REQUIRES(mutex_);
  /// The picker, with the running jobs and the requests of clients. Its own functions keep its
  /// invariants; a compaction ends by CommitCompaction or DropCompactionLocked.
  CompactionState& compactions() LULL_REQUIRES(mutex_) { return compactions_; }
  const CompactionState& compactions() const LULL_REQUIRES(mutex_) { return compactions_; }

  // ---- opening and closing

  /// The first version, from the MANIFEST of this open.
  void Start(VersionRef version, SequenceNumber flushed_sequence, const CompactPointers& pointers)
      LULL_EXCLUDES(mutex_);
  /// The files that the new MANIFEST does not need can be deleted.
  void Opened() LULL_EXCLUDES(mutex_);
  /// The first memtables, oldest first; the last one is active. Publishes the first view.
  void BeginWrites(const std::vector<SealedMemTable>& memtables) LULL_EXCLUDES(mutex_);
  void StopCompactions() LULL_EXCLUDES(mutex_);
  /// After the scheduler has returned all jobs.
  void DropJobs() LULL_EXCLUDES(mutex_);
  /// Releases memtables and tables. `active_bytes`: counted growth of the active memtable. No view
  /// is used any more.
  void Close(uint64_t active_bytes) LULL_EXCLUDES(mutex_);

  // ---- writes

  /// Seals the active memtable. `next`, whose entries go to WALs from `wal_number` on, becomes
  /// active, also in `active`. Wakes the flush thread and the monitor. Leading writer.
  void Seal(MemTableRef next, uint64_t wal_number, ActiveMemTable* active)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  /// A WAL failed to take a record: writes are refused until WalRestarted.
  void WalFailed(const leveldb::Status& why) LULL_EXCLUDES(mutex_);
  /// A new WAL takes records, and the MANIFEST needs no older one. Returns the error that refuses
  /// writes anyway, if any.
  leveldb::Status WalRestarted(uint64_t wal_number) LULL_EXCLUDES(mutex_);
  /// Refuses writes until the store is reopened: reports the error to LOG and listeners, and wakes
  /// all waiting threads. `what` is the part that failed, as in WritesRefusedInfo.
  void FailWrites(const char* what, const leveldb::Status& why) LULL_EXCLUDES(mutex_);
  /// The same for the MANIFEST. Returns whether to write a new one: see
  /// StoreHealth::ManifestFailed.
  bool FailManifest(const leveldb::Status& why, bool restorable) LULL_EXCLUDES(mutex_);
  void ManifestRestored() LULL_EXCLUDES(mutex_);

  // ---- flushes. Flush thread

  void FlushBeganLocked() LULL_REQUIRES(mutex_) { is_flushing_ = true; }
  struct FlushResult {
    size_t memtables = 0;  ///< the oldest ones, now in tables
    SequenceNumber last_sequence = 0;
    uint64_t written_bytes = 0;
    uint64_t busy_micros = 0;
    VersionRef version;
  };
  void CommitFlush(FlushResult result) LULL_EXCLUDES(mutex_);
  void FlushFailed(const leveldb::Status& why, uint64_t retry_at_nanos) LULL_EXCLUDES(mutex_);
  /// After CommitFlush or FlushFailed; a flush that can be tried again at once has neither.
  void FlushEnded() LULL_EXCLUDES(mutex_);

  // ---- compactions

  bool MayCompactLocked(uint64_t now_nanos) LULL_REQUIRES(mutex_);
  /// Ends the compaction of JobTable::BeginInstall. If `status` is OK, `version` has its
  /// `outputs`. Flush thread.
  void CommitCompaction(const leveldb::Status& status, const std::vector<TableMeta>& outputs,
                        VersionRef version) LULL_EXCLUDES(mutex_);
  /// Ends a compaction that is over without an install.
  std::unique_ptr<Compaction> DropCompactionLocked(const Compaction* compaction)
      LULL_REQUIRES(mutex_);
  void CompactionFailed(const leveldb::Status& why, uint64_t retry_at_nanos) LULL_EXCLUDES(mutex_);
  void CompactionLacksSpaceLocked(const leveldb::Status& why) LULL_REQUIRES(mutex_);
  /// No compaction begins in `range` before `until_nanos`; see CompactionState::Avoid.
  void InputUnreadable(const leveldb::Status& why, const RunningRange& range, uint64_t until_nanos,
                       uint64_t retry_at_nanos) LULL_EXCLUDES(mutex_);
  /// What a table contains became known.
  void SetContents(TableFile* table, const TableContents& contents) LULL_EXCLUDES(mutex_);
  /// The picker has decided on a client's request.
  void NotifyLocked() LULL_REQUIRES(mutex_) { changed_.NotifyAll(); }

  /// A client's removal of tables is durable. Readers that exist keep what they see. Flush thread.
  void CommitRemovalLocked(VersionRef version) LULL_REQUIRES(mutex_);
  /// The MANIFEST has this last sequence, above all that memtables have. Flush thread.
  void SkipSequencesLocked(SequenceNumber sequence) LULL_REQUIRES(mutex_) {
    flushed_sequence_ = sequence;
  }
  /// Ingested tables are durable. Their entries are invisible until their sequence is published.
  /// Flush thread.
  void CommitIngestionLocked(const std::vector<TableMeta>& tables, VersionRef version)
      LULL_REQUIRES(mutex_);

  // ---- what the monitor decides

  void SetReclaimsLocked(bool reclaims) LULL_REQUIRES(mutex_) { reclaims_ = reclaims; }
  void SetSpaceLocked(bool is_full, bool is_clearing) LULL_REQUIRES(mutex_) {
    space_is_full_ = is_full;
    space_is_clearing_ = is_clearing;
  }

  // ---- clients

  const StoreSnapshot* AddSnapshot() LULL_EXCLUDES(mutex_);
  void ReleaseSnapshot(const StoreSnapshot* snapshot) LULL_EXCLUDES(mutex_);
  void SetSpaceOptions(uint64_t space_percent_max, uint64_t delete_persist_seconds)
      LULL_EXCLUDES(mutex_);
  void SetFilter(FilterRef filter) LULL_EXCLUDES(mutex_);
  /// As StoreFilter::SetAside.
  FilterRef SetFilterAside(const FilterRef& filter, const leveldb::Status& why)
      LULL_EXCLUDES(mutex_);
  /// As StoreFilter::BeginPass.
  uint64_t BeginFilterPassLocked() LULL_REQUIRES(mutex_) { return filter_.BeginPass(); }
  /// Failed flushes can be retried at once; with RetryNowLocked, compactions too.
  void RetryFlushNowLocked() LULL_REQUIRES(mutex_) { health_.RetryFlushNow(); }
  void RetryNowLocked() LULL_REQUIRES(mutex_) { health_.RetryNow(); }

  // ---- waits

  /// One wait of a client for background work, for at most 20 ms. Call it in a loop. Meanwhile
  /// background work runs as if no client wrote.
  void DrainLocked() LULL_REQUIRES(mutex_) {
    ++drains_;
    WaitLocked(20'000'000);
    --drains_;
  }
  /// One wait of the leading writer at a hard limit, for at most `nanos_max` and 10 ms: another
  /// store can free memory without waking this one.
  void WaitAtLimitLocked(uint64_t nanos_max) LULL_REQUIRES(mutex_) {
    has_waiting_writer_ = true;
    WaitLocked(std::min<uint64_t>(nanos_max, 10'000'000));
    has_waiting_writer_ = false;
  }
  /// Wakes the flush thread and the monitor, and waits for a change. Can wake early.
  void WaitLocked(uint64_t nanos_max) LULL_REQUIRES(mutex_);
  /// Has the flush thread run `work`, and waits for that. REQUIRES: the caller holds RangeRemover's
  /// mutex, so no two clients do so at once.
  void RunOnFlushThread(const std::function<void()>& work) LULL_EXCLUDES(mutex_);
  /// Runs the work that a client waits for, if any. Flush thread.
  void RunClientWork() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);

 private:
  void CommitLocked(VersionRef version) LULL_REQUIRES(mutex_);
  void PublishViewLocked() LULL_REQUIRES(mutex_);
  void ReportRefusalLocked(const char* what, const leveldb::Status& why) LULL_REQUIRES(mutex_);

  const StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreReader* const reader_;
  ActivityStats* const activity_;

  Mutex mutex_;
  CondVar changed_;  // notified after an install, a seal or an error
  MemTables memtables_ LULL_GUARDED_BY(mutex_);
  VersionRef version_ LULL_GUARDED_BY(mutex_);
  SequenceNumber flushed_sequence_ LULL_GUARDED_BY(mutex_) = 0;
  SnapshotList snapshots_ LULL_GUARDED_BY(mutex_);
  OldVersions old_versions_ LULL_GUARDED_BY(mutex_);
  CompactionState compactions_ LULL_GUARDED_BY(mutex_);
  StoreHealth health_ LULL_GUARDED_BY(mutex_);
  StoreFilter filter_ LULL_GUARDED_BY(mutex_);
  InstallStats installs_ LULL_GUARDED_BY(mutex_);
  SpaceBound space_bound_ LULL_GUARDED_BY(mutex_);
  uint64_t delete_persist_seconds_ LULL_GUARDED_BY(mutex_) = 0;
  const std::function<void()>* client_work_ LULL_GUARDED_BY(mutex_) = nullptr;
  int drains_ LULL_GUARDED_BY(mutex_) = 0;  // clients that wait for background work
  bool is_flushing_ LULL_GUARDED_BY(mutex_) = false;
  bool has_waiting_writer_ LULL_GUARDED_BY(mutex_) = false;
  bool is_closing_ LULL_GUARDED_BY(mutex_) = false;
  bool reclaims_ LULL_GUARDED_BY(mutex_) = false;
  bool space_is_full_ LULL_GUARDED_BY(mutex_) = false;
  bool space_is_clearing_ LULL_GUARDED_BY(mutex_) = false;
};

}  // namespace lull
