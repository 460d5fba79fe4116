// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreState: what the threads of a store share, guarded by the store's mutex. Its parts contain no
// locks. Hold the mutex only for short sections, never during I/O.
//
// Invariant: a thread that changes `memtables` or `version` publishes the view (PublishViewLocked)
// before it releases the mutex.
//
// Lock order: Store's options mutex, this one, then those of ObsoleteFiles, WalSet, ActivityStats,
// EventHub and GraceDomain. Of the latter, only ActivityStats and EventHub nest, in this order.
#pragma once

#include "db/compaction/board.h"
#include "db/context.h"
#include "db/gates.h"
#include "db/health.h"
#include "db/read/snapshots.h"
#include "db/read/store_reader.h"
#include "db/report/activity_stats.h"
#include "db/report/install_stats.h"
#include "db/version/version.h"
#include "db/write/memtables.h"
#include "leveldb/status.h"
#include "util/mutex.h"

namespace lull {

struct StoreState {
  StoreState(const StoreContext* context, StoreGates* gates, const LayoutOptions& layout,
             StoreReader* reader, ActivityStats* activity)
      : memtables(gates),
        board(layout),
        health(gates),
        context_(context),
        reader_(reader),
        activity_(activity) {}
  StoreState(const StoreState&) = delete;
  StoreState& operator=(const StoreState&) = delete;

  Mutex mutex;
  CondVar changed;  ///< notified after an install, a seal or an error

  MemTables memtables LULL_GUARDED_BY(mutex);
  VersionRef version LULL_GUARDED_BY(mutex);
  SequenceNumber flushed_sequence LULL_GUARDED_BY(mutex) = 0;  ///< newest entry in `version`
  SnapshotList snapshots LULL_GUARDED_BY(mutex);
  CompactionBoard board LULL_GUARDED_BY(mutex);
  StoreHealth health LULL_GUARDED_BY(mutex);
  InstallStats installs LULL_GUARDED_BY(mutex);
  bool flushing LULL_GUARDED_BY(mutex) = false;
  int drains LULL_GUARDED_BY(mutex) = 0;  ///< count of clients that wait for background work
  int waiting_writers LULL_GUARDED_BY(mutex) = 0;  ///< 1: the leader waits at a hard limit
  bool closing LULL_GUARDED_BY(mutex) = false;

  void PublishViewLocked() LULL_REQUIRES(mutex) { reader_->PublishView(memtables, version); }

  // Report an error that refuses writes, pass it to `health`, and wake all waiting threads.
  void FailWrites(const char* what, const leveldb::Status& why) LULL_EXCLUDES(mutex);
  /// As StoreHealth::ManifestFailed.
  bool FailManifest(const leveldb::Status& why, bool restorable) LULL_EXCLUDES(mutex);

 private:
  void ReportRefusalLocked(const char* what, const leveldb::Status& why) LULL_REQUIRES(mutex);

  const StoreContext* const context_;
  StoreReader* const reader_;
  ActivityStats* const activity_;
};

}  // namespace lull
