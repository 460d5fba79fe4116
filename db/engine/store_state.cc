// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/store_state.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace lull {

void StoreState::PublishViewLocked() {
  reader_->PublishView(memtables_,
                       old_versions_.ForView(version_, context_->pace.clock->NowNanos()));
}

/// An edit is durable: `version` has it, and all else that follows from it is set. Publishes it,
/// has compactions picked again, and wakes all waiting threads.
void StoreState::CommitLocked(VersionRef version) {
  version_ = std::move(version);
  compactions_.VersionChanged();
  PublishViewLocked();
  changed_.NotifyAll();
  coordinator_->WakeMonitor();
}

uint64_t StoreState::DebtBytesLocked() const {
  const LayoutOptions& layout = compactions_.layout();
  const uint64_t debt = version_->DebtBytes(LevelTargets(layout), layout.l0_trigger);
  return debt - std::min(debt, compactions_.jobs().MovedBytes());
}

void StoreState::WaitLocked(uint64_t nanos_max) {
  context_->flush_thread->Wake();
  coordinator_->WakeMonitor();
  changed_.WaitFor(mutex_, nanos_max);
}

void StoreState::RunOnFlushThread(const std::function<void()>& work) {
  MutexLock lock(mutex_);
  client_work_ = &work;
  while (client_work_ != nullptr) WaitLocked(WakeSignal::kForEver);
}

void StoreState::RunClientWork() {
  const std::function<void()>* work = nullptr;
  {
    MutexLock lock(mutex_);
    work = client_work_;
  }
  if (work == nullptr) return;
  (*work)();
  MutexLock lock(mutex_);
  client_work_ = nullptr;  // from here on the client can destroy it
  changed_.NotifyAll();
}

// ---- opening and closing ----

void StoreState::Start(VersionRef version, SequenceNumber flushed_sequence,
                       const CompactPointers& pointers) {
  MutexLock lock(mutex_);
  version_ = std::move(version);
  flushed_sequence_ = flushed_sequence;
  compactions_.SetPointers(pointers);
}

void StoreState::Opened() {
  MutexLock lock(mutex_);
  health_.Opened();
}

void StoreState::BeginWrites(const std::vector<SealedMemTable>& memtables) {
  MutexLock lock(mutex_);
  memtables_.Begin(memtables[0].memtable, memtables[0].wal_number, memtables[0].begun_seconds);
  for (size_t i = 1; i < memtables.size(); ++i) {
    const SealedMemTable& next = memtables[i];
    memtables_.Seal(next.memtable, next.wal_number, memtables[i - 1].last_sequence,
                    next.begun_seconds);
  }
  coordinator_->AddMemory(memtables_.immutable_bytes());
  PublishViewLocked();
}

void StoreState::StopCompactions() {
  MutexLock lock(mutex_);
  is_closing_ = true;
  changed_.NotifyAll();
}

void StoreState::DropJobs() {
  MutexLock lock(mutex_);
  compactions_.jobs().DropAll();
}

void StoreState::Close(uint64_t active_bytes) {
  MutexLock lock(mutex_);
  health_.Closing();
  coordinator_->ReleaseMemory(memtables_.immutable_bytes() + active_bytes);
  memtables_.Clear();
  version_ = nullptr;
}

// ---- writes ----

void StoreState::Seal(MemTableRef next, uint64_t wal_number, ActiveMemTable* active) {
  const uint64_t now_seconds = context_->WallSeconds();
  {
    MutexLock lock(mutex_);
    MemTable* const next_active = next.get();
    const uint64_t sealed_bytes =
        memtables_.Seal(std::move(next), wal_number, reader_->published(), now_seconds);
    const uint64_t counted_bytes = active->Begin(next_active);
    coordinator_->AddMemory(sealed_bytes - std::min(sealed_bytes, counted_bytes));
    coordinator_->ReleaseMemory(counted_bytes - std::min(sealed_bytes, counted_bytes));
    PublishViewLocked();
  }
  context_->flush_thread->Wake();
  coordinator_->WakeMonitor();
}

void StoreState::WalFailed(const leveldb::Status& why) {
  MutexLock lock(mutex_);
  health_.WalFailed(why);
  activity_->WritesRefused("the write-ahead log", why);
}

leveldb::Status StoreState::WalRestarted(uint64_t wal_number) {
  MutexLock lock(mutex_);
  if (!health_.write_error().ok()) return health_.write_error();
  memtables_.SetActiveWal(wal_number);
  health_.WalRestarted();
  return leveldb::Status::OK();
}

/// Only the first refusal becomes an event; LOG lists all of them.
void StoreState::ReportRefusalLocked(const char* what, const leveldb::Status& why) {
  if (health_.write_error().ok()) activity_->WritesRefused(what, why);
  changed_.NotifyAll();
}

void StoreState::FailWrites(const char* what, const leveldb::Status& why) {
  activity_->Log(context_->logger(), std::string("Writes are refused from now on: ") + what +
                                         " failed: " + why.ToString());
  MutexLock lock(mutex_);
  ReportRefusalLocked(what, why);
  health_.WritesFailed(why);
}

bool StoreState::FailManifest(const leveldb::Status& why, bool restorable) {
  activity_->Log(context_->logger(),
                 "Writes are refused from now on: the MANIFEST failed: " + why.ToString());
  MutexLock lock(mutex_);
  ReportRefusalLocked("the MANIFEST", why);
  return health_.ManifestFailed(why, restorable);
}

void StoreState::ManifestRestored() {
  MutexLock lock(mutex_);
  health_.ManifestRestored();
  changed_.NotifyAll();
}

// ---- flushes ----

void StoreState::CommitFlush(FlushResult result) {
  MutexLock lock(mutex_);
  coordinator_->ReleaseMemory(memtables_.Flushed(result.memtables));
  flushed_sequence_ = result.last_sequence;
  health_.FlushInstalled();
  installs_.OnFlush(result.memtables, result.written_bytes, result.busy_micros);
  CommitLocked(std::move(result.version));
}

void StoreState::FlushFailed(const leveldb::Status& why, uint64_t retry_at_nanos) {
  MutexLock lock(mutex_);
  health_.FlushFailed(why, retry_at_nanos);
  changed_.NotifyAll();
}

void StoreState::FlushEnded() {
  MutexLock lock(mutex_);
  is_flushing_ = false;
  changed_.NotifyAll();
}

// ---- compactions ----

namespace {

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
                                        CompactionState* compactions) {
  if (plan.output_level < version.DeepestLevel() || plan.trivial_move || plan.is_rewrite())
    return std::nullopt;
  TableSpace upper;
  TableSpace inputs;
  TableSpace output;
  upper.Add(plan.upper);
  inputs.Add(plan.upper);
  inputs.Add(plan.lower);
  for (const TableMeta& table : outputs) output.Add(*version.Find(table));
  if (inputs.unknown_bytes > 0) return std::nullopt;
  const auto values_above = static_cast<double>(compactions->Space(version).upper_values);
  return MergeFindings{.upper_values = static_cast<double>(upper.values),
                       .dropped_values = static_cast<double>(inputs.values) -
                                         static_cast<double>(output.values) -
                                         static_cast<double>(filtered),
                       .deletions = static_cast<double>(inputs.deletions),
                       .window = std::min(kWindowShare * values_above, kWindowMax)};
}

}  // namespace

bool StoreState::MayCompactLocked(uint64_t now_nanos) {
  if (is_closing_ || !health_.MayCompact(now_nanos)) return false;
  // A device can work again after an error.
  if (compactions_.ForgetReadable(now_nanos)) health_.InputsReadable();
  return true;
}

void StoreState::CommitCompaction(const leveldb::Status& status,
                                  const std::vector<TableMeta>& outputs, VersionRef version) {
  std::unique_ptr<Compaction> ended;  // destroyed without the mutex
  MutexLock lock(mutex_);
  ended = compactions_.EndInstall(status);
  for (const auto& part : ended->parts()) activity_->JobEnded(*part, status);
  if (!status.ok()) {
    changed_.NotifyAll();
    return coordinator_->WakeMonitor();
  }
  const CompactionPlan& plan = ended->plan();
  const FilterTotals dropped = ended->Dropped();
  space_bound_.Installed(coordinator_->clock()->NowNanos());
  health_.CompactionInstalled();
  installs_.OnCompaction(plan, outputs, ended->OutputBytes(), ended->BusyMicros(), *version,
                         compactions_.layout());
  filter_.CountDropped(dropped);
  CommitLocked(std::move(version));
  const std::optional<MergeFindings> found =
      FindingsOf(plan, outputs, *version_, dropped.entries, &compactions_);
  if (found) compactions_.overwrites()->Observe(*found);
  if (!plan.trivial_move) return;
  if (plan.output_level >= version_->DeepestLevel()) reader_->DropKeyFilters(plan.upper);
  if (plan.level == 0) {
    for (const TableRef& table : plan.upper) table->sample_keys = {};
  }
}

std::unique_ptr<Compaction> StoreState::DropCompactionLocked(const Compaction* compaction) {
  changed_.NotifyAll();
  return compactions_.Drop(compaction);
}

void StoreState::CompactionFailed(const leveldb::Status& why, uint64_t retry_at_nanos) {
  MutexLock lock(mutex_);
  health_.CompactionFailed(why, retry_at_nanos);
  changed_.NotifyAll();
}

void StoreState::CompactionLacksSpaceLocked(const leveldb::Status& why) {
  health_.CompactionLacksSpace(why);
  changed_.NotifyAll();
}

void StoreState::InputUnreadable(const leveldb::Status& why, const RunningRange& range,
                                 uint64_t until_nanos, uint64_t retry_at_nanos) {
  MutexLock lock(mutex_);
  health_.InputUnreadable(why, retry_at_nanos);
  compactions_.Avoid(range, until_nanos);
  changed_.NotifyAll();
}

void StoreState::SetContents(TableFile* table, const TableContents& contents) {
  MutexLock lock(mutex_);
  table->contents = contents;
  compactions_.VersionChanged();
}

void StoreState::CommitRemovalLocked(VersionRef version) {
  reader_->KeepViewFor(&snapshots_);
  CommitLocked(std::move(version));
}

void StoreState::CommitIngestionLocked(const std::vector<TableMeta>& tables, VersionRef version) {
  installs_.OnIngestion(tables);
  CommitLocked(std::move(version));
}

// ---- clients ----

const StoreSnapshot* StoreState::AddSnapshot() {
  const uint64_t now = context_->pace.clock->NowNanos();
  MutexLock lock(mutex_);
  return snapshots_.Add(reader_->published(), now);
}

void StoreState::ReleaseSnapshot(const StoreSnapshot* snapshot) {
  std::unique_ptr<const StoreSnapshot> released;  // destroyed without the mutex
  MutexLock lock(mutex_);
  released = snapshots_.Remove(snapshot);
}

void StoreState::SetSpaceOptions(uint64_t space_percent_max, uint64_t delete_persist_seconds) {
  MutexLock lock(mutex_);
  space_bound_.SetPercentMax(space_percent_max);
  delete_persist_seconds_ = delete_persist_seconds;
}

void StoreState::SetFilter(FilterRef filter) {
  FilterRef former;  // destroyed without the mutex
  MutexLock lock(mutex_);
  former = filter_.Set(std::move(filter));
}

FilterRef StoreState::SetFilterAside(const FilterRef& filter, const leveldb::Status& why) {
  MutexLock lock(mutex_);
  return filter_.SetAside(filter, why);
}

}  // namespace lull
