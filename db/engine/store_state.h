// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreState: the state that the threads of a store share, guarded by the store's mutex. Its parts
// contain no locks. Hold the mutex only for short sections, never during I/O.
//
// Invariant: a thread that changes `memtables` or the version publishes the view before it releases
// the mutex. CommitLocked is how the version of an open store changes.
//
// Lock order: Store's removal mutex, its options mutex, then this one, then one of ObsoleteFiles,
// WalSet, ActivityStats, EventHub and GraceDomain. No thread holds two of these five, except for
// ActivityStats and then EventHub.
#pragma once

#include <utility>

#include "db/base/context.h"
#include "db/base/health.h"
#include "db/base/published_flags.h"
#include "db/base/space_bound.h"
#include "db/compaction/compaction.h"
#include "db/compaction/compaction_state.h"
#include "db/compaction/entry_filter.h"
#include "db/compaction/range_removal.h"
#include "db/memory/memtables.h"
#include "db/read/old_versions.h"
#include "db/read/snapshots.h"
#include "db/read/store_reader.h"
#include "db/report/activity_stats.h"
#include "db/report/install_stats.h"
#include "db/version/version.h"
#include "leveldb/status.h"
#include "util/mutex.h"

namespace lull {

struct StoreState {
  StoreState(const StoreContext* context, PublishedFlags* flags, const LayoutOptions& layout,
             StoreReader* reader, ActivityStats* activity)
      : memtables(flags),
        compaction_state(layout),
        health(flags),
        context_(context),
        reader_(reader),
        activity_(activity) {}
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  Mutex mutex;
  CondVar changed;  ///< notified after an install, a seal or an error

  MemTables memtables LULL_GUARDED_BY(mutex);
  SequenceNumber flushed_sequence LULL_GUARDED_BY(mutex) = 0;  ///< the newest one in tables
  SnapshotList snapshots LULL_GUARDED_BY(mutex);
  OldVersions old_versions LULL_GUARDED_BY(mutex);
  CompactionState compaction_state LULL_GUARDED_BY(mutex);
  CompactionsInFlight in_flight LULL_GUARDED_BY(mutex);
  StoreHealth health LULL_GUARDED_BY(mutex);
  StoreFilter filter LULL_GUARDED_BY(mutex);
  InstallStats installs LULL_GUARDED_BY(mutex);
  RemovalRequest* removal LULL_GUARDED_BY(mutex) = nullptr;  ///< for the flush thread to install
  bool flushing LULL_GUARDED_BY(mutex) = false;              ///< the flush thread has a job
  int drains LULL_GUARDED_BY(mutex) = 0;  ///< count of clients that wait for background work
  int waiting_writers LULL_GUARDED_BY(mutex) = 0;   ///< 1 while the leader waits at a hard limit
  bool closing LULL_GUARDED_BY(mutex) = false;      ///< no compaction begins any more
  bool writes_rest LULL_GUARDED_BY(mutex) = false;  ///< compactions can begin only to free space
  uint64_t delete_persist_seconds LULL_GUARDED_BY(mutex) = 0;  ///< the option
  SpaceBound space_bound LULL_GUARDED_BY(mutex);
  bool space_is_full LULL_GUARDED_BY(mutex) = false;      ///< writers wait for the space bound
  bool space_is_clearing LULL_GUARDED_BY(mutex) = false;  ///< no compaction begins for the same

  /// The tables that the MANIFEST lists.
  const VersionRef& version() const LULL_REQUIRES(mutex) { return version_; }
  /// An edit is durable: `version` has it, and all else that follows from it is set. Publishes it,
  /// has compactions picked again, and wakes all waiting threads.
  void CommitLocked(VersionRef version) LULL_REQUIRES(mutex);
  /// The first version. The caller publishes it when the memtables are there too.
  void OpenedLocked(VersionRef version) LULL_REQUIRES(mutex) { version_ = std::move(version); }
  /// Releases the tables. No view is used any more.
  void ClosedLocked() LULL_REQUIRES(mutex) { version_ = nullptr; }
  /// Call after a change of the memtables.
  void PublishViewLocked() LULL_REQUIRES(mutex);

  /// All readers see the same entries up to this sequence.
  SequenceNumber OldestSnapshotLocked() const LULL_REQUIRES(mutex) {
    return snapshots.OldestOr(reader_->published());
  }

  ReclaimScope ReclaimScopeLocked() const LULL_REQUIRES(mutex) {
    return writes_rest ? ReclaimScope::kAll : ReclaimScope::kOldDeletions;
  }

  /// How much the next compactions must merge, in bytes. Excludes what running ones have merged, so
  /// that it does not jump when a large one is installed.
  uint64_t DebtBytesLocked() const LULL_REQUIRES(mutex);

  /// Refuses writes until the store is reopened: reports the error to LOG and listeners, passes it
  /// to `health`, and wakes all waiting threads. `what` is the part that failed, as in
  /// WritesRefusedInfo.
  void FailWrites(const char* what, const leveldb::Status& why) LULL_EXCLUDES(mutex);
  /// The same for the MANIFEST. Returns whether to write a new one: see
  /// StoreHealth::ManifestFailed.
  bool FailManifest(const leveldb::Status& why, bool restorable) LULL_EXCLUDES(mutex);

 private:
  void ReportRefusalLocked(const char* what, const leveldb::Status& why) LULL_REQUIRES(mutex);

  const StoreContext* const context_;
  StoreReader* const reader_;
  ActivityStats* const activity_;
  VersionRef version_ LULL_GUARDED_BY(mutex);
};

}  // namespace lull
