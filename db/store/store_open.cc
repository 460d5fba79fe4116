// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening and closing a store.
#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "db/base/layout_options.h"
#include "db/base/scheduling_options.h"
#include "db/base/store_mark.h"
#include "db/recovery/lost_files.h"
#include "db/store/store.h"
#include "util/clock.h"
#include "util/logging.h"
#include "util/registry.h"
#include "util/thread.h"

namespace lull {
namespace {

using Stores = Registry<leveldb::DB, Store>;

/// Refuses invalid options, and clamps sizes to LevelDB's bounds.
leveldb::Status CheckStoreOptions(leveldb::Options* options, const std::string& name) {
  const auto refuse = [&](const char* what) {
    return leveldb::Status::InvalidArgument(name, what);
  };
  if (name.empty()) return leveldb::Status::InvalidArgument("the store's name is empty");
  if (options->env == nullptr) return refuse("Options::env is null");
  if (options->comparator == nullptr) return refuse("Options::comparator is null");
  if (options->block_restart_interval < 1)
    return refuse("Options::block_restart_interval is less than 1");
  const int compression = static_cast<int>(options->compression);
  if (compression < leveldb::kNoCompression || compression > leveldb::kZstdCompression) {
    return refuse("Options::compression is not none, snappy or zstd");
  }
  options->max_open_files = std::clamp(options->max_open_files, 64 + 10, 50000);
  options->write_buffer_size = std::clamp<size_t>(options->write_buffer_size, 64 << 10, 1 << 30);
  options->max_file_size = std::clamp<size_t>(options->max_file_size, 1 << 20, 1 << 30);
  options->block_size = std::clamp<size_t>(options->block_size, 1 << 10, 4 << 20);
  return leveldb::Status::OK();
}

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

/// Also true for a directory that a checkpoint or restore has marked: it is no new store.
bool Exists(const StoreContext& context) {
  return context.env()->FileExists(CurrentFileName(context.name)) &&
         ReadMark(context.env(), context.name) != StoreMark::kDestroyed;
}

leveldb::Status CreateOrCheck(StoreContext* context) {
  if (Exists(*context)) {
    if (!context->options.error_if_exists) return leveldb::Status::OK();
    return leveldb::Status::InvalidArgument(context->name, "exists (error_if_exists is true)");
  }
  leveldb::Status status = CheckFolderIsNew(*context);
  if (status.ok()) status = RemoveStoreFiles(context->env(), context->name);  // of a destroyed one
  return status.ok() ? CreateStore(context) : status;
}

}  // namespace

Store::Store(std::unique_ptr<StoreContext> context, const OptionValues& scheduling,
             PolicyFactory make_policy, std::shared_ptr<Coordinator> coordinator)
    : context_(std::move(context)),
      make_policy_(std::move(make_policy)),
      coordinator_(std::move(coordinator)),
      scheduling_(scheduling),
      reporting_(coordinator_->clock()),
      applied_({context_->options.write_buffer_size, context_->layout.table_bytes_max}),
      room_(context_.get()),
      obsolete_(context_.get(), &flags_, [this] { coordinator_->WakeMonitor(); }),
      reader_(context_.get(), [this] { flush_thread_.Wake(); }),
      loan_(context_->own_cache.get(), kOwnCacheBytes),
      preload_(context_.get(), reader_.tables(),
               [this](TableFile* file, const TableContents& contents) {
                 MutexLock lock(state_.mutex);
                 file->contents = contents;
                 state_.compaction_state.VersionChanged();
               }),
      state_(context_.get(), &flags_, LayoutFor(Resolved(scheduling)), &reader_,
             &reporting_.activity()),
      write_path_({.context = context_.get(),
                   .coordinator = coordinator_.get(),
                   .state = &state_,
                   .reader = &reader_,
                   .flags = &flags_,
                   .applied = &applied_,
                   .room = &room_,
                   .reporting = &reporting_}),
      versions_(context_.get(), &state_, &flags_, &obsolete_,
                [this](const TableMeta& table) { return MakeTable(table); }),
      flusher_({.context = context_.get(),
                .coordinator = coordinator_.get(),
                .state = &state_,
                .reader = &reader_,
                .writes = &write_path_,
                .flags = &flags_,
                .applied = &applied_,
                .room = &room_,
                .versions = &versions_,
                .obsolete = &obsolete_,
                .activity = &reporting_.activity()}),
      compactions_({.context = context_.get(),
                    .coordinator = coordinator_.get(),
                    .state = &state_,
                    .reader = &reader_,
                    .applied = &applied_,
                    .room = &room_,
                    .versions = &versions_,
                    .obsolete = &obsolete_,
                    .activity = &reporting_.activity()}),
      pin_watch_(context_->pace.pinned_bytes_min) {
  context_->flush_thread = &flush_thread_;
  Stores::Get().Add(this, this);
}

leveldb::Status Store::Of(leveldb::DB* db, const char* function, Store** store) {
  *store = Stores::Get().Find(db);
  if (*store != nullptr) return leveldb::Status::OK();
  return leveldb::Status::InvalidArgument(
      function, "the DB is not one that leveldb::DB::Open or lull::Open of Lull returned");
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
  store->SetSpaceOptions(scheduling);
  Recovered recovered;
  status = store->OpenFiles(&recovered);
  if (status.ok()) status = store->BeginReporting(scheduling, recovered);
  if (status.ok())
    status = store->flush_thread_.Start([raw = store.get()] { return raw->RunFlushSlice(); });
  if (!status.ok()) return status;
  store->coordinator_->Register(
      store.get(), store->make_policy_(scheduling.policy, store->Resolved(scheduling)));
  store->registered_ = true;
  if (!scheduling.stats_file.empty()) store->StartStatsFile(scheduling.stats_file);
  *result = store.release();
  return status;
}

leveldb::Status Store::OpenFiles(Recovered* recovered) {
  WalSet& wal = write_path_.wal();
  if (context_->options.create_if_missing) context_->env()->CreateDir(context_->name);
  // If there is no directory, the next steps report it.
  leveldb::Status status = context_->StayInDirectory();
  if (!status.ok() && !status.IsNotFound()) return status;
  leveldb::Env* const env = context_->env();
  if (!context_->options.create_if_missing && !Exists(*context_)) {
    status = CheckFolderIsNew(*context_);
    if (status.IsCorruption() || status.IsNotSupportedError()) return status;
    return leveldb::Status::InvalidArgument(context_->name,
                                            "does not exist (create_if_missing is false)");
  }
  status = env->LockFile(LockFileName(context_->name), &lock_);
  if (!status.ok()) return status;
  OpenInfoLog(context_.get());
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
    room_.Sample(coordinator_->clock()->NowNanos(), 0, context_->options.write_buffer_size);
    wal.SetDiskLow(room_.is_low());
    status = wal.Switch(recovered->last_sequence + 1);
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
  write_path_.Begin(std::move(recovered->memtables));
  MutexLock lock(state_.mutex);
  opened_l0_tables_ = state_.version()->level(0).size();
  preload_.Begin(*state_.version());
  return status;
}

/// Call after the new MANIFEST is durable.
void Store::BeginDeleting(const Recovered& recovered) {
  std::vector<std::string> paths;
  for (const auto* files : {&recovered.lost, &recovered.obsolete}) {
    for (const std::string& file : *files) paths.push_back(context_->name + "/" + file);
  }
  {
    MutexLock lock(state_.mutex);
    state_.health.Opened();
  }
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
  if (flags_.may_delete.load(std::memory_order_acquire))
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
  stats_file_.reset();
  if (registered_) {
    SaveAckedWrites();
    ShortenL0();
  }
  {
    MutexLock lock(state_.mutex);
    state_.closing = true;
    state_.changed.NotifyAll();
  }
  flush_thread_.StopSlices();
  if (registered_) coordinator_->Unregister(this);
  flush_thread_.Join();
  EndReporting();
  // No other thread runs here. Jobs that were not installed delete their outputs.
  flusher_.Close();
  {
    MutexLock lock(state_.mutex);
    state_.in_flight.DropAll();
  }
  obsolete_.DestroyJobs();
  // Old views release the tables that only they listed.
  while (reader_.Collect()) {
  }
  obsolete_.DeleteAll();
  {
    MutexLock lock(state_.mutex);
    state_.health.Closing();
    coordinator_->ReleaseMemory(state_.memtables.immutable_bytes() + write_path_.counted_bytes());
    state_.memtables.Clear();
    state_.ClosedLocked();
  }
  reader_.Close();
  write_path_.wal().Close();
  versions_.Close();
  // Unlock last: the next process to open the store must find every file closed.
  if (lock_ != nullptr) context_->env()->UnlockFile(lock_);
  Stores::Get().Remove(this);  // not before EndReporting: a listener can remove itself until then
}

}  // namespace lull
