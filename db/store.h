// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store: what leveldb::DB::Open returns. This class ties the parts together; each part's own file
// says how it works.
//
//   store_open.cc        opening and closing
//   store_write.cc       a write: admission, writers' queue, WAL, memtable, sealing
//   store_read.cc        reads: view, sequence, iterators, snapshots, properties
//   store_background.cc  what the coordinator's threads call: pressure, jobs, installs
//   store_flush.cc       what the flush thread does with memtables and logs
//   store_manifest.cc    what the flush thread does with the MANIFEST
//   store_report.cc      properties, listeners, and what goes into LOG at open and close
//   store_wait.cc        clients that wait for background work: Flush, WaitForIdle, CompactRange,
//                        CreateCheckpoint
//   store_options.cc     the scheduling options, and their change while the store is open
//
// Threads and what they own:
//   the leading writer   wal_ (append side), active_ (inserts), next sequence
//   the flush thread     manifest_, flush_job_
//   everyone             view_ (under a GraceGuard), published_sequence_, atomics
//   mutex_               the rest; held for moments, never during I/O
//
// What always holds:
//   - view_ = {active_, immutables_, version_}, as they were under mutex_ at one moment. No
//     published entry is in none of them.
//   - A sealed memtable's entries are all in WALs >= its wal_number. The MANIFEST's log number is
//     at most the wal_number of the oldest memtable that is not in tables.
//   - A WAL that failed to take a record takes no other; the next begins when all that is in memory
//     is in tables, and the MANIFEST's log number is above the failed one.
//   - published_sequence_ only grows; everything at or below it is in a memtable or a table.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/compaction/merge_job.h"
#include "db/compaction/picker.h"
#include "db/context.h"
#include "db/disk_room.h"
#include "db/read/read_view.h"
#include "db/read/snapshots.h"
#include "db/read/table_cache.h"
#include "db/recovery/recovery.h"
#include "db/report/event_hub.h"
#include "db/report/layout_stats.h"
#include "db/report/properties.h"
#include "db/report/stats_report.h"
#include "db/report/store_stats.h"
#include "db/version/manifest.h"
#include "db/wal/wal_set.h"
#include "db/write/admission.h"
#include "db/write/writers_queue.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "scheduler/threads/coordinator.h"
#include "util/fork.h"
#include "util/grace.h"
#include "util/latency_histogram.h"
#include "util/mutex.h"
#include "util/striped_counter.h"

namespace lull {

/// Makes the policy of that name; see MakePolicy.
using PolicyFactory =
    std::function<std::unique_ptr<Policy>(const std::string& name, const PolicyOptions& options)>;

class Store final : public leveldb::DB, private Tenant {
 public:
  /// Tests have policies and a pace of their own.
  static leveldb::Status Open(const leveldb::Options& options, const SchedulingOptions& scheduling,
                              const std::string& name, leveldb::DB** result,
                              PolicyFactory make_policy = MakePolicy, const StorePace& pace = {});
  ~Store() override;
  /// Leaks the store of a parent process; otherwise as usual.
  static void operator delete(Store* store, std::destroying_delete_t);

  /// The store that `db` is. If it is none, `*store` is null and the status names `function`.
  static leveldb::Status Of(leveldb::DB* db, const char* function, Store** store);

  leveldb::Status Put(const leveldb::WriteOptions&, const leveldb::Slice& key,
                      const leveldb::Slice& value) override;
  leveldb::Status Delete(const leveldb::WriteOptions&, const leveldb::Slice& key) override;
  leveldb::Status Write(const leveldb::WriteOptions& options,
                        leveldb::WriteBatch* updates) override;
  leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                      std::string* value) override;
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override;
  const leveldb::Snapshot* GetSnapshot() override;
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override;
  bool GetProperty(const leveldb::Slice& property, std::string* value) override;
  void GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) override;
  void CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) override;

  leveldb::Status Flush();
  leveldb::Status WaitForIdle();
  leveldb::Status CreateCheckpoint(const std::string& dir) LULL_EXCLUDES(mutex_);
  leveldb::Status SetOptions(const std::string& text) LULL_EXCLUDES(options_mutex_);
  leveldb::Status AddListener(std::shared_ptr<EventListener> listener);
  leveldb::Status RemoveListener(const EventListener* listener);
  /// What the layout cost since the store was opened.
  LayoutFigures GetLayoutFigures() const LULL_EXCLUDES(mutex_);

 private:
  Store(std::unique_ptr<StoreContext> context, const SchedulingOptions& scheduling,
        PolicyFactory make_policy, std::shared_ptr<Coordinator> coordinator);

  // store_open.cc
  /// Whether a parent process opened the store. It has no threads here, and its locks may never be
  /// released: only reads, which take no lock of the store, work.
  bool IsInherited() const { return opened_in_ != ForkGeneration(); }
  leveldb::Status InheritedError() const;
  leveldb::Status OpenFiles(Recovered* recovered);
  leveldb::Status CreateOrCheck();
  struct NewManifest {
    uint64_t number = 0;
    std::unique_ptr<ManifestWriter> writer;
    VersionRef version;
  };
  leveldb::Status WriteManifest(Recovered* recovered, uint64_t log_number, NewManifest* made);
  leveldb::Status CommitRecoveredLogs(Recovered* recovered, uint64_t log_number);
  leveldb::Status StartManifest(Recovered* recovered);
  void BeginDeleting(const Recovered& recovered);
  TableRef MakeTable(const NewTable& table);

  // store_write.cc: the leading writer's
  template <class Body>
  leveldb::Status Lead(WritersQueue::Writer* leader, WritersQueue::Writer* last, Body body);
  leveldb::Status SealForClient();
  leveldb::Status WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last);
  leveldb::Slice GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last);
  bool MayGrow(const leveldb::Slice& record);
  leveldb::Status SealMemTable(const leveldb::Slice* record) LULL_EXCLUDES(mutex_);
  void HandOverMemTable(uint64_t next_wal_number) LULL_EXCLUDES(mutex_);
  void AbandonWal(const leveldb::Status& failure) LULL_EXCLUDES(mutex_);
  leveldb::Status ResumeWrites() LULL_EXCLUDES(mutex_);
  leveldb::Status AwaitTablesLocked() LULL_REQUIRES(mutex_);
  leveldb::Status AwaitRoomLocked() LULL_REQUIRES(mutex_);
  bool HasRoomLocked() const LULL_REQUIRES(mutex_);
  bool IsL0FullLocked() const LULL_REQUIRES(mutex_);
  const leveldb::Status& ErrorButDamageLocked() const LULL_REQUIRES(mutex_);
  const leveldb::Status& ErrorOfL0Locked() const LULL_REQUIRES(mutex_);

  // store_background.cc: Tenant
  void MeasurePressure(Pressure* pressure) override LULL_EXCLUDES(mutex_);
  void ApplyDirective(const Directive& directive) override;
  void PolicyStateIs(PolicyState state) override { activity_.PolicyStateIs(std::move(state)); }
  std::unique_ptr<Job> NextJob(JobClass job_class) override LULL_EXCLUDES(mutex_);
  void JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) override
      LULL_EXCLUDES(mutex_);
  void AbandonJob(std::unique_ptr<Job> job) override LULL_EXCLUDES(mutex_);
  std::vector<const Job*> BlockersOfL0(const std::vector<const Job*>& jobs) override
      LULL_EXCLUDES(mutex_);
  void JobStarted(const Job& job, CpuPriority cpu) override { activity_.JobStarted(job, cpu); }
  void JobPaused(const Job& job) override { activity_.JobPaused(job); }
  std::optional<uint64_t> RunFlushSlice() override;
  const std::atomic<uint64_t>& ClientBytes() const override { return client_bytes_; }

  std::optional<CompactionPlan> PickLocked(JobClass job_class) LULL_REQUIRES(mutex_);
  std::optional<CompactionPlan> PickManualLocked() LULL_REQUIRES(mutex_);
  std::vector<RunningRange> TakenRangesLocked() const LULL_REQUIRES(mutex_);
  std::optional<uint64_t> TendLogs() LULL_EXCLUDES(mutex_);
  bool IsFlushWaiting() LULL_EXCLUDES(mutex_);
  bool WantsFlushLocked() const LULL_REQUIRES(mutex_);
  void BeginFlushLocked() LULL_REQUIRES(mutex_);
  void TrimInLull();
  /// Logs are made ahead for a store that so much was written to. One that is opened and hardly
  /// used makes no files behind its client's back: some clients remove the folder of a store that
  /// they never closed.
  uint64_t LogsAheadBytes() const { return context_->options.write_buffer_size / 8; }
  std::optional<uint64_t> AdvanceFlush();
  bool FlushFailed(const leveldb::Status& status, size_t memtables) LULL_EXCLUDES(mutex_);
  leveldb::Status InstallFlush(FlushJob* job);
  leveldb::Status InstallCompaction(CompactionJob* job);
  leveldb::Status InstallEdit(VersionEdit* edit, std::vector<NewTable> outputs,
                              VersionRef* version);
  void AdoptManifest(uint64_t number, std::unique_ptr<ManifestWriter> manifest);
  leveldb::Status BeginManifest(NewManifest* made) LULL_EXCLUDES(mutex_);
  void RollManifest() LULL_EXCLUDES(mutex_);
  void KeepManifest(const leveldb::Status& failure) LULL_EXCLUDES(mutex_);
  void FreezeForManifest(const leveldb::Status& failure, bool restorable) LULL_EXCLUDES(mutex_);
  std::optional<uint64_t> RestoreManifest() LULL_EXCLUDES(mutex_);
  void PublishViewLocked() LULL_REQUIRES(mutex_);
  void DropKeyFilters(const std::vector<TableRef>& tables);
  void EndManualLocked(const leveldb::Status& status) LULL_REQUIRES(mutex_);
  void AdvanceManualLocked(const CompactionPlan& plan, const leveldb::Status& status)
      LULL_REQUIRES(mutex_);
  void FailWrites(const char* what, const leveldb::Status& status) LULL_EXCLUDES(mutex_);
  void NoteBackgroundError(const char* what, const leveldb::Status& status, bool of_input)
      LULL_EXCLUDES(mutex_);
  std::vector<RunningRange> UnreadableLocked() const LULL_REQUIRES(mutex_);
  void ForgetReadableLocked(uint64_t now_nanos) LULL_REQUIRES(mutex_);
  void ForgetRunningLocked(const CompactionPlan& plan) LULL_REQUIRES(mutex_);
  void ApplySizes(const Directive& directive);
  void NoteUnlisted(const TableFile& file) LULL_EXCLUDES(obsolete_mutex_);
  void NoteObsolete(std::vector<std::string> paths) LULL_EXCLUDES(obsolete_mutex_);
  void NoteObsolete(Waste waste) LULL_EXCLUDES(obsolete_mutex_);
  void Discard(std::unique_ptr<Job> job) LULL_EXCLUDES(obsolete_mutex_);

  // store_report.cc
  struct Latencies {
    LatencyHistogram write, sync_write, get;
  };
  LatencyHistogram* LatencyOf(LatencyHistogram Latencies::*call) {
    return latencies_ == nullptr ? nullptr : &((*latencies_).*call);
  }
  StoreReport MakeReport() LULL_EXCLUDES(mutex_);
  leveldb::Status BeginReporting(const SchedulingOptions& scheduling, const Recovered& recovered)
      LULL_EXCLUDES(mutex_);
  void EndReporting() LULL_EXCLUDES(mutex_);

  // store_wait.cc
  struct ManualRequest {
    int level = 0;
    UserRange range;
    std::optional<RunningRange> running;  // of the job that works for it
    bool done = false;
    leveldb::Status status;  // once done
    std::optional<std::string> next_begin;
  };
  template <class Over>
  void DrainLocked(Over over) LULL_REQUIRES(mutex_);
  void RetryNowLocked() LULL_REQUIRES(mutex_);
  void SaveAckedWrites() LULL_EXCLUDES(mutex_);
  bool IsIdleLocked() const LULL_REQUIRES(mutex_);
  leveldb::Status ErrorSinceLocked(uint64_t errors_before) const LULL_REQUIRES(mutex_);
  leveldb::Status CompactLevel(int level, const UserRange& range);

  // store_options.cc
  std::string OptionsText() LULL_EXCLUDES(options_mutex_);
  PolicyOptions Resolved(const SchedulingOptions& scheduling) const;
  LayoutOptions LayoutFor(const PolicyOptions& options) const;

  const uint32_t opened_in_ = ForkGeneration();
  const std::unique_ptr<StoreContext> context_;
  const PolicyFactory make_policy_;
  std::shared_ptr<Coordinator> coordinator_;
  leveldb::FileLock* lock_ = nullptr;
  bool registered_ = false;

  EventHub events_;
  StoreStats activity_;
  std::unique_ptr<Latencies> latencies_;  // null: not wanted. Constant after the open
  SequenceNumber opened_sequence_ = 0;    // likewise

  GraceDomain grace_;
  TableCache tables_;
  Admission admission_;
  WritersQueue writers_;
  WalSet wal_;
  DiskRoom room_;

  // Read by everyone.
  std::atomic<ReadView*> view_{nullptr};
  std::atomic<SequenceNumber> published_sequence_{0};
  std::atomic<uint64_t> client_bytes_{0};
  std::atomic<bool> write_under_way_{false};  // the leader's
  std::atomic<bool> log_goes_on_{false};      // likewise: the log could not be switched
  StripedCounter read_bytes_;
  StripedCounter l0_misses_;                // tables of L0 that reads searched in vain
  std::atomic<uint64_t> flushed_bytes_{0};  // of the running flush's memtables
  std::atomic<bool> read_only_{false};      // write_error_ or wal_error_ says why

  // The leading writer's.
  MemTable* inserting_ = nullptr;       // = active_
  uint64_t grown_bytes_ = 0;            // beyond write_buffer_size, counted in the memory budget
  uint64_t switch_again_at_bytes_ = 0;  // size of the memtable; its log could not be switched
  std::string group_record_;

  // The flush thread's.
  std::unique_ptr<ManifestWriter> manifest_;
  uint64_t manifest_number_ = 0;
  uint64_t manifest_bytes_max_ = 0;                    // at which a new one is begun
  uint64_t log_number_ = 0;                            // as the MANIFEST says
  std::optional<uint64_t> restore_manifest_at_nanos_;  // it failed for want of resources
  std::vector<std::string> doubtful_files_;  // paths: a MANIFEST or CURRENT may name them or not
  std::unique_ptr<FlushJob> flush_job_;
  uint64_t flush_began_nanos_ = 0;
  size_t flush_memtables_max_ = 1 << 20;           // fewer after a flush that lacked resources
  bool flush_lacks_resources_ = false;             // the last one failed so
  std::atomic<uint64_t> flush_written_bytes_{0};   // to tables since open; the monitor reads it
  std::atomic<uint64_t> flush_retry_at_nanos_{0};  // a client that waits brings it forward
  uint64_t lull_looked_at_nanos_ = 0;
  uint64_t lull_client_bytes_ = 0;

  // What the directive says of sizes and of the hard limits; written by the monitor.
  std::atomic<uint64_t> ask_at_bytes_;    // the leader looks whether the memtable may grow
  std::atomic<uint64_t> memtable_bytes_;  // it is full
  std::atomic<uint64_t> table_bytes_;     // outputs of compactions are cut
  std::atomic<bool> absorb_{false};
  std::atomic<bool> offers_core_{false};
  std::atomic<uint64_t> flush_bytes_min_{0};
  std::atomic<int> immutables_max_{1 << 20};
  std::atomic<int> l0_stop_{1 << 20};

  Mutex options_mutex_;  // taken before any other
  SchedulingOptions scheduling_ LULL_GUARDED_BY(options_mutex_);

  mutable Mutex mutex_;
  CondVar changed_;  // an install, a seal, an error: all who wait look again
  MemTableRef active_ LULL_GUARDED_BY(mutex_);
  uint64_t active_wal_number_ LULL_GUARDED_BY(mutex_) = 0;
  std::deque<SealedMemTable> immutables_ LULL_GUARDED_BY(mutex_);  // oldest first
  uint64_t immutable_bytes_ LULL_GUARDED_BY(mutex_) = 0;
  std::atomic<int> unflushed_{0};  // = immutables_.size(); written under mutex_
  VersionRef version_ LULL_GUARDED_BY(mutex_);
  SequenceNumber flushed_sequence_ LULL_GUARDED_BY(mutex_) = 0;  // of the newest entry in version_
  LayoutOptions layout_ LULL_GUARDED_BY(mutex_);
  CompactPointers compact_pointers_ LULL_GUARDED_BY(mutex_);
  SnapshotList snapshots_ LULL_GUARDED_BY(mutex_);
  std::vector<RunningRange> running_ LULL_GUARDED_BY(mutex_);
  // Where a compaction could not read its input, in the order in which they came. Nobody works
  // there until then, so that the same table does not hold up the others again and again.
  struct UnreadableRange {
    RunningRange range;
    uint64_t until_nanos;  // UINT64_MAX: for good, a table is damaged
  };
  std::vector<UnreadableRange> unreadable_ LULL_GUARDED_BY(mutex_);
  // Grows with every change of what a plan is made from: version_, layout_ and the ranges. A search
  // that found nothing is not made again until it has grown. Index: Depth.
  uint64_t plan_basis_ LULL_GUARDED_BY(mutex_) = 1;
  std::array<uint64_t, 2> nothing_at_basis_ LULL_GUARDED_BY(mutex_){};
  uint64_t no_blockers_at_basis_ LULL_GUARDED_BY(mutex_) = 0;
  std::deque<std::unique_ptr<CompactionJob>> to_install_ LULL_GUARDED_BY(mutex_);
  std::list<ManualRequest*> manual_ LULL_GUARDED_BY(mutex_);
  std::optional<RunningRange> manual_awaits_
      LULL_GUARDED_BY(mutex_);  // in conflict: kept free for it
  std::array<LevelStats, kLevels> stats_ LULL_GUARDED_BY(mutex_){};
  LayoutStats layout_stats_ LULL_GUARDED_BY(mutex_);
  bool flushing_ LULL_GUARDED_BY(mutex_) = false;
  uint64_t seals_ LULL_GUARDED_BY(mutex_) = 0;    // memtables sealed so far
  uint64_t flushes_ LULL_GUARDED_BY(mutex_) = 0;  // of those, in tables
  uint64_t flush_bytes_per_sec_ LULL_GUARDED_BY(mutex_) = 0;
  int drains_ LULL_GUARDED_BY(mutex_) = 0;  // clients that wait for background work
  int waiting_writers_ LULL_GUARDED_BY(mutex_) = 0;
  bool closing_ LULL_GUARDED_BY(mutex_) = false;
  uint64_t compaction_retry_at_nanos_ LULL_GUARDED_BY(mutex_) = 0;
  leveldb::Status write_error_
      LULL_GUARDED_BY(mutex_);  // for good: the MANIFEST cannot be trusted any more
  leveldb::Status wal_error_
      LULL_GUARDED_BY(mutex_);  // until what memory holds is in tables, and a new WAL is begun
  leveldb::Status background_error_
      LULL_GUARDED_BY(mutex_);  // of the last try; OK again when one succeeds
  uint64_t background_errors_ LULL_GUARDED_BY(mutex_) = 0;  // so far
  leveldb::Status flush_error_ LULL_GUARDED_BY(mutex_);     // the same of flushes alone
  uint64_t flushes_failed_ LULL_GUARDED_BY(mutex_) = 0;
  leveldb::Status damage_ LULL_GUARDED_BY(mutex_);  // why the ranges of unreadable_ are

  Mutex obsolete_mutex_;
  Waste obsolete_ LULL_GUARDED_BY(obsolete_mutex_);
  // Nothing may be deleted: before the store is open, while it closes, and after a failed MANIFEST
  // write.
  std::atomic<bool> frozen_{true};
};

}  // namespace lull
