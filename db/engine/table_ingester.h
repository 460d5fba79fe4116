// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TableIngester: IngestTables. A client's thread copies the tables (ingestion.h), then stops
// writers for a moment, in which the flush thread installs the copies.
//
// All entries get one sequence, which must be above those of all writes before that moment. The
// copies need it earlier, so it is chosen far enough ahead; sequences between are never used. One
// ingestion at a time.
//
// The flush thread installs in three steps. A store opens after a crash between any two of them:
//   1. An edit raises the MANIFEST's last sequence. Recovery then takes a table that no edit names,
//      and that has this sequence, for obsolete instead of for evidence of lost edits.
//   2. The copies get their names.
//   3. An edit adds them.
// All earlier writes are durable before the first step, so the gap in sequences can hide no lost
// WAL from recovery.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/thread_roles.h"
#include "db/compaction/ingestion.h"
#include "db/engine/client_waits.h"
#include "db/engine/engine_parts.h"
#include "db/engine/range_remover.h"
#include "db/engine/store_state.h"
#include "db/engine/version_set.h"
#include "db/engine/write_path.h"
#include "leveldb/status.h"

namespace lull {

class TableIngester {
 public:
  TableIngester(const EngineParts& parts, WritePath* writes, VersionSet* versions,
                ClientWaits* waits, RangeRemover* remover);

  /// See lull/lull.h. Client threads.
  leveldb::Status Ingest(const std::vector<std::string>& paths)
      LULL_EXCLUDES(mutex_, state_->mutex());

  /// Bytes written to tables since the open. Any thread.
  uint64_t written_bytes() const { return written_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Request {
    TableOutputs* copies = nullptr;
    std::vector<UserRange> ranges;  // of the copies
    SequenceNumber sequence = 0;
    bool has_sequence = false;  // the MANIFEST has it, so it must not be used again
  };

  leveldb::Status Prepare(Ingestion* ingestion, SequenceNumber* sequence)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status CheckSpace(uint64_t bytes) const;
  std::vector<int> PlaceCopies(const Request& request) LULL_EXCLUDES(state_->mutex());
  leveldb::Status Install(Request* request) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status InstallCopies(Request* request, VersionRef* version) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(state_->mutex());

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  WritePath* const writes_;
  VersionSet* const versions_;
  ClientWaits* const waits_;
  RangeRemover* const remover_;
  Mutex mutex_;  // one ingestion at a time, so that none uses up the sequence of another
  std::atomic<uint64_t> written_bytes_{0};
};

}  // namespace lull
