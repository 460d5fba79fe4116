// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/compactions.h"

#include <optional>
#include <utility>

#include "util/env_extension.h"
#include "util/logging.h"

namespace lull {
namespace {

// No deep job begins while this many finished jobs wait for their install. An install wakes the
// monitor.
constexpr size_t kFinishedMax = 8;

// In units of StorePace::retry_nanos. A compaction is retried later than a flush, which needs less
// space and for which clients wait. An unreadable input rarely becomes readable soon.
constexpr uint64_t kCompactionRetry = 2;
constexpr uint64_t kInputRetry = 32;

}  // namespace

Compactions::Compactions(const Parts& parts)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      limits_(parts.limits),
      keeper_(parts.keeper),
      obsolete_(parts.obsolete),
      activity_(parts.activity) {}

bool Compactions::MayBeginLocked(JobClass job_class, uint64_t now_nanos) {
  if (state_->closing || !state_->health.MayCompact(now_nanos)) return false;
  // A device can work again after an error.
  if (state_->board.ForgetReadable(now_nanos)) state_->health.InputsReadable();
  // Trivial moves finish at once, but each one needs a MANIFEST edit.
  return job_class != JobClass::kDeep || state_->board.finished_count() < kFinishedMax;
}

std::optional<CompactionPlan> Compactions::PickLocked(JobClass job_class) {
  if (job_class != JobClass::kManual) return state_->board.Pick(job_class, *state_->version);
  const size_t requests = state_->board.request_count();
  std::optional<CompactionPlan> plan =
      state_->board.PickManual(*state_->version, state_->health.damage());
  if (state_->board.request_count() != requests) state_->changed.NotifyAll();
  return plan;
}

std::unique_ptr<CompactionJob> Compactions::NextJob(JobClass job_class) {
  const uint64_t now = coordinator_->clock()->NowNanos();
  MutexLock lock(state_->mutex);
  if (!MayBeginLocked(job_class, now)) return nullptr;
  state_->board.SetTableBytesMax(limits_->table_bytes());
  std::optional<CompactionPlan> plan = PickLocked(job_class);
  if (!plan) return nullptr;
  if (!state_->board.Reserve(job_class, *plan, context_->order)) {
    Log(context_->logger(), "A compaction of L%d was refused: its range is in use", plan->level);
    return nullptr;
  }
  // Take the snapshot and the Version together under the mutex. No snapshot older than this one
  // can appear later.
  const SequenceNumber oldest_snapshot = state_->snapshots.OldestOr(reader_->published());
  return std::make_unique<CompactionJob>(job_class, context_, reader_->tables(), std::move(*plan),
                                         state_->board.layout(), state_->version, oldest_snapshot);
}

void Compactions::JobEnded(std::unique_ptr<CompactionJob> job, const leveldb::Status& status) {
  if (!status.ok()) return Failed(std::move(job), status);
  MutexLock lock(state_->mutex);
  state_->board.AwaitInstall(std::move(job));
  coordinator_->WakeFlush();
}

void Compactions::Failed(std::unique_ptr<CompactionJob> job, const leveldb::Status& status) {
  activity_->JobEnded(*job, status);
  Log(context_->logger(), "A %s failed: %s", JobClassName(job->job_class()),
      status.ToString().c_str());
  // As LevelDB does with this option.
  if (status.IsCorruption() && context_->options.paranoid_checks)
    state_->FailWrites("a compaction", status);
  // An input that could not be opened for lack of file descriptors is not damaged.
  const bool of_input = status.IsCorruption() || (job->input_failed() && !IsOutOfResources(status));
  const uint64_t now = coordinator_->clock()->NowNanos();
  const uint64_t retry_nanos = context_->pace.retry_nanos;
  const uint64_t retry_at = now + kCompactionRetry * retry_nanos;
  {
    MutexLock lock(state_->mutex);
    if (job->job_class() == JobClass::kManual) state_->board.ManualJobEnded(job->plan(), status);
    state_->board.Free(job->plan());
    if (of_input) {
      state_->health.InputUnreadable(status, retry_at);
      state_->board.Avoid(job->RangeToAvoid(),
                          status.IsCorruption() ? UINT64_MAX : now + kInputRetry * retry_nanos);
    } else {
      state_->health.CompactionFailed(status, retry_at);
    }
    state_->changed.NotifyAll();
  }
  obsolete_->Add(std::move(job));
}

void Compactions::Abandon(std::unique_ptr<CompactionJob> job) {
  activity_->JobAbandoned(*job);
  {
    MutexLock lock(state_->mutex);
    state_->board.Free(job->plan());
  }
  obsolete_->Add(std::move(job));
}

std::vector<const Job*> Compactions::BlockersOfL0(const std::vector<const Job*>& jobs) {
  std::vector<RunningRange> ranges;
  ranges.reserve(jobs.size());
  for (const Job* job : jobs) ranges.push_back(CompactionOf(*job).plan().range);
  std::vector<const Job*> blockers;
  MutexLock lock(state_->mutex);
  for (const size_t i : state_->board.BlockersOfL0(*state_->version, ranges))
    blockers.push_back(jobs[i]);
  return blockers;
}

bool Compactions::InstallOne() {
  std::unique_ptr<CompactionJob> job;
  {
    MutexLock lock(state_->mutex);
    job = state_->board.TakeFinished();
  }
  if (job == nullptr) return false;
  Install(job.get());
  return true;
}

void Compactions::Install(CompactionJob* job) {
  const CompactionPlan& plan = job->plan();
  VersionEdit edit = EditWithoutInputs(plan);
  if (!plan.next_pointer.empty()) edit.compact_pointers.emplace_back(plan.level, plan.next_pointer);
  std::vector<TableMeta> outputs = job->outputs().finished();
  for (const TableRef& file : plan.trivial_move ? plan.upper : std::vector<TableRef>()) {
    outputs.push_back(file->description);
    outputs.back().level = plan.output_level;
  }
  job->outputs().Keep();
  VersionRef version;
  const leveldb::Status status = keeper_->Install(&edit, std::move(outputs), &version);
  // A moved table keeps its reader.
  if (status.ok() && !plan.trivial_move) reader_->tables()->OpenAhead(*version, edit.new_tables);

  MutexLock lock(state_->mutex);
  if (status.ok()) {
    state_->board.Installed(plan);
    state_->version = std::move(version);
    state_->health.CompactionInstalled();
    state_->installs.OnCompaction(plan, edit.new_tables, job->outputs().FinishedBytes(),
                                  job->busy_micros(), *state_->version, state_->board.layout());
    state_->PublishViewLocked();
    if (plan.trivial_move && plan.level == 0) reader_->DropKeyFilters(plan.upper);
  } else {
    state_->board.Free(plan);
  }
  if (job->job_class() == JobClass::kManual) state_->board.ManualJobEnded(plan, status);
  activity_->JobEnded(*job, status);
  state_->changed.NotifyAll();
  coordinator_->WakeMonitor();
}

}  // namespace lull
