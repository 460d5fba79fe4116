// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/store/store.h"

#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "db/base/layout_options.h"
#include "db/base/scheduling_options.h"
#include "db/base/store_mark.h"
#include "db/recovery/checkpoint.h"
#include "db/recovery/lost_files.h"
#include "db/report/info_log.h"
#include "lull/lull.h"
#include "util/clock.h"
#include "util/logging.h"
#include "util/registry.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr uint64_t kCollectNanos = 20'000'000;

using Stores = Registry<leveldb::DB, Store>;

leveldb::Status FindCoordinator(const OptionValues& scheduling, const PolicyOptions& policy,
                                uint64_t memtable_bytes, Clock* own_clock,
                                std::shared_ptr<Coordinator>* result) {
  CoordinatorOptions options;
  options.compaction_threads = policy.compaction_threads;
  options.memory_budget_bytes =
      std::max<uint64_t>(scheduling.memory_budget_bytes, 2 * memtable_bytes);
  if (!scheduling.own_coordinator) return Coordinator::Shared(options, result);
  options.clock = own_clock;
  *result = std::make_shared<Coordinator>(options);
  return (*result)->StartThreads();
}

void OpenInfoLog(StoreContext* context) {
  if (context->options.info_log != nullptr) return;
  leveldb::Env* const env = context->env();
  const std::string path = InfoLogFileName(context->name);
  if (env->FileExists(path)) env->RenameFile(path, OldInfoLogFileName(context->name));
  leveldb::Logger* logger = nullptr;
  if (!env->NewLogger(path, &logger).ok()) return;  // a store works without a LOG
  context->own_logger.reset(logger);
  context->options.info_log = logger;
}

leveldb::Status CreateOrCheck(StoreContext* context) {
  bool exists = false;
  leveldb::Status status = FindStore(*context, &exists);
  if (status.ok() && exists && context->options.error_if_exists)
    return leveldb::Status::InvalidArgument(context->name, "exists (error_if_exists is true)");
  if (!status.ok() || exists) return status;
  status = RemoveStoreFiles(context->env(), context->name);  // of a destroyed one
  return status.ok() ? CreateStore(context) : status;
}

/// Of two times until a chore is due; nullopt: it is not.
std::optional<uint64_t> Sooner(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

// ---- opening and closing ----

Store::Store(std::unique_ptr<StoreContext> context, const OptionValues& scheduling,
             PolicyFactory make_policy, std::shared_ptr<Coordinator> coordinator)
    : context_(std::move(context)),
      make_policy_(std::move(make_policy)),
      coordinator_(std::move(coordinator)),
      scheduling_(scheduling),
      reporting_(coordinator_->clock()),
      applied_({context_->options.write_buffer_size, context_->layout.table_bytes_max}),
      disk_(context_.get()),
      obsolete_(context_.get(), &flags_, [this] { coordinator_->WakeMonitor(); }),
      reader_(context_.get(), [this] { flush_thread_.Wake(); }),
      loan_(context_->own_cache.get(), kOwnCacheBytes),
      preload_(context_.get(), reader_.tables(),
               [this](TableFile* table, const TableContents& contents) {
                 state_.SetContents(table, contents);
               }),
      state_(context_.get(), coordinator_.get(), &flags_, LayoutFor(Resolved(scheduling)), &reader_,
             &reporting_.activity()),
      parts_{.context = context_.get(),
             .coordinator = coordinator_.get(),
             .state = &state_,
             .reader = &reader_,
             .flags = &flags_,
             .applied = &applied_,
             .disk = &disk_,
             .obsolete = &obsolete_,
             .reporting = &reporting_},
      write_path_(parts_),
      versions_(context_.get(), &state_, &flags_, &obsolete_, &reader_,
                [this](const TableMeta& table) { return MakeTable(table); }),
      flusher_(parts_, &write_path_, &versions_),
      compactions_(parts_, &versions_),
      remover_(parts_, &write_path_, &versions_),
      waits_(parts_, &write_path_),
      ingester_(parts_, &write_path_, &versions_, &waits_, &remover_),
      gauge_(parts_, {.writes = &write_path_,
                      .versions = &versions_,
                      .flusher = &flusher_,
                      .ingester = &ingester_,
                      .preload = &preload_,
                      .listed_bytes = &listed_bytes_}),
      reporter_(parts_, &write_path_, &compactions_) {
  context_->flush_thread = &flush_thread_;
  Stores::Get().Add(this, this);
  Readables::Get().Add(this, &reader_);
}

leveldb::Status Store::Of(leveldb::DB* db, const char* function, Store** store) {
  *store = Stores::Get().Find(db);
  if (*store == nullptr) {
    return leveldb::Status::InvalidArgument(
        function, "the DB is not one that leveldb::DB::Open or lull::Open of Lull returned");
  }
  return (*store)->IsInherited() ? (*store)->InheritedError() : leveldb::Status::OK();
}

leveldb::Status Store::Open(const leveldb::Options& options, const OptionValues& scheduling,
                            const std::string& name, leveldb::DB** result,
                            PolicyFactory make_policy, const StorePace& pace) {
  if (result == nullptr)
    return leveldb::Status::InvalidArgument("Open: the result pointer is null");
  *result = nullptr;
  leveldb::Options checked = options;
  leveldb::Status status = CheckStoreOptions(&checked, name);
  if (status.ok()) status = ValidateOptions(scheduling);
  if (!status.ok()) return status;
  if (scheduling.memtable_bytes != 0) checked.write_buffer_size = scheduling.memtable_bytes;

  auto context = std::make_unique<StoreContext>(checked);
  context->name = name;
  context->extension = ExtensionOf(checked.env);
  context->pace = pace;
  if (checked.block_cache == nullptr) {
    context->own_cache = NewResizableCache(kOwnCacheBytes);
    context->options.block_cache = context->own_cache.get();
  }
  const uint64_t table_bytes = TableBytesMax(scheduling, checked.max_file_size);
  const PolicyOptions policy =
      ResolvePolicyOptions(scheduling, checked.write_buffer_size, table_bytes, CoreCount());
  context->layout = ResolveLayoutOptions(scheduling, policy, checked.max_file_size);
  std::shared_ptr<Coordinator> coordinator;
  status = FindCoordinator(scheduling, policy, checked.write_buffer_size, pace.clock, &coordinator);
  if (!status.ok()) return status;
  std::unique_ptr<Store> store(
      new Store(std::move(context), scheduling, std::move(make_policy), std::move(coordinator)));
  store->ApplyOptions(scheduling, policy);
  Recovered recovered;
  status = store->OpenFiles(&recovered);
  if (status.ok()) status = store->reporter_.Begin(scheduling, recovered);
  if (status.ok())
    status = store->flush_thread_.Start([raw = store.get()] { return raw->RunFlushSlice(); });
  if (!status.ok()) return status;
  store->coordinator_->Register(
      store.get(), store->make_policy_(scheduling.policy, store->Resolved(scheduling)));
  store->registered_ = true;
  if (!scheduling.stats_file.empty()) store->reporter_.StartStatsFile(scheduling.stats_file);
  *result = store.release();
  return status;
}

leveldb::Status Store::OpenFiles(Recovered* recovered) {
  const RoleScope leads(kLeadingWriter);
  const RoleScope flushes(kFlushThread);
  WalSet& wal = write_path_.wal();
  if (context_->options.create_if_missing) context_->env()->CreateDir(context_->name);
  // If there is no directory, the next steps report it.
  leveldb::Status status = context_->StayInDirectory();
  if (!status.ok() && !status.IsNotFound()) return status;
  leveldb::Env* const env = context_->env();
  if (!context_->options.create_if_missing) {  // no LOCK may appear where there is no store
    bool exists = false;
    status = FindStore(*context_, &exists);
    if (!status.ok()) return status;
    if (!exists) {
      return leveldb::Status::InvalidArgument(context_->name,
                                              "does not exist (create_if_missing is false)");
    }
  }
  status = env->LockFile(LockFileName(context_->name), &lock_);
  if (!status.ok()) return status;
  OpenInfoLog(context_.get());
  LogBuild(context_->logger());
  status = CreateOrCheck(context_.get());
  if (status.ok()) {
    status = Recover(
        context_.get(), [this](const TableMeta& table) { return MakeTable(table); },
        [this](Recovered* so_far, uint64_t log_number) {
          return versions_.CommitRecoveredLogs(so_far, log_number);
        },
        coordinator_->memory_left_bytes(), recovered);
  }
  if (status.ok()) {
    reader_.PublishSequence(recovered->last_sequence);
    disk_.Sample(coordinator_->clock()->NowNanos(), 0, context_->options.write_buffer_size);
    wal.SetDiskLow(disk_.is_low());
    status = wal.Switch(recovered->last_in_wals + 1);
  }
  if (status.ok()) wal.Adopt(recovered->wals);
  // Keep unreadable files in lost/, before the new MANIFEST no longer needs them.
  if (status.ok()) status = KeepUnderLost(*context_, recovered->lost, recovered->last_sequence);
  if (status.ok()) status = versions_.Start(recovered, wal.current_number());
  if (!status.ok() && !recovered->new_tables_are_listed) {
    // Otherwise each failed attempt to open the store would leave more files on the disk.
    for (const TableMeta& table : recovered->new_tables)
      env->RemoveFile(TableFileName(context_->name, table.number));
  }
  if (!status.ok()) return status;
  const FileTotals lost = LostTotals(env, context_->name);
  if (lost.count > 0) {
    Log(context_->logger(), "lost/ has %llu files with %llu bytes, kept by an open or a repair",
        static_cast<unsigned long long>(lost.count), static_cast<unsigned long long>(lost.bytes));
  }
  BeginDeleting(*recovered);
  write_path_.Begin(std::move(recovered->memtables), recovered->last_in_wals);
  MutexLock lock(state_.mutex());
  opened_l0_tables_ = state_.version()->level(0).size();
  if (state_.memtables().immutable_bytes() >= context_->options.write_buffer_size)
    opened_memtables_ = state_.memtables().immutable_count();
  preload_.Begin(*state_.version());
  return status;
}

/// Call after the new MANIFEST is durable.
void Store::BeginDeleting(const Recovered& recovered) {
  std::vector<std::string> paths;
  for (const auto* files : {&recovered.lost, &recovered.obsolete}) {
    for (const std::string& file : *files) paths.push_back(context_->name + "/" + file);
  }
  state_.Opened();
  obsolete_.Add(paths);
}

TableRef Store::MakeTable(const TableMeta& table) {
  listed_bytes_.fetch_add(table.file_bytes, std::memory_order_relaxed);
  return std::make_shared<TableFile>(table,
                                     [this](const TableFile& file) { TableIsUnlisted(file); });
}

void Store::TableIsUnlisted(const TableFile& file) {
  if (IsInherited()) return;  // a forked child destroys an iterator
  reader_.tables()->Forget(file);
  if (flags_.is_open.load(std::memory_order_acquire))
    obsolete_.Add(TableFileName(context_->name, file.number()), file.file_bytes());
  listed_bytes_.fetch_sub(file.file_bytes(), std::memory_order_relaxed);
}

/// A forked child does not destroy its parent's store. Closing files would truncate and delete the
/// parent's, and joining its threads would never end.
[[gnu::noinline]] void Store::operator delete(Store* store, std::destroying_delete_t) {
  if (store->IsInherited()) return;
  store->~Store();
  static_assert(alignof(Store) > __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                "otherwise call it without an alignment");
  ::operator delete (static_cast<void*>(store), std::align_val_t{alignof(Store)});
}

[[gnu::noinline]] void* Store::operator new(std::size_t bytes, std::align_val_t alignment) {
  return ::operator new(bytes, alignment);
}

Store::~Store() {
  reporter_.StopStatsFile();
  if (registered_) {
    waits_.SaveAckedWrites();
    waits_.FlushRecovered(opened_memtables_);
    waits_.ShortenL0(opened_l0_tables_, scheduling_.background_bytes_per_sec > 0);
  }
  state_.StopCompactions();
  flush_thread_.StopSlices();
  if (registered_) coordinator_->Unregister(this);
  flush_thread_.Join();
  reporter_.End(registered_);
  // No other thread runs here. Jobs that were not installed delete their outputs.
  flusher_.Close();
  state_.DropJobs();
  Readables::Get().Remove(this);
  obsolete_.DestroyJobs();
  // Old views release the tables that only they listed.
  while (reader_.Collect()) {
  }
  obsolete_.DeleteAll();
  state_.Close(write_path_.counted_bytes());
  reader_.Close();
  write_path_.wal().Close();
  versions_.Close();
  // Unlock last: the next process to open the store must find every file closed.
  if (lock_ != nullptr) context_->env()->UnlockFile(lock_);
  Stores::Get().Remove(this);  // not before End: a listener can remove itself until then
}

// ---- clients ----

leveldb::Status Store::Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                           const leveldb::Slice& value) {
  return leveldb::DB::Put(options, key, value);
}

leveldb::Status Store::Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) {
  return leveldb::DB::Delete(options, key);
}

leveldb::Status Store::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) {
  return TryWrite(options, updates, UINT64_MAX, nullptr);
}

leveldb::Status Store::TryWrite(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates,
                                uint64_t wait_micros_max, BusyWrite* busy) {
  if (updates == nullptr) return leveldb::Status::InvalidArgument("Write: updates is null");
  if (IsInherited()) return InheritedError();
  return write_path_.Write(options, updates, wait_micros_max, busy);
}

leveldb::Status Store::Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                           std::string* value) {
  const LatencyTimer timer(reporting_.LatencyOf(&Reporting::Latencies::get), coordinator_->clock());
  return reader_.Get(options, key, value);
}

leveldb::Iterator* Store::NewIterator(const leveldb::ReadOptions& options) {
  return reader_.NewIterator(options, {}).release();
}

const leveldb::Snapshot* Store::GetSnapshot() {
  if (IsInherited()) return nullptr;  // reads without a snapshot see the same, since no write works
  return state_.AddSnapshot();
}

void Store::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
  if (snapshot == nullptr || IsInherited()) return;
  state_.ReleaseSnapshot(static_cast<const StoreSnapshot*>(snapshot));
}

void Store::GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) {
  for (int i = 0; i < count; ++i) sizes[i] = reader_.ApproximateBytes(ranges[i]);
}

leveldb::Status Store::InheritedError() const {
  return leveldb::Status::NotSupported(
      context_->name, "was opened before fork; in the child, close the store and open it again");
}

bool Store::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  if (IsInherited()) return false;
  if (property != leveldb::Slice("lull.options")) return reporter_.GetProperty(property, value);
  MutexLock lock(options_mutex_);
  *value = ToOptionString(scheduling_);
  return true;
}

void Store::CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) {
  if (!IsInherited()) Compact(begin, end);
}

leveldb::Status Store::Compact(const leveldb::Slice* begin, const leveldb::Slice* end) {
  UserRange range;
  if (begin != nullptr) range.smallest = begin->ToString();
  if (end != nullptr) range.largest = end->ToString();
  leveldb::Status status = waits_.CompactRange(range);
  if (!status.ok())
    Log(context_->logger(), "CompactRange ends early: %s", status.ToString().c_str());
  return status;
}

leveldb::Status Store::DeleteRange(const KeyBounds& span) {
  return span.IsEmpty(context_->order) ? leveldb::Status::OK() : remover_.DeleteRange(span);
}

leveldb::Status Store::DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted) {
  if (span.IsEmpty(context_->order)) return leveldb::Status::OK();
  return remover_.DeleteFilesInRange(span, deleted);
}

/// Flushes memory first, so that a checkpoint or a backup consists of the tables of one Version.
/// Copying WALs instead would save one small table. But it would have to find the end of a WAL in
/// use, select the WALs that are needed, and handle Envs where the last bytes are not yet readable.
/// Nor could a flush and the tables be from before and after a removal of tables that depends on
/// deletions in memory, so no removal runs meanwhile.
leveldb::Status Store::PinTables(CheckpointSource* source) {
  MutexLock removal_lock(remover_.mutex());
  const leveldb::Status status = Flush();
  if (!status.ok()) return status;
  MutexLock lock(state_.mutex());
  source->version = state_.version();
  source->compact_pointers = state_.compactions().pointers();
  source->last_sequence = state_.flushed_sequence();
  return status;
}

leveldb::Status Store::AddListener(std::shared_ptr<EventListener> listener) {
  return reporting_.activity().AddListener(std::move(listener));
}

leveldb::Status Store::RemoveListener(const EventListener* listener) {
  if (reporting_.events().Remove(listener)) return leveldb::Status::OK();
  return leveldb::Status::NotFound(context_->name, "has no such listener");
}

// ---- scheduling options ----

PolicyOptions Store::Resolved(const OptionValues& scheduling) const {
  PolicyOptions resolved = OptionsOf(
      scheduling.policy, ResolvePolicyOptions(scheduling, context_->options.write_buffer_size,
                                              context_->layout.table_bytes_max, CoreCount()));
  resolved.compaction_threads = coordinator_->compaction_threads();  // as the first store says
  return resolved;
}

LayoutOptions Store::LayoutFor(const PolicyOptions& options) const {
  LayoutOptions layout = context_->layout;
  layout.Follow(options);
  return layout;
}

/// The new options text takes effect at once. The policy and the picker's layout change between two
/// rounds of the monitor. If no option of the policy changes, the policy object and its state are
/// kept.
leveldb::Status Store::SetOptions(const std::string& text) {
  MutexLock options_lock(options_mutex_);
  OptionValues changed = scheduling_;
  leveldb::Status status = ParseLive(text, &changed);
  if (!status.ok()) return status;
  const PolicyOptions resolved = Resolved(changed);
  if (changed.policy != scheduling_.policy || resolved != Resolved(scheduling_)) {
    std::unique_ptr<Policy> policy = make_policy_(changed.policy, resolved);
    coordinator_->SetPolicy(this, std::move(policy), [this, layout = LayoutFor(resolved)] {
      MutexLock lock(state_.mutex());
      state_.compactions().SetLayout(layout);
    });
  }
  scheduling_ = std::move(changed);
  ApplyOptions(scheduling_, resolved);
  coordinator_->WakeMonitor();
  reporting_.activity().SetOptions(scheduling_.policy, ToOptionString(scheduling_));
  return status;
}

/// Those that concern neither the policy nor the layout.
void Store::ApplyOptions(const OptionValues& scheduling, const PolicyOptions& resolved) {
  state_.SetSpaceOptions(static_cast<uint64_t>(scheduling.space_percent_max),
                         scheduling.delete_persist_seconds);
  reporter_.SetDebtBytesMax(resolved.debt_bytes_max);
}

leveldb::Status Store::SetCompactionFilter(std::shared_ptr<const CompactionFilter> filter) {
  FilterRef named;
  if (filter != nullptr) {
    const char* const name = filter->Name();
    named = std::make_shared<NamedFilter>(NamedFilter{filter, name == nullptr ? "" : name});
  }
  Log(context_->logger(), "Compactions that begin from now on use %s%s",
      named == nullptr ? "no filter" : "the filter ", named == nullptr ? "" : named->name.c_str());
  state_.SetFilter(std::move(named));
  return leveldb::Status::OK();
}

// ---- the scheduler ----

bool Store::MeasurePressure(Pressure* pressure) { return gauge_.Measure(pressure); }

void Store::ApplyDirective(const Directive& directive) {
  reporting_.activity().SetDirective(directive);
  write_path_.admission().Apply(directive);
  const bool flushes_sooner = applied_.Apply(directive, coordinator_->memory_budget_bytes());
  write_path_.wal().SetCapacity(applied_.memtable_bytes());
  // Memory of other stores counts too, and their seals do not wake this store's flush thread.
  const bool lacks_memory =
      coordinator_->memory_used_bytes() >= coordinator_->memory_budget_bytes() / 2 &&
      flags_.immutables.load(std::memory_order_relaxed) > 0;
  if (flushes_sooner || lacks_memory) flush_thread_.Wake();
}

void Store::SetPolicyState(PolicyState state) {
  reporting_.activity().SetPolicyState(std::move(state));
}

bool Store::BeginJob(JobClass job_class, JobId id) {
  std::unique_ptr<Job> job;
  if (job_class == JobClass::kCleanup) {
    job = obsolete_.TakeJob();
  } else if (job_class == JobClass::kPreload) {
    job = preload_.TakeJob();
  } else {
    return compactions_.BeginJob(job_class, id);
  }
  if (job == nullptr) return false;
  MutexLock lock(state_.mutex());
  state_.compactions().jobs().Add(id, std::move(job));
  return true;
}

Job* Store::StartJob(JobId id, CpuPriority cpu) {
  MutexLock lock(state_.mutex());
  const JobTable::Entry& entry = state_.compactions().jobs().at(id);
  if (entry.part != nullptr) reporting_.activity().JobStarted(*entry.part, cpu);
  return entry.job;
}

void Store::JobPaused(JobId id) {
  MutexLock lock(state_.mutex());
  if (const MergeJob* const part = state_.compactions().jobs().at(id).part)
    reporting_.activity().JobPaused(*part);
}

void Store::JobEnded(JobId id, const leveldb::Status& status) {
  if (!EndOtherJob(id)) compactions_.JobEnded(id, status);
}

void Store::AbandonJob(JobId id) {
  if (!EndOtherJob(id)) compactions_.AbandonJob(id);
}

/// Returns false if the job is a part of a compaction.
bool Store::EndOtherJob(JobId id) {
  JobTable::Entry ended;  // destroyed without the mutex
  MutexLock lock(state_.mutex());
  if (state_.compactions().jobs().at(id).part != nullptr) return false;
  ended = state_.compactions().jobs().End(id);
  state_.NotifyLocked();  // files were deleted
  return true;
}

std::vector<JobId> Store::BlockersOfL0(const std::vector<JobId>& deep) {
  return compactions_.BlockersOfL0(deep);
}

// ---- the flush thread ----

/// A slice does each chore once. Each says when it is due next: the nanoseconds until then, or
/// nullopt if only a wake-up can make it due. Installs come first, since they free what others wait
/// for.
std::optional<uint64_t> Store::RunFlushSlice() {
  const RoleScope runs(kFlushThread);
  versions_.FreezeIfReplaced(lock_, coordinator_->clock()->NowNanos());
  state_.RunClientWork();
  const std::optional<uint64_t> due[] = {
      compactions_.InstallOne(),
      KeepManifest(),
      FlushMemory(),
      reader_.FilterMemTables(),
      reader_.Collect() ? std::optional(kCollectNanos) : std::nullopt,
      loan_.Adapt(coordinator_->clock()->NowNanos(), gauge_.MemoryShare()),
      flusher_.TrimInLull(),
      reporter_.WatchPins(),
  };
  std::optional<uint64_t> soonest;
  for (const std::optional<uint64_t>& nanos : due) soonest = Sooner(soonest, nanos);
  return soonest;
}

/// Begins a new MANIFEST if the old one has become long or has failed.
std::optional<uint64_t> Store::KeepManifest() {
  versions_.RollIfLong();
  const std::optional<uint64_t> at_nanos = versions_.restore_at_nanos();
  if (!at_nanos) return std::nullopt;
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (now < *at_nanos) return *at_nanos - now;
  write_path_.wal().DiscardPrepared(0);  // the new MANIFEST needs their space
  const std::optional<uint64_t> retry_at = versions_.Restore(now);
  return retry_at ? *retry_at - now : 0;
}

std::optional<uint64_t> Store::FlushMemory() {
  std::optional<uint64_t> logs;
  std::optional<uint64_t> flush;
  if (flags_.may_install.load(std::memory_order_acquire)) {
    logs = flusher_.MaintainWals();
    flush = flusher_.Advance();
  }
  // If it fails or the store has no room, the monitor asks again.
  if (gauge_.TakeSealRequest()) write_path_.SealInRest();
  return Sooner(logs, flush);
}

}  // namespace lull
