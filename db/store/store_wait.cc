// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store's functions in which clients wait for background work.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "db/recovery/checkpoint.h"
#include "db/store/store.h"
#include "util/clock.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr uint64_t kLookAgainNanos = 20'000'000;

}  // namespace

/// Waits until `over()` is true, and makes background work run meanwhile. Calls `over` under the
/// mutex.
template <class Over>
void Store::DrainLocked(Over over) {
  ++state_.drains;
  while (!over()) {
    flush_thread_.Wake();
    coordinator_->WakeMonitor();
    state_.changed.WaitFor(state_.mutex, kLookAgainNanos);
  }
  --state_.drains;
}

leveldb::Status Store::Flush() {
  if (IsInherited()) return InheritedError();
  leveldb::Status status = write_path_.Seal();
  if (!status.ok()) return status;
  MutexLock lock(state_.mutex);
  const uint64_t wanted = state_.memtables.seals();
  state_.health.RetryFlushNow();  // try at least once
  while (status.ok() && state_.memtables.flushes() < wanted) {
    const uint64_t failed_before = state_.health.flushes_failed();
    DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
      return state_.memtables.flushes() >= wanted || !state_.health.write_error().ok() ||
             state_.health.flushes_failed() > failed_before;
    });
    // WhyNotFlushed is OK if a flush failed and a later one flushed a part before this thread woke.
    if (state_.memtables.flushes() < wanted) status = state_.health.WhyNotFlushed();
  }
  return status;
}

/// After a WAL failure, acknowledged entries can exist in memory only. Makes one attempt to flush
/// them before the store closes.
void Store::SaveAckedWrites() {
  MutexLock lock(state_.mutex);
  if (state_.health.wal_error().ok()) return;
  // A flush that already runs can fail for an old cause, so it does not count as the attempt.
  const uint64_t failed_max = state_.health.flushes_failed() + (state_.flushing ? 2 : 1);
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
    state_.health.RetryFlushNow();
    return state_.memtables.immutable_count() == 0 || !state_.health.write_error().ok() ||
           state_.health.flushes_failed() >= failed_max;
  });
}

/// A program that runs for a moment abandons each compaction at its close. If L0 is long therefore,
/// the close waits for one of its compactions.
void Store::ShortenL0() {
  constexpr size_t kLongL0Tables = 12;
  constexpr uint64_t kBeginsWithinNanos = 100'000'000;
  if (opened_l0_tables_ < kLongL0Tables) return;
  Clock* const clock = Clock::System();
  const uint64_t give_up_nanos = clock->NowNanos() + kBeginsWithinNanos;
  MutexLock lock(state_.mutex);
  const uint64_t errors = state_.health.background_errors();
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
    if (state_.version()->level(0).size() < opened_l0_tables_) return true;
    return !state_.health.ErrorSince(errors).ok() ||
           (!state_.compaction_state.RunsL0() && clock->NowNanos() >= give_up_nanos);
  });
}

/// Flushes memory first, so that a checkpoint or a backup consists of the tables of one Version.
/// Copying WALs instead would save one small table. But it would have to find the end of a WAL in
/// use, select the WALs that are needed, and handle Envs where the last bytes are not yet readable.
/// Nor could a flush and the tables be from before and after a removal of tables that depends on
/// deletions in memory, so no removal runs meanwhile.
leveldb::Status Store::PinTables(const UseTables& use) {
  MutexLock removal_lock(removal_mutex_);
  leveldb::Status status = Flush();
  if (!status.ok()) return status;
  CheckpointSource source;
  {
    MutexLock lock(state_.mutex);
    source.version = state_.version();
    source.compact_pointers = state_.compaction_state.pointers();
    source.last_sequence = state_.flushed_sequence;
  }
  return use(*context_, source);
}

leveldb::Status Store::WaitForIdle() {
  if (IsInherited()) return InheritedError();
  MutexLock lock(state_.mutex);
  const uint64_t errors = state_.health.background_errors();
  state_.health.RetryNow();
  leveldb::Status status;
  const auto has_failed = [&]() LULL_REQUIRES(state_.mutex) {
    status = state_.health.ErrorSince(errors);
    if (status.ok()) status = state_.health.damage();
    return !status.ok();
  };
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
    return has_failed() ||
           (state_.memtables.immutable_count() == 0 && !state_.flushing &&
            state_.compaction_state.IsIdle(*state_.version(), state_.OldestSnapshotLocked()));
  });
  if (status.ok()) AwaitDeletionsLocked(has_failed);
  return status;
}

/// Waits until the files of tables that are obsolete now are deleted, or until `over()` or nothing
/// can be deleted. Deletes those that no worker has taken: workers prefer compactions.
template <class Over>
void Store::AwaitDeletionsLocked(Over over) {
  // Tables become obsolete when the views of the Versions that list them are destroyed.
  const auto added = std::make_shared<std::atomic<uint64_t>>(UINT64_MAX);
  reader_.AfterPresentReads([this, added] {
    added->store(obsolete_.AddedCount());
    MutexLock lock(state_.mutex);
    state_.changed.NotifyAll();
  });
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) { return over() || added->load() != UINT64_MAX; });
  state_.mutex.Unlock();
  if (const std::unique_ptr<CleanupJob> job = obsolete_.TakeJob()) {
    flush_thread_.RunAtNormalPriority([&] {
      Job::Progress progress = Job::Progress::kMore;
      while (progress == Job::Progress::kMore) job->RunSlice(SliceBudget(), &progress);
    });
  }
  state_.mutex.Lock();
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
    return over() || !flags_.may_delete.load(std::memory_order_acquire) ||
           !obsolete_.HasSomeOf(added->load());
  });
}

void Store::CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) {
  if (IsInherited()) return;
  leveldb::Status status = Flush();
  UserRange range;
  if (begin != nullptr) range.smallest = begin->ToString();
  if (end != nullptr) range.largest = end->ToString();
  int deepest = 1;
  uint64_t pass = 0;  // of the filter; 0: none
  {
    MutexLock lock(state_.mutex);
    pass = state_.filter.BeginPass();
    for (int level = 1; level < kLevels; ++level) {
      if (!state_.version()->Overlapping(level, range).empty()) deepest = level;
    }
  }
  for (int level = 0; status.ok() && level < deepest; ++level)
    status = CompactLevel(level, range, /*rewrite_pass=*/0);
  // The steps so far have not merged all tables of the deepest level. Meanwhile, other compactions
  // can have moved some of them further down.
  for (int level = deepest; status.ok() && pass > 0 && level < kLevels; ++level)
    status = CompactLevel(level, range, pass);
  if (status.ok()) {
    MutexLock lock(state_.mutex);
    const uint64_t errors = state_.health.background_errors();
    AwaitDeletionsLocked(
        [&]() LULL_REQUIRES(state_.mutex) { return !state_.health.ErrorSince(errors).ok(); });
  }
  if (!status.ok())
    Log(context_->logger(), "CompactRange ends early: %s", status.ToString().c_str());
}

leveldb::Status Store::CompactLevel(int level, const UserRange& range, uint64_t rewrite_pass) {
  ManualRequest request;
  request.level = level;
  request.rewrite_pass = rewrite_pass;
  request.range = range;
  MutexLock lock(state_.mutex);
  state_.compaction_state.AddRequest(&request);
  const uint64_t errors = state_.health.background_errors();
  state_.health.RetryNow();
  leveldb::Status status;
  DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
    status = state_.health.ErrorSince(errors);
    return request.done || !status.ok();
  });
  // A job of this request can still run. Its result is used without the request.
  state_.compaction_state.RemoveRequest(&request);
  return request.status.ok() ? status : request.status;
}

/// Waits until no compaction runs in the span, and lets none begin in it. `*removal`: of all tables
/// inside the span.
leveldb::Status Store::WithholdRange(const KeyBounds& span, RangeRemoval* removal) {
  VersionRef version;
  leveldb::Status status;
  {
    MutexLock lock(state_.mutex);
    DrainLocked([&]() LULL_REQUIRES(state_.mutex) {
      status = state_.health.write_error();
      version = state_.version();
      // A flush or a compaction can have added tables.
      const std::optional<UserRange> touched = TouchedRange(*version, span);
      return !status.ok() || !touched ||
             state_.compaction_state.Withhold(context_->order, *touched);
    });
  }
  if (status.ok()) *removal = RemoveAllInside(*version, span);
  return status;
}

}  // namespace lull
