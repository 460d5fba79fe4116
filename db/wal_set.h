// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store's write-ahead logs: the one that takes records, the one prepared to take over, and
// older ones whose memtables are not yet in tables.
//
// Who calls what: the leading writer appends, syncs and switches; the flush thread prepares and
// releases. Only what both touch is behind the mutex, which is never held during I/O.
//
// Where clients sync, a WAL's blocks are written before it takes records: with zeros, or by an
// older WAL. So one that is released becomes the next to be prepared (EnvExtension::ReuseLogFile),
// as long as it has the size that is wanted, and fewer are ready than twice the number wanted.
//
// What always holds: a synced record implies that every record before it is durable, in whichever
// WAL it stands, together with the names of those WALs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/context.h"
#include "db/dbformat.h"
#include "db/fragment_ends.h"
#include "db/log_writer.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/env_extension.h"
#include "util/mutex.h"
#include "util/owned_counter.h"

namespace lull {

class WalSet {
 public:
  explicit WalSet(StoreContext* context)
      : context_(context), memtable_bytes_(context->options.write_buffer_size) {}
  ~WalSet();
  WalSet(const WalSet&) = delete;
  WalSet& operator=(const WalSet&) = delete;

  /// Makes one WAL ready to take over, of a released one or, if fewer are ready than wanted, anew;
  /// those made for clients that do not sync go when they begin to. Flush thread.
  leveldb::Status Prepare() LULL_EXCLUDES(mutex_);
  bool NeedsPrepare() LULL_EXCLUDES(mutex_);
  /// Whether Prepare would write zeros and sync them, bit by bit: so long no flush shall wait.
  /// Flush thread.
  bool PreparesSlowly() const { return retired_.empty() && WantedMode() == LogFileMode::kWrite; }
  /// Whether Prepare has a released WAL to use again, which must not lie about. Flush thread.
  bool HasRetired() const { return !retired_.empty(); }
  /// Gives back the room that WALs made ahead take. Flush thread.
  void DiscardPrepared() LULL_EXCLUDES(mutex_);

  /// What is allocated for WALs created from here on; a record beyond it grows the file. Any
  /// thread.
  void SetCapacity(uint64_t memtable_bytes) {
    memtable_bytes_.store(memtable_bytes, std::memory_order_relaxed);
  }

  /// Switches to the prepared WAL, or to one made now if the flush thread was too slow. Leading
  /// writer, or the opening thread. `first_sequence` is that of the first entry it will hold.
  leveldb::Status Switch(SequenceNumber first_sequence) LULL_EXCLUDES(mutex_);

  /// Switches after a failure. REQUIRES: the MANIFEST needs none of the WALs so far.
  leveldb::Status Restart(SequenceNumber first_sequence) LULL_EXCLUDES(mutex_);

  /// Leading writer. After a failure of either, nothing may be appended before a Restart.
  leveldb::Status Append(const leveldb::Slice& record) {
    current_->has_unsynced = true;
    const uint64_t before = current_->writer.FileBytes();
    leveldb::Status status = current_->writer.AddRecord(record);
    appended_bytes_ += current_->writer.FileBytes() - before;
    return status;
  }
  leveldb::Status Sync() LULL_EXCLUDES(mutex_);

  /// Of all records so far, with their framing. Any thread.
  uint64_t appended_bytes() const { return appended_bytes_; }

  /// Number of the WAL that takes records. Leading writer.
  uint64_t current_number() const { return current_->number; }

  /// Lets go of the WALs below `number`: their memtables are in tables, durably. Returns the paths
  /// of those that Prepare will not use again, for the caller to remove. Flush thread.
  std::vector<std::string> Release(uint64_t number) LULL_EXCLUDES(mutex_);

  /// Closes everything; removes WALs that were prepared, or were to be, and not used. REQUIRES:
  /// nobody writes any more.
  void Close() LULL_EXCLUDES(mutex_);

 private:
  struct Wal {
    Wal(uint64_t number_in, LogFileMode mode_in, std::unique_ptr<leveldb::WritableFile> file)
        : number(number_in), mode(mode_in), writer(std::move(file)) {}
    /// One that may be recycled. `older`: what its file holds, if it was.
    Wal(uint64_t number_in, std::unique_ptr<leveldb::WritableFile> file, log::FragmentEnds older)
        : number(number_in), mode(LogFileMode::kWrite), writer(std::move(file), std::move(older)) {}
    const uint64_t number;
    const LogFileMode mode;
    log::Writer writer;
    /// Syncs of the folder that had failed before the file was made. Any later one may have taken
    /// its name along, and that the next one succeeds proves nothing.
    uint64_t failures_before = 0;
    bool has_name = false;      // durably; whoever holds the WAL alone, then the leading writer
    bool has_unsynced = false;  // leading writer only
    bool has_failed = false;    // likewise: it may hold a record that was refused
    bool ended_synced = false;  // the leader let go of it when the next one took over
  };
  using WalRef = std::shared_ptr<Wal>;

  /// A released WAL that becomes another one.
  struct Retired {
    uint64_t number;
    log::FragmentEnds ends;
  };

  static constexpr size_t kPreparedMin = 2;
  // While the flush thread syncs a table, a fast writer fills a few WALs.
  static constexpr size_t kPreparedMax = 6;

  LogFileMode WantedMode() const;
  uint64_t CapacityBytes(LogFileMode mode) const;
  bool CanReuse() const;
  bool Fits(uint64_t file_bytes) const;
  bool IsWorthReusing(const WalRef& wal) const;
  leveldb::Status Create(WalRef* wal, bool ahead);
  WalRef Reuse(Retired retired);
  void Discard(WalRef unused);
  bool IsUnfit(const WalRef& wal) const;
  void DiscardUnfit() LULL_EXCLUDES(mutex_);
  void RemoveRetired();
  WalRef TakePrepared() LULL_EXCLUDES(mutex_);
  leveldb::Status SyncOlder();
  leveldb::Status SyncNames();
  leveldb::Status NameUnsynced();
  bool MayLackName(const WalRef& wal) const;
  leveldb::Status Begin(const WalRef& wal, SequenceNumber first_sequence);
  leveldb::Status RemoveUnbegun();

  StoreContext* const context_;
  std::atomic<uint64_t> memtable_bytes_;
  WalRef current_;                           // leading writer only
  std::string unbegun_;                      // likewise: a WAL with half a first record
  OwnedCounter appended_bytes_;              // the leading writer adds
  std::vector<WalRef> older_unsynced_;       // leading writer only, oldest first
  std::atomic<uint64_t> released_below_{0};  // WALs below need no sync any more
  std::atomic<uint64_t> names_made_{0};      // WALs created, renamed or removed
  std::atomic<uint64_t> names_durable_{0};   // how many of them, the oldest, are so durably
  std::atomic<uint64_t> names_failures_{0};  // syncs of the folder that failed
  std::atomic<bool> clients_sync_{false};    // a client synced the present WAL or the one before
  std::atomic<uint64_t> last_wal_bytes_{0};  // of the one before the present; 0: there was none
  std::atomic<bool> files_reusable_{true};   // the flush thread learns that they are not
  std::deque<Retired> retired_;              // flush thread only, oldest first

  Mutex mutex_;
  std::deque<WalRef> prepared_ LULL_GUARDED_BY(mutex_);  // oldest first
  // How many shall be ready: more for good once they were used up, since a program that bursts does
  // so again.
  size_t prepared_wanted_ LULL_GUARDED_BY(mutex_) = kPreparedMin;
  std::vector<WalRef> older_ LULL_GUARDED_BY(mutex_);  // not yet released, oldest first
  // Released, but the leader still held them: to unmap and to cut a file can wait for the journal,
  // so the flush thread does it.
  std::vector<WalRef> to_close_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull
