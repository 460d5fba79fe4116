// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store: an open database, as returned by leveldb::DB::Open. It creates and connects the parts
// below, and passes each call to the part that does the work. Clients call it as a leveldb::DB, the
// scheduler as a Tenant (tenant.h), its flush thread in RunFlushSlice. Each part is described in
// its own header:
//
//   write_path.h       client threads: a write, from the call to the memtable
//   store_reader.h     client threads: reads, without a lock of the store
//   client_waits.h     client threads: calls that wait for background work
//   range_remover.h    client threads and flush thread: removes ranges of keys
//   table_ingester.h   client threads and flush thread: adds entries of given tables
//   store_state.h      all threads: the state that the mutex guards, and its transitions
//   pressure_gauge.h   monitor: measures the store for its policy
//   compactions.h      monitor: begins compaction jobs; flush thread: installs them
//   flusher.h          flush thread: flushes memtables, prepares and releases WALs
//   version_set.h      flush thread: appends to the MANIFEST and replaces it
//   cache_loan.h       flush thread: lends unused memory to the block cache
//   obsolete_files.h   any thread: deletes files
//   preload.h          workers: opens tables after the store opens
//   store_reporter.h   any thread: properties, LOG, the stats file
//   applied_directive.h, published_flags.h   any thread: values read without the mutex
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "db/base/option_values.h"
#include "db/base/thread_roles.h"
#include "db/engine/cache_loan.h"
#include "db/engine/client_waits.h"
#include "db/engine/compactions.h"
#include "db/engine/flusher.h"
#include "db/engine/preload.h"
#include "db/engine/pressure_gauge.h"
#include "db/engine/range_remover.h"
#include "db/engine/store_reporter.h"
#include "db/engine/table_ingester.h"
#include "leveldb/db.h"
#include "scheduler/threads/coordinator.h"
#include "util/fork.h"

namespace lull {

/// Creates the policy with the given name; see MakePolicy.
using PolicyFactory =
    std::function<std::unique_ptr<Policy>(const std::string& name, const PolicyOptions& options)>;

struct CheckpointSource;  // db/recovery/checkpoint.h
struct BusyWrite;         // lull/write.h
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

  /// Finds the Store that `db` points to. Fails if `db` is not a Store, with an error that names
  /// `function`, or if a parent process opened it.
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

  // As the functions of lull/*.h with these names. REQUIRES: Of returned the store.
  leveldb::Status Flush() { return waits_.Flush(); }
  leveldb::Status WaitForIdle() { return waits_.WaitForIdle(); }
  /// CompactRange, which only logs the status. REQUIRES: as above.
  leveldb::Status Compact(const leveldb::Slice* begin, const leveldb::Slice* end);
  /// UINT64_MAX: never gives up. If it does, sets `*busy`.
  leveldb::Status TryWrite(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates,
                           uint64_t wait_micros_max, BusyWrite* busy);
  leveldb::Status DeleteRange(const KeyBounds& span);
  leveldb::Status DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted);
  leveldb::Status IngestTables(const std::vector<std::string>& paths) {
    return ingester_.Ingest(paths);
  }
  leveldb::Status SetOptions(const std::string& text) LULL_EXCLUDES(options_mutex_);
  leveldb::Status AddListener(std::shared_ptr<EventListener> listener);
  leveldb::Status RemoveListener(const EventListener* listener);
  leveldb::Status SetCompactionFilter(std::shared_ptr<const CompactionFilter> filter);
  /// Flushes, then returns the tables of one moment. No removal of a range runs meanwhile. The
  /// source keeps the tables' files from being deleted.
  leveldb::Status PinTables(CheckpointSource* source);
  const StoreContext& context() const { return *context_; }
  LayoutFigures GetLayoutFigures() { return reporter_.GetLayoutFigures(); }

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
  PolicyOptions Resolved(const OptionValues& scheduling) const;
  LayoutOptions LayoutFor(const PolicyOptions& options) const;
  void ApplyOptions(const OptionValues& scheduling, const PolicyOptions& resolved);

  // Tenant.
  bool MeasurePressure(Pressure* pressure) override;
  void ApplyDirective(const Directive& directive) override;
  void SetPolicyState(PolicyState state) override;
  bool BeginJob(JobClass job_class, JobId id) override;
  Job* StartJob(JobId id, CpuPriority cpu) override;
  void JobPaused(JobId id) override;
  void JobEnded(JobId id, const leveldb::Status& status) override;
  void AbandonJob(JobId id) override;
  std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) override;
  uint64_t ClientBytes() const override {
    return write_path_.client_bytes().load(std::memory_order_relaxed);
  }
  bool EndOtherJob(JobId id) LULL_EXCLUDES(state_.mutex());

  // Flush thread.
  std::optional<uint64_t> RunFlushSlice();
  std::optional<uint64_t> KeepManifest() LULL_REQUIRES(kFlushThread);
  std::optional<uint64_t> FlushMemory() LULL_REQUIRES(kFlushThread);

  const uint32_t opened_in_ = ForkGeneration();
  const std::unique_ptr<StoreContext> context_;
  const PolicyFactory make_policy_;
  const std::shared_ptr<Coordinator> coordinator_;
  leveldb::FileLock* lock_ = nullptr;
  bool registered_ = false;
  // Constant after the open.
  size_t opened_l0_tables_ = 0;
  size_t opened_memtables_ = 0;  // with writes of earlier sessions; 0: they fill no memtable

  Mutex options_mutex_;  // before all but those of RangeRemover and TableIngester
  OptionValues scheduling_ LULL_GUARDED_BY(options_mutex_);

  // Each part uses those above it.
  FlushThread flush_thread_;
  PublishedFlags flags_;
  Reporting reporting_;
  AppliedDirective applied_;
  DiskSpace disk_;
  ObsoleteFiles obsolete_;
  std::atomic<uint64_t> listed_bytes_{0};  // of tables that some Version lists
  StoreReader reader_;
  CacheLoan loan_;
  Preload preload_;
  StoreState state_;
  const EngineParts parts_;
  WritePath write_path_;
  VersionSet versions_;
  Flusher flusher_;
  Compactions compactions_;
  RangeRemover remover_;
  ClientWaits waits_;
  TableIngester ingester_;
  PressureGauge gauge_;
  StoreReporter reporter_;
};

}  // namespace lull
