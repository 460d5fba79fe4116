// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Clients that wait for background work.
#include <algorithm>
#include <utility>

#include "db/recovery/checkpoint.h"
#include "db/store.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr uint64_t kLookAgainNanos = 20'000'000;

}  // namespace

/// Waits until `over`, which is called under the mutex, while the background works for this client.
template <class Over>
void Store::DrainLocked(Over over) {
  ++drains_;
  while (!over()) {
    coordinator_->WakeFlush();
    coordinator_->WakeMonitor();
    changed_.WaitFor(mutex_, kLookAgainNanos);
  }
  --drains_;
}

/// Work that failed is tried again for a client that waits for it.
void Store::RetryNowLocked() {
  flush_retry_at_nanos_.store(0, std::memory_order_relaxed);
  compaction_retry_at_nanos_ = 0;
}

leveldb::Status Store::Flush() {
  leveldb::Status status = SealForClient();
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  const uint64_t wanted = seals_;
  flush_retry_at_nanos_.store(0, std::memory_order_relaxed);  // one try at least, and now
  while (status.ok() && flushes_ < wanted) {
    const uint64_t failed_before = flushes_failed_;
    DrainLocked([&]() LULL_REQUIRES(mutex_) {
      return flushes_ >= wanted || !write_error_.ok() || flushes_failed_ > failed_before;
    });
    // Both are OK if a try failed, and the next one flushed a part before this thread looked.
    if (flushes_ < wanted) status = write_error_.ok() ? flush_error_ : write_error_;
  }
  return status;
}

/// A write-ahead log failed, so that what was acknowledged from it may be nowhere but in memory:
/// one try to bring that into tables before the store closes.
void Store::SaveAckedWrites() {
  MutexLock lock(mutex_);
  if (wal_error_.ok()) return;
  // A flush that runs now may fail of what is over, and is not that try.
  const uint64_t failed_max = flushes_failed_ + (flushing_ ? 2 : 1);
  DrainLocked([&]() LULL_REQUIRES(mutex_) {
    flush_retry_at_nanos_.store(0, std::memory_order_relaxed);
    return immutables_.empty() || !write_error_.ok() || flushes_failed_ >= failed_max;
  });
}

/// What memory holds is flushed first, so that the tables of one Version are all there is to a
/// checkpoint. To copy logs instead would save one small table, and bring in what is hardest to get
/// right: where a log that is being written ends, which of several are needed, in which Envs their
/// last bytes are not yet readable.
leveldb::Status Store::CreateCheckpoint(const std::string& dir) {
  leveldb::Status status = Flush();
  if (!status.ok()) return status;
  CheckpointSource source;
  {
    MutexLock lock(mutex_);
    source.version = version_;
    source.compact_pointers = compact_pointers_;
    source.last_sequence = flushed_sequence_;
  }
  return WriteCheckpoint(*context_, source, dir);
}

bool Store::IsIdleLocked() const {
  if (!immutables_.empty() || flushing_ || !to_install_.empty() || !running_.empty()) return false;
  for (int level = 0; level < kLevels; ++level) {
    if (LevelScore(*version_, level, layout_) >= 1.0) return false;
  }
  return true;
}

/// What has gone wrong since background_errors_ was `errors_before`. An earlier failure says
/// nothing about the next try.
leveldb::Status Store::ErrorSinceLocked(uint64_t errors_before) const {
  if (!write_error_.ok()) return write_error_;
  return background_errors_ > errors_before ? background_error_ : leveldb::Status::OK();
}

leveldb::Status Store::WaitForIdle() {
  if (IsInherited()) return InheritedError();
  MutexLock lock(mutex_);
  const uint64_t errors = background_errors_;
  RetryNowLocked();
  leveldb::Status status;
  DrainLocked([&]() LULL_REQUIRES(mutex_) {
    status = ErrorSinceLocked(errors);
    if (status.ok()) status = damage_;
    return IsIdleLocked() || !status.ok();
  });
  return status;
}

void Store::CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) {
  if (IsInherited()) return;
  leveldb::Status status = Flush();
  UserRange range;
  if (begin != nullptr) range.smallest = begin->ToString();
  if (end != nullptr) range.largest = end->ToString();
  int deepest = 1;
  {
    MutexLock lock(mutex_);
    for (int level = 1; level < kLevels; ++level) {
      if (!version_->Overlapping(level, range).empty()) deepest = level;
    }
  }
  for (int level = 0; status.ok() && level < deepest; ++level) status = CompactLevel(level, range);
  if (!status.ok())
    Log(context_->logger(), "CompactRange ends early: %s", status.ToString().c_str());
}

leveldb::Status Store::CompactLevel(int level, const UserRange& range) {
  ManualRequest request;
  request.level = level;
  request.range = range;
  MutexLock lock(mutex_);
  manual_.push_back(&request);
  const uint64_t errors = background_errors_;
  RetryNowLocked();
  leveldb::Status status;
  DrainLocked([&]() LULL_REQUIRES(mutex_) {
    status = ErrorSinceLocked(errors);
    return request.done || !status.ok();
  });
  // A job of this request may still run: it is taken for what it is when it ends, without the
  // request.
  manual_.remove(&request);
  if (std::exchange(manual_awaits_, std::nullopt)) ++plan_basis_;
  return request.status.ok() ? status : request.status;
}

}  // namespace lull
