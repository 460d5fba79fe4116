// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store's functions that remove a range of keys. See db/compaction/range_removal.h.
#include <memory>
#include <utility>
#include <vector>

#include "db/read/db_iterator.h"
#include "db/store/store.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr size_t kBatchBytes = 256 << 10;

}  // namespace

void Store::EndWithholding() {
  MutexLock lock(state_.mutex);
  state_.compaction_state.EndWithholding();
  state_.changed.NotifyAll();
  coordinator_->WakeMonitor();
}

/// Makes the flush thread install the removal.
leveldb::Status Store::RemoveTables(RangeRemoval removal) {
  const size_t count = removal.edit.deleted_tables.size();
  if (count == 0) return leveldb::Status::OK();
  RemovalRequest request;
  request.edit = std::move(removal.edit);
  {
    MutexLock lock(state_.mutex);
    state_.removal = &request;
    while (!request.done) {
      flush_thread_.Wake();
      state_.changed.Wait(state_.mutex);
    }
  }
  if (request.status.ok()) {
    Log(context_->logger(), "Removed %zu tables of %llu bytes with a range of keys", count,
        static_cast<unsigned long long>(removal.removed_bytes));
  }
  return request.status;
}

/// Deletes each key of the span that would be visible after the removal. The deletions are durable
/// on return, and so is every earlier write.
leveldb::Status Store::DeleteWhatStays(const KeyBounds& span, const VersionEdit& removal) {
  VersionRef version;
  MemTableRef active;
  std::vector<MemTableRef> immutables;
  SequenceNumber sequence = 0;
  {
    MutexLock lock(state_.mutex);
    version = state_.version();
    active = state_.memtables.active();
    immutables = state_.memtables.ImmutablesNewestFirst();
    sequence = reader_.published();
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
      view->NewIterator(reader_.tables(), reads->options());
  const std::unique_ptr<leveldb::Iterator> iterator =
      NewDbIterator(context_->order, std::move(entries), sequence, std::move(reads));
  view->Unref();  // the iterator has its own reference
  leveldb::WriteBatch batch;
  span.begin ? iterator->Seek(*span.begin) : iterator->SeekToFirst();
  for (; status.ok() && iterator->Valid(); iterator->Next()) {
    if (span.end && context_->order.CompareUser(iterator->key(), *span.end) >= 0) break;
    batch.Delete(iterator->key());
    if (batch.ApproximateSize() < kBatchBytes) continue;
    status = write_path_.Write(leveldb::WriteOptions(), &batch);
    batch.Clear();
  }
  if (status.ok()) status = iterator->status();
  leveldb::WriteOptions durable;
  durable.sync = true;
  return status.ok() ? write_path_.Write(durable, &batch) : status;
}

leveldb::Status Store::DeleteRange(const KeyBounds& span) {
  if (IsInherited()) return InheritedError();
  if (span.IsEmpty(context_->order)) return leveldb::Status::OK();
  MutexLock removal_lock(removal_mutex_);
  RangeRemoval removal;
  leveldb::Status status = WithholdRange(span, &removal);
  if (status.ok()) status = DeleteWhatStays(span, removal.edit);
  if (status.ok()) status = RemoveTables(std::move(removal));
  EndWithholding();
  return status;
}

leveldb::Status Store::DeleteFilesInRange(const KeyBounds& span, DeletedFiles* deleted) {
  if (IsInherited()) return InheritedError();
  if (span.IsEmpty(context_->order)) return leveldb::Status::OK();
  MutexLock removal_lock(removal_mutex_);
  VersionRef version;
  std::vector<RunningRange> running;
  {
    MutexLock lock(state_.mutex);
    version = state_.version();
    running = state_.compaction_state.Taken();
    if (const std::optional<UserRange> touched = TouchedRange(*version, span))
      state_.compaction_state.Withhold(version->order(), *touched);
  }
  // Until EndWithholding, only the running jobs change tables that have keys of the range.
  RangeRemoval removal = RemoveWhatHidesNothing(*version, span, running);
  deleted->files = removal.edit.deleted_tables.size();
  deleted->bytes = removal.removed_bytes;
  deleted->files_left = removal.left_files;
  deleted->bytes_left = removal.left_bytes;
  const leveldb::Status status = RemoveTables(std::move(removal));
  EndWithholding();
  if (!status.ok()) *deleted = {};
  return status;
}

}  // namespace lull
