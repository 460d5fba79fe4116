// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WritePath: a write, from the client's call to its entry in the memtable: admission, writers'
// queue, WAL, memtable, sealing. Client threads call Write and Seal. Everything after the queue
// runs on one of them at a time, the leading writer.
//
// Invariants:
//   - An entry goes to the WAL (synced, if its writer asked), then to the memtable. It is published
//     last.
//   - After a WAL has failed to take a record, nothing is appended to it. The next WAL begins after
//     all memtables are flushed and the MANIFEST's log number is above the failed WAL.
//   - The leading writer waits for background work only at a hard limit, before it seals a
//     memtable, and after a WAL failure, until all memtables are flushed. An error of that work
//     ends the wait, and so does the writer's time limit. It has no group yet: who follows can give
//     up meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/base/applied_directive.h"
#include "db/base/context.h"
#include "db/base/disk_space.h"
#include "db/base/thread_roles.h"
#include "db/engine/admission.h"
#include "db/engine/engine_parts.h"
#include "db/engine/store_state.h"
#include "db/engine/writers_queue.h"
#include "db/memory/memtables.h"
#include "db/read/store_reader.h"
#include "db/report/reporting.h"
#include "db/wal/wal_set.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "lull/write.h"
#include "scheduler/threads/coordinator.h"

namespace lull {

class WritePath {
 public:
  explicit WritePath(const EngineParts& parts);

  /// Begins with the memtables of a recovery, oldest first, and creates the first view. REQUIRES: a
  /// WAL is current, which goes on after `last_in_wals`, and there is a Version.
  void Begin(std::vector<SealedMemTable> recovered, SequenceNumber last_in_wals)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(state_->mutex());

  /// See leveldb::DB::Write and lull::TryWrite. `wait_micros_max`: UINT64_MAX for no limit; else
  /// sets `*busy` if the write gives up. Client threads.
  leveldb::Status Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates,
                        uint64_t wait_micros_max = UINT64_MAX, BusyWrite* busy = nullptr);
  /// Seals the active memtable if it has entries. Goes through the writers' queue, since only the
  /// leading writer can seal.
  leveldb::Status Seal();
  /// Seals the active memtable, even an empty one, for a store in which clients do not write. Its
  /// next WAL takes little space. For the flush thread, which must not wait for writers or at a
  /// hard limit: then it seals nothing.
  void SealInRest() LULL_REQUIRES(kFlushThread);

  /// Whether a memtable has a key of one of the ranges, which are bounded. Any thread.
  bool HasKeysOf(const std::vector<UserRange>& ranges) LULL_EXCLUDES(state_->mutex());
  /// Installs tables between two writes, as if their entries, with keys of `ranges`, were written
  /// at that moment with `sequence`. When `install` is called, all earlier writes are durable, no
  /// memtable has a key of `ranges`, and all sequences so far are below `sequence`. It sets
  /// `*has_sequence` if `sequence` must not be used again. IOError if writes have reached it
  /// before. Client threads.
  leveldb::Status InsertTables(const std::vector<UserRange>& ranges, SequenceNumber sequence,
                               const std::function<leveldb::Status(bool* has_sequence)>& install);

  WalSet& wal() { return wal_; }
  /// Monitor only.
  Admission& admission() { return admission_; }

  // Any thread.
  /// Bytes of all batches written since the open.
  const std::atomic<uint64_t>& client_bytes() const { return client_bytes_; }
  /// Entries of these batches.
  uint64_t client_entries() const { return client_entries_; }
  /// Whether a write runs or is delayed by Admission.
  bool IsUnderWay() const {
    return is_under_way_.load(std::memory_order_relaxed) || admission_.HoldsWrites();
  }
  /// No WAL could be created, so a full memtable still takes writes, with its WAL. Flushes are due:
  /// they can free the missing resource.
  bool LacksLog() const { return lacks_log_.load(std::memory_order_relaxed); }
  /// Makes the next write wake the flush thread and the monitor. A write that has just passed can
  /// miss it, but its bytes are visible a moment later. Monitor.
  void TellOfNextWrite() { tell_at_bytes_.store(0, std::memory_order_relaxed); }
  bool TellsOfNextWrite() const { return tell_at_bytes_.load(std::memory_order_relaxed) == 0; }
  /// Whether enough was written to prepare WALs in advance. A store that is opened and hardly used
  /// creates no files at unexpected times: some clients remove the directory of a store that they
  /// never closed.
  bool WantsLogsAhead() const {
    return client_bytes_.load(std::memory_order_relaxed) >= logs_ahead_at_bytes_;
  }
  size_t QueueLength() { return writers_.Length(); }

  /// Bytes of the active memtable that the memory budget counts.
  uint64_t counted_bytes() const LULL_REQUIRES(kLeadingWriter) { return active_.grown_bytes(); }

 private:
  /// Until when a write waits before it begins, and where it says that it gave up.
  struct Patience {
    uint64_t until_nanos = UINT64_MAX;
    BusyWrite* busy = nullptr;
  };

  Patience PatienceFor(uint64_t wait_micros_max, BusyWrite* busy) const;
  template <class Body>
  leveldb::Status Lead(WritersQueue::Writer* leader, Body body);
  leveldb::Status MakeRoom(const leveldb::Slice& record, const Patience& patience)
      LULL_REQUIRES(kLeadingWriter);
  leveldb::Status WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last)
      LULL_REQUIRES(kLeadingWriter);
  leveldb::Status PrepareInsertion(const std::vector<UserRange>& ranges, SequenceNumber sequence)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(state_->mutex());
  void TellOfWrite(uint64_t bytes);
  leveldb::Slice GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last)
      LULL_REQUIRES(kLeadingWriter);
  bool MayGrow(const leveldb::Slice& record) LULL_REQUIRES(kLeadingWriter);
  leveldb::Status SealMemTable(const leveldb::Slice* record, const Patience& patience)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(state_->mutex());
  leveldb::Status SwitchMemTable(const leveldb::Slice* record, bool in_rest)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(state_->mutex());
  void HandOverMemTable(uint64_t next_wal_number) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(state_->mutex());
  void AbandonWal(const leveldb::Status& failure) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status ResumeWrites(const Patience& patience) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(state_->mutex());
  leveldb::Status AwaitTablesLocked(const Patience& patience)
      LULL_REQUIRES(kLeadingWriter, state_->mutex());
  leveldb::Status AwaitSealLocked(const Patience& patience)
      LULL_REQUIRES(kLeadingWriter, state_->mutex());
  uint64_t NanosLeft(const Patience& patience) const;
  leveldb::Status GiveUp(const Patience& patience, WriteStallCause cause);
  leveldb::Status GiveUp(const Patience& patience, WriteStallCause cause, uint64_t room_micros);
  std::optional<StallCause> WhyNotSealedLocked() const
      LULL_REQUIRES(kLeadingWriter, state_->mutex());
  bool IsL0FullLocked() const LULL_REQUIRES(state_->mutex());
  bool IsSpaceFullLocked() const LULL_REQUIRES(state_->mutex());
  const leveldb::Status& WhyL0StaysLocked() const LULL_REQUIRES(state_->mutex());
  const leveldb::Status& BlockingErrorLocked(StallCause cause) const LULL_REQUIRES(state_->mutex());

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  Reporting* const reporting_;
  const DiskSpace* const disk_;
  Admission admission_;
  WritersQueue writers_;

  // Used by each write.
  StoreReader* const reader_;
  const PublishedFlags* const flags_;
  const AppliedDirective* const applied_;
  ActiveMemTable active_ LULL_GUARDED_BY(kLeadingWriter);
  const uint64_t logs_ahead_at_bytes_;
  std::atomic<uint64_t> client_bytes_{0};
  OwnedCounter client_entries_;          // added to by the leading writer
  std::atomic<uint64_t> tell_at_bytes_;  // of client_bytes_; see TellOfWrite
  std::atomic<bool> is_under_way_{false};
  std::atomic<bool> lacks_log_{false};
  WalSet wal_;
  // The newest entry in the WALs. Readers can see a later sequence, of an ingestion.
  SequenceNumber last_in_wals_ LULL_GUARDED_BY(kLeadingWriter) = 0;
  std::string group_record_ LULL_GUARDED_BY(kLeadingWriter);
};

}  // namespace lull
