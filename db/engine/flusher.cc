// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/flusher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "db/report/reporting.h"
#include "util/env_extension.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr SliceBudget kFlushSlice{4 << 20, 2'000'000};
// For what no event announces: free disk space, and a WAL that the leading writer still syncs.
constexpr uint64_t kLookAgainNanos = 1'000'000'000;
constexpr double kPauseNanosMax = 10e6;

}  // namespace

Flusher::Flusher(const EngineParts& parts, WritePath* writes, VersionSet* versions)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      writes_(writes),
      flags_(parts.flags),
      applied_(parts.applied),
      disk_(parts.disk),
      versions_(versions),
      obsolete_(parts.obsolete),
      activity_(&parts.reporting->activity()) {}

void FlushBatch::Succeeded() {
  lacks_resources_ = false;
  memtables_max_ = std::min(2 * memtables_max_, kMemTablesMax);
}

void FlushBatch::Failed(size_t memtables, bool lacked_resources) {
  lacks_resources_ = lacked_resources;
  if (lacked_resources) memtables_max_ = std::max<size_t>(memtables / 2, 1);
}

bool LullWatch::IsLull(uint64_t now_nanos, uint64_t client_bytes, uint64_t bytes_max) {
  if (client_bytes != client_bytes_) idle_checks_ = 0;
  if (now_nanos - looked_at_nanos_ < kLookEveryNanos) return false;
  looked_at_nanos_ = now_nanos;
  const uint64_t written = client_bytes - std::exchange(client_bytes_, client_bytes);
  idle_checks_ = written == 0 ? std::min(idle_checks_ + 1, kRestChecks) : 0;
  return written < bytes_max;
}

std::optional<uint64_t> Flusher::MaintainWals() {
  uint64_t immutable_bytes = 0;
  {
    MutexLock lock(state_->mutex());
    immutable_bytes = state_->memtables().immutable_bytes();
  }
  WalSet& wal = writes_->wal();
  if (disk_->Sample(coordinator_->clock()->NowNanos(), immutable_bytes, applied_->memtable_bytes()))
    coordinator_->WakeMonitor();
  wal.SetDiskLow(disk_->is_low());
  wal.GrowCurrent();
  wal.SealEnded();
  wal.TendPages();
  if (wal.HasUnreleased()) obsolete_->Add(wal.Release(versions_->log_number()));
  // Tables need the space of prepared WALs now.
  const bool wal_failed = flags_->refuses_writes.load(std::memory_order_acquire);
  if (wal_failed) wal.DiscardPrepared(0);
  std::optional<uint64_t> again;
  if (disk_->is_low() || wal.HasUnreleased()) again = kLookAgainNanos;
  if (wal_failed || batch_.lacks_resources()) return kLookAgainNanos;
  if (!writes_->WantsLogsAhead() && !wal.HasRetired()) return again;
  if (wal.PreparesSlowly() && IsFlushWaiting()) return again;
  if (!wal.Prepare().ok()) return context_->pace.retry_nanos;
  return wal.NeedsPrepare() ? 0 : again;
}

std::optional<uint64_t> Flusher::TrimInLull() {
  const uint64_t memtable_bytes = context_->options.write_buffer_size;
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (lull_.IsLull(now, writes_->client_bytes().load(std::memory_order_relaxed), memtable_bytes)) {
    context_->memtable_blocks->TrimTo(lull_.IsRest() ? 0 : memtable_bytes);
    writes_->wal().DropPagesInLull();
    if (lull_.IsRest()) writes_->wal().ShrinkInRest();
  }
  // The flush of what the last burst left frees memory later.
  const bool has_warm = context_->memtable_blocks->warm_bytes() > 0;
  return has_warm ? kLookAgainNanos : lull_.UntilNextLook(now);
}

/// Whether a flush runs or is due.
bool Flusher::IsFlushWaiting() {
  if (job_ != nullptr) return true;
  MutexLock lock(state_->mutex());
  return WantsFlushLocked();
}

bool Flusher::WantsFlushLocked() const {
  if (state_->memtables().immutable_count() == 0) return false;
  return state_->memtables().immutable_bytes() >= applied_->flush_bytes_min() ||
         applied_->absorbs() || batch_.lacks_resources() || IsAwaitedLocked();
}

/// Whether someone waits for a flush, or will soon.
bool Flusher::IsAwaitedLocked() const {
  return state_->is_draining() || state_->has_waiting_writer() ||
         !state_->health().wal_error().ok() || disk_->is_low() || writes_->LacksLog() ||
         coordinator_->memory_used_bytes() >= coordinator_->memory_budget_bytes() / 2;
}

/// Returns false if no flush can begin now. Then `again` is the delay until the next check.
bool Flusher::TryBegin(std::optional<uint64_t>* again) {
  MutexLock lock(state_->mutex());
  const uint64_t now = coordinator_->clock()->NowNanos();
  const uint64_t retry_at = state_->health().flush_retry_at_nanos();
  if (now < retry_at) {
    *again = retry_at - now;
    return false;
  }
  if (!WantsFlushLocked()) {
    if (state_->memtables().immutable_count() > 0) *again = kLookAgainNanos;
    return false;
  }
  BeginLocked();
  return true;
}

void Flusher::BeginLocked() {
  const SequenceNumber oldest_snapshot = state_->OldestSnapshotLocked();
  // A flush frees its memory at its end. It takes at most a third of the budget, so that writers
  // can fill another third meanwhile without waiting.
  const uint64_t file_bytes_max =
      context_->extension == nullptr ? UINT64_MAX : context_->extension->FileBytesMax();
  const uint64_t bytes_max = std::min(coordinator_->memory_budget_bytes() / 3, file_bytes_max);
  const size_t count_max = disk_->is_low() ? 1 : batch_.memtables_max();
  job_ = std::make_unique<FlushJob>(context_, state_->memtables().Oldest(count_max, bytes_max),
                                    oldest_snapshot);
  paused_ = false;
  activity_->JobStarted(*job_, CpuPriority::kNormal);
  state_->FlushBeganLocked();
}

leveldb::Status Flusher::RunSlice(Job::Progress* progress) {
  SliceBudget slice = kFlushSlice;
  // Not a quarter: most flushes begin only when that much is in use.
  slice.offers_core = applied_->offers_core() &&
                      coordinator_->memory_used_bytes() < coordinator_->memory_budget_bytes() / 2;
  const uint64_t written_before = job_->written_bytes();
  leveldb::Status status = job_->RunSlice(slice, progress);
  const uint64_t written = job_->written_bytes() - written_before;
  written_bytes_.fetch_add(written, std::memory_order_relaxed);
  ahead_bytes_ += static_cast<double>(written);
  merged_bytes_.store(std::min(job_->input_bytes_done(), job_->memory_bytes()),
                      std::memory_order_relaxed);
  return status;
}

/// How long the flush must pause for the limit on its rate. Short, because the limit can rise and
/// clients can begin to wait.
uint64_t Flusher::PauseNanos() {
  const uint64_t now = coordinator_->clock()->NowNanos();
  const auto limit = static_cast<double>(applied_->flush_bytes_per_sec_max());
  const double elapsed_nanos = static_cast<double>(now - std::exchange(ahead_at_nanos_, now));
  ahead_bytes_ -= limit * elapsed_nanos * 1e-9;
  bool pauses = limit > 0 && ahead_bytes_ > 0;
  if (pauses) {
    MutexLock lock(state_->mutex());
    pauses = !IsAwaitedLocked();
  }
  if (!pauses) {
    ahead_bytes_ = 0;
    return 0;
  }
  return static_cast<uint64_t>(std::min(ahead_bytes_ * 1e9 / limit + 1, kPauseNanosMax));
}

std::optional<uint64_t> Flusher::Advance() {
  std::optional<uint64_t> again;
  if (job_ == nullptr && !TryBegin(&again)) return again;
  if (const uint64_t pause = PauseNanos(); pause > 0) {
    paused_ = true;
    return pause;
  }
  Job::Progress progress = Job::Progress::kMore;
  leveldb::Status status = RunSlice(&progress);
  if (status.ok() && progress == Job::Progress::kMore) return 0;
  const bool failed = !status.ok();
  const size_t memtables = job_->sealed().size();
  if (!failed) status = Install();
  activity_->JobEnded(*job_, status);
  job_.reset();  // also deletes a failed job's table
  merged_bytes_.store(0, std::memory_order_relaxed);
  if (status.ok()) batch_.Succeeded();
  const bool retries_now = failed && Failed(status, memtables);
  state_->FlushEnded();
  return status.ok() || retries_now ? 0 : context_->pace.retry_nanos;
}

/// Without disk space or descriptors, the next flush is smaller, and prepared WALs are deleted.
/// Returns true if it can begin at once.
bool Flusher::Failed(const leveldb::Status& status, size_t memtables) {
  const bool lacked_resources = IsOutOfResources(status);
  batch_.Failed(memtables, lacked_resources);
  if (lacked_resources && (writes_->wal().DiscardPrepared(0) || memtables > 1)) return true;
  Log(context_->logger(), "A flush failed: %s", status.ToString().c_str());
  state_->FlushFailed(status, coordinator_->clock()->NowNanos() + context_->pace.retry_nanos);
  return false;
}

leveldb::Status Flusher::Install() {
  const size_t count = job_->sealed().size();
  VersionEdit edit;
  SequenceNumber in_tables = 0;  // above those of the memtables after an ingestion
  {
    MutexLock lock(state_->mutex());
    edit.log_number = state_->memtables().LogNumberAfter(count);
    in_tables = state_->flushed_sequence();
  }
  // Above an abandoned WAL, there is no WAL yet (ManifestState::NamesLog).
  const std::vector<uint64_t> wals = writes_->wal().ListNumbers().in_use;
  const bool exists = std::find(wals.begin(), wals.end(), *edit.log_number) != wals.end();
  edit.prev_log_number = exists ? 0 : *edit.log_number;
  // Not above the sequence in tables: if a WAL began after this sequence, replay would see a gap
  // and stop.
  edit.last_sequence = std::max(job_->sealed().back().last_sequence, in_tables);
  const uint64_t written = job_->outputs().FinishedBytes();
  VersionRef version;
  leveldb::Status status = versions_->Install(&edit, {&job_->outputs()}, &version);
  if (!status.ok()) return status;
  // The newest table is first in L0. A flush writes several tables only if one index would be too
  // large; they get no sample.
  if (edit.new_tables.size() == 1) version->level(0).front()->sample_keys = job_->TakeKeySample();
  // With pauses, a device with a cache would look too fast.
  if (written > 0 && (!paused_ || bytes_per_sec() == 0)) MeasureRate();
  state_->CommitFlush({.memtables = count,
                       .last_sequence = *edit.last_sequence,
                       .written_bytes = written,
                       .busy_micros = job_->busy_micros(),
                       .version = std::move(version)});
  obsolete_->Add(writes_->wal().Release(*edit.log_number));
  return status;
}

void Flusher::MeasureRate() {
  const uint64_t micros = std::max<uint64_t>(job_->busy_micros(), 1);
  const double rate = static_cast<double>(job_->memory_bytes()) * 1e6 / static_cast<double>(micros);
  const uint64_t known = bytes_per_sec();
  const double before = known == 0 ? rate : static_cast<double>(known);
  bytes_per_sec_.store(static_cast<uint64_t>(0.7 * before + 0.3 * rate), std::memory_order_relaxed);
}

}  // namespace lull
