// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalSet: the store's WALs: the current one, which takes records; sealed ones, whose memtables are
// not yet in tables; prepared ones, which come next; and recovered ones, which an earlier process
// wrote and whose memtables are not yet in tables.
//
// Threads: the leading writer appends, syncs and switches. The flush thread prepares, seals and
// releases. The mutex guards what both use, and is never held during I/O.
//
// If clients sync, the blocks of a WAL's file are written before it takes records: with zeros, or
// as part of an older WAL. A sync then writes only data, no metadata. So a released WAL is recycled
// as a prepared one (EnvExtension::ReuseLogFile), if its size fits and fewer than twice the wanted
// count are ready.
//
// Descriptors. Each open WAL takes one from EnvExtension::log_descriptors(). If none is left, a WAL
// opens only while fewer than kOpenLogsMin are open. If no WAL can be created, the full memtable
// keeps growing with the current WAL. It is not sealed, because a WAL never has the records of two
// memtables. Otherwise the older memtable could be in a table while a power loss removes the end of
// the WAL. A replay would then put that memtable's first entries on top of its last ones.
//
// The current WAL, unless it was prepared, begins small and grows while it takes records: the flush
// thread doubles what is preallocated well before it is used up. So a store that is hardly used
// stays small. A leading writer that is faster preallocates the next stretch itself.
//
// Disk space. When it is short, WALs are not preallocated, and the last prepared one stays in
// reserve: deleting it gives a flush the space for its table, and the flush frees the other WALs.
// Preallocated space is also limited to a share of the tables' size, so that a store with little
// data stays small; while clients rest, to a smaller share.
//
// Invariants:
//   - After a sync of a record, every earlier record is durable, in whichever WAL it is, together
//     with the names of those WALs.
//   - A file is closed before its path is returned for removal.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/wal/fragment_ends.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/env_extension.h"
#include "util/memory_charge.h"
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

  /// Prepares one WAL: recycles a released one or, if fewer are ready than wanted, creates one. If
  /// clients have begun to sync, first discards the WALs that were prepared without written blocks.
  /// Flush thread.
  leveldb::Status Prepare() LULL_EXCLUDES(mutex_);
  bool NeedsPrepare() LULL_EXCLUDES(mutex_);
  /// Whether Prepare would write and sync zeros. The caller then flushes due memtables first. Flush
  /// thread.
  bool PreparesSlowly() const { return retired_.empty() && WantedMode() == LogFileMode::kWrite; }
  /// Whether released WALs wait to be recycled. Call Prepare soon, since they take up disk
  /// space. Flush thread.
  bool HasRetired() const { return !retired_.empty(); }
  /// Removes prepared WALs until `keep` are left, and all released ones. Returns true if it removed
  /// any. Flush thread.
  bool DiscardPrepared(size_t keep) LULL_EXCLUDES(mutex_);
  /// Sets whether disk space is short; see the top of this file. Flush thread.
  void SetDiskLow(bool disk_low) LULL_EXCLUDES(mutex_);
  /// Call while clients do not write. Removes prepared WALs that take too large a share of the
  /// store, and prepares none for them until the next Switch. Flush thread.
  void ShrinkInRest() LULL_EXCLUDES(mutex_);
  /// Whether the current WAL's preallocated space is too large a share of a store in which clients
  /// do not write. Then the memtable should be sealed. Any thread.
  bool IsTooLargeForRest() const {
    return current_capacity_.load(std::memory_order_relaxed) > CapacityInRest();
  }
  /// Seals the files of WALs that take no more records, but only after descriptors or disk space
  /// ran short: truncating a file during a burst slows its writer by a quarter. Flush thread.
  void SealEnded() LULL_EXCLUDES(mutex_);

  /// Preallocates the current WAL's next stretch, if the leading writer asked for it. Flush thread.
  void GrowCurrent() LULL_EXCLUDES(mutex_);

  /// Drops the mapped pages of sealed WALs, and faults in those of the next ones. Mapped pages
  /// count as memory of the process; the contents stay in the page cache. Cheap if there is nothing
  /// to do. Flush thread.
  void TendPages() LULL_EXCLUDES(mutex_);
  /// In a lull: also drops the pages of prepared WALs except the next one, and the written pages of
  /// the current one. Flush thread.
  void DropPagesInLull() LULL_EXCLUDES(mutex_);
  /// Memory of mapped WALs, in bytes. Any thread.
  uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

  /// Sets the memtable size for which later WALs are preallocated, in bytes. A record past that
  /// size grows the file. Any thread.
  void SetCapacity(uint64_t memtable_bytes) {
    memtable_bytes_.store(memtable_bytes, std::memory_order_relaxed);
  }
  /// Sets the size of all tables, in bytes. Before the first call, it does not limit preallocated
  /// space. Any thread.
  void SetTableBytes(uint64_t bytes) { table_bytes_.store(bytes, std::memory_order_relaxed); }

  /// Ends the current WAL and begins the next: a prepared one or, if the flush thread was too slow,
  /// a new one. `first_sequence`: sequence of the first entry to come. On failure the current WAL
  /// stays. `in_rest`: clients do not write, so the next one takes little space. Leading writer, or
  /// the opening thread.
  leveldb::Status Switch(SequenceNumber first_sequence, bool in_rest = false) LULL_EXCLUDES(mutex_);

  /// Whether the current WAL can take more records after a failed Switch. Leading writer.
  bool CanTakeMore() const;

  /// Switches after a failed Append or Sync. REQUIRES: the MANIFEST needs none of the WALs so far.
  leveldb::Status Restart(SequenceNumber first_sequence) LULL_EXCLUDES(mutex_);

  /// Adds the WALs that recovery read and that are still needed. Opening thread, before all others.
  void Adopt(std::vector<RecoveredWal> recovered) LULL_EXCLUDES(mutex_);

  /// Appends a record to the current WAL. After a failure of Append or Sync, call Restart before
  /// the next Append. Leading writer.
  leveldb::Status Append(const leveldb::Slice& record) {
    current_->has_unsynced = true;
    const uint64_t before = current_->writer.FileBytes();
    leveldb::Status status;
    if (before + record.size() >= grow_at_bytes_) status = MakeRoom(before, record.size());
    if (status.ok()) status = current_->writer.AddRecord(record);
    appended_bytes_ += current_->writer.FileBytes() - before;
    return status;
  }
  /// Makes all records so far durable, in older WALs too. Leading writer.
  leveldb::Status Sync() LULL_EXCLUDES(mutex_);

  /// Size of all records so far, including headers, in bytes. Any thread.
  uint64_t appended_bytes() const { return appended_bytes_; }

  /// Numbers of the WALs that exist, without those kept to recycle. Any thread.
  struct Numbers {
    std::vector<uint64_t> in_use;  ///< recovered ones, sealed ones and the current one
    std::vector<uint64_t> prepared;
  };
  Numbers ListNumbers() LULL_EXCLUDES(mutex_);
  /// Disk space of these WALs by estimate, in bytes. Any thread.
  uint64_t FileBytes() LULL_EXCLUDES(mutex_);

  /// Number of the current WAL. Leading writer.
  uint64_t current_number() const { return current_->number; }

  /// Call after the memtables of all WALs below `number` are durably in tables. Closes these WALs,
  /// and keeps some to recycle. Returns the paths of the others, which the caller removes. A WAL
  /// that the leading writer is syncing is left for a later call. Flush thread.
  std::vector<std::string> Release(uint64_t number) LULL_EXCLUDES(mutex_);
  /// Whether Release left a WAL for a later call. Flush thread.
  bool HasUnreleased() LULL_EXCLUDES(mutex_);

  /// Closes all WALs; removes unused prepared ones and those kept for reuse. REQUIRES: no write
  /// runs or comes later.
  void Close() LULL_EXCLUDES(mutex_);

 private:
  /// The counted descriptor of an open log.
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
    /// A WAL that can be recycled. `older`: the fragments already in a recycled file.
    Wal(uint64_t number_in, std::unique_ptr<LogFile> file, log::FragmentEnds older)
        : number(number_in),
          mode(LogFileMode::kWrite),
          log(file.get()),
          writer(std::move(file), std::move(older)) {}
    const uint64_t number;
    const LogFileMode mode;
    LogFile* const log;                     // the writer's file; null if the Env has no log files
    std::atomic<uint64_t> capacity{0};      // preallocated bytes
    std::atomic<uint64_t> capacity_max{0};  // to which it can grow
    std::atomic<bool> wants_growth{false};  // the leading writer asks the flush thread
    log::Writer writer;
    DescriptorRef descriptor;
    /// Value of names_failures_ before the file was created. If it has grown since, the file's name
    /// may be lost, and a later sync that succeeds proves nothing.
    uint64_t failures_before = 0;
    bool has_name = false;      // its name is durable; set at creation, later by the leading writer
    bool has_unsynced = false;  // leading writer only
    bool has_failed = false;    // leading writer only: can contain a record that was refused
    bool ended_synced = false;  // constant once sealed
    bool is_sealed = false;     // flush thread only: SealEnded has processed it
    // Guarded by WalSet::mutex_:
    bool is_busy = false;   // a thread is doing I/O on it
    bool has_pages = true;  // DropPages(all) was not called after it was sealed
  };
  using WalRef = std::shared_ptr<Wal>;

  /// A released WAL that is kept for reuse.
  struct Retired {
    uint64_t number;
    log::FragmentEnds ends;
  };

  /// Whether a WAL is created for later, or is the current one at once.
  enum class Purpose { kAhead, kNow };

  // What a WAL that was not prepared has at first.
  static constexpr uint64_t kFirstBytes = 32 << 10;
  static constexpr size_t kPreparedMin = 2;
  // While the flush thread syncs a table, a fast writer fills a few WALs.
  static constexpr size_t kPreparedMax = 6;
  // How many prepared WALs have their pages faulted in. A faster writer faults in further ones
  // itself.
  static constexpr size_t kLoadedMax = 2;
  // The current WAL, a sealed one and a prepared one.
  static constexpr int kOpenLogsMin = 3;

  LogFileMode WantedMode() const;
  uint64_t CapacityBytes(LogFileMode mode) const;
  uint64_t CapacityInRest() const;
  size_t PreparedWanted() const LULL_REQUIRES(mutex_);
  bool CanReuse() const;
  bool Fits(uint64_t file_bytes) const;
  bool IsWorthReusing(const WalRef& wal) const;
  bool TakeDescriptor(DescriptorRef* descriptor);
  WalRef OldestWithPages() LULL_REQUIRES(mutex_);
  uint64_t CapacityFor(LogFileMode mode, Purpose purpose) const;
  leveldb::Status Create(WalRef* wal, Purpose purpose);
  leveldb::Status CreateFile(const std::string& path, LogFileMode mode, Purpose purpose,
                             uint64_t* capacity, LogFile** log, leveldb::WritableFile** file);
  WalRef Reuse(Retired retired);
  void Discard(WalRef unused);
  bool IsUnfit(const WalRef& wal) const;
  void DiscardUnfit() LULL_EXCLUDES(mutex_);
  void RemoveRetired();
  static uint64_t AskAt(uint64_t capacity);
  leveldb::Status MakeRoom(uint64_t file_bytes, uint64_t record_bytes);
  leveldb::Status CheckSpace(uint64_t record_bytes) const;
  static void Grow(Wal* wal, uint64_t bytes);
  WalRef TakePrepared() LULL_EXCLUDES(mutex_);
  std::vector<WalRef> BeginSyncOfOlder() LULL_EXCLUDES(mutex_);
  void EndSyncOfOlder(std::vector<WalRef> wals) LULL_EXCLUDES(mutex_);
  leveldb::Status SyncOlder(const std::vector<WalRef>& wals);
  leveldb::Status SyncRecovered() LULL_EXCLUDES(mutex_);
  leveldb::Status SyncNames();
  leveldb::Status NameUnsynced(const std::vector<WalRef>& older);
  bool MayLackName(const WalRef& wal) const;
  leveldb::Status Begin(const WalRef& wal, SequenceNumber first_sequence);
  leveldb::Status RemoveUnbegun();

  StoreContext* const context_;
  std::atomic<uint64_t> memtable_bytes_;
  std::atomic<uint64_t> table_bytes_{UINT64_MAX};
  std::atomic<uint64_t> current_capacity_{0};  // preallocated bytes of current_, or asked for
  std::atomic<bool> rests_{false};             // ShrinkInRest was called after the last Switch
  WalRef current_;                             // leading writer only
  uint64_t grow_at_bytes_ = UINT64_MAX;        // leading writer only: see MakeRoom
  std::string unbegun_;          // leading writer only: path of a WAL with a torn first record
  OwnedCounter appended_bytes_;  // added to by the leading writer
  bool recovered_are_unsynced_ = false;  // leading writer only
  bool older_are_unsynced_ = false;  // leading writer only: sealed WALs can have unsynced records
  std::atomic<uint64_t> released_below_{0};  // WALs with lower numbers need no sync
  std::atomic<uint64_t> names_made_{0};      // count of WALs created, renamed or removed
  std::atomic<uint64_t> names_durable_{0};   // the first this many of these changes are durable
  std::atomic<uint64_t> names_failures_{0};  // failed syncs of the directory
  std::atomic<bool> clients_sync_{false};    // a client synced the current WAL or the previous one
  std::atomic<uint64_t> last_wal_bytes_{0};  // of the previous WAL; 0: none
  std::atomic<bool> files_reusable_{true};   // false once the Env failed to reuse a file
  std::atomic<int> open_logs_{0};            // logs that hold a descriptor
  std::atomic<bool> disk_low_{false};        // disk space is short
  std::atomic<bool> seals_all_{false};       // descriptors were short at least once
  std::deque<Retired> retired_;              // flush thread only, oldest first
  size_t loaded_max_ = kLoadedMax;           // flush thread only: prepared WALs to fault in
  MemoryCounter memory_bytes_{0};            // of mapped WALs

  Mutex mutex_;
  std::vector<RecoveredWal> recovered_ LULL_GUARDED_BY(mutex_);  // not yet released, oldest first
  bool recovered_are_busy_ LULL_GUARDED_BY(mutex_) = false;      // the leading writer syncs them
  std::deque<WalRef> prepared_ LULL_GUARDED_BY(mutex_);          // oldest first
  // How many to keep ready. Raised permanently after they were all used, since a program that has
  // bursts has more of them.
  size_t prepared_wanted_ LULL_GUARDED_BY(mutex_) = kPreparedMin;
  std::vector<WalRef> sealed_ LULL_GUARDED_BY(mutex_);  // not yet released, oldest first
  WalRef shared_current_ LULL_GUARDED_BY(mutex_);       // current_, for the flush thread
  CondVar not_busy_;
};

}  // namespace lull
