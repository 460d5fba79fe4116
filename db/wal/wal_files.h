// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalFile: a WAL with its open file. WalFiles: the source of new ones. It creates them, prepares
// them ahead, recycles released ones, and makes their names durable.
//
// Threads: the flush thread prepares, retires and discards. The leading writer takes the next WAL
// and syncs names. The mutex guards the prepared ones. It is never held during I/O, and no other
// mutex is taken under it.
//
// If clients sync, the blocks of a WAL's file are written before it takes records: with zeros, or
// as part of an older WAL. A sync then writes only data, no metadata. So a released WAL is recycled
// as a prepared one (EnvExtension::ReuseLogFile), if its size fits and fewer than twice the wanted
// count are ready.
//
// Descriptors. Each open WAL takes one from EnvExtension::log_descriptors(). If none is left, a WAL
// opens only while fewer than kOpenLogsMin are open.
//
// Disk space. When it is short, the last prepared WAL stays in reserve: deleting it gives a flush
// the space for its table, and the flush frees the other WALs.
//
// Invariants:
//   - WALs begin in the order of their numbers, since they are replayed in that order.
//   - ConfirmName succeeds only if no directory sync has failed between the creation of a WAL and
//     the last SyncNames: a sync that succeeds after a failed one proves nothing.
//   - A WAL whose first record is torn is removed before the next one is created.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/base/thread_roles.h"
#include "db/wal/fragment_ends.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_sizes.h"
#include "leveldb/status.h"
#include "util/env_extension.h"
#include "util/memory_charge.h"
#include "util/mutex.h"

namespace lull {

/// The counted descriptor of an open log.
class LogDescriptor {
 public:
  LogDescriptor(std::atomic<int>* open_logs, DescriptorBudget* lender)
      : open_logs_(open_logs), lender_(lender) {}
  ~LogDescriptor();
  LogDescriptor(const LogDescriptor&) = delete;
  LogDescriptor& operator=(const LogDescriptor&) = delete;

 private:
  std::atomic<int>* const open_logs_;
  DescriptorBudget* const lender_;  // null: not borrowed
};

struct WalFile {
  WalFile(uint64_t number_in, LogFileMode mode_in, std::unique_ptr<leveldb::WritableFile> file,
          LogFile* log_in)
      : number(number_in), mode(mode_in), log(log_in), writer(std::move(file)) {}
  /// A WAL that can be recycled. `older`: the fragments already in a recycled file.
  WalFile(uint64_t number_in, std::unique_ptr<LogFile> file, log::FragmentEnds older)
      : number(number_in),
        mode(LogFileMode::kWrite),
        log(file.get()),
        writer(std::move(file), std::move(older)) {}

  /// Whether its records go to blocks that were not written before, so that each sync also writes
  /// metadata: the first sync of a mapped file cuts off its zeros.
  bool LacksBlocks() const { return mode == LogFileMode::kMapped || extent_bytes == 0; }
  WalExtent extent() const { return {extent_bytes, extent_bytes_max}; }
  /// Extends the preallocated part to `bytes` or its maximum. After a failure it grows no more: its
  /// records do, with write(2). Leading writer and flush thread.
  void Grow(uint64_t bytes);
  void LoadPages() {
    if (log != nullptr) log->LoadPages();
  }
  void DropPages(bool all) {
    if (log != nullptr) log->DropPages(all);
  }

  const uint64_t number;
  const LogFileMode mode;
  LogFile* const log;                     ///< the writer's file; null if the Env has none
  std::atomic<uint64_t> extent_bytes{0};  ///< see WalExtent
  std::atomic<uint64_t> extent_bytes_max{0};
  std::atomic<bool> wants_growth{false};  ///< the leading writer asks the flush thread
  log::Writer writer;
  std::unique_ptr<LogDescriptor> descriptor;
  uint64_t name_failures_before = 0;  ///< failed directory syncs before the file was created
  bool has_name = false;      ///< its name is durable; set at creation, later by the leading writer
  bool ended_synced = false;  ///< constant once sealed
  bool has_unsynced LULL_GUARDED_BY(kLeadingWriter) = false;
  /// It can contain a record that was refused.
  bool has_failed LULL_GUARDED_BY(kLeadingWriter) = false;
  bool is_sealed LULL_GUARDED_BY(kFlushThread) = false;  ///< SealEnded has processed it
  bool is_busy = false;  ///< a thread is doing I/O on it; guarded by the mutex of its WalSet
};
using WalRef = std::shared_ptr<WalFile>;

class WalFiles {
 public:
  /// `mapped_bytes` counts the memory of mapped WALs. All outlive this object and its WALs.
  WalFiles(StoreContext* context, WalSizeInputs* inputs, MemoryCounter* mapped_bytes)
      : context_(context), inputs_(inputs), mapped_bytes_(mapped_bytes) {}
  WalFiles(const WalFiles&) = delete;
  WalFiles& operator=(const WalFiles&) = delete;

  // As in WalSet.
  leveldb::Status Prepare() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  bool NeedsPrepare() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  bool PreparesSlowly() const LULL_REQUIRES(kFlushThread) {
    return retired_.empty() && inputs_->Sizes().Mode() == LogFileMode::kWrite;
  }
  bool HasRetired() const LULL_REQUIRES(kFlushThread) { return !retired_.empty(); }
  bool DiscardPrepared(size_t keep) LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);

  /// Keeps the file of a WAL that was released, for reuse. Returns false if it is not worth that.
  /// The caller then removes it.
  bool TryRetire(WalFile* wal) LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  /// The prepared WALs, in the order in which they begin.
  std::vector<WalRef> Prepared() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);

  /// Begins the next WAL: the next prepared one above `number`. In a rest, or if none is prepared,
  /// a new one.
  leveldb::Status BeginNext(SequenceNumber first_sequence, uint64_t number, bool in_rest,
                            WalRef* next) LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);

  /// Whether the next prepared WAL has written blocks, and comes after `number`. Never when disk
  /// space is short, since the last prepared one is a reserve, and never in a rest, since the
  /// current WAL then takes little space.
  bool HasBlocksAfter(uint64_t number) LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);

  /// Makes the names of all WALs so far durable. Any thread. Returns at once if they are durable
  /// already, even while another thread syncs newer names.
  leveldb::Status SyncNames();
  /// Call after SyncNames. Fails if the WAL's name might be lost nevertheless. The thread that uses
  /// the WAL.
  leveldb::Status ConfirmName(WalFile* wal) const;

  // Any thread.
  /// Calls `visit` with each prepared WAL, under the mutex.
  template <class Visit>
  void VisitPrepared(Visit visit) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (const WalRef& wal : prepared_) visit(*wal);
  }
  /// Whether a WAL could not open, at least once, since no descriptor was left.
  bool LackedDescriptors() const { return lacked_descriptors_.load(std::memory_order_relaxed); }

 private:
  /// What a WAL has before its file exists.
  struct Draft {
    uint64_t number = 0;
    std::string path;
    uint64_t name_failures_before = 0;
    std::unique_ptr<LogDescriptor> descriptor;
  };
  /// A released WAL that is kept for reuse.
  struct Retired {
    uint64_t number;
    log::FragmentEnds ends;
  };
  /// Whether a WAL is created for later, or is the current one at once.
  enum class Purpose { kAhead, kNow };

  // The current WAL, a sealed one and a prepared one.
  static constexpr int kOpenLogsMin = 3;

  bool TakeDescriptor(std::unique_ptr<LogDescriptor>* descriptor);
  leveldb::Status BeginDraft(Draft* draft);
  void EndDraft(Draft draft, WalFile* wal);
  leveldb::Status CreateFile(const std::string& path, LogFileMode mode, Purpose purpose,
                             uint64_t* capacity, LogFile** log, leveldb::WritableFile** file);
  leveldb::Status Create(Purpose purpose, WalRef* wal);
  leveldb::Status Reuse(Retired retired, WalRef* wal);
  WalRef ReuseOldest() LULL_REQUIRES(kFlushThread);
  bool CanReuse() const;
  bool IsWorthReusing(const WalFile& wal) const;
  bool IsUnfit(const WalFile& wal) const;
  void DiscardUnfit() LULL_REQUIRES(kFlushThread) LULL_EXCLUDES(mutex_);
  void Discard(WalRef unused);
  WalRef TakePrepared(uint64_t number) LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  leveldb::Status RemoveUnbegun() LULL_REQUIRES(kLeadingWriter);
  bool MayLackName(const WalFile& wal) const;

  StoreContext* const context_;
  WalSizeInputs* const inputs_;
  MemoryCounter* const mapped_bytes_;
  std::string unbegun_ LULL_GUARDED_BY(kLeadingWriter);  // path of a WAL with a torn first record
  std::deque<Retired> retired_ LULL_GUARDED_BY(kFlushThread);  // oldest first
  std::atomic<uint64_t> names_made_{0};      // count of WALs created, renamed or removed
  std::atomic<uint64_t> names_durable_{0};   // the first this many of these changes are durable
  std::atomic<uint64_t> names_failures_{0};  // failed syncs of the directory
  std::atomic<bool> files_reusable_{true};   // false once the Env failed to reuse a file
  std::atomic<int> open_logs_{0};            // logs that hold a descriptor
  std::atomic<bool> lacked_descriptors_{false};

  Mutex mutex_;
  std::deque<WalRef> prepared_ LULL_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace lull
