// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_set.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "db/base/filename.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace lull {

WalSet::~WalSet() { Close(); }

// ---- switches ----

leveldb::Status WalSet::Switch(SequenceNumber first_sequence, bool in_rest) {
  const bool is_first = current_ == nullptr;
  const bool ends_synced = !is_first && !current_->has_unsynced;
  const uint64_t bytes = is_first ? 0 : left_bytes_ + current_->writer.FileBytes();
  const leveldb::Status status = BeginNext(first_sequence, in_rest);
  if (!status.ok()) return status;
  left_bytes_ = 0;
  if (!in_rest) inputs_.clients_rest.store(false, std::memory_order_relaxed);
  if (is_first) return status;
  inputs_.clients_sync.store(ends_synced, std::memory_order_relaxed);
  inputs_.last_wal_bytes.store(bytes, std::memory_order_relaxed);
  return status;
}

void WalSet::MoveToPrepared(SequenceNumber first_sequence) {
  if (!current_->LacksBlocks() || !files_.HasBlocksAfter(current_->number)) return;
  const uint64_t bytes = current_->writer.FileBytes();
  if (BeginNext(first_sequence, /*in_rest=*/false).ok()) left_bytes_ += bytes;
}

leveldb::Status WalSet::BeginNext(SequenceNumber first_sequence, bool in_rest) {
  WalRef next;
  const uint64_t number = current_ == nullptr ? 0 : current_->number;
  const leveldb::Status status = files_.BeginNext(first_sequence, number, in_rest, &next);
  if (!status.ok()) return status;
  next->has_unsynced = true;
  current_capacity_.store(next->extent_bytes, std::memory_order_relaxed);
  grow_at_bytes_ = next->extent().FirstLook();
  WalRef previous = std::exchange(current_, std::move(next));
  if (previous == nullptr) {
    MutexLock lock(mutex_);
    shared_current_ = current_;
    return status;
  }
  previous->ended_synced = !previous->has_unsynced && !previous->has_failed;
  older_are_unsynced_ = older_are_unsynced_ || previous->has_unsynced;
  const std::weak_ptr<WalFile> sealed = previous;
  {
    MutexLock lock(mutex_);
    shared_current_ = current_;
    sealed_.push_back(std::move(previous));
  }
  pages_.Sealed(sealed);
  return status;
}

bool WalSet::CanTakeMore() const {
  if (current_ == nullptr || current_->has_failed || !current_->writer.status().ok()) return false;
  const uint64_t file_bytes_max =
      context_->extension == nullptr ? UINT64_MAX : context_->extension->FileBytesMax();
  return current_->writer.FileBytes() < file_bytes_max / 2;
}

leveldb::Status WalSet::Restart(SequenceNumber first_sequence) {
  recovered_are_unsynced_ = older_are_unsynced_ = false;
  current_->has_unsynced = false;
  current_->has_failed = true;
  return Switch(first_sequence);
}

void WalSet::Adopt(std::vector<RecoveredWal> recovered) {
  recovered_are_unsynced_ = !recovered.empty();
  MutexLock lock(mutex_);
  recovered_ = std::move(recovered);
}

// ---- growth ----

/// Called before some appends, as WalExtent::NextLook says. Asks the flush thread for more. If that
/// comes too late, the writer itself makes room.
leveldb::Status WalSet::EnsureSpace(uint64_t file_bytes, uint64_t record_bytes) {
  const uint64_t end_bytes = file_bytes + record_bytes;
  WalFile& wal = *current_;
  const bool disk_low = inputs_.disk_low.load(std::memory_order_relaxed);
  if (disk_low) wal.extent_bytes_max = 0;
  if (const uint64_t needed = wal.extent().NeededFor(end_bytes); needed > 0) wal.Grow(needed);
  const WalExtent extent = wal.extent();
  if (disk_low && extent.IsExceededBy(end_bytes)) {
    leveldb::Status status = CheckSpace(record_bytes);
    if (!status.ok()) return status;
  }
  const WalExtent::Look next = extent.NextLook(end_bytes);
  grow_at_bytes_ = next.at_bytes;
  if (next.asks && !wal.wants_growth.exchange(true, std::memory_order_release))
    context_->flush_thread->Wake();
  current_capacity_.store(extent.BytesSoon(), std::memory_order_relaxed);
  return leveldb::Status::OK();
}

/// No log takes the last space of a disk, since the next open needs some.
leveldb::Status WalSet::CheckSpace(uint64_t record_bytes) const {
  if (context_->extension == nullptr) return leveldb::Status::OK();
  const uint64_t kept_bytes = inputs_.Sizes().KeptFreeBytes();
  const std::optional<uint64_t> free_bytes = context_->extension->FreeBytes(context_->name);
  if (!free_bytes || *free_bytes >= kept_bytes + record_bytes) return leveldb::Status::OK();
  return leveldb::Status::IOError(context_->name,
                                  "little space is left, and the next open needs it: " +
                                      std::generic_category().message(ENOSPC));
}

WalRef WalSet::SharedCurrent() {
  MutexLock lock(mutex_);
  return shared_current_;
}

void WalSet::GrowCurrent() {
  const WalRef current = SharedCurrent();
  if (current == nullptr || !current->wants_growth.load(std::memory_order_acquire)) return;
  current->Grow(2 * current->extent_bytes);
  current->wants_growth.store(false, std::memory_order_release);  // not before: once per request
}

void WalSet::DropPagesInLull() { pages_.DropInLull(&files_, SharedCurrent().get()); }

void WalSet::SetDiskLow(bool disk_low) {
  if (inputs_.disk_low.exchange(disk_low, std::memory_order_relaxed) == disk_low || !disk_low)
    return;
  files_.DiscardPrepared(1);
}

void WalSet::ShrinkInRest() {
  inputs_.clients_rest.store(true, std::memory_order_relaxed);
  files_.DiscardPrepared(inputs_.Sizes().PreparedCount());
}

// ---- syncs ----

leveldb::Status WalSet::Sync() {
  inputs_.clients_sync.store(true, std::memory_order_relaxed);
  std::vector<WalRef> older = BeginSyncOfOlder();
  leveldb::Status status = recovered_are_unsynced_ ? SyncRecovered() : leveldb::Status::OK();
  if (status.ok()) status = NameUnsynced(older);
  if (status.ok() && !older.empty()) status = SyncOlder(older);
  EndSyncOfOlder(std::move(older));
  if (status.ok()) status = current_->writer.Sync();
  if (status.ok()) current_->has_unsynced = false;
  return status;
}

/// Returns sealed WALs with unsynced records. The flush thread ignores them until EndSyncOfOlder.
std::vector<WalRef> WalSet::BeginSyncOfOlder() {
  std::vector<WalRef> wals;
  if (!older_are_unsynced_) return wals;
  const auto is_unsynced = [](const WalRef& wal)
                               LULL_REQUIRES(kLeadingWriter) { return wal->has_unsynced; };
  const auto is_taken = [&](const WalRef& wal) LULL_REQUIRES(kLeadingWriter, mutex_) {
    return is_unsynced(wal) && wal->is_busy;
  };
  MutexLock lock(mutex_);
  while (std::any_of(sealed_.begin(), sealed_.end(), is_taken)) not_busy_.Wait(mutex_);
  std::copy_if(sealed_.begin(), sealed_.end(), std::back_inserter(wals), is_unsynced);
  for (const WalRef& wal : wals) wal->is_busy = true;
  return wals;
}

void WalSet::EndSyncOfOlder(std::vector<WalRef> wals) {
  if (wals.empty()) return;
  MutexLock lock(mutex_);
  for (const WalRef& wal : wals) wal->is_busy = false;
  wals.clear();  // before the flush thread releases them, so that its reference is the last
}

leveldb::Status WalSet::SyncOlder(const std::vector<WalRef>& wals) {
  for (const WalRef& wal : wals) {
    if (wal->number < released_below_.load(std::memory_order_acquire)) continue;
    leveldb::Status status = wal->writer.Sync();
    if (!status.ok()) return status;
    wal->has_unsynced = false;
  }
  older_are_unsynced_ = false;
  return leveldb::Status::OK();
}

/// The process that wrote them can have ended without a sync, or after one that failed.
leveldb::Status WalSet::SyncRecovered() {
  std::vector<RecoveredWal> wals;
  {
    MutexLock lock(mutex_);
    wals = recovered_;
    recovered_are_busy_ = true;
  }
  leveldb::Status status;
  for (size_t i = 0; status.ok() && i < wals.size(); ++i) {
    status = SyncClosedFile(context_->env(), LogFileName(context_->name, wals[i].number),
                            wals[i].valid_bytes);
  }
  recovered_are_unsynced_ = !status.ok();
  MutexLock lock(mutex_);
  recovered_are_busy_ = false;
  return status;
}

/// Syncs the names of all WALs that the leading writer has to sync. Fails if a name might be lost.
leveldb::Status WalSet::NameUnsynced(const std::vector<WalRef>& older) {
  leveldb::Status status = files_.SyncNames();
  const uint64_t released = released_below_.load(std::memory_order_acquire);
  for (const WalRef& wal : older) {
    if (status.ok() && wal->number >= released) status = files_.ConfirmName(wal.get());
  }
  return status.ok() ? files_.ConfirmName(current_.get()) : status;
}

// ---- after the last record ----

void WalSet::SealEnded() {
  const bool disk_low = inputs_.disk_low.load(std::memory_order_relaxed);
  if (!disk_low && !files_.LackedDescriptors()) return;
  const auto next = [this, disk_low]() LULL_REQUIRES(kFlushThread, mutex_) -> WalRef {
    for (const WalRef& wal : sealed_) {
      // A file that can be recycled keeps its length while disk space lasts.
      const bool seals = wal->mode == LogFileMode::kMapped || disk_low;
      if (seals && !wal->is_sealed && !wal->is_busy && wal->log != nullptr) return wal;
    }
    return nullptr;
  };
  while (true) {
    WalRef wal;
    {
      MutexLock lock(mutex_);
      wal = next();
      if (wal == nullptr) return;
      wal->is_busy = wal->is_sealed = true;
    }
    wal->log->Seal();  // on an error the file keeps its length
    if (!wal->log->HoldsDescriptor()) wal->descriptor.reset();
    MutexLock lock(mutex_);
    wal->is_busy = false;
    not_busy_.NotifyAll();
  }
}

std::vector<std::string> WalSet::Release(uint64_t number) {
  released_below_.store(number, std::memory_order_release);
  std::vector<WalRef> released;
  std::vector<std::string> paths;
  {
    MutexLock lock(mutex_);
    std::erase_if(recovered_, [&](const RecoveredWal& wal) LULL_REQUIRES(mutex_) {
      if (wal.number >= number || recovered_are_busy_) return false;
      paths.push_back(LogFileName(context_->name, wal.number));
      return true;
    });
    std::erase_if(sealed_, [&](const WalRef& wal) LULL_REQUIRES(mutex_) {
      if (wal->number >= number || wal->is_busy) return false;
      released.push_back(wal);
      return true;
    });
  }
  for (WalRef& wal : released) {
    if (!files_.TryRetire(wal.get())) paths.push_back(LogFileName(context_->name, wal->number));
    wal.reset();  // the last reference: closes the file
  }
  return paths;
}

bool WalSet::HasUnreleased() {
  const uint64_t released_below = released_below_.load(std::memory_order_relaxed);
  MutexLock lock(mutex_);
  return (!sealed_.empty() && sealed_.front()->number < released_below) ||
         (!recovered_.empty() && recovered_.front().number < released_below);
}

void WalSet::Close() {
  files_.DiscardPrepared(0);
  MutexLock lock(mutex_);
  for (const WalRef& wal : sealed_) wal->writer.Close();
  if (current_ != nullptr) current_->writer.Close();
  sealed_.clear();
  current_ = shared_current_ = nullptr;
}

// ---- reports ----

WalSet::Numbers WalSet::ListNumbers() {
  Numbers numbers;
  files_.VisitPrepared([&](const WalFile& wal) { numbers.prepared.push_back(wal.number); });
  MutexLock lock(mutex_);
  for (const RecoveredWal& wal : recovered_) numbers.in_use.push_back(wal.number);
  for (const WalRef& wal : sealed_) numbers.in_use.push_back(wal->number);
  if (shared_current_ != nullptr) numbers.in_use.push_back(shared_current_->number);
  return numbers;
}

uint64_t WalSet::FileBytes() {
  const uint64_t memtable_bytes = inputs_.memtable_bytes.load(std::memory_order_relaxed);
  uint64_t bytes = 0;
  const auto add = [&](const WalFile& wal) { bytes += wal.extent().FileBytes(memtable_bytes); };
  files_.VisitPrepared(add);
  MutexLock lock(mutex_);
  for (const RecoveredWal& wal : recovered_) bytes += wal.file_bytes;
  for (const WalRef& wal : sealed_) add(*wal);
  if (shared_current_ != nullptr) add(*shared_current_);
  return bytes;
}

}  // namespace lull
