// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The flush thread's work on memtables and logs: which memtables a flush takes, its slices, its
// install, and what becomes of their logs.
#include <algorithm>
#include <utility>

#include "db/store.h"

namespace lull {
namespace {

constexpr SliceBudget kFlushSlice{4 << 20, 2'000'000};
constexpr size_t kFlushMemTablesMax = 1 << 20;
constexpr uint64_t kTrimAfterNanos = 900'000'000;  // the flush thread looks once a second at least

}  // namespace

/// Seals, releases and prepares logs. Returns when to call it again.
std::optional<uint64_t> Store::TendLogs() {
  uint64_t immutable_bytes = 0;
  {
    MutexLock lock(mutex_);
    immutable_bytes = immutable_bytes_;
  }
  room_.Look(coordinator_->clock()->NowNanos(), immutable_bytes,
             memtable_bytes_.load(std::memory_order_relaxed));
  wal_.SetSparing(room_.is_low());
  wal_.SealEnded();
  if (wal_.HasUnreleased()) NoteObsolete(wal_.Release(log_number_));
  // Tables need the space of prepared logs now.
  const bool wal_failed = read_only_.load(std::memory_order_acquire);
  if (wal_failed) wal_.DiscardPrepared(0);
  if (wal_failed || flush_lacks_resources_) return std::nullopt;
  const bool written_to = client_bytes_.load(std::memory_order_relaxed) >= LogsAheadBytes();
  if (!written_to && !wal_.HasRetired()) return std::nullopt;
  if (wal_.PreparesSlowly() && IsFlushWaiting()) return std::nullopt;
  if (!wal_.Prepare().ok()) return context_->pace.retry_nanos;
  return wal_.NeedsPrepare() ? std::optional<uint64_t>(0) : std::nullopt;
}

/// After a burst its memory goes back to the heap, but for what the next one begins with.
void Store::TrimInLull() {
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (now - lull_looked_at_nanos_ < kTrimAfterNanos) return;
  lull_looked_at_nanos_ = now;
  const uint64_t written = client_bytes_.load(std::memory_order_relaxed);
  // A heartbeat is no burst.
  const uint64_t memtable_bytes = context_->options.write_buffer_size;
  if (written - std::exchange(lull_client_bytes_, written) < memtable_bytes)
    context_->memtable_blocks->TrimTo(memtable_bytes);
}

/// A running flush or one that should run. Flush thread.
bool Store::IsFlushWaiting() {
  if (flush_job_ != nullptr) return true;
  MutexLock lock(mutex_);
  return WantsFlushLocked();
}

bool Store::WantsFlushLocked() const {
  if (immutables_.empty()) return false;
  return immutable_bytes_ >= flush_bytes_min_.load(std::memory_order_relaxed) || drains_ > 0 ||
         waiting_writers_ > 0 || !wal_error_.ok() || absorb_.load(std::memory_order_relaxed) ||
         room_.is_low() || flush_lacks_resources_ || log_goes_on_.load(std::memory_order_relaxed) ||
         coordinator_->memory_used_bytes() >= coordinator_->memory_budget_bytes() / 2;
}

void Store::BeginFlushLocked() {
  const SequenceNumber oldest =
      snapshots_.OldestOr(published_sequence_.load(std::memory_order_acquire));
  // Memory is freed when a flush ends, so one takes no more than a third of it: another third fills
  // meanwhile, and no writer waits.
  const uint64_t file_bytes_max =
      context_->extension == nullptr ? UINT64_MAX : context_->extension->FileBytesMax();
  const uint64_t bytes_max = std::min(coordinator_->memory_budget_bytes() / 3, file_bytes_max);
  const size_t count_max = room_.is_low() ? 1 : flush_memtables_max_;
  std::vector<SealedMemTable> sealed;
  uint64_t bytes = 0;
  for (const SealedMemTable& next : immutables_) {
    if (sealed.size() >= count_max) break;
    if (!sealed.empty() && bytes + next.memory_bytes > bytes_max) break;
    bytes += next.memory_bytes;
    sealed.push_back(next);
  }
  flush_job_ = std::make_unique<FlushJob>(context_.get(), std::move(sealed), oldest);
  activity_.JobStarted(*flush_job_, CpuPriority::kNormal);
  flush_began_nanos_ = coordinator_->clock()->NowNanos();
  flushing_ = true;
}

std::optional<uint64_t> Store::AdvanceFlush() {
  const uint64_t now = coordinator_->clock()->NowNanos();
  const uint64_t retry_at = flush_retry_at_nanos_.load(std::memory_order_relaxed);
  if (now < retry_at) return retry_at - now;
  if (flush_job_ == nullptr) {
    MutexLock lock(mutex_);
    if (!WantsFlushLocked()) return std::nullopt;
    BeginFlushLocked();
  }
  Job::Progress progress = Job::Progress::kMore;
  SliceBudget slice = kFlushSlice;
  slice.offers_core = offers_core_.load(std::memory_order_relaxed) &&
                      coordinator_->memory_used_bytes() < coordinator_->memory_budget_bytes() / 4;
  const uint64_t written_before = flush_job_->written_bytes();
  leveldb::Status status = flush_job_->RunSlice(slice, &progress);
  flush_written_bytes_.fetch_add(flush_job_->written_bytes() - written_before,
                                 std::memory_order_relaxed);
  flushed_bytes_.store(std::min(flush_job_->input_bytes_done(), flush_job_->memory_bytes()),
                       std::memory_order_relaxed);
  if (status.ok() && progress == Job::Progress::kMore) return 0;
  const bool failed = !status.ok();
  const size_t memtables = flush_job_->sealed().size();
  if (!failed) status = InstallFlush(flush_job_.get());
  activity_.JobEnded(*flush_job_, status);
  flush_job_.reset();  // and a failed one's table with it
  flushed_bytes_.store(0, std::memory_order_relaxed);
  if (status.ok()) {
    flush_lacks_resources_ = false;
    flush_memtables_max_ = std::min(2 * flush_memtables_max_, kFlushMemTablesMax);
  }
  const bool retries_now = failed && FlushFailed(status, memtables);
  MutexLock lock(mutex_);
  flushing_ = false;
  changed_.NotifyAll();
  return status.ok() || retries_now ? 0 : context_->pace.retry_nanos;
}

/// The memtables stay where they are, and so do their WALs. For want of resources the next try is
/// smaller, and has the space of the prepared logs: true if it can be made at once.
bool Store::FlushFailed(const leveldb::Status& status, size_t memtables) {
  flush_lacks_resources_ = IsOutOfResources(status);
  if (flush_lacks_resources_) {
    flush_memtables_max_ = std::max<size_t>(memtables / 2, 1);
    if (wal_.DiscardPrepared(0) || memtables > 1) return true;
  }
  NoteBackgroundError("flush", status, false);
  MutexLock lock(mutex_);
  flush_error_ = status;
  ++flushes_failed_;
  flush_retry_at_nanos_.store(coordinator_->clock()->NowNanos() + context_->pace.retry_nanos,
                              std::memory_order_relaxed);
  return false;
}

leveldb::Status Store::InstallFlush(FlushJob* job) {
  const size_t count = job->sealed().size();
  VersionEdit edit;
  {
    MutexLock lock(mutex_);
    edit.log_number =
        immutables_.size() > count ? immutables_[count].wal_number : active_wal_number_;
  }
  // Only what is in tables: where a WAL begins after this sequence, replay sees a gap and stops.
  edit.last_sequence = job->sealed().back().last_sequence;
  std::vector<NewTable> outputs = job->outputs().finished();
  const uint64_t written = job->outputs().FinishedBytes();
  job->outputs().Keep();
  VersionRef version;
  leveldb::Status status = InstallEdit(&edit, std::move(outputs), &version);
  if (!status.ok()) return status;
  // Nobody sees the table before the view is published. Newest first, so it is L0's front. A flush
  // makes several tables only if an index would be too large; those go without a filter.
  if (edit.new_tables.size() == 1)
    version->level(0).front()->key_filter = job->TakeKeyFilter().release();

  const uint64_t freed = job->memory_bytes();
  const uint64_t nanos =
      std::max<uint64_t>(coordinator_->clock()->NowNanos() - flush_began_nanos_, 1);
  const double rate = static_cast<double>(freed) * 1e9 / static_cast<double>(nanos);
  {
    MutexLock lock(mutex_);
    unflushed_.fetch_sub(static_cast<int>(count), std::memory_order_relaxed);
    immutables_.erase(immutables_.begin(),
                      immutables_.begin() + static_cast<std::ptrdiff_t>(count));
    version_ = std::move(version);
    flushed_sequence_ = *edit.last_sequence;
    ++plan_basis_;
    immutable_bytes_ -= freed;
    flushes_ += count;
    flush_error_ = leveldb::Status::OK();
    const double known =
        flush_bytes_per_sec_ == 0 ? rate : static_cast<double>(flush_bytes_per_sec_);
    if (written > 0) flush_bytes_per_sec_ = static_cast<uint64_t>(0.7 * known + 0.3 * rate);
    stats_[0].micros += job->busy_micros();
    stats_[0].bytes_written += written;
    layout_stats_.OnFlush(count, written);
    background_error_ = leveldb::Status::OK();
    PublishViewLocked();
    changed_.NotifyAll();
  }
  coordinator_->ReleaseMemory(freed);
  NoteObsolete(wal_.Release(*edit.log_number));
  coordinator_->WakeMonitor();
  return status;
}

}  // namespace lull
