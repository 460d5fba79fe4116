// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the threads of a store share under its one mutex: parts that each know one thing, and know
// nothing of locks. The mutex is held for moments, never during I/O.
//
// What always holds: a thread that changes `memtables` or `version` publishes the view
// (PublishViewLocked) before the mutex is released.
//
// Lock order: Store's options mutex, this one, then those of ObsoleteFiles, WalSet, ActivityStats,
// EventHub and GraceDomain, which nest in no other way than ActivityStats before EventHub.
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
  CondVar changed;  ///< an install, a seal, an error: all who wait look again

  MemTables memtables LULL_GUARDED_BY(mutex);
  VersionRef version LULL_GUARDED_BY(mutex);
  SequenceNumber flushed_sequence LULL_GUARDED_BY(mutex) = 0;  ///< of `version`'s newest entry
  SnapshotList snapshots LULL_GUARDED_BY(mutex);
  CompactionBoard board LULL_GUARDED_BY(mutex);
  StoreHealth health LULL_GUARDED_BY(mutex);
  InstallStats installs LULL_GUARDED_BY(mutex);
  bool flushing LULL_GUARDED_BY(mutex) = false;
  int drains LULL_GUARDED_BY(mutex) = 0;           ///< clients that wait for background work
  int waiting_writers LULL_GUARDED_BY(mutex) = 0;  ///< at a hard limit: the leading one
  bool closing LULL_GUARDED_BY(mutex) = false;

  void PublishViewLocked() LULL_REQUIRES(mutex) { reader_->PublishView(memtables, version); }

  // Events of `health` that refuse writes: they are reported too, and wake who waits.
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
