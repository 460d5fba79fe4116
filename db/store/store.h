// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store: an open database, as returned by leveldb::DB::Open. It creates and connects the parts
// below. Clients call it as a leveldb::DB, the coordinator's threads as a Tenant (coordinator.h),
// its flush thread in RunFlushSlice. Each part is described in its own header:
//
//   write_path.h        client threads: a write, from the call to the memtable
//   store_reader.h      client threads: reads, without a lock of the store
//   cache_loan.h        flush thread: lends unused memory to the block cache
//   store_state.h       all threads: the state that the mutex guards
//   compactions.h       monitor: creates compaction jobs; flush thread: installs them
//   flusher.h           flush thread: flushes memtables, prepares and releases WALs
//   version_set.h   flush thread: appends to the MANIFEST and replaces it
//   obsolete_files.h    any thread: deletes files
//   preload.h           workers: opens tables after the store opens
//   applied_directive.h, published_flags.h   any thread: values read without the mutex
//
// The functions are in store.cc, except for opening and closing (store_open.cc), clients that wait
// for background work (store_wait.cc), and reports (store_report.cc, store_space.cc).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/base/option_values.h"
#include "db/engine/cache_loan.h"
#include "db/engine/compactions.h"
#include "db/engine/flusher.h"
#include "db/engine/preload.h"
#include "db/report/pin_watch.h"
#include "db/report/stats_file.h"
#include "db/report/stats_report.h"
#include "leveldb/db.h"
#include "scheduler/threads/coordinator.h"
#include "util/fork.h"

namespace lull {

/// Creates the policy with the given name; see MakePolicy.
using PolicyFactory =
    std::function<std::unique_ptr<Policy>(const std::string& name, const PolicyOptions& options)>;

/// How long clients have not written. Monitor.
class WriteRest {
 public:
  void Observe(uint64_t now_nanos, uint64_t client_bytes, bool write_under_way) {
    if (std::exchange(client_bytes_, client_bytes) != client_bytes || write_under_way)
      written_at_nanos_ = now_nanos;
    nanos_ = now_nanos - written_at_nanos_;
  }
  uint64_t nanos() const { return nanos_; }

 private:
  uint64_t nanos_ = 0;
  uint64_t client_bytes_ = 0;
  uint64_t written_at_nanos_ = 0;
};

struct CheckpointSource;  // db/recovery/checkpoint.h
struct DeletedFiles;      // lull/lull.h

class Store final : public leveldb::DB, private Tenant {
 public:
  /// See leveldb::DB::Open. Tests pass their own policies (`make_policy`), limits and delays
  /// (`pace`).
  static leveldb::Status Open(const leveldb::Options& options, const OptionValues& scheduling,
                              const std::string& name, leveldb::DB** result,
                              PolicyFactory make_policy = MakePolicy, const StorePace& pace = {});
  ~Store() override;
  /// Destroys the store, except in a forked child, where it leaks the parent's store.
  static void operator delete(Store* store, std::destroying_delete_t);
  /// The counterpart, for compilers that miss one.
  static void* operator new(std::size_t bytes, std::align_val_t alignment);

  /// Finds the Store that `db` points to. If `db` is not a Store, sets `*store` to null and returns
  /// an error that names `function`.
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

  // As the functions of lull/*.h with these names.
  leveldb::Status Flush();
  leveldb::Status WaitForIdle();
  leveldb::Status DeleteRange(const KeyBounds& span) LULL_EXCLUDES(removal_mutex_);
  leveldb::Status DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted)
      LULL_EXCLUDES(removal_mutex_);
  leveldb::Status SetOptions(const std::string& text) LULL_EXCLUDES(options_mutex_);
  leveldb::Status AddListener(std::shared_ptr<EventListener> listener);
  leveldb::Status RemoveListener(const EventListener* listener);
  leveldb::Status SetCompactionFilter(std::shared_ptr<const CompactionFilter> filter);
  /// Flushes, then calls `use` with the tables of that moment; no removal of a range runs
  /// meanwhile. A copy of the source keeps the tables' files from being deleted.
  using UseTables = std::function<leveldb::Status(const StoreContext&, const CheckpointSource&)>;
  leveldb::Status PinTables(const UseTables& use) LULL_EXCLUDES(removal_mutex_);
  /// I/O costs of the layout since the open, for the property lull.layout.
  LayoutFigures GetLayoutFigures();

 private:
  Store(std::unique_ptr<StoreContext> context, const OptionValues& scheduling,
        PolicyFactory make_policy, std::shared_ptr<Coordinator> coordinator);

  /// Whether a parent process opened the store. This process then has none of its threads, and its
  /// locks might never be released. Only reads work, since they take no lock of the store.
  bool IsInherited() const { return opened_in_ != ForkGeneration(); }
  leveldb::Status InheritedError() const;
  leveldb::Status OpenFiles(Recovered* recovered);
  void BeginDeleting(const Recovered& recovered);
  TableRef MakeTable(const TableMeta& table);
  void TableIsUnlisted(const TableFile& file);
  void SaveAckedWrites();
  void ShortenL0() LULL_EXCLUDES(state_.mutex);

  CacheLoan::Share MemoryShare() const;
  bool MeasurePressure(Pressure* pressure) override;
  bool MayRestLocked(const Pressure& pressure) LULL_REQUIRES(state_.mutex);
  bool Rests(bool may_rest);
  void PassOnShare();
  bool ObeySpaceBoundLocked(uint64_t table_bytes, Pressure* pressure) LULL_REQUIRES(state_.mutex);
  void ApplyDirective(const Directive& directive) override;
  void SetPolicyState(PolicyState state) override;
  std::unique_ptr<Job> NextJob(JobClass job_class) override;
  bool WantsSealLocked() LULL_REQUIRES(state_.mutex);
  void JobStarted(const Job& job, CpuPriority cpu) override;
  void JobPaused(const Job& job) override;
  void JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) override;
  void AbandonJob(std::unique_ptr<Job> job) override;
  std::vector<const Job*> BlockersOfL0(const std::vector<const Job*>& jobs) override;
  std::optional<uint64_t> RunFlushSlice();
  const std::atomic<uint64_t>& ClientBytes() const override { return write_path_.client_bytes(); }
  std::optional<uint64_t> RestoreManifest();

  /// Blocks until `over()`, called under the mutex, returns true; background work runs meanwhile.
  template <class Over>
  void DrainLocked(Over over) LULL_REQUIRES(state_.mutex);
  template <class Over>
  void AwaitDeletionsLocked(Over over) LULL_REQUIRES(state_.mutex);
  /// Runs a ManualRequest.
  leveldb::Status CompactLevel(int level, const UserRange& range, uint64_t rewrite_pass);
  leveldb::Status WithholdRange(const KeyBounds& span, RangeRemoval* removal)
      LULL_EXCLUDES(state_.mutex);
  void EndWithholding() LULL_EXCLUDES(state_.mutex);
  leveldb::Status RemoveTables(RangeRemoval removal) LULL_EXCLUDES(state_.mutex);
  leveldb::Status DeleteWhatStays(const KeyBounds& span, const VersionEdit& removal)
      LULL_EXCLUDES(state_.mutex);

  MemoryReport MeasureMemory();
  StoreReport MakeReport() LULL_EXCLUDES(options_mutex_);
  SpaceReport MeasureSpace() LULL_EXCLUDES(state_.mutex);
  SpaceReport::Pins PinsOfReaders(const std::vector<OldVersions::Old>& old,
                                  const Version& current) const;
  SpaceReport::Pins PinsOfSnapshotsLocked() const LULL_REQUIRES(state_.mutex);
  std::optional<uint64_t> WatchPins() LULL_EXCLUDES(state_.mutex);
  leveldb::Status BeginReporting(const OptionValues& scheduling, const Recovered& recovered);
  void EndReporting();
  void StartStatsFile(const std::string& option);
  std::string OptionsText() LULL_EXCLUDES(options_mutex_);
  PolicyOptions Resolved(const OptionValues& scheduling) const;
  LayoutOptions LayoutFor(const PolicyOptions& options) const;
  void SetSpaceOptions(const OptionValues& scheduling) LULL_EXCLUDES(state_.mutex);

  const uint32_t opened_in_ = ForkGeneration();
  const std::unique_ptr<StoreContext> context_;
  const PolicyFactory make_policy_;
  const std::shared_ptr<Coordinator> coordinator_;
  leveldb::FileLock* lock_ = nullptr;
  bool registered_ = false;
  SequenceNumber opened_sequence_ = 0;  // constant after the open
  size_t opened_l0_tables_ = 0;         // constant after the open

  /// Held by calls that remove ranges or copy the store. Before all other mutexes.
  Mutex removal_mutex_;
  Mutex options_mutex_;  // before all but removal_mutex_
  OptionValues scheduling_ LULL_GUARDED_BY(options_mutex_);

  // Each part uses those above it.
  FlushThread flush_thread_;
  PublishedFlags flags_;
  Reporting reporting_;
  AppliedDirective applied_;
  DiskRoom room_;
  ObsoleteFiles obsolete_;
  std::atomic<uint64_t> listed_bytes_{0};  // of tables that some Version lists
  StoreReader reader_;
  CacheLoan loan_;
  Preload preload_;
  StoreState state_;
  WritePath write_path_;
  VersionSet versions_;
  Flusher flusher_;
  Compactions compactions_;
  WriteRest rest_;
  uint64_t rest_told_at_nanos_ = 0;      // monitor only; see Rests
  CacheLoan::Share share_;               // monitor only: the flush thread was woken for it
  uint64_t share_passed_at_nanos_ = 0;   // monitor only
  std::atomic<bool> wants_seal_{false};  // the monitor asks the flush thread
  PinWatch pin_watch_;
  std::unique_ptr<StatsFile> stats_file_;  // null without the option
};

}  // namespace lull
