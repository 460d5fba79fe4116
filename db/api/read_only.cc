// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OpenReadOnly and Refresh: a store without its LOCK, while another process can write to it. Writes
// nothing, and has no background work. Any thread reads, without a lock: it pins the Moment that
// the last Refresh published. Open tables stay readable if they are deleted later.
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
#include "db/recovery/store_follower.h"
#include "db/report/properties.h"
#include "lull/lull.h"
#include "util/grace.h"
#include "util/mutex.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// What a read sees. The next Moment can share memtables with it, so a view shows later entries
/// too.
struct Moment {
  ~Moment() { view->Unref(); }
  ReadView* const view;
  const SequenceNumber sequence;
};

class ReadOnlyStore final : public leveldb::DB, private Readable {
 public:
  explicit ReadOnlyStore(std::unique_ptr<StoreContext> context)
      : context_(std::move(context)),
        tables_(context_.get(), &grace_, [this] { retired_.store(true); }),
        follower_(context_.get(), [this](const TableMeta& table) {
          return std::make_shared<TableFile>(
              table, [this](const TableFile& file) { tables_.Forget(file); });
        }) {
    Readables::Get().Add(this, this);
  }
  ~ReadOnlyStore() override {
    Readables::Get().Remove(this);
    delete moment_.load();
    while (grace_.Collect() > 0) {  // what is retired can have tables, which use tables_
    }
  }

  Status Refresh() override LULL_EXCLUDES(refresh_mutex_);

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
  const leveldb::Snapshot* GetSnapshot() override {
    const GraceGuard guard(grace_);
    const Moment& now = *moment_.load(std::memory_order_acquire);
    auto snapshot = std::make_unique<StoreSnapshot>(now.sequence);
    snapshot->KeepView(now.view);
    return snapshot.release();
  }
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

  /// Calls read(ReadView*, SequenceNumber) for the moment of `options`. The view stays until the
  /// end of the call.
  template <class Read>
  void At(const leveldb::ReadOptions& options, Read read) {
    const GraceGuard guard(grace_);
    const Moment& now = *moment_.load(std::memory_order_acquire);
    const auto* const snapshot = static_cast<const StoreSnapshot*>(options.snapshot);
    if (snapshot == nullptr) return read(now.view, now.sequence);
    read(snapshot->kept_view(), snapshot->sequence());
  }
  void OpenTables(const Version& version);
  /// Frees what was evicted or replaced. REQUIRES: this thread holds no guard.
  void CollectRetired() {
    if (retired_.exchange(false) && grace_.Collect() > 0) retired_.store(true);
  }
  Status Refusal() const {
    return Status::NotSupported(context_->name, "is open for reading only");
  }

  const std::unique_ptr<StoreContext> context_;
  GraceDomain grace_;
  TableCache tables_;
  std::atomic<bool> retired_{false};
  std::atomic<const Moment*> moment_{nullptr};  // not null after the first Refresh

  Mutex refresh_mutex_;
  StoreFollower follower_ LULL_GUARDED_BY(refresh_mutex_);
};

Status ReadOnlyStore::Refresh() {
  {
    MutexLock lock(refresh_mutex_);
    const Status status = follower_.Update([this](const Version& version) { OpenTables(version); });
    if (!status.ok()) return status;
    const Recovered& state = follower_.state();
    const Moment* const now = moment_.load(std::memory_order_relaxed);
    if (now != nullptr && now->sequence == state.last_sequence &&
        &now->view->version() == state.manifest.version.get())
      return status;
    std::vector<MemTableRef> memtables;  // newest first
    for (auto at = state.memtables.rbegin(); at != state.memtables.rend(); ++at)
      memtables.push_back(at->memtable);
    auto* const view =
        new ReadView(std::make_shared<MemTable>(context_->order, context_->memtable_blocks),
                     std::move(memtables), state.manifest.version);
    moment_.store(new Moment{view, state.last_sequence}, std::memory_order_release);
    if (now != nullptr) grace_.Retire([now] { delete now; });
    retired_.store(true);
  }
  CollectRetired();
  context_->memtable_blocks->TrimTo(0);
  return Status::OK();
}

/// Opens as many tables as allowed. A table that cannot be opened fails the read that needs it.
void ReadOnlyStore::OpenTables(const Version& version) {
  int left = context_->options.max_open_files;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (left-- <= 0) return;
      tables_.OpenAhead(table.get());
    }
  }
}

Status ReadOnlyStore::Get(const leveldb::ReadOptions& options, const Slice& key,
                          std::string* value) {
  Status status;
  ReadCounts::Counters unreported;
  BlockReadOptions read = HowToRead(options, context_->options);
  read.counts = unreported.data();
  At(options, [&](ReadView* view, SequenceNumber sequence) {
    status = view->Get(&tables_, read, LookupKey(key, sequence), value);
  });
  CollectRetired();
  return status;
}

std::vector<Status> ReadOnlyStore::MultiGet(const leveldb::ReadOptions& options,
                                            std::span<const Slice> keys,
                                            std::vector<std::string>* values) {
  std::vector<Status> statuses;
  ReadCounts::Counters unreported;
  BlockReadOptions read = HowToRead(options, context_->options);
  read.counts = unreported.data();
  At(options, [&](ReadView* view, SequenceNumber sequence) {
    statuses = view->MultiGet(&tables_, read, keys, sequence, values);
  });
  CollectRetired();
  return statuses;
}

std::unique_ptr<leveldb::Iterator> ReadOnlyStore::NewIterator(const leveldb::ReadOptions& options,
                                                              const KeyBounds& bounds) {
  auto reads = std::make_unique<IteratorReads>(nullptr, HowToRead(options, context_->options));
  const auto open = [this, read = reads->options()](TableFile* file) {
    std::unique_ptr<leveldb::Iterator> iterator = tables_.NewIterator(file, *read);
    CollectRetired();
    return iterator;
  };
  ReadView* view = nullptr;
  SequenceNumber sequence = 0;
  At(options, [&](ReadView* pinned, SequenceNumber its_sequence) {
    pinned->Ref();
    view = pinned;
    sequence = its_sequence;
  });
  auto iterator = NewDbIterator(context_->order, view->NewIterator(open, sequence, bounds),
                                sequence, std::move(reads), nullptr, bounds);
  view->Unref();
  return iterator;
}

bool ReadOnlyStore::GetProperty(const Slice& property, std::string* value) {
  value->clear();
  bool is_known = false;
  At({}, [&](ReadView* view, SequenceNumber) {
    PropertySource source;
    source.version = &view->version();
    source.memory_bytes = context_->options.block_cache->TotalCharge() + view->MemoryBytes();
    is_known = RenderProperty(property, source, value);
  });
  return is_known;
}

void ReadOnlyStore::GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) {
  At({}, [&](ReadView* view, SequenceNumber) {
    for (int i = 0; i < count; ++i) sizes[i] = view->ApproximateBytes(&tables_, ranges[i]);
  });
  CollectRetired();
}

}  // namespace

Status Refresh(leveldb::DB* db) {
  Readable* const store = Readables::Get().Find(db);
  return store == nullptr ? NotOurs("Refresh") : store->Refresh();
}

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
  status = store->Refresh();
  if (status.ok()) *db = store.release();
  return status;
}

}  // namespace lull
