// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WalSet: how the current WAL grows, and which WALs have mapped pages.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "db/wal/wal_set.h"

namespace lull {

/// How much of the preallocated bytes is used when the leading writer asks for more: a quarter. A
/// flush thread that gets its core late then still comes in time. But a WAL with few records asks
/// later.
uint64_t WalSet::AskAt(uint64_t capacity) {
  return std::max(capacity / 4, std::min(capacity / 2, kFirstBytes));
}

/// No log takes the last space of a disk, since the next open needs some: for a log, a MANIFEST and
/// an info log, not for tables.
leveldb::Status WalSet::CheckSpace(uint64_t record_bytes) const {
  constexpr uint64_t kKeptBytesMax = 256 << 10;
  if (context_->extension == nullptr) return leveldb::Status::OK();
  const uint64_t kept_bytes =
      std::min(memtable_bytes_.load(std::memory_order_relaxed), kKeptBytesMax);
  const std::optional<uint64_t> free_bytes = context_->extension->FreeBytes(context_->name);
  if (!free_bytes || *free_bytes >= kept_bytes + record_bytes) return leveldb::Status::OK();
  return leveldb::Status::IOError(context_->name,
                                  "little space is left, and the next open needs it: " +
                                      std::generic_category().message(ENOSPC));
}

/// Called before some appends past AskAt. Asks the flush thread for more. If that comes too late,
/// the writer itself makes room. A log that is past its preallocated bytes looks at times whether
/// it may take more.
leveldb::Status WalSet::MakeRoom(uint64_t file_bytes, uint64_t record_bytes) {
  constexpr uint64_t kLookEveryBytes = 64 << 10;
  const uint64_t end_bytes = file_bytes + record_bytes;
  const auto with_headers = [](uint64_t bytes) { return bytes + bytes / 1024 + 64; };
  Wal& wal = *current_;
  const uint64_t needed = with_headers(end_bytes);
  const bool disk_low = disk_low_.load(std::memory_order_relaxed);
  if (disk_low) wal.capacity_max = 0;
  if (needed > wal.capacity && wal.capacity < wal.capacity_max)
    Grow(&wal, std::max<uint64_t>(2 * wal.capacity, needed));
  const uint64_t capacity = wal.capacity;
  if (capacity >= wal.capacity_max) {
    leveldb::Status status;
    if (disk_low && needed > capacity) status = CheckSpace(record_bytes);
    if (!status.ok()) return status;
    grow_at_bytes_ = std::max(end_bytes, capacity) + kLookEveryBytes;
  } else if (end_bytes < AskAt(capacity)) {
    grow_at_bytes_ = AskAt(capacity);
  } else {
    // Looks again before the end: the flush thread can have made room, of which a quarter is used.
    grow_at_bytes_ = std::min(2 * capacity - with_headers(capacity), end_bytes + capacity / 8);
    if (!wal.wants_growth.exchange(true, std::memory_order_release)) context_->flush_thread->Wake();
  }
  current_capacity_.store(std::max(capacity, std::min<uint64_t>(2 * capacity, wal.capacity_max)),
                          std::memory_order_relaxed);
  return leveldb::Status::OK();
}

/// Leading writer and flush thread. After a failure the WAL grows no more: its records do, with
/// write(2).
void WalSet::Grow(Wal* wal, uint64_t bytes) {
  const uint64_t capacity = std::min<uint64_t>(bytes, wal->capacity_max);
  if (!wal->log->Grow(capacity).ok()) {
    wal->capacity_max = 0;
  } else if (capacity > wal->capacity) {
    wal->capacity = capacity;
  }
}

void WalSet::GrowCurrent() {
  WalRef current;
  {
    MutexLock lock(mutex_);
    current = shared_current_;
  }
  if (current == nullptr || !current->wants_growth.load(std::memory_order_acquire)) return;
  Grow(current.get(), 2 * current->capacity);
  current->wants_growth.store(false, std::memory_order_release);  // not before: once per request
}

WalSet::WalRef WalSet::OldestWithPages() {
  for (const WalRef& wal : sealed_)
    if (wal->has_pages) return wal;
  return nullptr;
}

void WalSet::TendPages() {
  while (true) {
    std::vector<WalRef> next;
    WalRef ended;
    {
      MutexLock lock(mutex_);
      ended = OldestWithPages();
      if (ended != nullptr) {
        ended->has_pages = false;
      } else {
        const size_t count = std::min(prepared_.size(), loaded_max_);
        next.assign(prepared_.begin(), prepared_.begin() + static_cast<std::ptrdiff_t>(count));
      }
    }
    for (const WalRef& wal : next)
      if (wal->log != nullptr) wal->log->LoadPages();
    if (ended == nullptr) return;
    loaded_max_ = kLoadedMax;
    if (ended->log != nullptr) ended->log->DropPages(/*all=*/true);
  }
}

void WalSet::DropPagesInLull() {
  std::vector<WalRef> prepared;
  WalRef current;
  loaded_max_ = 1;
  {
    MutexLock lock(mutex_);
    current = shared_current_;
    if (!prepared_.empty()) prepared.assign(prepared_.begin() + 1, prepared_.end());
  }
  for (const WalRef& wal : prepared)
    if (wal->log != nullptr) wal->log->DropPages(/*all=*/true);
  if (current != nullptr && current->log != nullptr) current->log->DropPages(/*all=*/false);
}

}  // namespace lull
