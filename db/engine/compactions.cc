// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/compactions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "db/report/reporting.h"
#include "util/env_extension.h"

namespace lull {
namespace {

// No deep job begins while this many compactions wait for their install. An install wakes the
// monitor.
constexpr size_t kFinishedMax = 8;

// In units of StorePace::retry_nanos. A compaction is retried later than a flush, which needs less
// space and for which clients wait. An unreadable input rarely becomes readable soon.
constexpr uint64_t kCompactionRetry = 2;
constexpr uint64_t kInputRetry = 32;

const char* NameOf(JobClass job_class) {
  if (job_class == JobClass::kManual) return "manual";
  return job_class == JobClass::kL0 ? "L0" : "deep";
}

}  // namespace

Compactions::Compactions(const EngineParts& parts, VersionSet* versions)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      applied_(parts.applied),
      versions_(versions),
      obsolete_(parts.obsolete),
      activity_(&parts.reporting->activity()),
      guard_(parts.context, parts.disk, activity_) {}

bool Compactions::MayBeginLocked(JobClass job_class, uint64_t now_nanos) {
  if (!state_->MayCompactLocked(now_nanos)) return false;
  // Trivial moves finish at once, but each one needs a MANIFEST edit.
  return job_class != JobClass::kDeep ||
         state_->compactions().jobs().waiting_count() < kFinishedMax;
}

std::optional<CompactionPlan> Compactions::PickLocked(JobClass job_class) {
  if (state_->space_is_clearing()) return std::nullopt;
  if (job_class != JobClass::kManual) {
    auto plan = state_->compactions().Pick(job_class, *state_->version());
    if (plan || job_class != JobClass::kDeep) return plan;
    return state_->compactions().PickReclaim(*state_->version(), state_->OldestSnapshotLocked(),
                                             state_->ReclaimScopeLocked());
  }
  const size_t requests = state_->compactions().request_count();
  std::optional<CompactionPlan> plan =
      state_->compactions().PickManual(*state_->version(), state_->health().damage());
  if (state_->compactions().request_count() != requests) state_->NotifyLocked();
  return plan;
}

void Compactions::SetOutputLimitLocked(JobClass job_class) {
  // A writer that waits for L0 must not wait for deep compactions, which can be paused.
  const bool counts_deep = job_class != JobClass::kL0 || !state_->has_waiting_writer();
  state_->compactions().SetOutputLimit(guard_.OutputLimitFor(
      {.unwritten_bytes = state_->compactions().jobs().UnwrittenBytes(counts_deep),
       .unflushed_bytes = state_->memtables().immutable_bytes(),
       .memtable_bytes = applied_->memtable_bytes(),
       .table_bytes = state_->version()->TotalBytes(),
       .oldest_snapshot = state_->snapshots().OldestOr(kMaxSequence)}));
}

/// Call after a pick that found nothing. If only disk space is missing for some time, clients that
/// wait for the compaction get the error that they would get if it had filled the disk.
void Compactions::NothingPickedLocked(JobClass job_class, uint64_t now_nanos) {
  std::optional<ReclaimScope> scope;
  if (job_class == JobClass::kDeep) scope = state_->ReclaimScopeLocked();
  const std::optional<uint64_t> lacking = state_->compactions().BytesLackingSpace(
      job_class, *state_->version(), state_->OldestSnapshotLocked(), scope);
  if (!lacking) return guard_.NotRefused(job_class);
  // Running compactions can leave more space. A writer cannot rely on that: they can be paused.
  if (state_->compactions().jobs().has_compactions() && !state_->has_waiting_writer())
    return guard_.Postpone(job_class, now_nanos);
  const uint64_t patience = kCompactionRetry * context_->pace.retry_nanos;
  if (!guard_.Refused(job_class, *lacking, now_nanos, patience)) return;
  const leveldb::Status status = guard_.Error(*lacking);
  state_->CompactionLacksSpaceLocked(status);
  if (job_class == JobClass::kManual) {
    state_->compactions().RefuseManual(status);
    guard_.NotRefused(job_class);
  }
}

bool Compactions::BeginJob(JobClass job_class, JobId id) {
  const uint64_t now = coordinator_->clock()->NowNanos();
  guard_.Sample(now);
  const bool begins = BeginPart(job_class, id, now);
  guard_.LogChange();
  return begins;
}

bool Compactions::BeginPart(JobClass job_class, JobId id, uint64_t now_nanos) {
  Compaction* compaction = nullptr;
  PartInputs inputs;
  {
    MutexLock lock(state_->mutex());
    CompactionState& picker = state_->compactions();
    if (!MayBeginLocked(job_class, now_nanos)) return false;
    if (picker.jobs().BeginPart(job_class, id)) return true;
    if (guard_.is_old()) return false;
    picker.SetTableBytesMax(applied_->table_bytes());
    SetOutputLimitLocked(job_class);
    std::optional<CompactionPlan> plan = PickLocked(job_class);
    if (!plan) {
      NothingPickedLocked(job_class, now_nanos);
      return false;
    }
    guard_.NotRefused(job_class);
    const int level = plan->level;
    compaction = picker.Begin(job_class, std::move(*plan), context_->order);
    if (compaction == nullptr) {
      activity_->Log(context_->logger(), "A compaction of L" + std::to_string(level) +
                                             " was refused: its range is in use");
      return false;
    }
    // Take the snapshot and the Version together under the mutex. No snapshot older than this one
    // can appear later.
    inputs = {picker.layout(), state_->version(), state_->OldestSnapshotLocked(),
              state_->filter().Use(!state_->snapshots().empty())};
  }
  // Without the mutex: the division into parts takes time, and only this thread begins jobs.
  std::vector<std::unique_ptr<CompactionJob>> parts = MakeParts(compaction, inputs);
  MutexLock lock(state_->mutex());
  for (std::unique_ptr<CompactionJob>& part : parts) compaction->AddPart(std::move(part));
  return state_->compactions().jobs().BeginPart(job_class, id);
}

std::vector<std::unique_ptr<CompactionJob>> Compactions::MakeParts(Compaction* compaction,
                                                                   const PartInputs& inputs) const {
  const std::vector<PartRange> ranges =
      PartsOf(compaction->plan(), context_->order, coordinator_->compaction_threads(),
              context_->pace.part_bytes_min);
  std::vector<std::unique_ptr<CompactionJob>> parts;
  for (size_t i = 0; i < ranges.size(); ++i) {
    parts.push_back(std::make_unique<CompactionJob>(
        compaction->job_class(), context_, reader_->tables(),
        PlanOfPart(compaction->plan(), ranges[i], context_->order), inputs.layout, inputs.version,
        inputs.oldest_snapshot, PartPlace{compaction, i, ranges[i]}));
    if (inputs.filter.filter != nullptr) parts.back()->FilterEntries(inputs.filter);
  }
  return parts;
}

void Compactions::JobEnded(JobId id, const leveldb::Status& status) {
  if (!status.ok()) {
    const CompactionJob* part = nullptr;
    {
      MutexLock lock(state_->mutex());
      part = state_->compactions().jobs().at(id).part;
    }
    NoteFailure(*part, status);
  }
  TakeBack(id, status.ok(), status);
}

void Compactions::AbandonJob(JobId id) { TakeBack(id, /*merged=*/false, leveldb::Status::OK()); }

void Compactions::NoteFailure(const CompactionJob& job, const leveldb::Status& status) {
  activity_->JobEnded(job, status);
  activity_->Log(context_->logger(), std::string("A ") + NameOf(job.job_class()) +
                                         " compaction failed: " + status.ToString());
  if (job.filter() != nullptr && job.filter()->has_failed())
    return SetFilterAside(job.filter()->filter(), status);
  // The blocks of an input stay unreadable: damaged, or of an unsupported compression.
  const bool permanent = status.IsCorruption() || status.IsNotSupportedError();
  // As LevelDB does with this option.
  if (permanent && context_->options.paranoid_checks) state_->FailWrites("a compaction", status);
  // An input that could not be opened for lack of file descriptors is not damaged.
  const bool of_input = permanent || (job.input_failed() && !IsOutOfResources(status));
  const uint64_t now = coordinator_->clock()->NowNanos();
  const uint64_t retry_nanos = context_->pace.retry_nanos;
  const uint64_t retry_at = now + kCompactionRetry * retry_nanos;
  if (!of_input) return state_->CompactionFailed(status, retry_at);
  const uint64_t avoid_until = permanent ? UINT64_MAX : now + kInputRetry * retry_nanos;
  state_->InputUnreadable(status, job.RangeToAvoid(), avoid_until, retry_at);
}

/// The store's health stays as it is: the next compaction runs without the filter.
void Compactions::SetFilterAside(const FilterRef& filter, const leveldb::Status& why) {
  const FilterRef set_aside = state_->SetFilterAside(filter, why);
  if (set_aside == nullptr) return;  // another job failed first, or the client replaced the filter
  activity_->Log(context_->logger(), "Compactions continue without the filter " + set_aside->name +
                                         "; set it again to use it");
}

/// Queues the compaction for its install if this was its last part, or cleans it up if it is over.
/// `merged`: the part has merged its range.
void Compactions::TakeBack(JobId id, bool merged, const leveldb::Status& status) {
  std::unique_ptr<Compaction> over;
  {
    MutexLock lock(state_->mutex());
    JobTable& jobs = state_->compactions().jobs();
    const CompactionJob* const part = jobs.End(id).part;
    Compaction* const whole = part->place().whole;
    whole->EndPart(merged, status);
    if (whole->IsMerged()) {
      jobs.AwaitInstall(whole);
      context_->flush_thread->Wake();
      return;
    }
    if (!whole->IsOver()) {
      activity_->PartMerged(*part);
      return;
    }
    over = state_->DropCompactionLocked(whole);
  }
  std::vector<std::unique_ptr<Job>> parts;
  for (std::unique_ptr<CompactionJob>& part : over->TakeParts()) {
    activity_->JobAbandoned(*part);  // ignored if it failed or has not begun
    parts.push_back(std::move(part));
  }
  obsolete_->Add(std::move(parts));
}

std::vector<JobId> Compactions::BlockersOfL0(const std::vector<JobId>& deep) {
  MutexLock lock(state_->mutex());
  return state_->compactions().BlockersOfL0(*state_->version(), deep);
}

std::optional<uint64_t> Compactions::InstallOne() {
  Compaction* compaction = nullptr;
  {
    MutexLock lock(state_->mutex());
    compaction = state_->compactions().jobs().BeginInstall();
  }
  if (compaction == nullptr) return std::nullopt;
  Install(compaction);
  return 0;
}

void Compactions::Install(Compaction* compaction) {
  const CompactionPlan& plan = compaction->plan();
  VersionEdit edit = EditWithoutInputs(plan);
  if (!plan.next_pointer.empty()) edit.compact_pointers.emplace_back(plan.level, plan.next_pointer);
  for (const TableRef& file : plan.trivial_move ? plan.upper : std::vector<TableRef>()) {
    edit.new_tables.push_back(file->description);
    edit.new_tables.back().level = plan.output_level;
  }
  VersionRef version;
  const leveldb::Status status = versions_->Install(&edit, compaction->Outputs(), &version);
  state_->CommitCompaction(status, edit.new_tables, std::move(version));
}

}  // namespace lull
