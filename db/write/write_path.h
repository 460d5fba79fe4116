// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A write, from the client's call to its entry in the memtable: admission, writers' queue, WAL,
// memtable, sealing. Client threads call Write and Seal; what is beyond the queue is done by one of
// them at a time, the leading writer.
//
// What always holds:
//   - An entry is published after it is in the memtable, and in the memtable only after it is in
//     the WAL (and synced, if its writer asked).
//   - A WAL that failed to take a record takes no other. The next begins when all that is in memory
//     is in tables, and the MANIFEST's log number is above the failed one.
//   - The leading writer waits only at a hard limit, before it seals a memtable, and never longer
//     than the error or the close that makes the wait vain.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "db/context.h"
#include "db/disk_room.h"
#include "db/limits.h"
#include "db/read/store_reader.h"
#include "db/report/reporting.h"
#include "db/store_state.h"
#include "db/wal/wal_set.h"
#include "db/write/admission.h"
#include "db/write/memtables.h"
#include "db/write/writers_queue.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "scheduler/threads/coordinator.h"

namespace lull {

class WritePath {
 public:
  /// What it uses of the store; all outlive it.
  struct Parts {
    StoreContext* context;
    Coordinator* coordinator;
    StoreState* state;
    StoreReader* reader;
    const StoreGates* gates;
    const Limits* limits;
    const DiskRoom* room;
    Reporting* reporting;
  };
  explicit WritePath(const Parts& parts);
  WritePath(const WritePath&) = delete;
  WritePath& operator=(const WritePath&) = delete;

  /// Makes the first memtable, and the first view. REQUIRES: the WAL was switched to, and there is
  /// a Version.
  void Begin() LULL_EXCLUDES(state_->mutex);

  leveldb::Status Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates);
  /// Seals the active memtable if it holds anything, through the writers' queue, since only the
  /// leading writer may.
  leveldb::Status Seal();

  WalSet& wal() { return wal_; }
  /// Monitor only.
  Admission& admission() { return admission_; }

  // Any thread.
  /// Of batches, as clients gave them.
  const std::atomic<uint64_t>& client_bytes() const { return client_bytes_; }
  bool IsUnderWay() const {
    return is_under_way_.load(std::memory_order_relaxed) || admission_.HoldsWrites();
  }
  /// The log could not be switched; flushes may free what is missing.
  bool LogGoesOn() const { return log_goes_on_.load(std::memory_order_relaxed); }
  /// Whether so much was written that logs are made ahead. A store that is opened and hardly used
  /// makes no files when its client does not expect it: some clients remove the folder of a store
  /// that they never closed.
  bool WantsLogsAhead() const {
    return client_bytes_.load(std::memory_order_relaxed) >= logs_ahead_at_bytes_;
  }
  size_t QueueLength() { return writers_.Length(); }

  /// What the active memtable holds of the memory budget. REQUIRES: nobody writes any more.
  uint64_t counted_bytes() const { return active_.grown_bytes(); }

 private:
  template <class Body>
  leveldb::Status Lead(WritersQueue::Writer* leader, WritersQueue::Writer* last, Body body);
  leveldb::Status WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last);
  leveldb::Slice GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last);
  bool MayGrow(const leveldb::Slice& record);
  leveldb::Status SealMemTable(const leveldb::Slice* record) LULL_EXCLUDES(state_->mutex);
  void HandOverMemTable(uint64_t next_wal_number) LULL_EXCLUDES(state_->mutex);
  void AbandonWal(const leveldb::Status& failure) LULL_EXCLUDES(state_->mutex);
  leveldb::Status ResumeWrites() LULL_EXCLUDES(state_->mutex);
  leveldb::Status AwaitTablesLocked() LULL_REQUIRES(state_->mutex);
  leveldb::Status AwaitRoomLocked() LULL_REQUIRES(state_->mutex);
  bool HasRoomLocked() const LULL_REQUIRES(state_->mutex);
  bool IsL0FullLocked() const LULL_REQUIRES(state_->mutex);
  const leveldb::Status& WhyL0StaysLocked() const LULL_REQUIRES(state_->mutex);

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  Reporting* const reporting_;
  const DiskRoom* const room_;
  Admission admission_;
  WritersQueue writers_;

  // What each write touches, the leading writer's.
  StoreReader* const reader_;
  const StoreGates* const gates_;
  const Limits* const limits_;
  ActiveMemTable active_;
  const uint64_t logs_ahead_at_bytes_;
  std::atomic<uint64_t> client_bytes_{0};
  std::atomic<bool> is_under_way_{false};
  std::atomic<bool> log_goes_on_{false};
  WalSet wal_;  // its append side; the rest is the flush thread's
  std::string group_record_;
};

}  // namespace lull
