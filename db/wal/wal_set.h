// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store's write-ahead logs: the current one, which takes records; sealed ones, whose memtables
// are not yet in tables; and prepared ones, which take over next.
//
// Who calls what: the leading writer appends, syncs and switches; the flush thread prepares, seals
// and releases. What both touch is guarded by the mutex, which is never held during I/O.
//
// Where clients sync, a WAL's blocks are written before it takes records: with zeros, or by an
// older WAL. So a released one becomes the next prepared one (EnvExtension::ReuseLogFile), as long
// as it has the wanted size, and fewer are ready than twice the number wanted.
//
// Resources. Beyond kOpenLogsMin each WAL that holds a descriptor needs a share of
// EnvExtension::log_descriptors(). Where no WAL can be made, the memtable grows with the current
// one: a WAL never holds the records of two memtables. (One of them could be in a table while a
// power loss takes the end of the WAL; a replay would then put older entries on top.)
// When disk space is short, WALs take no space ahead, and the last prepared one stays in reserve:
// its space is what a flush needs to free the others.
//
// What always holds:
//   - A synced record implies that every record before it is durable, in whichever WAL it is,
//     together with the names of those WALs.
//   - A file is closed before its path is returned for removal.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/compaction/fragment_ends.h"
#include "db/context.h"
#include "db/dbformat.h"
#include "db/wal/log_writer.h"
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
  /// Removes prepared WALs until `keep` are left. True if it removed any. Flush thread.
  bool DiscardPrepared(size_t keep) LULL_EXCLUDES(mutex_);
  /// Whether disk space is short: see above. Flush thread.
  void SetSparing(bool sparing) LULL_EXCLUDES(mutex_);
  /// Seals the files of WALs that take no more records, once descriptors or disk space were short:
  /// cutting a file during a burst costs its writer a quarter of its speed. Flush thread.
  void SealEnded() LULL_EXCLUDES(mutex_);

  /// What is allocated for WALs created from here on; a record beyond it grows the file. Any
  /// thread.
  void SetCapacity(uint64_t memtable_bytes) {
    memtable_bytes_.store(memtable_bytes, std::memory_order_relaxed);
  }

  /// Switches to the prepared WAL, or to one made now if the flush thread was too slow. Leading
  /// writer, or the opening thread. `first_sequence` is that of the first entry it will hold.
  leveldb::Status Switch(SequenceNumber first_sequence) LULL_EXCLUDES(mutex_);

  /// Whether the current WAL can take more records after a Switch that failed. Leading writer.
  bool MayGoOn() const;

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

  /// The memtables of all WALs below `number` are in tables, durably. Closes these WALs, and
  /// returns the paths of those that Prepare will not use again, for the caller to remove. One that
  /// the leading writer is syncing is left for a later call. Flush thread.
  std::vector<std::string> Release(uint64_t number) LULL_EXCLUDES(mutex_);
  /// Whether a call of Release left one. Flush thread.
  bool HasUnreleased() LULL_EXCLUDES(mutex_);

  /// Closes everything; removes WALs that were prepared, or were to be, and not used. REQUIRES:
  /// nobody writes any more.
  void Close() LULL_EXCLUDES(mutex_);

 private:
  /// The descriptor of an open log, as WalSet counts it.
  class Descriptor {
   public:
    Descriptor(std::atomic<int>* open_logs, DescriptorBudget* lender)
        : open_logs_(open_logs), lender_(lender) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

   private:
    std::atomic<int>* const open_logs_;
    DescriptorBudget* const lender_;  // null: not borrowed
  };
  using DescriptorRef = std::unique_ptr<Descriptor>;

  struct Wal {
    Wal(uint64_t number_in, LogFileMode mode_in, std::unique_ptr<leveldb::WritableFile> file,
        LogFile* log_in)
        : number(number_in), mode(mode_in), log(log_in), writer(std::move(file)) {}
    /// One that may be recycled. `older`: what its file holds, if it was.
    Wal(uint64_t number_in, std::unique_ptr<LogFile> file, log::FragmentEnds older)
        : number(number_in),
          mode(LogFileMode::kWrite),
          log(file.get()),
          writer(std::move(file), std::move(older)) {}
    const uint64_t number;
    const LogFileMode mode;
    LogFile* const log;  // the writer's file; null: the Env has no log files
    log::Writer writer;
    DescriptorRef descriptor;
    /// Syncs of the folder that had failed before the file was made. Any later one may have taken
    /// its name along, and that the next one succeeds proves nothing.
    uint64_t failures_before = 0;
    bool has_name = false;      // durably; whoever holds the WAL alone, then the leading writer
    bool has_unsynced = false;  // leading writer only
    bool has_failed = false;    // likewise: it may hold a record that was refused
    bool ended_synced = false;  // constant once sealed
    bool is_sealed = false;     // flush thread only: SealEnded was here
    bool is_busy = false;       // guarded by WalSet::mutex_: a thread is doing I/O on it
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
  // The current WAL, a sealed one and a prepared one.
  static constexpr int kOpenLogsMin = 3;

  LogFileMode WantedMode() const;
  uint64_t CapacityBytes(LogFileMode mode) const;
  bool CanReuse() const;
  bool Fits(uint64_t file_bytes) const;
  bool IsWorthReusing(const WalRef& wal) const;
  bool TakeDescriptor(DescriptorRef* descriptor);
  leveldb::Status Create(WalRef* wal, bool ahead);
  leveldb::Status CreateFile(const std::string& path, LogFileMode mode, bool ahead, LogFile** log,
                             leveldb::WritableFile** file);
  WalRef Reuse(Retired retired);
  void Discard(WalRef unused);
  bool IsUnfit(const WalRef& wal) const;
  void DiscardUnfit() LULL_EXCLUDES(mutex_);
  void RemoveRetired();
  WalRef TakePrepared() LULL_EXCLUDES(mutex_);
  std::vector<WalRef> BeginSyncOfOlder() LULL_EXCLUDES(mutex_);
  void EndSyncOfOlder(std::vector<WalRef> wals) LULL_EXCLUDES(mutex_);
  leveldb::Status SyncOlder(const std::vector<WalRef>& wals);
  leveldb::Status SyncNames();
  leveldb::Status NameUnsynced(const std::vector<WalRef>& older);
  bool MayLackName(const WalRef& wal) const;
  leveldb::Status Begin(const WalRef& wal, SequenceNumber first_sequence);
  leveldb::Status RemoveUnbegun();

  StoreContext* const context_;
  std::atomic<uint64_t> memtable_bytes_;
  WalRef current_;                           // leading writer only
  std::string unbegun_;                      // likewise: a WAL with half a first record
  OwnedCounter appended_bytes_;              // the leading writer adds
  bool older_are_unsynced_ = false;          // leading writer only: some sealed ones may be
  std::atomic<uint64_t> released_below_{0};  // WALs below need no sync any more
  std::atomic<uint64_t> names_made_{0};      // WALs created, renamed or removed
  std::atomic<uint64_t> names_durable_{0};   // how many of them, the oldest, are so durably
  std::atomic<uint64_t> names_failures_{0};  // syncs of the folder that failed
  std::atomic<bool> clients_sync_{false};    // a client synced the present WAL or the one before
  std::atomic<uint64_t> last_wal_bytes_{0};  // of the one before the present; 0: there was none
  std::atomic<bool> files_reusable_{true};   // the flush thread learns that they are not
  std::atomic<int> open_logs_{0};            // that hold a descriptor
  std::atomic<bool> sparing_{false};         // disk space is short
  std::atomic<bool> seals_all_{false};       // descriptors were short, once
  std::deque<Retired> retired_;              // flush thread only, oldest first

  Mutex mutex_;
  std::deque<WalRef> prepared_ LULL_GUARDED_BY(mutex_);  // oldest first
  // How many shall be ready: more for good once they were used up, since a program that bursts does
  // so again.
  size_t prepared_wanted_ LULL_GUARDED_BY(mutex_) = kPreparedMin;
  std::vector<WalRef> sealed_ LULL_GUARDED_BY(mutex_);  // not yet released, oldest first
  CondVar not_busy_;
};

}  // namespace lull
