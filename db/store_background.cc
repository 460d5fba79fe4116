// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store as the coordinator's threads see it: what there is to do, and what becomes of what was
// done.
#include <algorithm>
#include <utility>

#include "db/filename.h"
#include "db/store.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr uint64_t kCollectNanos = 20'000'000;

// No more deep jobs are begun while so many wait to be installed. An install wakes the monitor.
constexpr size_t kToInstallMax = 8;

// In units of StorePace::retry_nanos. A flush is retried first: it needs less space than a
// compaction, and clients wait for it. An input that could not be read seldom soon can be.
constexpr uint64_t kCompactionRetry = 2;
constexpr uint64_t kInputRetry = 32;

// Sizes that a policy may ask for. Below, files and logs would cost more than what is in them.
constexpr uint64_t kMemTableBytesMin = 64 << 10;
constexpr uint64_t kTableBytesMin = 64 << 10;
constexpr uint64_t kSizeBytesMax = 1 << 30;

}  // namespace

// ---- the monitor's ----

void Store::MeasurePressure(Pressure* pressure) {
  pressure->client_bytes_total = client_bytes_.load(std::memory_order_relaxed);
  pressure->client_read_bytes_total = read_bytes_.Sum();
  pressure->l0_misses_total = l0_misses_.Sum();
  pressure->background_bytes_total = flush_written_bytes_.load(std::memory_order_relaxed);
  pressure->memtable_bytes = context_->options.write_buffer_size;
  activity_.Sample(pressure->client_bytes_total);
  // Two memtables fit, whatever the shared budget says: else a writer of large ones would wait for
  // every flush.
  pressure->memory_budget_bytes =
      std::max<uint64_t>(pressure->memory_budget_bytes, 2 * context_->options.write_buffer_size);
  pressure->memory_used_bytes -=
      std::min(pressure->memory_used_bytes, flushed_bytes_.load(std::memory_order_relaxed));
  const bool writes = write_under_way_.load(std::memory_order_relaxed) || admission_.HoldsWrites();
  MutexLock lock(mutex_);
  // One that waits for room needs just the work that is done in silence.
  pressure->write_under_way = writes && waiting_writers_ == 0;
  const std::array<uint64_t, kLevels> targets = LevelTargets(layout_);
  pressure->active_bytes = active_->MemoryBytes();
  pressure->immutable_bytes = immutable_bytes_;
  pressure->immutables = static_cast<int>(immutables_.size());
  pressure->flush_bytes_per_sec = flush_bytes_per_sec_;
  pressure->l0_tables = version_->TableCount(0);
  pressure->l0_bytes = version_->LevelBytes(0);
  pressure->l1_bytes = version_->LevelBytes(1);
  pressure->debt_bytes = version_->DebtBytes(targets, layout_.l0_trigger);
  pressure->l0_due = LevelScore(*version_, 0, layout_) >= 1.0;
  for (int level = 1; level < kLevels - 1; ++level) {
    if (LevelScore(*version_, level, layout_) >= 1.0) pressure->deep_due = true;
  }
  // Compactions give space back.
  pressure->drain_requested = drains_ > 0 || room_.is_low();
}

void Store::ApplyDirective(const Directive& directive) {
  activity_.DirectiveIs(directive);
  admission_.Apply(directive);
  ApplySizes(directive);
  // Whoever waits for the one sealed memtable to be flushed has waited long enough.
  immutables_max_.store(std::max(directive.immutables_max, 1), std::memory_order_relaxed);
  l0_stop_.store(directive.l0_stop, std::memory_order_relaxed);
  offers_core_.store(directive.offers_core, std::memory_order_relaxed);
  const bool absorbed = absorb_.exchange(directive.absorb, std::memory_order_relaxed);
  const uint64_t before =
      flush_bytes_min_.exchange(directive.flush_bytes_min, std::memory_order_relaxed);
  if (directive.flush_bytes_min < before || absorbed < directive.absorb) coordinator_->WakeFlush();
}

/// The memory budget holds two memtables of any size.
void Store::ApplySizes(const Directive& directive) {
  const auto size = [](uint64_t wanted, uint64_t opened_with, uint64_t min, uint64_t max) {
    return wanted == 0 ? opened_with : std::clamp(wanted, min, std::max(min, max));
  };
  const uint64_t opened_with = context_->options.write_buffer_size;
  const uint64_t memtable_bytes_max =
      std::min(kSizeBytesMax, std::max(opened_with, coordinator_->memory_budget_bytes() / 2));
  const uint64_t memtable_bytes =
      size(directive.memtable_bytes, opened_with, kMemTableBytesMin, memtable_bytes_max);
  memtable_bytes_.store(memtable_bytes, std::memory_order_relaxed);
  ask_at_bytes_.store(std::min(memtable_bytes, opened_with), std::memory_order_relaxed);
  wal_.SetCapacity(memtable_bytes);
  table_bytes_.store(
      size(directive.table_bytes, context_->layout.table_bytes_max, kTableBytesMin, kSizeBytesMax),
      std::memory_order_relaxed);
}

std::unique_ptr<Job> Store::NextJob(JobClass job_class) {
  if (job_class == JobClass::kCleanup) {
    MutexLock lock(obsolete_mutex_);
    if (obsolete_.empty() || frozen_.load(std::memory_order_acquire)) return nullptr;
    return std::make_unique<CleanupJob>(context_.get(), std::exchange(obsolete_, {}));
  }
  const uint64_t now = coordinator_->clock()->NowNanos();
  MutexLock lock(mutex_);
  if (closing_ || !write_error_.ok() || now < compaction_retry_at_nanos_) return nullptr;
  ForgetReadableLocked(now);
  // Moves of tables are done at once, but each is an edit of the MANIFEST.
  if (job_class == JobClass::kDeep && to_install_.size() >= kToInstallMax) return nullptr;
  const uint64_t table_bytes = table_bytes_.load(std::memory_order_relaxed);
  if (std::exchange(layout_.table_bytes_max, table_bytes) != table_bytes) ++plan_basis_;
  std::optional<CompactionPlan> plan = PickLocked(job_class);
  if (!plan) return nullptr;
  // The picker sees to this; two jobs on one range would lose data, so it is checked once more.
  if (Conflicts(context_->order, plan->range, running_) ||
      Conflicts(context_->order, plan->range, UnreadableLocked())) {
    Log(context_->logger(), "A compaction of L%d was refused: its range is taken", plan->level);
    if (job_class == JobClass::kManual) manual_.front()->running.reset();
    return nullptr;
  }
  running_.push_back(plan->range);
  ++plan_basis_;
  // The snapshot and the Version are taken in one step, under the mutex: no snapshot older than
  // this one can come.
  const SequenceNumber published = published_sequence_.load(std::memory_order_acquire);
  const SequenceNumber oldest = snapshots_.OldestOr(published);
  return std::make_unique<CompactionJob>(job_class, context_.get(), &tables_, std::move(*plan),
                                         layout_, version_, oldest);
}

std::optional<CompactionPlan> Store::PickLocked(JobClass job_class) {
  if (job_class == JobClass::kManual) return PickManualLocked();
  const Depth depth = job_class == JobClass::kL0 ? Depth::kL0 : Depth::kDeep;
  uint64_t& nothing_at_basis = nothing_at_basis_[static_cast<size_t>(depth)];
  if (nothing_at_basis == plan_basis_) return std::nullopt;
  std::vector<RunningRange> taken = TakenRangesLocked();
  if (manual_awaits_) taken.push_back(*manual_awaits_);
  std::optional<CompactionPlan> plan = Pick(*version_, depth, taken, compact_pointers_, layout_);
  if (!plan) nothing_at_basis = plan_basis_;
  return plan;
}

std::vector<const Job*> Store::BlockersOfL0(const std::vector<const Job*>& jobs) {
  const auto range_of = [](const Job* job) -> const RunningRange& {
    return static_cast<const CompactionJob*>(job)->plan().range;
  };
  MutexLock lock(mutex_);
  if (no_blockers_at_basis_ == plan_basis_) return {};
  std::vector<RunningRange> others = TakenRangesLocked();
  for (const Job* job : jobs) std::erase(others, range_of(job));
  const std::optional<CompactionPlan> plan =
      Pick(*version_, Depth::kL0, others, compact_pointers_, layout_);
  std::vector<const Job*> blockers;
  for (const Job* job : jobs) {
    if (plan && Conflicts(context_->order, plan->range, {range_of(job)})) blockers.push_back(job);
  }
  if (blockers.empty()) no_blockers_at_basis_ = plan_basis_;
  return blockers;
}

std::optional<CompactionPlan> Store::PickManualLocked() {
  if (manual_.empty() || manual_.front()->running) return std::nullopt;
  ManualRequest* const request = manual_.front();
  const auto pick_beside = [&](const std::vector<RunningRange>& taken) LULL_REQUIRES(mutex_) {
    return PickManual(*version_, request->level, request->range, taken, layout_);
  };
  ManualPick pick = pick_beside(TakenRangesLocked());
  if (pick.conflict && pick_beside(UnreadableLocked()).conflict) {
    EndManualLocked(damage_);
    return std::nullopt;
  }
  // Until it has its turn, no other job begins where it shall run.
  std::optional<RunningRange> awaits;
  if (pick.conflict) {
    const ManualPick free = pick_beside({});
    if (free.plan) awaits = free.plan->range;
  }
  if (std::exchange(manual_awaits_, awaits) != awaits) ++plan_basis_;
  if (pick.plan) {
    request->running = pick.plan->range;
    request->next_begin = std::move(pick.next_begin);
  } else if (!pick.conflict) {
    EndManualLocked(leveldb::Status::OK());
  }
  return std::move(pick.plan);
}

/// What no job may touch now.
std::vector<RunningRange> Store::TakenRangesLocked() const {
  std::vector<RunningRange> taken = UnreadableLocked();
  taken.insert(taken.end(), running_.begin(), running_.end());
  return taken;
}

std::vector<RunningRange> Store::UnreadableLocked() const {
  std::vector<RunningRange> ranges;
  for (const UnreadableRange& unreadable : unreadable_) ranges.push_back(unreadable.range);
  return ranges;
}

/// A device may be well again.
void Store::ForgetReadableLocked(uint64_t now_nanos) {
  const auto over = [=](const UnreadableRange& range) { return range.until_nanos <= now_nanos; };
  if (std::erase_if(unreadable_, over) == 0) return;
  ++plan_basis_;
  if (unreadable_.empty()) damage_ = leveldb::Status::OK();
}

void Store::JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) {
  if (job->job_class() == JobClass::kCleanup) return;
  std::unique_ptr<CompactionJob> compaction(static_cast<CompactionJob*>(job.release()));
  if (status.ok()) {
    MutexLock lock(mutex_);
    to_install_.push_back(std::move(compaction));
    coordinator_->WakeFlush();
    return;
  }
  activity_.JobEnded(*compaction, status);
  // An input for which there was no descriptor is not damaged.
  const bool of_input =
      status.IsCorruption() || (compaction->input_failed() && !IsOutOfResources(status));
  NoteBackgroundError(JobClassName(compaction->job_class()), status, of_input);
  // LevelDB does so under this option.
  if (status.IsCorruption() && context_->options.paranoid_checks)
    FailWrites("a compaction", status);
  const uint64_t now = coordinator_->clock()->NowNanos();
  {
    const CompactionPlan& plan = compaction->plan();
    MutexLock lock(mutex_);
    compaction_retry_at_nanos_ = now + kCompactionRetry * context_->pace.retry_nanos;
    if (compaction->job_class() == JobClass::kManual) AdvanceManualLocked(plan, status);
    ForgetRunningLocked(plan);
    if (of_input) {
      const uint64_t until =
          status.IsCorruption() ? UINT64_MAX : now + kInputRetry * context_->pace.retry_nanos;
      unreadable_.push_back({compaction->RangeToAvoid(), until});
    }
  }
  Discard(std::move(compaction));
}

void Store::AbandonJob(std::unique_ptr<Job> job) {
  if (job->job_class() == JobClass::kCleanup) {
    NoteObsolete(static_cast<CleanupJob*>(job.get())->TakeWaste());
    return;
  }
  activity_.JobAbandoned(*job);
  {
    MutexLock lock(mutex_);
    ForgetRunningLocked(static_cast<CompactionJob*>(job.get())->plan());
  }
  Discard(std::move(job));
}

/// The monitor must not wait for the file system, which closing and removing outputs may do.
void Store::Discard(std::unique_ptr<Job> job) {
  Waste waste;
  waste.jobs.push_back(std::move(job));
  NoteObsolete(std::move(waste));
}

void Store::ForgetRunningLocked(const CompactionPlan& plan) {
  std::erase(running_, plan.range);  // ranges in flight are disjoint, so it is there once
  ++plan_basis_;
}

// ---- the flush thread's ----

std::optional<uint64_t> Store::RunFlushSlice() {
  std::unique_ptr<CompactionJob> finished;
  {
    MutexLock lock(mutex_);
    if (!to_install_.empty()) {
      finished = std::move(to_install_.front());
      to_install_.pop_front();
    }
  }
  std::optional<uint64_t> again;
  if (finished != nullptr) {
    InstallCompaction(finished.get());
    again = 0;  // perhaps more wait; a flush goes on in between
  }
  if (manifest_->FileBytes() >= manifest_bytes_max_ && !frozen_.load(std::memory_order_acquire))
    RollManifest();
  const std::optional<uint64_t> restore = RestoreManifest();
  if (restore) again = std::min(*restore, again.value_or(*restore));
  if (!frozen_.load(std::memory_order_acquire)) {
    const auto sooner = [&](std::optional<uint64_t> nanos) {
      if (nanos) again = std::min(*nanos, again.value_or(context_->pace.retry_nanos));
    };
    sooner(TendLogs());
    sooner(AdvanceFlush());
  }
  if (grace_.Collect() > 0)
    again = std::min(kCollectNanos, again.value_or(context_->pace.retry_nanos));
  TrimInLull();
  return again;
}

leveldb::Status Store::InstallCompaction(CompactionJob* job) {
  const CompactionPlan& plan = job->plan();
  VersionEdit edit = EditWithoutInputs(plan);
  if (!plan.next_pointer.empty()) edit.compact_pointers.emplace_back(plan.level, plan.next_pointer);
  std::vector<NewTable> outputs = job->outputs().finished();
  for (const TableRef& file : plan.trivial_move ? plan.upper : std::vector<TableRef>()) {
    outputs.push_back(file->description);
    outputs.back().level = plan.output_level;
  }
  job->outputs().Keep();
  VersionRef version;
  leveldb::Status status = InstallEdit(&edit, std::move(outputs), &version);

  MutexLock lock(mutex_);
  ForgetRunningLocked(plan);
  if (status.ok()) {
    version_ = std::move(version);
    if (!plan.next_pointer.empty()) compact_pointers_[plan.level] = plan.next_pointer;
    layout_stats_.OnCompaction(plan, edit.new_tables, *version_, layout_);
    if (!plan.trivial_move) {
      LevelStats& stats = stats_[plan.output_level];
      stats.micros += job->busy_micros();
      stats.bytes_read += plan.input_bytes;
      stats.bytes_written += job->outputs().FinishedBytes();
    }
    background_error_ = leveldb::Status::OK();
    PublishViewLocked();
    if (plan.trivial_move && plan.level == 0) DropKeyFilters(plan.upper);
  }
  if (job->job_class() == JobClass::kManual) AdvanceManualLocked(plan, status);
  activity_.JobEnded(*job, status);
  changed_.NotifyAll();
  coordinator_->WakeMonitor();
  return status;
}

/// Of tables that are moved out of L0: deeper, their number is not bounded.
void Store::DropKeyFilters(const std::vector<TableRef>& tables) {
  for (const TableRef& table : tables) {
    const KeyFilter* const filter = table->key_filter.exchange(nullptr, std::memory_order_relaxed);
    if (filter != nullptr) grace_.Retire([filter] { delete filter; });
  }
}

/// A manual job ended: its request goes on with the rest of its range, or is done. A request whose
/// job failed is done too; its client has the error whatever else succeeds meanwhile.
void Store::AdvanceManualLocked(const CompactionPlan& plan, const leveldb::Status& status) {
  if (manual_.empty() || manual_.front()->running != plan.range) return;  // its client gave up
  ManualRequest* const request = manual_.front();
  request->running.reset();
  if (status.ok() && request->next_begin) {
    request->range.smallest = std::exchange(request->next_begin, std::nullopt);
    return;
  }
  EndManualLocked(status);
}

void Store::EndManualLocked(const leveldb::Status& status) {
  ManualRequest* const request = manual_.front();
  manual_.pop_front();
  request->status = status;
  request->done = true;
  changed_.NotifyAll();
}

void Store::PublishViewLocked() {
  std::vector<MemTableRef> immutables;
  immutables.reserve(immutables_.size());
  for (auto sealed = immutables_.rbegin(); sealed != immutables_.rend(); ++sealed) {
    immutables.push_back(sealed->memtable);
  }
  auto* const view = new ReadView(active_, std::move(immutables), version_);
  ReadView* const previous = view_.exchange(view, std::memory_order_acq_rel);
  if (previous == nullptr) return;
  grace_.Retire([previous] { previous->Unref(); });
  coordinator_->WakeFlush();  // it collects
}

void Store::NoteBackgroundError(const char* what, const leveldb::Status& status, bool of_input) {
  Log(context_->logger(), "A %s failed: %s", what, status.ToString().c_str());
  MutexLock lock(mutex_);
  (of_input ? damage_ : background_error_) = status;
  if (!of_input) ++background_errors_;
  changed_.NotifyAll();
}

void Store::NoteUnlisted(const TableFile& file) {
  if (IsInherited()) return;  // an iterator ends in a forked child
  tables_.Forget(file);
  if (!frozen_.load(std::memory_order_acquire))
    NoteObsolete({TableFileName(context_->name, file.number())});
}

void Store::NoteObsolete(std::vector<std::string> paths) {
  NoteObsolete(Waste{std::move(paths), {}});
}

void Store::NoteObsolete(Waste waste) {
  if (waste.empty()) return;
  {
    MutexLock lock(obsolete_mutex_);
    for (std::string& path : waste.paths) obsolete_.paths.push_back(std::move(path));
    for (std::unique_ptr<Job>& job : waste.jobs) obsolete_.jobs.push_back(std::move(job));
  }
  coordinator_->WakeMonitor();
}

}  // namespace lull
