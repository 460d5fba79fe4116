// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalSet: the store's WALs: the current one, which takes records; sealed ones, whose memtables are
// not yet in tables; prepared ones, which come next; and recovered ones, which an earlier process
// wrote and whose memtables are not yet in tables. A memtable can have several WALs. Its parts:
//
//   wal_files.h   creates, prepares and recycles WALs; makes their names durable
//   wal_sizes.h   decides sizes and counts, as functions of values
//   wal_pages.h   which WALs have mapped pages
//
// Threads: the leading writer appends, syncs and switches. The flush thread prepares, seals and
// releases. The mutex guards what both use. It is never held during I/O, and no other mutex is
// taken under it.
//
// If no WAL can be created, the full memtable keeps growing with the current WAL. It is not sealed,
// because a WAL never has the records of two memtables. Otherwise the older memtable could be in a
// table while a power loss removes the end of the WAL. A replay would then put that memtable's
// first entries on top of its last ones.
//
// The current WAL, unless it was prepared, begins small and grows while it takes records: the flush
// thread doubles what is preallocated well before it is used up. So a store that is hardly used
// stays small. A leading writer that is faster preallocates the next stretch itself.
//
// Invariants:
//   - After a sync of a record, every earlier record is durable, in whichever WAL it is, together
//     with the names of those WALs.
//   - A file is closed before its path is returned for removal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/base/thread_roles.h"
#include "db/wal/wal_files.h"
#include "db/wal/wal_pages.h"
#include "db/wal/wal_reader.h"
#include "db/wal/wal_sizes.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/mutex.h"
#include "util/owned_counter.h"

namespace lull {

class WalSet {
 public:
  explicit WalSet(StoreContext* context)
      : context_(context), inputs_{.memtable_bytes = context->options.write_buffer_size} {}
  ~WalSet();
  WalSet(const WalSet&) = delete;
  WalSet& operator=(const WalSet&) = delete;

  // ---- leading writer ----

  /// Ends the current WAL and begins the next: a prepared one or, if the flush thread was too slow,
  /// a new one. `first_sequence`: the one after the last entry in a WAL. On failure the current WAL
  /// stays. `in_rest`: clients do not write, so the next one takes little space.
  leveldb::Status Switch(SequenceNumber first_sequence, bool in_rest = false)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  /// Call after a Sync. Ends the current WAL if it lacks written blocks, so that each sync also
  /// writes metadata, and a prepared one has them. The active memtable stays: its entries from
  /// `first_sequence` on go to the prepared one.
  void MoveToPrepared(SequenceNumber first_sequence) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(mutex_);
  /// Whether the current WAL can take more records after a failed Switch.
  bool CanTakeMore() const LULL_REQUIRES(kLeadingWriter);
  /// Switches after a failed Append or Sync. REQUIRES: the MANIFEST needs none of the WALs so far.
  leveldb::Status Restart(SequenceNumber first_sequence) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(mutex_);
  /// Adds the WALs that recovery read and that are still needed. Before all other threads.
  void Adopt(std::vector<RecoveredWal> recovered) LULL_REQUIRES(kLeadingWriter)
      LULL_EXCLUDES(mutex_);

  /// Appends a record to the current WAL. After a failure of Append or Sync, call Restart before
  /// the next Append.
  leveldb::Status Append(const leveldb::Slice& record) LULL_REQUIRES(kLeadingWriter) {
    current_->has_unsynced = true;
    const uint64_t before = current_->writer.FileBytes();
    leveldb::Status status;
    if (before + record.size() >= grow_at_bytes_) status = EnsureSpace(before, record.size());
    if (status.ok()) status = current_->writer.AddRecord(record);
    appended_bytes_ += current_->writer.FileBytes() - before;
    return status;
  }
  /// Makes all records so far durable, in older WALs too.
  leveldb::Status Sync() LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  uint64_t current_number() const LULL_REQUIRES(kLeadingWriter) { return current_->number; }

  // ---- flush thread ----

  /// Prepares one WAL: recycles a released one or, if fewer are ready than wanted, creates one. If
  /// clients have begun to sync, first discards the WALs that were prepared without written blocks.
  leveldb::Status Prepare() LULL_REQUIRES(kFlushThread) { return files_.Prepare(); }
  bool NeedsPrepare() LULL_REQUIRES(kFlushThread) { return files_.NeedsPrepare(); }
  /// Whether Prepare would write and sync zeros. The caller then flushes due memtables first.
  bool PreparesSlowly() const LULL_REQUIRES(kFlushThread) { return files_.PreparesSlowly(); }
  /// Whether released WALs wait to be recycled. Call Prepare soon, since they take up disk space.
  bool HasRetired() const LULL_REQUIRES(kFlushThread) { return files_.HasRetired(); }
  /// Removes prepared WALs until `keep` are left, and all released ones. Returns true if it removed
  /// any.
  bool DiscardPrepared(size_t keep) LULL_REQUIRES(kFlushThread) {
    return files_.DiscardPrepared(keep);
  }
  /// Sets whether disk space is short; see wal_files.h and wal_sizes.h.
  void SetDiskLow(bool disk_low) LULL_REQUIRES(kFlushThread);
  /// Call while clients do not write. Removes prepared WALs that take too large a share of the
  /// store, and prepares none for them until the next Switch.
  void ShrinkInRest() LULL_REQUIRES(kFlushThread);
  /// Seals the files of WALs that take no more records, but only after descriptors or disk space
  /// ran short: truncating a file during a burst slows its writer by a quarter.
  void SealEnded() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  /// Preallocates the current WAL's next stretch, if the leading writer asked for it.
  void GrowCurrent() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  /// See WalPages. Cheap if there is nothing to do.
  void TendPages() LULL_REQUIRES(kFlushThread) { pages_.Tend(&files_); }
  void DropPagesInLull() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);

  /// Call after the memtables of all WALs below `number` are durably in tables. Closes these WALs,
  /// and keeps some to recycle. Returns the paths of the others, which the caller removes. A WAL
  /// that the leading writer is syncing is left for a later call.
  std::vector<std::string> Release(uint64_t number) LULL_REQUIRES(kFlushThread)
      LULL_EXCLUDES(mutex_);
  /// Whether Release left a WAL for a later call.
  bool HasUnreleased() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);

  /// Closes all WALs; removes unused prepared ones and those kept for reuse. No write comes later.
  void Close() LULL_REQUIRES(kLeadingWriter, kFlushThread) LULL_EXCLUDES(mutex_);

  // ---- any thread ----

  /// Sets the memtable size for which later WALs are preallocated, in bytes. A record past that
  /// size grows the file.
  void SetCapacity(uint64_t memtable_bytes) {
    inputs_.memtable_bytes.store(memtable_bytes, std::memory_order_relaxed);
  }
  /// Sets the size of all tables, in bytes. Before the first call, it does not limit preallocated
  /// space.
  void SetTableBytes(uint64_t bytes) {
    inputs_.table_bytes.store(bytes, std::memory_order_relaxed);
  }
  /// Whether the current WAL's preallocated space is too large a share of a store in which clients
  /// do not write. Then the memtable should be sealed.
  bool IsTooLargeForRest() const {
    return inputs_.Sizes().IsTooLargeForRest(current_capacity_.load(std::memory_order_relaxed));
  }
  /// Memory of mapped WALs, in bytes.
  uint64_t memory_bytes() const { return pages_.memory_bytes(); }
  /// Size of all records so far, including headers, in bytes.
  uint64_t appended_bytes() const { return appended_bytes_; }
  /// Numbers of the WALs that exist, without those kept to recycle.
  struct Numbers {
    std::vector<uint64_t> in_use;  ///< recovered ones, sealed ones and the current one
    std::vector<uint64_t> prepared;
  };
  Numbers ListNumbers() LULL_EXCLUDES(mutex_);
  /// Disk space of these WALs by estimate, in bytes.
  uint64_t FileBytes() LULL_EXCLUDES(mutex_);

 private:
  leveldb::Status BeginNext(SequenceNumber first_sequence, bool in_rest)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  leveldb::Status EnsureSpace(uint64_t file_bytes, uint64_t record_bytes)
      LULL_REQUIRES(kLeadingWriter);
  leveldb::Status CheckSpace(uint64_t record_bytes) const;
  std::vector<WalRef> BeginSyncOfOlder() LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  void EndSyncOfOlder(std::vector<WalRef> wals) LULL_EXCLUDES(mutex_);
  leveldb::Status SyncOlder(const std::vector<WalRef>& wals) LULL_REQUIRES(kLeadingWriter);
  leveldb::Status SyncRecovered() LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  leveldb::Status NameUnsynced(const std::vector<WalRef>& older) LULL_REQUIRES(kLeadingWriter);
  WalRef SharedCurrent() LULL_EXCLUDES(mutex_);

  StoreContext* const context_;
  WalSizeInputs inputs_;
  WalPages pages_;
  WalFiles files_{context_, &inputs_, pages_.counter()};  // outlives the WALs below

  WalRef current_ LULL_GUARDED_BY(kLeadingWriter);
  // File size at which Append calls EnsureSpace.
  uint64_t grow_at_bytes_ LULL_GUARDED_BY(kLeadingWriter) = UINT64_MAX;
  // Size of the earlier WALs of the current one's memtable, which MoveToPrepared ended.
  uint64_t left_bytes_ LULL_GUARDED_BY(kLeadingWriter) = 0;
  bool recovered_are_unsynced_ LULL_GUARDED_BY(kLeadingWriter) = false;
  bool older_are_unsynced_ LULL_GUARDED_BY(kLeadingWriter) = false;  // sealed WALs can be
  OwnedCounter appended_bytes_;                // added to by the leading writer
  std::atomic<uint64_t> current_capacity_{0};  // preallocated bytes of current_, or asked for
  std::atomic<uint64_t> released_below_{0};    // WALs with lower numbers need no sync

  Mutex mutex_;
  std::vector<RecoveredWal> recovered_ LULL_GUARDED_BY(mutex_);  // not yet released, oldest first
  bool recovered_are_busy_ LULL_GUARDED_BY(mutex_) = false;      // the leading writer syncs them
  std::vector<WalRef> sealed_ LULL_GUARDED_BY(mutex_);           // not yet released, oldest first
  WalRef shared_current_ LULL_GUARDED_BY(mutex_);                // current_, for the flush thread
  CondVar not_busy_;
};

}  // namespace lull
