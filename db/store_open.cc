// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening and closing a store.
#include <algorithm>
#include <utility>

#include "db/api/scheduling_options.h"
#include "db/compaction/layout_options.h"
#include "db/filename.h"
#include "db/recovery/lost_files.h"
#include "db/store.h"
#include "db/write/batch_format.h"
#include "util/clock.h"
#include "util/logging.h"
#include "util/registry.h"
#include "util/thread.h"

namespace lull {
namespace {

using Stores = Registry<leveldb::DB, Store>;

/// What cannot be mended is refused; sizes are brought into the bounds that LevelDB keeps them in.
leveldb::Status CheckOptions(leveldb::Options* options, const std::string& name) {
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
    return refuse("Options::compression is none of none, snappy and zstd");
  }
  options->max_open_files = std::clamp(options->max_open_files, 64 + 10, 50000);
  options->write_buffer_size = std::clamp<size_t>(options->write_buffer_size, 64 << 10, 1 << 30);
  options->max_file_size = std::clamp<size_t>(options->max_file_size, 1 << 20, 1 << 30);
  options->block_size = std::clamp<size_t>(options->block_size, 1 << 10, 4 << 20);
  return leveldb::Status::OK();
}

leveldb::Status FindCoordinator(const SchedulingOptions& scheduling, const PolicyOptions& policy,
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
  if (!env->NewLogger(path, &logger).ok()) return;  // a store works without
  context->own_logger.reset(logger);
  context->options.info_log = logger;
}

}  // namespace

Store::Store(std::unique_ptr<StoreContext> context, const SchedulingOptions& scheduling,
             PolicyFactory make_policy, std::shared_ptr<Coordinator> coordinator)
    : context_(std::move(context)),
      make_policy_(std::move(make_policy)),
      coordinator_(std::move(coordinator)),
      activity_(coordinator_->clock(), &events_),
      tables_(context_.get(), &grace_, [this] { coordinator_->WakeFlush(); }),
      admission_(coordinator_->clock(), &activity_),
      wal_(context_.get()),
      room_(context_.get()),
      ask_at_bytes_(context_->options.write_buffer_size),
      memtable_bytes_(context_->options.write_buffer_size),
      table_bytes_(context_->layout.table_bytes_max),
      scheduling_(scheduling),
      layout_(LayoutFor(Resolved(scheduling))) {
  Stores::Get().Add(this, this);
}

leveldb::Status Store::Of(leveldb::DB* db, const char* function, Store** store) {
  *store = Stores::Get().Find(db);
  if (*store != nullptr) return leveldb::Status::OK();
  return leveldb::Status::InvalidArgument(
      function, "the DB is not one that leveldb::DB::Open or lull::Open of Lull returned");
}

leveldb::Status Store::Open(const leveldb::Options& options, const SchedulingOptions& scheduling,
                            const std::string& name, leveldb::DB** result,
                            PolicyFactory make_policy, const StorePace& pace) {
  if (result == nullptr)
    return leveldb::Status::InvalidArgument("Open: the place for the result is null");
  *result = nullptr;
  leveldb::Options checked = options;
  leveldb::Status status = CheckOptions(&checked, name);
  if (status.ok()) status = ValidateSchedulingOptions(scheduling);
  if (!status.ok()) return status;
  if (scheduling.memtable_bytes != 0) checked.write_buffer_size = scheduling.memtable_bytes;

  auto context = std::make_unique<StoreContext>(checked);
  context->name = name;
  context->extension = ExtensionOf(checked.env);
  context->pace = pace;
  if (checked.block_cache == nullptr) {
    context->own_cache.reset(leveldb::NewLRUCache(8 << 20));
    context->options.block_cache = context->own_cache.get();
  }
  const uint64_t table_bytes = TableBytesMax(scheduling, checked.max_file_size);
  const PolicyOptions policy =
      ResolvePolicyOptions(scheduling, checked.write_buffer_size, table_bytes, CoreCount());
  context->layout = ResolveLayoutOptions(scheduling, policy, checked.max_file_size);
  std::shared_ptr<Coordinator> coordinator;
  status = FindCoordinator(scheduling, policy, checked.write_buffer_size, pace.clock, &coordinator);
  if (status.ok()) status = FolderThread::Shared(&context->folder_thread);
  if (!status.ok()) return status;
  std::unique_ptr<Store> store(
      new Store(std::move(context), scheduling, std::move(make_policy), std::move(coordinator)));
  Recovered recovered;
  status = store->OpenFiles(&recovered);
  if (status.ok()) status = store->BeginReporting(scheduling, recovered);
  if (!status.ok()) return status;
  store->coordinator_->Register(
      store.get(), store->make_policy_(scheduling.policy, store->Resolved(scheduling)));
  store->registered_ = true;
  *result = store.release();
  return status;
}

leveldb::Status Store::OpenFiles(Recovered* recovered) {
  leveldb::Env* const env = context_->env();
  if (context_->options.create_if_missing) {
    env->CreateDir(context_->name);  // what goes wrong here, the lock file says
  } else if (!env->FileExists(CurrentFileName(context_->name))) {
    leveldb::Status status = CheckFolderIsNew(*context_);
    if (status.IsCorruption()) return status;
    return leveldb::Status::InvalidArgument(context_->name,
                                            "does not exist (create_if_missing is false)");
  }
  leveldb::Status status = env->LockFile(LockFileName(context_->name), &lock_);
  if (!status.ok()) return status;
  OpenInfoLog(context_.get());
  status = CreateOrCheck();
  if (status.ok()) {
    status = Recover(
        context_.get(), [this](const NewTable& table) { return MakeTable(table); },
        [this](Recovered* so_far, uint64_t log_number) {
          return CommitRecoveredLogs(so_far, log_number);
        },
        recovered);
  }
  if (status.ok()) {
    published_sequence_.store(recovered->last_sequence, std::memory_order_release);
    room_.Look(coordinator_->clock()->NowNanos(), 0, context_->options.write_buffer_size);
    wal_.SetSparing(room_.is_low());
    status = wal_.Switch(recovered->last_sequence + 1);
  }
  // What was not read to its end, before there is a MANIFEST that needs it no more.
  if (status.ok()) status = KeepUnderLost(*context_, recovered->lost, recovered->last_sequence);
  if (status.ok()) status = StartManifest(recovered);
  if (!status.ok() && !recovered->new_tables_are_listed) {
    // Or each try to open a store that cannot be opened would add to what is on the disk.
    for (const NewTable& table : recovered->new_tables)
      env->RemoveFile(TableFileName(context_->name, table.number));
  }
  if (!status.ok()) return status;
  BeginDeleting(*recovered);
  auto memtable = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  inserting_ = memtable.get();
  MutexLock lock(mutex_);
  active_ = std::move(memtable);
  active_wal_number_ = wal_.current_number();
  PublishViewLocked();
  return status;
}

leveldb::Status Store::CreateOrCheck() {
  leveldb::Env* const env = context_->env();
  if (env->FileExists(CurrentFileName(context_->name))) {
    if (!context_->options.error_if_exists) return leveldb::Status::OK();
    return leveldb::Status::InvalidArgument(context_->name, "exists (error_if_exists is true)");
  }
  leveldb::Status status = CheckFolderIsNew(*context_);
  if (!status.ok()) return status;
  return CreateStore(context_.get());
}

/// Writes what was recovered as a MANIFEST of its own: the old one may end in a torn record.
leveldb::Status Store::WriteManifest(Recovered* recovered, uint64_t log_number, NewManifest* made) {
  VersionEdit flushed;
  flushed.new_tables = recovered->new_tables;
  VersionBuilder builder(recovered->manifest.version,
                         [this](const NewTable& table) { return MakeTable(table); });
  leveldb::Status status = builder.Apply(flushed);
  if (status.ok()) status = builder.Build(&made->version);
  if (!status.ok()) return status;
  VersionEdit edit;
  edit.log_number = log_number;
  edit.last_sequence = recovered->last_sequence;
  made->number = context_->NewFileNumber();
  recovered->new_tables_are_listed = true;
  status = ManifestWriter::Create(*context_, made->number, *made->version,
                                  recovered->manifest.compact_pointers, edit, &made->writer);
  // On a failure both MANIFESTs stay: CURRENT may name either.
  return status.ok() ? SetCurrentFile(context_->env(), context_->name, made->number) : status;
}

/// See CommitRecovered of recovery.h.
leveldb::Status Store::CommitRecoveredLogs(Recovered* recovered, uint64_t log_number) {
  NewManifest made;
  leveldb::Status status = WriteManifest(recovered, log_number, &made);
  if (!status.ok()) return status;
  recovered->manifest.version = std::move(made.version);
  recovered->new_tables.clear();
  recovered->new_tables_are_listed = false;
  // One that cannot be removed is found again at the next open.
  for (const std::string& file : recovered->obsolete)
    context_->env()->RemoveFile(context_->name + "/" + file);
  const std::string path = DescriptorFileName(context_->name, made.number);
  recovered->obsolete = {path.substr(context_->name.size() + 1)};
  return status;
}

leveldb::Status Store::StartManifest(Recovered* recovered) {
  NewManifest made;
  leveldb::Status status = WriteManifest(recovered, wal_.current_number(), &made);
  if (!status.ok()) return status;
  AdoptManifest(made.number, std::move(made.writer));
  log_number_ = wal_.current_number();
  MutexLock lock(mutex_);
  version_ = std::move(made.version);
  flushed_sequence_ = recovered->last_sequence;
  compact_pointers_ = recovered->manifest.compact_pointers;
  return status;
}

/// Once the new MANIFEST is durable.
void Store::BeginDeleting(const Recovered& recovered) {
  std::vector<std::string> paths;
  for (const auto* files : {&recovered.lost, &recovered.obsolete}) {
    for (const std::string& file : *files) paths.push_back(context_->name + "/" + file);
  }
  frozen_.store(false, std::memory_order_release);
  NoteObsolete(std::move(paths));
}

TableRef Store::MakeTable(const NewTable& table) {
  return std::make_shared<TableFile>(table, [this](const TableFile& file) { NoteUnlisted(file); });
}

/// In a forked child nothing of the parent's store is destroyed: closing files there would cut and
/// delete the parent's, and waiting for threads would never end.
void Store::operator delete(Store* store, std::destroying_delete_t) {
  if (store->IsInherited()) return;
  store->~Store();
  static_assert(alignof(Store) > __STDCPP_DEFAULT_NEW_ALIGNMENT__, "else without an alignment");
  ::operator delete (static_cast<void*>(store), std::align_val_t{alignof(Store)});
}

leveldb::Status Store::InheritedError() const {
  return leveldb::Status::NotSupported(
      context_->name, "was opened before fork; in the child, close the store and open it again");
}

Store::~Store() {
  if (registered_) SaveAckedWrites();
  {
    MutexLock lock(mutex_);
    closing_ = true;
    changed_.NotifyAll();
  }
  if (registered_) coordinator_->Unregister(this);
  EndReporting();
  // From here on this thread is alone. Jobs that were not installed take their files with them.
  flush_job_.reset();
  {
    MutexLock lock(mutex_);
    to_install_.clear();
  }
  std::vector<std::unique_ptr<Job>> discarded;
  {
    MutexLock lock(obsolete_mutex_);
    discarded.swap(obsolete_.jobs);
  }
  discarded.clear();
  // Views of the past let go of tables that only they listed.
  while (grace_.Collect() > 0) {
  }
  std::vector<std::string> obsolete;
  {
    MutexLock lock(obsolete_mutex_);
    if (!frozen_.exchange(true)) obsolete = std::exchange(obsolete_.paths, {});
  }
  for (const std::string& path : obsolete) context_->env()->RemoveFile(path);
  if (ReadView* const view = view_.exchange(nullptr)) view->Unref();
  {
    MutexLock lock(mutex_);
    coordinator_->ReleaseMemory(immutable_bytes_ + grown_bytes_);
    immutables_.clear();
    active_ = nullptr;
    version_ = nullptr;
  }
  wal_.Close();
  manifest_.reset();
  // The lock goes last: whoever takes it finds every file closed.
  if (lock_ != nullptr) context_->env()->UnlockFile(lock_);
  Stores::Get().Remove(this);  // not before EndReporting: a listener may remove itself until then
}

}  // namespace lull
