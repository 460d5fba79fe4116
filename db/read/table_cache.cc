// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/table_cache.h"

#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "util/profiled_part.h"

namespace lull {
namespace {

// Files that a store has open besides its tables: WALs, MANIFEST, LOCK, LOG.
constexpr int kOtherFiles = 10;

/// The clock algorithm: moves `*hand` to the first element that was not used since the last pass.
/// Returns false if readers use all elements meanwhile. `take_use` clears an element's mark.
template <typename T>
bool MoveToUnused(const std::vector<T*>& elements, size_t* hand, bool (*take_use)(T*)) {
  for (size_t step = 0; step <= 2 * elements.size(); ++step) {
    if (*hand >= elements.size()) *hand = 0;
    if (!take_use(elements[*hand])) return true;
    ++*hand;
  }
  return false;
}

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
  {
    MutexLock lock(mutex_);
    if (file->opened.load(std::memory_order_acquire) != nullptr || IsFullLocked()) return;
  }
  CachedTable* opened = nullptr;
  if (!OpenCached(*file, &opened).ok()) return;
  std::unique_ptr<leveldb::RandomAccessFile> excess;
  MutexLock lock(mutex_);
  if (file->opened.load(std::memory_order_acquire) != nullptr || IsFullLocked())
    return opened->Unref();
  // No read has found the file yet, so it can close without a grace period.
  if (descriptors_.size() >= capacity_) excess = opened->file()->Detach();
  ListLocked(file, opened);
}

void TableCache::OpenAhead(const Version& version, const std::vector<TableMeta>& tables) {
  for (const TableMeta& table : tables) {
    if (TableFile* const file = version.Find(table)) OpenAhead(file);
  }
}

TableContents ReadContents(const TableReader& reader) {
  std::string block;
  if (reader.ReadMetaBlock(TableContents::kBlockName, &block).ok()) {
    if (const auto contents = TableContents::FromBlock(block)) return *contents;
  }
  constexpr size_t kBlocks = 4;
  TableContents contents;
  double share = 1;
  const auto count = [&](const leveldb::Slice& key) { contents.Count(key); };
  if (!reader.Sample(kBlocks, count, &share).ok()) return {};
  const auto scaled = [=](uint64_t sampled) {
    return static_cast<uint64_t>(static_cast<double>(sampled) / share);
  };
  contents.entries = scaled(contents.entries);
  contents.deletions = scaled(contents.deletions);
  // What was not sampled can have some too.
  if (share < 1 && contents.entries > 0)
    contents.deletions = std::max<uint64_t>(contents.deletions, 1);
  return contents;
}

TableContents TableCache::ReadContents(TableFile* file) {
  const GraceGuard guard(*grace_);
  CachedTable* table = nullptr;
  if (!Find(file, &table).ok()) return {};
  return lull::ReadContents(table->reader());
}

void TableCache::LoadKeyFilter(TableFile* file) {
  const GraceGuard guard(*grace_);
  CachedTable* table = nullptr;
  std::string bytes;
  if (!Find(file, &table).ok()) return;
  if (!table->reader().ReadMetaBlock(KeyFilter::kBlockName, &bytes).ok()) return;
  std::unique_ptr<const KeyFilter> filter = KeyFilter::FromBytes(bytes);
  const KeyFilter* expected = nullptr;
  if (file->key_filter.compare_exchange_strong(expected, filter.get(), std::memory_order_acq_rel))
    filter.release();
}

TableCache::Usage TableCache::GetUsage() const {
  MutexLock lock(mutex_);
  return {open_.size(), descriptors_.size(), memory_bytes_, opened_, evicted_};
}

leveldb::Status TableCache::OpenPrivately(const TableFile& file,
                                          std::unique_ptr<TableReader>* reader,
                                          const TablePart* part) const {
  std::string path;
  std::unique_ptr<leveldb::RandomAccessFile> input;
  leveldb::Status status = OpenFile(file, true, &path, &input);
  if (!status.ok()) return status;
  {
    const GraceGuard guard(*grace_);
    if (const CachedTable* const table = file.opened.load(std::memory_order_acquire)) {
      *reader = table->reader().Through(std::move(input));
      return status;
    }
  }
  TableReadOptions options = ReadOptions(true, std::move(path));
  options.part = part;
  return TableReader::Open(options, std::move(input), file.file_bytes(), reader);
}

leveldb::Status TableCache::OpenFile(const TableFile& file, bool privately, std::string* path,
                                     std::unique_ptr<leveldb::RandomAccessFile>* result) const {
  if (privately && context_->extension != nullptr) {
    *path = TableFileName(context_->name, file.number());
    leveldb::RandomAccessFile* raw = nullptr;
    if (context_->extension->NewCompactionInput(*path, &raw).ok()) {
      result->reset(raw);
      return leveldb::Status::OK();
    }
  }
  return context_->OpenTableFile(file.number(), path, result);
}

TableReadOptions TableCache::ReadOptions(bool privately, std::string path) const {
  TableReadOptions options;
  options.order = context_->order;
  options.filter_policy = privately ? nullptr : context_->options.filter_policy;
  options.block_cache = privately ? nullptr : context_->options.block_cache;
  options.admission = privately ? nullptr : context_->own_cache.get();
  options.paranoid_checks = context_->options.paranoid_checks;
  options.seen = &context_->seen_codec;
  options.file_name = std::move(path);
  return options;
}

/// Opens a table that is not yet in the cache.
leveldb::Status TableCache::OpenCached(const TableFile& file, CachedTable** table) {
  std::string path;
  std::unique_ptr<leveldb::RandomAccessFile> input;
  leveldb::Status status = OpenFile(file, false, &path, &input);
  if (!status.ok()) return status;
  FileKeeper* const keeper = this;
  auto closable = std::make_unique<ClosableFile>(context_->env(), context_->extension, path,
                                                 std::move(input), grace_, keeper);
  ClosableFile* const its_file = closable.get();
  TableReadOptions options = ReadOptions(false, std::move(path));
  options.prefetcher = its_file;
  std::unique_ptr<TableReader> reader;
  status = TableReader::Open(options, std::move(closable), file.file_bytes(), &reader);
  if (status.ok()) *table = new CachedTable(std::move(reader), its_file);
  return status;
}

leveldb::Status TableCache::OpenShared(TableFile* file, CachedTable** table) {
  const ProfiledPart part(CallPart::kTableOpen);
  CachedTable* opened = nullptr;
  leveldb::Status status = OpenCached(*file, &opened);
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  CachedTable* present = file->opened.load(std::memory_order_acquire);
  if (present != nullptr) {  // another reader was faster
    opened->Unref();
    *table = present;
    return status;
  }
  while (IsFullLocked() && EvictOneLocked()) {
  }
  if (descriptors_.size() >= capacity_) CloseOneLocked();
  ListLocked(file, opened);
  *table = opened;
  return status;
}

void TableCache::Offer(ClosableFile* file, std::unique_ptr<leveldb::RandomAccessFile> opened) {
  MutexLock lock(mutex_);
  // An evicted table that an iterator uses does not count, so it must not keep a descriptor.
  if (!file->in_cache || file->IsOpen()) return;
  if (descriptors_.size() >= capacity_ && !CloseOneLocked()) return;
  file->Keep(std::move(opened));
  descriptors_.push_back(file);
}

void TableCache::ListLocked(TableFile* file, CachedTable* table) {
  open_.push_back(file);
  ++opened_;
  memory_bytes_ += table->reader().MemoryBytes();
  table->file()->in_cache = true;
  if (table->file()->IsOpen()) descriptors_.push_back(table->file());
  file->opened.store(table, std::memory_order_release);
}

/// Removes open_[position], whose table is `table`. The caller releases the table.
void TableCache::UnlistLocked(size_t position, CachedTable* table) {
  open_[position]->opened.store(nullptr, std::memory_order_release);
  open_[position] = open_.back();
  open_.pop_back();
  memory_bytes_ -= table->reader().MemoryBytes();
  table->file()->in_cache = false;
  if (table->file()->IsOpen()) std::erase(descriptors_, table->file());
}

bool TableCache::EvictOneLocked() {
  const auto take_use = [](TableFile* table) {
    return table->opened.load(std::memory_order_relaxed)->TakeUse();
  };
  if (!MoveToUnused<TableFile>(open_, &hand_, take_use)) return false;
  CachedTable* const victim = open_[hand_]->opened.load(std::memory_order_relaxed);
  UnlistLocked(hand_, victim);
  ++evicted_;
  grace_->Retire([victim] { victim->Unref(); });
  on_retired_();
  return true;
}

bool TableCache::CloseOneLocked() {
  const auto take_use = [](ClosableFile* file) { return file->TakeUse(); };
  if (!MoveToUnused<ClosableFile>(descriptors_, &descriptor_hand_, take_use)) return false;
  ClosableFile* const victim = descriptors_[descriptor_hand_];
  descriptors_[descriptor_hand_] = descriptors_.back();
  descriptors_.pop_back();
  // A raw pointer, since std::function copies its target.
  grace_->Retire([file = victim->Detach().release()] { delete file; });
  on_retired_();
  return true;
}

void TableCache::Forget(const TableFile& file) {
  // No thread can find the file any more, so none opens it now. An eviction can still be running.
  CachedTable* opened = nullptr;
  {
    MutexLock lock(mutex_);
    opened = file.opened.load(std::memory_order_acquire);
    if (opened == nullptr) return;
    const auto listed = std::find(open_.begin(), open_.end(), &file);
    UnlistLocked(static_cast<size_t>(listed - open_.begin()), opened);
  }
  opened->Unref();
}

}  // namespace lull
