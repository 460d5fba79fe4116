// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OpenReadOnly: a store at one moment, without its LOCK, while another process can write to it.
// Writes nothing, and has no background work. Any thread reads. The load is repeated until the
// store does not change meanwhile (live_store.h). Open tables stay readable if they are deleted
// later.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/read/db_iterator.h"
#include "db/read/read_view.h"
#include "db/read/readable.h"
#include "db/read/snapshots.h"
#include "db/read/table_cache.h"
#include "db/recovery/live_store.h"
#include "db/recovery/recovery.h"
#include "db/report/properties.h"
#include "lull/lull.h"
#include "util/grace.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

class ReadOnlyStore final : public leveldb::DB, private Readable {
 public:
  explicit ReadOnlyStore(std::unique_ptr<StoreContext> context)
      : context_(std::move(context)),
        tables_(context_.get(), &grace_, [this] { retired_.store(true); }) {
    Readables::Get().Add(this, this);
  }
  ~ReadOnlyStore() override {
    Readables::Get().Remove(this);
    if (view_ != nullptr) view_->Unref();
  }

  Status Load() {
    return LoadUnchanged(*context_, [this] { return TryLoad(); });
  }

  Status Put(const leveldb::WriteOptions&, const Slice&, const Slice&) override {
    return Refusal();
  }
  Status Delete(const leveldb::WriteOptions&, const Slice&) override { return Refusal(); }
  Status Write(const leveldb::WriteOptions&, leveldb::WriteBatch*) override { return Refusal(); }
  void CompactRange(const Slice*, const Slice*) override {}

  Status Get(const leveldb::ReadOptions& options, const Slice& key, std::string* value) override;
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override {
    return NewIterator(options, {}).release();
  }
  // The store never changes, so all snapshots are equal.
  const leveldb::Snapshot* GetSnapshot() override { return new StoreSnapshot(last_sequence_); }
  void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override {
    delete static_cast<const StoreSnapshot*>(snapshot);
  }
  bool GetProperty(const Slice& property, std::string* value) override;
  void GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) override;

 private:
  // Readable.
  std::vector<Status> MultiGet(const leveldb::ReadOptions& options, std::span<const Slice> keys,
                               std::vector<std::string>* values) override;
  std::unique_ptr<leveldb::Iterator> NewIterator(const leveldb::ReadOptions& options,
                                                 const KeyBounds& bounds) override;

  Status TryLoad();
  void OpenTables(const Version& version);
  template <class Read>
  auto WithGuard(const leveldb::ReadOptions& options, Read read);
  /// Closes evicted tables. REQUIRES: this thread holds no guard.
  void CloseEvicted() {
    if (retired_.exchange(false)) grace_.Collect();
  }
  Status Refusal() const {
    return Status::NotSupported(context_->name, "is open for reading only");
  }

  const std::unique_ptr<StoreContext> context_;
  GraceDomain grace_;
  TableCache tables_;
  std::atomic<bool> retired_{false};
  // Constant after the load.
  ReadView* view_ = nullptr;
  SequenceNumber last_sequence_ = 0;
};

Status ReadOnlyStore::TryLoad() {
  if (view_ != nullptr) std::exchange(view_, nullptr)->Unref();
  const auto make_table = [this](const TableMeta& table) {
    return std::make_shared<TableFile>(table,
                                       [this](const TableFile& file) { tables_.Forget(file); });
  };
  Recovered recovered;
  const Status status = RecoverInMemory(context_.get(), make_table, &recovered);
  if (!status.ok()) return status;
  last_sequence_ = recovered.last_sequence;
  std::vector<MemTableRef> memtables;  // newest first
  for (auto sealed = recovered.memtables.rbegin(); sealed != recovered.memtables.rend(); ++sealed)
    memtables.push_back(sealed->memtable);
  view_ = new ReadView(std::make_shared<MemTable>(context_->order, context_->memtable_blocks),
                       std::move(memtables), recovered.manifest.version);
  OpenTables(view_->version());
  return status;
}

/// Opens as many tables as allowed. A table that cannot be opened fails the read that needs it.
void ReadOnlyStore::OpenTables(const Version& version) {
  int left = context_->options.max_open_files;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (left-- <= 0) return;
      tables_.NewIterator(table.get(), BlockReadOptions());
    }
  }
}

template <class Read>
auto ReadOnlyStore::WithGuard(const leveldb::ReadOptions& options, Read read) {
  ReadCounts::Counters unreported;
  BlockReadOptions how = HowToRead(options, context_->options);
  how.counts = unreported.data();
  const auto result = [&] {
    const GraceGuard guard(grace_);
    return read(how);
  }();
  CloseEvicted();
  return result;
}

Status ReadOnlyStore::Get(const leveldb::ReadOptions& options, const Slice& key,
                          std::string* value) {
  return WithGuard(options, [&](const BlockReadOptions& how) {
    return view_->Get(&tables_, how, LookupKey(key, last_sequence_), value);
  });
}

std::vector<Status> ReadOnlyStore::MultiGet(const leveldb::ReadOptions& options,
                                            std::span<const Slice> keys,
                                            std::vector<std::string>* values) {
  return WithGuard(options, [&](const BlockReadOptions& how) {
    return view_->MultiGet(&tables_, how, keys, last_sequence_, values);
  });
}

std::unique_ptr<leveldb::Iterator> ReadOnlyStore::NewIterator(const leveldb::ReadOptions& options,
                                                              const KeyBounds& bounds) {
  auto reads = std::make_unique<IteratorReads>(nullptr, HowToRead(options, context_->options));
  const auto open = [this, read = reads->options()](TableFile* file) {
    std::unique_ptr<leveldb::Iterator> iterator = tables_.NewIterator(file, *read);
    CloseEvicted();
    return iterator;
  };
  return NewDbIterator(context_->order, view_->NewIterator(open, bounds), last_sequence_,
                       std::move(reads), nullptr, bounds);
}

bool ReadOnlyStore::GetProperty(const Slice& property, std::string* value) {
  value->clear();
  const GraceGuard guard(grace_);
  PropertySource source;
  source.version = &view_->version();
  source.memory_bytes = context_->options.block_cache->TotalCharge() + view_->MemoryBytes();
  return RenderProperty(property, source, value);
}

void ReadOnlyStore::GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) {
  {
    const GraceGuard guard(grace_);
    for (int i = 0; i < count; ++i) sizes[i] = view_->ApproximateBytes(&tables_, ranges[i]);
  }
  CloseEvicted();
}

}  // namespace

Status OpenReadOnly(const leveldb::Options& options, const std::string& name, leveldb::DB** db) {
  if (db == nullptr) return Status::InvalidArgument("OpenReadOnly: the result pointer is null");
  *db = nullptr;
  if (options.env == nullptr) return Status::InvalidArgument(name, "Options::env is null");
  if (options.comparator == nullptr)
    return Status::InvalidArgument(name, "Options::comparator is null");
  auto context = std::make_unique<StoreContext>(options);
  context->name = name;
  context->extension = ExtensionOf(options.env);
  if (options.block_cache == nullptr) {
    context->own_cache = NewResizableCache(kOwnCacheBytes);
    context->options.block_cache = context->own_cache.get();
  }
  Status status = context->StayInDirectory();
  if (!status.ok() && !status.IsNotFound()) return status;
  auto store = std::make_unique<ReadOnlyStore>(std::move(context));
  status = store->Load();
  if (status.ok()) *db = store.release();
  return status;
}

}  // namespace lull
