// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/compactions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

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

// The share of overwritten values is that of the last merges. They cover a quarter of the values
// above the deepest level, so that it describes the values that are there now.
constexpr double kWindowMax = 1 << 20;
constexpr double kWindowShare = 0.25;

/// `filtered`: how many values the client's filter dropped. Returns nullopt above the deepest
/// level, where a merge finds only some of what its values hide. With the store's mutex, since
/// Preload sets the contents of tables; `version` must be the latest of the compaction state.
std::optional<MergeFindings> FindingsOf(const CompactionPlan& plan,
                                        const std::vector<TableMeta>& outputs,
                                        const Version& version, uint64_t filtered,
                                        CompactionState* compaction_state) {
  if (plan.output_level < version.DeepestLevel() || plan.trivial_move || plan.is_rewrite())
    return std::nullopt;
  TableSpace upper;
  TableSpace inputs;
  TableSpace output;
  for (const TableRef& table : plan.upper) {
    upper.Add(*table);
    inputs.Add(*table);
  }
  for (const TableRef& table : plan.lower) inputs.Add(*table);
  for (const TableMeta& table : outputs) output.Add(*version.Find(table));
  if (inputs.unknown_bytes > 0) return std::nullopt;
  const auto values_above = static_cast<double>(compaction_state->Space(version).upper_values);
  return MergeFindings{.upper_values = static_cast<double>(upper.values),
                       .dropped_values = static_cast<double>(inputs.values) -
                                         static_cast<double>(output.values) -
                                         static_cast<double>(filtered),
                       .deletions = static_cast<double>(inputs.deletions),
                       .window = std::min(kWindowShare * values_above, kWindowMax)};
}

}  // namespace

Compactions::Compactions(const Parts& parts)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      applied_(parts.applied),
      versions_(parts.versions),
      obsolete_(parts.obsolete),
      activity_(parts.activity),
      guard_(parts.context, parts.room, parts.activity) {}

bool Compactions::MayBeginLocked(JobClass job_class, uint64_t now_nanos) {
  if (state_->closing || !state_->health.MayCompact(now_nanos)) return false;
  // A device can work again after an error.
  if (state_->compaction_state.ForgetReadable(now_nanos)) state_->health.InputsReadable();
  // Trivial moves finish at once, but each one needs a MANIFEST edit.
  return job_class != JobClass::kDeep || state_->in_flight.waiting_count() < kFinishedMax;
}

std::optional<CompactionPlan> Compactions::PickLocked(JobClass job_class) {
  if (state_->space_is_clearing) return std::nullopt;
  if (job_class != JobClass::kManual) {
    auto plan = state_->compaction_state.Pick(job_class, *state_->version());
    if (plan || job_class != JobClass::kDeep) return plan;
    return state_->compaction_state.PickReclaim(*state_->version(), state_->OldestSnapshotLocked(),
                                                state_->ReclaimScopeLocked());
  }
  const size_t requests = state_->compaction_state.request_count();
  std::optional<CompactionPlan> plan =
      state_->compaction_state.PickManual(*state_->version(), state_->health.damage());
  if (state_->compaction_state.request_count() != requests) state_->changed.NotifyAll();
  return plan;
}

void Compactions::SetRoomLocked(JobClass job_class) {
  // A writer that waits for L0 must not wait for deep compactions, which can be paused.
  const bool counts_deep = job_class != JobClass::kL0 || state_->waiting_writers == 0;
  state_->compaction_state.SetRoom(
      guard_.RoomFor({.unwritten_bytes = state_->in_flight.UnwrittenBytes(counts_deep),
                      .unflushed_bytes = state_->memtables.immutable_bytes(),
                      .memtable_bytes = applied_->memtable_bytes(),
                      .table_bytes = state_->version()->TotalBytes(),
                      .oldest_snapshot = state_->snapshots.OldestOr(kMaxSequence)}));
}

/// Call after a pick that found nothing. If only disk space is missing for some time, clients that
/// wait for the compaction get the error that they would get if it had filled the disk.
void Compactions::NothingPickedLocked(JobClass job_class, uint64_t now_nanos) {
  std::optional<ReclaimScope> scope;
  if (job_class == JobClass::kDeep) scope = state_->ReclaimScopeLocked();
  const std::optional<uint64_t> lacking = state_->compaction_state.BytesLackingRoom(
      job_class, *state_->version(), state_->OldestSnapshotLocked(), scope);
  if (!lacking) return guard_.NotRefused(job_class);
  // Running compactions can leave more space. A writer cannot rely on that: they can be paused.
  if (!state_->in_flight.empty() && state_->waiting_writers == 0)
    return guard_.Postpone(job_class, now_nanos);
  const uint64_t patience = kCompactionRetry * context_->pace.retry_nanos;
  if (!guard_.Refused(job_class, *lacking, now_nanos, patience)) return;
  const leveldb::Status status = guard_.Error(*lacking);
  state_->health.CompactionLacksSpace(status);
  if (job_class == JobClass::kManual) {
    state_->compaction_state.RefuseManual(status);
    guard_.NotRefused(job_class);
  }
  state_->changed.NotifyAll();
}

std::unique_ptr<CompactionJob> Compactions::NextJob(JobClass job_class) {
  const uint64_t now = coordinator_->clock()->NowNanos();
  guard_.Sample(now);
  std::unique_ptr<CompactionJob> job = BeginJob(job_class, now);
  guard_.LogChange();
  return job;
}

std::unique_ptr<CompactionJob> Compactions::BeginJob(JobClass job_class, uint64_t now_nanos) {
  std::optional<CompactionPlan> plan;
  LayoutOptions layout;
  VersionRef version;
  SequenceNumber oldest_snapshot = 0;
  FilterUse filter;
  {
    MutexLock lock(state_->mutex);
    if (!MayBeginLocked(job_class, now_nanos)) return nullptr;
    if (auto part = state_->in_flight.NextPart(job_class)) return part;
    if (guard_.is_old()) return nullptr;
    state_->compaction_state.SetTableBytesMax(applied_->table_bytes());
    SetRoomLocked(job_class);
    plan = PickLocked(job_class);
    if (!plan) {
      NothingPickedLocked(job_class, now_nanos);
      return nullptr;
    }
    guard_.NotRefused(job_class);
    if (!state_->compaction_state.Reserve(job_class, *plan, context_->order)) {
      activity_->Log(context_->logger(), "A compaction of L" + std::to_string(plan->level) +
                                             " was refused: its range is in use");
      return nullptr;
    }
    layout = state_->compaction_state.layout();
    // Take the snapshot and the Version together under the mutex. No snapshot older than this one
    // can appear later.
    version = state_->version();
    oldest_snapshot = state_->OldestSnapshotLocked();
    filter = state_->filter.Use(!state_->snapshots.empty());
  }
  // Without the mutex: the division into parts takes time, and only this thread begins jobs.
  auto compaction =
      NewCompaction(job_class, std::move(*plan), layout, version, oldest_snapshot, filter);
  MutexLock lock(state_->mutex);
  state_->in_flight.Add(std::move(compaction));
  return state_->in_flight.NextPart(job_class);
}

std::unique_ptr<Compaction> Compactions::NewCompaction(JobClass job_class, CompactionPlan plan,
                                                       const LayoutOptions& layout,
                                                       const VersionRef& version,
                                                       SequenceNumber oldest_snapshot,
                                                       const FilterUse& filter) const {
  const std::vector<PartRange> ranges = PartsOf(
      plan, context_->order, coordinator_->compaction_threads(), context_->pace.part_bytes_min);
  auto compaction = std::make_unique<Compaction>(job_class, std::move(plan));
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto part = std::make_unique<CompactionJob>(
        job_class, context_, reader_->tables(),
        PlanOfPart(compaction->plan(), ranges[i], context_->order), layout, version,
        oldest_snapshot, PartPlace{compaction.get(), i, ranges[i]});
    if (filter.filter != nullptr) part->FilterEntries(filter);
    compaction->AddPart(std::move(part));
  }
  return compaction;
}

void Compactions::JobEnded(std::unique_ptr<CompactionJob> job, const leveldb::Status& status) {
  if (!status.ok()) NoteFailure(*job, status);
  TakeBack(std::move(job), status.ok(), status);
}

void Compactions::Abandon(std::unique_ptr<CompactionJob> job) {
  TakeBack(std::move(job), /*merged=*/false, leveldb::Status::OK());
}

void Compactions::NoteFailure(const CompactionJob& job, const leveldb::Status& status) {
  activity_->JobEnded(job, status);
  activity_->Log(context_->logger(), std::string("A ") + JobClassName(job.job_class()) +
                                         " failed: " + status.ToString());
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
  MutexLock lock(state_->mutex);
  if (of_input) {
    state_->health.InputUnreadable(status, retry_at);
    state_->compaction_state.Avoid(job.RangeToAvoid(),
                                   permanent ? UINT64_MAX : now + kInputRetry * retry_nanos);
  } else {
    state_->health.CompactionFailed(status, retry_at);
  }
  state_->changed.NotifyAll();
}

/// The store's health stays as it is: the next compaction runs without the filter.
void Compactions::SetFilterAside(const FilterRef& filter, const leveldb::Status& why) {
  FilterRef set_aside;
  {
    MutexLock lock(state_->mutex);
    set_aside = state_->filter.SetAside(filter, why);
  }
  if (set_aside == nullptr) return;  // another job failed first, or the client replaced the filter
  activity_->Log(context_->logger(), "Compactions continue without the filter " + set_aside->name +
                                         "; set it again to use it");
}

/// Queues the compaction for its install if this was its last part, or cleans it up if it is over.
/// `merged`: the part has merged its range.
void Compactions::TakeBack(std::unique_ptr<CompactionJob> part, bool merged,
                           const leveldb::Status& status) {
  const CompactionJob& returned = *part;
  std::unique_ptr<Compaction> over;
  {
    MutexLock lock(state_->mutex);
    Compaction* const whole = part->place().whole;
    whole->TakeBack(std::move(part), merged, status);
    if (whole->IsMerged()) {
      state_->in_flight.AwaitInstall(whole);
      context_->flush_thread->Wake();
      return;
    }
    if (!whole->IsOver()) {
      activity_->PartMerged(returned);
      return;
    }
    over = state_->in_flight.Remove(whole);
    if (over->job_class() == JobClass::kManual && !over->status().ok())
      state_->compaction_state.ManualJobEnded(over->plan(), over->status());
    state_->compaction_state.Free(over->plan());
    state_->changed.NotifyAll();
  }
  ObsoleteBatch batch;
  for (std::unique_ptr<CompactionJob>& other : over->TakeParts()) {
    activity_->JobAbandoned(*other);  // ignored if it failed or has not begun
    batch.jobs.push_back(std::move(other));
  }
  obsolete_->Add(std::move(batch));
}

std::vector<const Job*> Compactions::BlockersOfL0(const std::vector<const Job*>& jobs) {
  std::vector<RunningRange> ranges;
  ranges.reserve(jobs.size());
  for (const Job* job : jobs) ranges.push_back(CompactionOf(*job).plan().range);
  std::vector<const Job*> blockers;
  MutexLock lock(state_->mutex);
  for (const size_t i : state_->compaction_state.BlockersOfL0(*state_->version(), ranges))
    blockers.push_back(jobs[i]);
  return blockers;
}

bool Compactions::InstallOne() {
  Compaction* compaction = nullptr;
  {
    MutexLock lock(state_->mutex);
    compaction = state_->in_flight.BeginInstall();
  }
  if (compaction == nullptr) return false;
  Install(compaction);
  return true;
}

void Compactions::Install(Compaction* compaction) {
  const CompactionPlan& plan = compaction->plan();
  VersionEdit edit = EditWithoutInputs(plan);
  if (!plan.next_pointer.empty()) edit.compact_pointers.emplace_back(plan.level, plan.next_pointer);
  std::vector<TableMeta> outputs = compaction->Outputs();
  for (const TableRef& file : plan.trivial_move ? plan.upper : std::vector<TableRef>()) {
    outputs.push_back(file->description);
    outputs.back().level = plan.output_level;
  }
  for (const auto& part : compaction->parts()) part->outputs().Keep();
  VersionRef version;
  const leveldb::Status status = versions_->Install(&edit, std::move(outputs), &version);
  for (const auto& part : compaction->parts()) {
    if (status.ok()) part->outputs().AttachTo(*version);
  }
  // A moved table keeps its reader.
  if (status.ok() && !plan.trivial_move) reader_->tables()->OpenAhead(*version, edit.new_tables);

  std::unique_ptr<Compaction> installed;  // destroyed without the mutex
  MutexLock lock(state_->mutex);
  installed = state_->in_flight.EndInstall();
  if (status.ok()) {
    state_->compaction_state.Installed(plan);
    const std::optional<MergeFindings> found = FindingsOf(
        plan, edit.new_tables, *version, compaction->Dropped().entries, &state_->compaction_state);
    if (found) state_->compaction_state.overwrites()->Observe(*found);
    state_->space_bound.Installed(coordinator_->clock()->NowNanos());
    state_->health.CompactionInstalled();
    state_->installs.OnCompaction(plan, edit.new_tables, compaction->OutputBytes(),
                                  compaction->BusyMicros(), *version,
                                  state_->compaction_state.layout());
    state_->filter.CountDropped(compaction->Dropped());
    state_->CommitLocked(std::move(version));
    if (plan.trivial_move) {
      if (plan.output_level >= state_->version()->DeepestLevel())
        reader_->DropKeyFilters(plan.upper);
      if (plan.level == 0) {
        for (const TableRef& table : plan.upper) table->sample_keys = {};
      }
    }
  } else {
    state_->compaction_state.Free(plan);
  }
  if (compaction->job_class() == JobClass::kManual)
    state_->compaction_state.ManualJobEnded(plan, status);
  for (const auto& part : compaction->parts()) activity_->JobEnded(*part, status);
  state_->changed.NotifyAll();
  coordinator_->WakeMonitor();
}

void Compactions::InstallRemoval() {
  RemovalRequest* request = nullptr;
  {
    MutexLock lock(state_->mutex);
    request = state_->removal;
  }
  if (request == nullptr) return;
  VersionRef version;
  const leveldb::Status status = versions_->Install(&request->edit, {}, &version);
  MutexLock lock(state_->mutex);
  if (status.ok()) {
    reader_->KeepViewFor(&state_->snapshots);
    state_->CommitLocked(std::move(version));
  }
  state_->removal = nullptr;
  request->status = status;
  request->done = true;  // from here on the client can destroy it
  state_->changed.NotifyAll();
  coordinator_->WakeMonitor();
}

}  // namespace lull
