// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ClientWaits: the calls in which a client waits for background work, and the waits of a close.
// Client threads. While one waits, background work runs as if no client wrote.
#pragma once

#include <cstddef>
#include <cstdint>

#include "db/base/context.h"
#include "db/engine/engine_parts.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/store_state.h"
#include "db/engine/write_path.h"
#include "db/version/version.h"
#include "leveldb/status.h"

namespace lull {

class ClientWaits {
 public:
  ClientWaits(const EngineParts& parts, WritePath* writes);
  ClientWaits(const ClientWaits&) = delete;
  ClientWaits& operator=(const ClientWaits&) = delete;

  /// See lull/lull.h.
  leveldb::Status Flush() LULL_EXCLUDES(state_->mutex());
  leveldb::Status WaitForIdle() LULL_EXCLUDES(state_->mutex());
  /// See leveldb::DB::CompactRange.
  leveldb::Status CompactRange(const UserRange& range) LULL_EXCLUDES(state_->mutex());

  // ---- at the close, while the store's threads run

  /// After a WAL failure, acknowledged entries can exist in memory only. Makes one attempt to flush
  /// them.
  void SaveAckedWrites() LULL_EXCLUDES(state_->mutex());
  /// A program that runs for a moment leaves its writes in WALs. Waits for the flush of the first
  /// `memtables` since the open.
  void FlushRecovered(uint64_t memtables) LULL_EXCLUDES(state_->mutex());
  /// A program that runs for a moment abandons each compaction at its close. If L0 is long
  /// therefore, waits for one of its compactions. `opened_tables`: of L0, at the open. With a rate
  /// limit of the user, under which that can take hours, only for a moment.
  void ShortenL0(size_t opened_tables, bool has_rate_limit) LULL_EXCLUDES(state_->mutex());

 private:
  template <class Over>
  void AwaitDeletionsLocked(Over over) LULL_REQUIRES(state_->mutex());
  leveldb::Status CompactLevel(int level, const UserRange& range, uint64_t rewrite_pass)
      LULL_EXCLUDES(state_->mutex());

  StoreContext* const context_;
  StoreState* const state_;
  StoreReader* const reader_;
  const PublishedFlags* const flags_;
  ObsoleteFiles* const obsolete_;
  WritePath* const writes_;
};

}  // namespace lull
