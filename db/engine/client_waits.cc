// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/client_waits.h"

#include <atomic>
#include <memory>

#include "util/clock.h"

namespace lull {

ClientWaits::ClientWaits(const EngineParts& parts, WritePath* writes)
    : context_(parts.context),
      state_(parts.state),
      reader_(parts.reader),
      flags_(parts.flags),
      obsolete_(parts.obsolete),
      writes_(writes) {}

leveldb::Status ClientWaits::Flush() {
  leveldb::Status status = writes_->Seal();
  if (!status.ok()) return status;
  MutexLock lock(state_->mutex());
  const uint64_t wanted = state_->memtables().seals();
  state_->RetryFlushNowLocked();  // try at least once
  while (status.ok() && state_->memtables().flushes() < wanted) {
    const uint64_t failed_before = state_->health().flushes_failed();
    while (state_->memtables().flushes() < wanted && state_->health().write_error().ok() &&
           state_->health().flushes_failed() == failed_before)
      state_->DrainLocked();
    // WhyNotFlushed is OK if a flush failed and a later one flushed a part before this thread woke.
    if (state_->memtables().flushes() < wanted) status = state_->health().WhyNotFlushed();
  }
  return status;
}

leveldb::Status ClientWaits::WaitForIdle() {
  MutexLock lock(state_->mutex());
  const uint64_t errors = state_->health().background_errors();
  state_->RetryNowLocked();
  leveldb::Status status;
  const auto has_failed = [&]() LULL_REQUIRES(state_->mutex()) {
    status = state_->health().ErrorSince(errors);
    if (status.ok()) status = state_->health().damage();
    return !status.ok();
  };
  while (!has_failed() &&
         (state_->memtables().immutable_count() > 0 || state_->is_flushing() ||
          !state_->compactions().IsIdle(*state_->version(), state_->OldestSnapshotLocked())))
    state_->DrainLocked();
  if (status.ok()) AwaitDeletionsLocked(has_failed);
  return status;
}

/// Waits until the files of tables that are obsolete now are deleted, or until `over()` or nothing
/// can be deleted. Deletes those that no worker has taken: workers prefer compactions.
template <class Over>
void ClientWaits::AwaitDeletionsLocked(Over over) {
  // Tables become obsolete when the views of the Versions that list them are destroyed.
  const auto added = std::make_shared<std::atomic<uint64_t>>(UINT64_MAX);
  reader_->AfterPresentReads([this, added] {
    added->store(obsolete_->AddedCount());
    MutexLock lock(state_->mutex());
    state_->NotifyLocked();
  });
  while (!over() && added->load() == UINT64_MAX) state_->DrainLocked();
  state_->mutex().Unlock();
  if (const std::unique_ptr<Job> job = obsolete_->TakeJob()) {
    context_->flush_thread->RunAtNormalPriority([&] {
      Job::Progress progress = Job::Progress::kMore;
      while (progress == Job::Progress::kMore) job->RunSlice(SliceBudget(), &progress);
    });
  }
  state_->mutex().Lock();
  while (!over() && flags_->MayDelete() && obsolete_->HasSomeOf(added->load()))
    state_->DrainLocked();
}

leveldb::Status ClientWaits::CompactRange(const UserRange& range) {
  leveldb::Status status = Flush();
  int deepest = 1;
  uint64_t pass = 0;  // of the filter; 0: none
  {
    MutexLock lock(state_->mutex());
    pass = state_->BeginFilterPassLocked();
    for (int level = 1; level < kLevels; ++level) {
      if (!state_->version()->Overlapping(level, range).empty()) deepest = level;
    }
  }
  for (int level = 0; status.ok() && level < deepest; ++level)
    status = CompactLevel(level, range, /*rewrite_pass=*/0);
  // The steps so far have not merged all tables of the deepest level. Meanwhile, other compactions
  // can have moved some of them further down.
  for (int level = deepest; status.ok() && pass > 0 && level < kLevels; ++level)
    status = CompactLevel(level, range, pass);
  if (status.ok()) {
    MutexLock lock(state_->mutex());
    const uint64_t errors = state_->health().background_errors();
    AwaitDeletionsLocked(
        [&]() LULL_REQUIRES(state_->mutex()) { return !state_->health().ErrorSince(errors).ok(); });
  }
  return status;
}

leveldb::Status ClientWaits::CompactLevel(int level, const UserRange& range,
                                          uint64_t rewrite_pass) {
  ManualRequest request;
  request.level = level;
  request.rewrite_pass = rewrite_pass;
  request.range = range;
  MutexLock lock(state_->mutex());
  state_->compactions().AddRequest(&request);
  const uint64_t errors = state_->health().background_errors();
  state_->RetryNowLocked();
  leveldb::Status status;
  while (status.ok() && !request.done) {
    state_->DrainLocked();
    status = state_->health().ErrorSince(errors);
  }
  // A job of this request can still run. Its result is used without the request.
  state_->compactions().RemoveRequest(&request);
  return request.status.ok() ? status : request.status;
}

void ClientWaits::SaveAckedWrites() {
  MutexLock lock(state_->mutex());
  if (state_->health().wal_error().ok()) return;
  // A flush that already runs can fail for an old cause, so it does not count as the attempt.
  const uint64_t failed_max = state_->health().flushes_failed() + (state_->is_flushing() ? 2 : 1);
  while (state_->memtables().immutable_count() > 0 && state_->health().write_error().ok() &&
         state_->health().flushes_failed() < failed_max) {
    state_->RetryFlushNowLocked();
    state_->DrainLocked();
  }
}

void ClientWaits::FlushRecovered(uint64_t memtables) {
  if (memtables == 0) return;
  MutexLock lock(state_->mutex());
  const uint64_t errors = state_->health().background_errors();
  state_->RetryFlushNowLocked();
  while (state_->memtables().flushes() < memtables && state_->health().write_error().ok() &&
         state_->health().ErrorSince(errors).ok())
    state_->DrainLocked();
}

void ClientWaits::ShortenL0(size_t opened_tables, bool has_rate_limit) {
  constexpr size_t kLongL0Tables = 8;  // where LevelDB slows its writers
  constexpr uint64_t kBeginsWithinNanos = 100'000'000;
  if (opened_tables < kLongL0Tables) return;
  Clock* const clock = Clock::System();
  const uint64_t give_up_nanos = clock->NowNanos() + kBeginsWithinNanos;
  MutexLock lock(state_->mutex());
  const uint64_t errors = state_->health().background_errors();
  while (state_->version()->level(0).size() >= opened_tables &&
         state_->health().ErrorSince(errors).ok() &&
         ((!has_rate_limit && state_->compactions().jobs().TakesFromL0()) ||
          clock->NowNanos() < give_up_nanos))
    state_->DrainLocked();
}

}  // namespace lull
