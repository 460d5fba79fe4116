// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/table_cache.h"

#include <algorithm>
#include <utility>

#include "db/filename.h"

namespace lull {
namespace {

// Files that a store has open besides its tables: WALs, MANIFEST, LOCK, LOG.
constexpr int kOtherFiles = 10;

}  // namespace

TableCache::TableCache(const StoreContext* context, GraceDomain* grace,
                       std::function<void()> on_retired)
    : context_(context),
      grace_(grace),
      on_retired_(std::move(on_retired)),
      capacity_(static_cast<size_t>(std::max(context->options.max_open_files - kOtherFiles, 16))) {}

leveldb::Status TableCache::Get(TableFile* file, const BlockReadOptions& options,
                                const leveldb::Slice& target, void* arg,
                                void (*visit)(void*, const leveldb::Slice&,
                                              const leveldb::Slice&)) {
  CachedTable* table = nullptr;
  leveldb::Status status = Find(file, &table);
  if (status.ok()) status = table->reader().Get(options, target, arg, visit);
  return status;
}

std::unique_ptr<leveldb::Iterator> TableCache::NewIterator(TableFile* file,
                                                           const BlockReadOptions& options) {
  CachedTable* table = nullptr;
  {
    GraceGuard guard(*grace_);
    const leveldb::Status status = Find(file, &table);
    if (!status.ok()) return std::unique_ptr<leveldb::Iterator>(leveldb::NewErrorIterator(status));
    table->Ref();
  }
  std::unique_ptr<leveldb::Iterator> iterator = table->reader().NewIterator(options);
  iterator->RegisterCleanup([](void* held, void*) { static_cast<CachedTable*>(held)->Unref(); },
                            table, nullptr);
  return iterator;
}

uint64_t TableCache::ApproximateOffsetOf(TableFile* file, const leveldb::Slice& internal_key) {
  CachedTable* table = nullptr;
  if (!Find(file, &table).ok()) return 0;
  return table->reader().ApproximateOffsetOf(internal_key);
}

void TableCache::OpenAhead(TableFile* file) {
  if (file->opened.load(std::memory_order_acquire) != nullptr || OpenCount() >= capacity_) return;
  std::unique_ptr<TableReader> reader;
  if (!OpenReader(*file, false, &reader).ok()) return;
  auto* const opened = new CachedTable(std::move(reader));
  {
    MutexLock lock(mutex_);
    if (file->opened.load(std::memory_order_acquire) == nullptr && open_.size() < capacity_) {
      open_.push_back(file);
      file->opened.store(opened, std::memory_order_release);
      return;
    }
  }
  opened->Unref();
}

void TableCache::OpenAhead(const Version& version, const std::vector<TableMeta>& tables) {
  for (const TableMeta& table : tables) {
    if (TableFile* const file = version.Find(table)) OpenAhead(file);
  }
}

size_t TableCache::OpenCount() const {
  MutexLock lock(mutex_);
  return open_.size();
}

leveldb::Status TableCache::OpenPrivately(const TableFile& file,
                                          std::unique_ptr<TableReader>* reader) const {
  return OpenReader(file, true, reader);
}

leveldb::Status TableCache::OpenReader(const TableFile& file, bool privately,
                                       std::unique_ptr<TableReader>* reader) const {
  leveldb::Env* const env = context_->env();
  std::string path = TableFileName(context_->name, file.number());
  leveldb::RandomAccessFile* raw = nullptr;
  leveldb::Status status;
  bool opened = false;
  if (privately && context_->extension != nullptr) {
    opened = context_->extension->NewCompactionInput(path, &raw).ok();
  }
  if (!opened) status = env->NewRandomAccessFile(path, &raw);
  if (!status.ok()) {
    const std::string legacy = LegacyTableFileName(context_->name, file.number());
    if (env->NewRandomAccessFile(legacy, &raw).ok()) {
      status = leveldb::Status::OK();
      path = legacy;
    }
  }
  if (!status.ok()) return status;
  std::unique_ptr<leveldb::RandomAccessFile> input(raw);

  TableReadOptions options;
  options.order = context_->order;
  options.filter_policy = privately ? nullptr : context_->options.filter_policy;
  options.block_cache = privately ? nullptr : context_->options.block_cache;
  options.paranoid_checks = context_->options.paranoid_checks;
  options.file_name = path;
  return TableReader::Open(options, std::move(input), file.file_bytes(), reader);
}

leveldb::Status TableCache::OpenShared(TableFile* file, CachedTable** table) {
  std::unique_ptr<TableReader> reader;
  leveldb::Status status = OpenReader(*file, false, &reader);
  if (!status.ok()) return status;
  auto* opened = new CachedTable(std::move(reader));
  MutexLock lock(mutex_);
  CachedTable* present = file->opened.load(std::memory_order_acquire);
  if (present != nullptr) {  // another reader was faster
    opened->Unref();
    *table = present;
    return status;
  }
  if (open_.size() >= capacity_) EvictOneLocked();
  open_.push_back(file);
  file->opened.store(opened, std::memory_order_release);
  *table = opened;
  return status;
}

/// The clock algorithm: evicts the first table, from hand_ on, that was unused since the last pass.
void TableCache::EvictOneLocked() {
  for (size_t step = 0; step <= 2 * open_.size(); ++step) {
    if (hand_ >= open_.size()) hand_ = 0;
    TableFile* const candidate = open_[hand_];
    if (candidate->opened.load(std::memory_order_relaxed)->TakeUse()) {
      ++hand_;
      continue;
    }
    CachedTable* const victim = candidate->opened.exchange(nullptr, std::memory_order_acq_rel);
    open_[hand_] = open_.back();
    open_.pop_back();
    grace_->Retire([victim] { victim->Unref(); });
    on_retired_();
    return;
  }
}

void TableCache::Forget(const TableFile& file) {
  // No thread can find the file any more, so none opens it now. An eviction can still be running.
  CachedTable* opened = nullptr;
  {
    MutexLock lock(mutex_);
    opened = file.opened.load(std::memory_order_acquire);
    if (opened == nullptr) return;
    open_.erase(
        std::find_if(open_.begin(), open_.end(), [&](TableFile* other) { return other == &file; }));
  }
  opened->Unref();
}

}  // namespace lull
