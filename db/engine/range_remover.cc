// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/range_remover.h"

#include <utility>
#include <vector>

#include "db/read/db_iterator.h"
#include "db/recovery/lost_files.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr size_t kBatchBytes = 256 << 10;

}  // namespace

class RangeRemover::Withheld {
 public:
  explicit Withheld(RangeRemover* owner) : owner_(owner) {}
  ~Withheld() {
    MutexLock lock(owner_->state_->mutex());
    owner_->state_->compactions().EndWithholding();
    owner_->state_->NotifyLocked();
    owner_->coordinator_->WakeMonitor();
  }
  Withheld(const Withheld&) = delete;
  Withheld& operator=(const Withheld&) = delete;

 private:
  RangeRemover* const owner_;
};

RangeRemover::RangeRemover(const EngineParts& parts, WritePath* writes, VersionSet* versions)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      writes_(writes),
      versions_(versions) {}

leveldb::Status RangeRemover::DeleteRange(const KeyBounds& span) {
  MutexLock removal_lock(mutex_);
  const Withheld withheld(this);
  RangeRemoval removal;
  leveldb::Status status = NoteInLost();
  if (status.ok()) status = Withhold(span, &removal);
  if (status.ok()) status = DeleteWhatStays(span, removal.edit);
  return status.ok() ? RemoveTables(std::move(removal)) : status;
}

leveldb::Status RangeRemover::DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted) {
  MutexLock removal_lock(mutex_);
  const leveldb::Status noted = NoteInLost();
  if (!noted.ok()) return noted;
  const Withheld withheld(this);
  VersionRef version;
  std::vector<RunningRange> running;
  {
    MutexLock lock(state_->mutex());
    version = state_->version();
    running = state_->compactions().Taken();
    if (const std::optional<UserRange> touched = TouchedRange(*version, span))
      state_->compactions().Withhold(version->order(), *touched);
  }
  // While the range is withheld, only the running jobs change tables that have keys of it.
  RangeRemoval removal = RemoveWhatHidesNothing(*version, span, running);
  *deleted = {.files = removal.edit.deleted_tables.size(),
              .bytes = removal.removed_bytes,
              .files_left = removal.left_files,
              .bytes_left = removal.left_bytes};
  const leveldb::Status status = RemoveTables(std::move(removal));
  if (!status.ok()) *deleted = {};
  return status;
}

/// Marks what was set aside before this removal. Only an open sets files aside.
leveldb::Status RangeRemover::NoteInLost() {
  if (is_noted_) return leveldb::Status::OK();
  const leveldb::Status status = NoteRangeRemoval(*context_);
  is_noted_ = status.ok();
  return status;
}

/// Waits until no compaction runs in the span, and lets none begin in it. `*removal`: of all tables
/// inside the span.
leveldb::Status RangeRemover::Withhold(const KeyBounds& span, RangeRemoval* removal) {
  VersionRef version;
  {
    MutexLock lock(state_->mutex());
    while (true) {
      if (!state_->health().write_error().ok()) return state_->health().write_error();
      version = state_->version();
      // A flush or a compaction can have added tables.
      const std::optional<UserRange> touched = TouchedRange(*version, span);
      if (!touched || state_->compactions().Withhold(context_->order, *touched)) break;
      state_->DrainLocked();
    }
  }
  *removal = RemoveAllInside(*version, span);
  return leveldb::Status::OK();
}

/// `*iterator`: over what of the span would be visible now, had the edit been installed.
leveldb::Status RangeRemover::IterateStaying(const KeyBounds& span, const VersionEdit& removal,
                                             std::unique_ptr<leveldb::Iterator>* iterator) {
  VersionRef version;
  MemTableRef active;
  std::vector<MemTableRef> immutables;
  SequenceNumber sequence = 0;
  {
    MutexLock lock(state_->mutex());
    version = state_->version();
    active = state_->memtables().active();
    immutables = state_->memtables().ImmutablesNewestFirst();
    sequence = reader_->published();
  }
  VersionRef staying;
  VersionBuilder builder(std::move(version), [](const TableMeta&) { return TableRef(); });
  leveldb::Status status = builder.Apply(removal);
  if (status.ok()) status = builder.Build(&staying);
  if (!status.ok()) return status;
  auto* const view = new ReadView(std::move(active), std::move(immutables), std::move(staying));
  BlockReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  read.skip_damaged_blocks = true;
  auto reads = std::make_unique<IteratorReads>(nullptr, read);
  std::unique_ptr<leveldb::Iterator> entries =
      view->NewIterator(reader_->tables(), reads->options(), sequence, span);
  *iterator =
      NewDbIterator(context_->order, std::move(entries), sequence, std::move(reads), nullptr, span);
  view->Unref();  // the iterator has its own reference
  return status;
}

/// Deletes each key of the span that would be visible after the removal. The deletions are durable
/// on return, and so is every earlier write.
leveldb::Status RangeRemover::DeleteWhatStays(const KeyBounds& span, const VersionEdit& removal) {
  std::unique_ptr<leveldb::Iterator> iterator;
  leveldb::Status status = IterateStaying(span, removal, &iterator);
  if (!status.ok()) return status;
  leveldb::WriteBatch batch;
  for (iterator->SeekToFirst(); status.ok() && iterator->Valid(); iterator->Next()) {
    batch.Delete(iterator->key());
    if (batch.ApproximateSize() < kBatchBytes) continue;
    status = writes_->Write(leveldb::WriteOptions(), &batch);
    batch.Clear();
  }
  if (status.ok()) status = iterator->status();
  leveldb::WriteOptions durable;
  durable.sync = true;
  return status.ok() ? writes_->Write(durable, &batch) : status;
}

/// Makes the flush thread install the removal.
leveldb::Status RangeRemover::RemoveTables(RangeRemoval removal) {
  const size_t count = removal.edit.deleted_tables.size();
  if (count == 0) return leveldb::Status::OK();
  leveldb::Status status;
  state_->RunOnFlushThread([&]() LULL_REQUIRES(kFlushThread) {
    VersionRef version;
    status = versions_->Install(&removal.edit, {}, &version);
    MutexLock lock(state_->mutex());
    if (status.ok()) state_->CommitRemovalLocked(std::move(version));
  });
  if (status.ok()) {
    Log(context_->logger(), "Removed %zu tables of %llu bytes with a range of keys", count,
        static_cast<unsigned long long>(removal.removed_bytes));
  }
  return status;
}

}  // namespace lull
