// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/filename.h"
#include "db/recovery.h"
#include "util/env_extension.h"

namespace lull {
namespace {

// A memtable's records take less room in the WAL than in memory, but the last batch may overshoot.
constexpr uint64_t kSlackBytes = 256 << 10;
constexpr uint64_t kMarginBytes = 16 << 10;

}  // namespace

WalSet::~WalSet() { Close(); }

/// Synced appends go through write(2): a sync of a mapping that was faulted in ahead would write
/// its zeros too.
LogFileMode WalSet::WantedMode() const {
  return clients_sync_.load(std::memory_order_relaxed) ? LogFileMode::kWrite : LogFileMode::kMapped;
}

/// What a memtable's records will need. Where every byte of it is written twice, no more than the
/// last one needed.
uint64_t WalSet::CapacityBytes(LogFileMode mode) const {
  const uint64_t bytes_max = memtable_bytes_.load(std::memory_order_relaxed) + kSlackBytes;
  const uint64_t last = last_wal_bytes_.load(std::memory_order_relaxed);
  if (mode == LogFileMode::kMapped || last == 0) return bytes_max;
  return std::min(bytes_max, last + last / 64 + kMarginBytes);
}

leveldb::Status WalSet::Create(WalRef* wal) {
  const uint64_t number = context_->NewFileNumber();
  const std::string path = LogFileName(context_->name, number);
  leveldb::WritableFile* raw = nullptr;
  leveldb::Status status = leveldb::Status::NotSupported(path);
  const LogFileMode mode = WantedMode();
  if (context_->extension != nullptr) {
    status = context_->extension->NewLogFile(path, CapacityBytes(mode), mode, &raw);
  }
  if (status.IsNotSupportedError()) status = context_->env()->NewWritableFile(path, &raw);
  if (!status.ok()) return status;
  *wal = std::make_shared<Wal>(number, mode, std::unique_ptr<leveldb::WritableFile>(raw));
  names_unsynced_.store(true, std::memory_order_release);
  return status;
}

bool WalSet::NeedsPrepare() {
  MutexLock lock(mutex_);
  return prepared_.size() < prepared_wanted_ || IsUnfit(prepared_.front());
}

leveldb::Status WalSet::Prepare() {
  if (!NeedsPrepare()) return leveldb::Status::OK();
  DiscardUnfit();
  WalRef wal;
  leveldb::Status status = Create(&wal);
  if (!status.ok()) return status;
  if (clients_sync_.load(std::memory_order_relaxed) && context_->extension != nullptr) {
    names_unsynced_.store(false, std::memory_order_release);
    status = context_->extension->SyncDirectory(context_->name);
    if (!status.ok()) names_unsynced_.store(true, std::memory_order_release);
  }
  MutexLock lock(mutex_);
  prepared_.push_back(std::move(wal));
  return leveldb::Status::OK();  // a folder that could not be synced is synced with the first
                                 // record
}

/// The prepared WAL to go on with, or nullptr. Logs are replayed in order of their numbers, so one
/// that was prepared slowly, and overtaken by one made in Switch meanwhile, is not used any more.
WalSet::WalRef WalSet::TakePrepared() {
  while (true) {
    WalRef next;
    {
      MutexLock lock(mutex_);
      if (prepared_.size() <= 1) prepared_wanted_ = kPreparedMax;
      if (prepared_.empty()) return nullptr;
      next = std::move(prepared_.front());
      prepared_.pop_front();
    }
    if (current_ == nullptr || next->number > current_->number) return next;
    Discard(std::move(next));
  }
}

/// Writes the first record. Where that fails the file must go before another is begun behind it:
/// replay could take what is left of the record for damage, and end there.
leveldb::Status WalSet::Begin(const WalRef& wal, SequenceNumber first_sequence) {
  const leveldb::Status status = wal->writer.AddRecord(WalPreamble(first_sequence));
  if (status.ok()) return status;
  wal->writer.Close();
  unbegun_ = LogFileName(context_->name, wal->number);
  RemoveUnbegun();  // or later
  return status;
}

leveldb::Status WalSet::RemoveUnbegun() {
  if (unbegun_.empty()) return leveldb::Status::OK();
  const leveldb::Status status = context_->env()->RemoveFile(unbegun_);
  if (!status.ok() && !status.IsNotFound()) return status;
  unbegun_.clear();
  names_unsynced_.store(true, std::memory_order_release);
  return leveldb::Status::OK();
}

leveldb::Status WalSet::Restart(SequenceNumber first_sequence) {
  older_unsynced_.clear();
  current_->has_unsynced = false;
  return Switch(first_sequence);
}

leveldb::Status WalSet::Switch(SequenceNumber first_sequence) {
  leveldb::Status status = RemoveUnbegun();
  if (!status.ok()) return status;
  WalRef next = TakePrepared();
  if (next == nullptr) status = Create(&next);
  if (status.ok()) status = Begin(next, first_sequence);
  if (!status.ok()) return status;
  next->has_unsynced = true;
  WalRef previous = std::exchange(current_, std::move(next));
  if (previous == nullptr) return status;
  clients_sync_.store(!previous->has_unsynced, std::memory_order_relaxed);
  last_wal_bytes_.store(previous->writer.FileBytes(), std::memory_order_relaxed);
  if (previous->has_unsynced) older_unsynced_.push_back(previous);
  const uint64_t released = released_below_.load(std::memory_order_acquire);
  const auto first_needed =
      std::find_if(older_unsynced_.begin(), older_unsynced_.end(),
                   [&](const WalRef& wal) { return wal->number >= released; });
  MutexLock lock(mutex_);
  to_close_.insert(to_close_.end(), std::make_move_iterator(older_unsynced_.begin()),
                   std::make_move_iterator(first_needed));
  older_unsynced_.erase(older_unsynced_.begin(), first_needed);
  older_.push_back(std::move(previous));
  return status;
}

bool WalSet::IsUnfit(const WalRef& wal) const {
  return wal->mode == LogFileMode::kMapped && WantedMode() == LogFileMode::kWrite;
}

void WalSet::DiscardUnfit() {
  std::vector<WalRef> unfit;
  {
    MutexLock lock(mutex_);
    while (!prepared_.empty() && IsUnfit(prepared_.front())) {
      unfit.push_back(std::move(prepared_.front()));
      prepared_.pop_front();
    }
  }
  for (WalRef& wal : unfit) Discard(std::move(wal));
}

void WalSet::DiscardPrepared() {
  std::deque<WalRef> prepared;
  {
    MutexLock lock(mutex_);
    prepared.swap(prepared_);
  }
  for (WalRef& wal : prepared) Discard(std::move(wal));
}

void WalSet::Discard(WalRef unused) {
  const std::string path = LogFileName(context_->name, unused->number);
  unused->writer.Close();
  unused = nullptr;
  context_->env()->RemoveFile(path);
}

leveldb::Status WalSet::SyncOlder() {
  const uint64_t released = released_below_.load(std::memory_order_acquire);
  for (const WalRef& wal : older_unsynced_) {
    if (wal->number < released) continue;
    leveldb::Status status = wal->writer.Sync();
    if (!status.ok()) return status;
    wal->has_unsynced = false;
  }
  older_unsynced_.clear();
  return leveldb::Status::OK();
}

leveldb::Status WalSet::Sync() {
  clients_sync_.store(true, std::memory_order_relaxed);
  leveldb::Status status;
  if (!older_unsynced_.empty()) status = SyncOlder();
  // Cleared first: a WAL that is created meanwhile sets it again.
  if (status.ok() && context_->extension != nullptr &&
      names_unsynced_.exchange(false, std::memory_order_acq_rel)) {
    status = context_->extension->SyncDirectory(context_->name);
    if (!status.ok()) names_unsynced_.store(true, std::memory_order_release);
  }
  if (status.ok()) status = current_->writer.Sync();
  if (status.ok()) current_->has_unsynced = false;
  return status;
}

std::vector<std::string> WalSet::Release(uint64_t number) {
  released_below_.store(number, std::memory_order_release);
  std::vector<WalRef> released;
  std::vector<WalRef> to_close;
  {
    MutexLock lock(mutex_);
    to_close.swap(to_close_);
    const auto end = std::find_if(older_.begin(), older_.end(),
                                  [&](const WalRef& wal) { return wal->number >= number; });
    released.assign(older_.begin(), end);
    older_.erase(older_.begin(), end);
  }
  std::vector<std::string> paths;
  for (const WalRef& wal : released) paths.push_back(LogFileName(context_->name, wal->number));
  return paths;  // the files close with the last reference
}

void WalSet::Close() {
  MutexLock lock(mutex_);
  for (WalRef& unused : prepared_) Discard(std::move(unused));
  prepared_.clear();
  for (const WalRef& wal : older_) wal->writer.Close();
  if (current_ != nullptr) current_->writer.Close();
  older_.clear();
  older_unsynced_.clear();
  to_close_.clear();
  current_ = nullptr;
}

}  // namespace lull
