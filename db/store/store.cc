// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/store/store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "db/base/layout_options.h"
#include "db/base/scheduling_options.h"
#include "util/logging.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr uint64_t kCollectNanos = 20'000'000;
// Compactions that only free space begin this long after the last write.
constexpr uint64_t kRestNanos = 20'000'000;
// Deletions in memory are flushed after a longer rest, since small flushes make small tables. The
// WAL of a small store shrinks after an even longer one.
constexpr uint64_t kSealRestNanos = 1'000'000'000;
constexpr uint64_t kShrinkRestNanos = 5'000'000'000;
// The monitor need not measure a store that rests for longer.
constexpr uint64_t kUnwatchedRestNanos = 6'000'000'000;
// By then, the bytes of a write that missed WritePath::TellOfNextWrite are visible.
constexpr uint64_t kWriteVisibleNanos = 500'000'000;
constexpr uint64_t kSharePassedNanos = 1'000'000'000;

}  // namespace

// ---- clients ----

leveldb::Status Store::Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                           const leveldb::Slice& value) {
  return leveldb::DB::Put(options, key, value);
}

leveldb::Status Store::Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) {
  return leveldb::DB::Delete(options, key);
}

leveldb::Status Store::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) {
  if (updates == nullptr) return leveldb::Status::InvalidArgument("Write: updates is null");
  if (IsInherited()) return InheritedError();
  return write_path_.Write(options, updates);
}

leveldb::Status Store::Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                           std::string* value) {
  const LatencyTimer timer(reporting_.LatencyOf(&Reporting::Latencies::get), coordinator_->clock());
  return reader_.Get(options, key, value);
}

leveldb::Iterator* Store::NewIterator(const leveldb::ReadOptions& options) {
  return reader_.NewIterator(options).release();
}

const leveldb::Snapshot* Store::GetSnapshot() {
  if (IsInherited()) return nullptr;  // reads without a snapshot see the same, since no write works
  const uint64_t now = context_->pace.clock->NowNanos();
  MutexLock lock(state_.mutex);
  return state_.snapshots.Add(reader_.published(), now);
}

void Store::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
  if (snapshot == nullptr || IsInherited()) return;
  std::unique_ptr<const StoreSnapshot> released;  // destroyed without the mutex
  MutexLock lock(state_.mutex);
  released = state_.snapshots.Remove(static_cast<const StoreSnapshot*>(snapshot));
}

void Store::GetApproximateSizes(const leveldb::Range* ranges, int count, uint64_t* sizes) {
  for (int i = 0; i < count; ++i) sizes[i] = reader_.ApproximateBytes(ranges[i]);
}

leveldb::Status Store::InheritedError() const {
  return leveldb::Status::NotSupported(
      context_->name, "was opened before fork; in the child, close the store and open it again");
}

// ---- scheduling options ----

PolicyOptions Store::Resolved(const OptionValues& scheduling) const {
  return ResolvePolicyOptions(scheduling, context_->options.write_buffer_size,
                              context_->layout.table_bytes_max, CoreCount());
}

LayoutOptions Store::LayoutFor(const PolicyOptions& options) const {
  LayoutOptions layout = context_->layout;
  layout.Follow(options);
  return layout;
}

/// The new options text takes effect at once. The policy and the picker's layout change between two
/// rounds of the monitor. If no option of the policy changes, the policy object and its state are
/// kept.
leveldb::Status Store::SetOptions(const std::string& text) {
  if (IsInherited()) return InheritedError();
  MutexLock options_lock(options_mutex_);
  OptionValues changed = scheduling_;
  leveldb::Status status = ParseLive(text, &changed);
  if (!status.ok()) return status;
  const PolicyOptions resolved = Resolved(changed);
  if (changed.policy != scheduling_.policy || resolved != Resolved(scheduling_)) {
    std::unique_ptr<Policy> policy = make_policy_(changed.policy, resolved);
    coordinator_->SetPolicy(this, std::move(policy), [this, layout = LayoutFor(resolved)] {
      MutexLock lock(state_.mutex);
      state_.compaction_state.SetLayout(layout);
    });
  }
  scheduling_ = std::move(changed);
  SetSpaceOptions(scheduling_);
  coordinator_->WakeMonitor();
  reporting_.activity().SetOptions(scheduling_.policy, ToOptionString(scheduling_));
  return status;
}

void Store::SetSpaceOptions(const OptionValues& scheduling) {
  MutexLock lock(state_.mutex);
  state_.space_bound.SetPercentMax(static_cast<uint64_t>(scheduling.space_percent_max));
  state_.delete_persist_seconds = scheduling.delete_persist_seconds;
}

leveldb::Status Store::SetCompactionFilter(std::shared_ptr<const CompactionFilter> filter) {
  if (IsInherited()) return InheritedError();
  FilterRef named;
  if (filter != nullptr) {
    const char* const name = filter->Name();
    named = std::make_shared<NamedFilter>(NamedFilter{filter, name == nullptr ? "" : name});
  }
  Log(context_->logger(), "Compactions that begin from now on use %s%s",
      named == nullptr ? "no filter" : "the filter ", named == nullptr ? "" : named->name.c_str());
  FilterRef former;  // destroyed without the mutex
  MutexLock lock(state_.mutex);
  former = state_.filter.Set(std::move(named));
  return leveldb::Status::OK();
}

std::string Store::OptionsText() {
  MutexLock lock(options_mutex_);
  return ToOptionString(scheduling_);
}

// ---- the monitor ----

bool Store::MeasurePressure(Pressure* pressure) {
  PassOnShare();
  const uint64_t memtable_bytes = context_->options.write_buffer_size;
  pressure->client_bytes_total = ClientBytes().load(std::memory_order_relaxed);
  pressure->client_read_bytes_total = reader_.counts().Sum(kBytesReturned);
  pressure->l0_misses_total = reader_.counts().Sum(kL0TablesWithoutKey);
  pressure->background_bytes_total = flusher_.written_bytes();
  pressure->flush_bytes_per_sec = flusher_.bytes_per_sec();
  pressure->memtable_bytes = memtable_bytes;
  reporting_.activity().Sample(pressure->client_bytes_total);
  // At least two memtables, whatever the shared budget: otherwise a writer with large memtables
  // would wait for every flush.
  pressure->memory_budget_bytes =
      std::max<uint64_t>(pressure->memory_budget_bytes, 2 * memtable_bytes);
  pressure->memory_used_bytes -= std::min(pressure->memory_used_bytes, flusher_.merged_bytes());
  const bool writes = write_path_.IsUnderWay();
  const uint64_t now_nanos = coordinator_->clock()->NowNanos();
  rest_.Observe(now_nanos, pressure->client_bytes_total, writes);
  if (rest_.nanos() < kRestNanos && versions_.IsLookDue(now_nanos)) flush_thread_.Wake();
  const uint64_t now_seconds = context_->WallSeconds();
  MutexLock lock(state_.mutex);
  const Version& version = *state_.version();
  const LayoutOptions& layout = state_.compaction_state.layout();
  // A writer that waits for room needs the work that a policy defers until writes stop.
  pressure->write_waits = state_.waiting_writers > 0;
  pressure->write_under_way = writes && !pressure->write_waits;
  pressure->active_bytes = state_.memtables.active()->MemoryBytes();
  pressure->immutable_bytes = state_.memtables.immutable_bytes();
  pressure->immutables = static_cast<int>(state_.memtables.immutable_count());
  pressure->l0_tables = version.TableCount(0);
  pressure->l0_bytes = version.LevelBytes(0);
  pressure->l1_bytes = version.LevelBytes(1);
  pressure->debt_bytes = state_.DebtBytesLocked();
  state_.compaction_state.SetDeletePersist(state_.delete_persist_seconds, now_seconds);
  const TableSpace& space = state_.compaction_state.Space(version);
  if (space.unknown_bytes > 0 && (state_.delete_persist_seconds > 0 || state_.space_bound.is_set()))
    preload_.ReadUnknownContents(version, coordinator_->clock()->NowNanos());
  const uint64_t table_bytes = space.known_bytes + space.unknown_bytes;
  write_path_.wal().SetTableBytes(table_bytes);
  pressure->hidden_bytes = space.HiddenBytes();
  pressure->live_bytes =
      table_bytes - pressure->hidden_bytes - state_.compaction_state.OverwrittenBytes(version);
  // L0 is due while a part has not begun: otherwise its compaction could keep its range reserved
  // forever.
  pressure->manual_due =
      state_.compaction_state.request_count() > 0 || state_.in_flight.HasPart(JobClass::kManual);
  pressure->l0_due =
      LevelScore(version, 0, layout) >= 1.0 || state_.in_flight.HasPart(JobClass::kL0);
  for (int level = 1; level < kLevels - 1; ++level) {
    if (LevelScore(version, level, layout) >= 1.0) pressure->deep_due = true;
  }
  // Compactions free disk space.
  const bool frees_space = ObeySpaceBoundLocked(table_bytes, pressure);
  pressure->drain_requested = state_.drains > 0;
  pressure->space_is_low = room_.is_low() || frees_space;
  state_.writes_rest = rest_.nanos() >= kRestNanos || pressure->GoesFirst();
  // As for L0, a compaction is due while one of its parts has not begun.
  if (state_.in_flight.HasPart(JobClass::kDeep) ||
      state_.compaction_state.IsReclaimDue(version, state_.OldestSnapshotLocked(),
                                           state_.ReclaimScopeLocked())) {
    pressure->deep_due = true;
  }
  const bool wants_seal = WantsSealLocked();
  if (wants_seal && !wants_seal_.exchange(true, std::memory_order_relaxed)) flush_thread_.Wake();
  return Rests(!wants_seal && MayRestLocked(*pressure));
}

/// Wakes the flush thread if the store's share of the memory budget has changed: its loan to the
/// cache must follow.
void Store::PassOnShare() {
  const CacheLoan::Share share = MemoryShare();
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (share == share_ || now - share_passed_at_nanos_ < kSharePassedNanos) return;
  share_ = share;
  share_passed_at_nanos_ = now;
  flush_thread_.Wake();
}

/// Whether no work is left that time alone would make due.
bool Store::MayRestLocked(const Pressure& pressure) {
  if (rest_.nanos() < kUnwatchedRestNanos || state_.waiting_writers > 0 || share_ != MemoryShare())
    return false;
  if (pressure.HasWork() || pressure.manual_due || pressure.drain_requested ||
      state_.space_is_clearing || !state_.in_flight.empty() || obsolete_.Totals().count > 0)
    return false;
  // A released snapshot and the end of an unreadable range wake nobody.
  if (!state_.snapshots.empty() || !state_.health.damage().ok()) return false;
  const TableSpace& space = state_.compaction_state.Space(*state_.version());
  const bool has_deletions = space.deletions + state_.memtables.active()->DeletionCount() > 0;
  const bool ages = state_.delete_persist_seconds > 0 && (has_deletions || space.unknown_bytes > 0);
  return !ages && !(state_.space_bound.is_set() && space.unknown_bytes > 0);
}

/// Whether the monitor need not measure the store until a write wakes it. First makes sure that the
/// next write does.
bool Store::Rests(bool may_rest) {
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (may_rest && write_path_.TellsOfNextWrite())
    return now - rest_told_at_nanos_ >= kWriteVisibleNanos;
  if (may_rest) write_path_.TellOfNextWrite();
  rest_told_at_nanos_ = now;
  return false;
}

/// Whether the memtable has old deletions. Once no client writes, also whether its flush lets
/// compactions free space that its deletions hide, or its WAL takes much of a small store's space.
bool Store::WantsSealLocked() {
  if (state_.closing || state_.waiting_writers > 0 || state_.memtables.immutable_count() > 0)
    return false;
  const uint64_t deletions = state_.memtables.active()->DeletionCount();
  if (deletions > 0 && state_.compaction_state.IsOld(state_.memtables.active_begun_seconds()))
    return true;
  if (rest_.nanos() < kSealRestNanos) return false;
  if (deletions > 0 &&
      IsFlushToReclaimDue(state_.compaction_state.Space(*state_.version()), deletions))
    return true;
  return rest_.nanos() >= kShrinkRestNanos && write_path_.WantsLogsAhead() &&
         write_path_.wal().IsTooLargeForRest();
}

/// Whether compactions must free space for the user's bound, and can. Also decides whether writers
/// wait for them.
bool Store::ObeySpaceBoundLocked(uint64_t table_bytes, Pressure* pressure) {
  state_.space_is_full = state_.space_is_clearing = false;
  if (!state_.space_bound.is_set()) return false;
  const FileTotals obsolete = obsolete_.Totals();
  SpaceBound::Use use;
  const uint64_t listed_bytes = listed_bytes_.load(std::memory_order_relaxed);
  use.file_bytes =
      listed_bytes + obsolete.bytes + write_path_.wal().FileBytes() + pressure->immutable_bytes;
  use.doomed_bytes = listed_bytes + obsolete.bytes - std::min(table_bytes, listed_bytes);
  use.output_bytes =
      std::max(state_.in_flight.OutputBytes(),
               std::min(pressure->live_bytes, pressure->l0_bytes + pressure->l1_bytes));
  use.live_bytes = pressure->live_bytes;
  use.memtable_bytes = applied_.memtable_bytes();
  pressure->file_bytes = use.file_bytes + use.output_bytes;
  pressure->file_bytes_max = state_.space_bound.BytesMax(use);
  // Damage can keep what is due from running, so no writer waits for it.
  const bool frees_space =
      state_.space_bound.IsNear(use) && state_.health.damage().ok() &&
      (obsolete.count > 0 || !state_.in_flight.empty() || pressure->immutables > 0 ||
       pressure->l0_due || pressure->deep_due ||
       state_.compaction_state.IsReclaimDue(*state_.version(), state_.OldestSnapshotLocked(),
                                            ReclaimScope::kAll));
  state_.space_is_clearing =
      state_.space_bound.HoldsCompactions(use, coordinator_->clock()->NowNanos());
  state_.space_is_full = frees_space && state_.space_bound.IsReached(use);
  return frees_space;
}

void Store::ApplyDirective(const Directive& directive) {
  reporting_.activity().SetDirective(directive);
  write_path_.admission().Apply(directive);
  const bool flushes_sooner = applied_.Apply(directive, coordinator_->memory_budget_bytes());
  write_path_.wal().SetCapacity(applied_.memtable_bytes());
  // Memory of other stores counts too, and their seals do not wake this store's flush thread.
  const bool lacks_memory =
      coordinator_->memory_used_bytes() >= coordinator_->memory_budget_bytes() / 2 &&
      flags_.immutables.load(std::memory_order_relaxed) > 0;
  if (flushes_sooner || lacks_memory) flush_thread_.Wake();
}

void Store::SetPolicyState(PolicyState state) {
  reporting_.activity().SetPolicyState(std::move(state));
}

std::unique_ptr<Job> Store::NextJob(JobClass job_class) {
  if (job_class == JobClass::kCleanup) return obsolete_.TakeJob();
  if (job_class == JobClass::kPreload) return preload_.TakeJob();
  return compactions_.NextJob(job_class);
}

void Store::JobStarted(const Job& job, CpuPriority cpu) {
  reporting_.activity().JobStarted(job, cpu);
}

void Store::JobPaused(const Job& job) { reporting_.activity().JobPaused(job); }

void Store::JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) {
  if (auto compaction = TakeCompaction(&job))
    return compactions_.JobEnded(std::move(compaction), status);
  MutexLock lock(state_.mutex);
  state_.changed.NotifyAll();  // files were deleted
}

void Store::AbandonJob(std::unique_ptr<Job> job) {
  if (auto cleanup = TakeCleanup(&job)) {
    obsolete_.Add(cleanup->TakeBatch());
  } else if (auto compaction = TakeCompaction(&job)) {
    compactions_.Abandon(std::move(compaction));
  }
}

std::vector<const Job*> Store::BlockersOfL0(const std::vector<const Job*>& jobs) {
  return compactions_.BlockersOfL0(jobs);
}

// ---- the flush thread ----

std::optional<uint64_t> Store::RunFlushSlice() {
  std::optional<uint64_t> again;
  versions_.FreezeIfReplaced(lock_, coordinator_->clock()->NowNanos());
  compactions_.InstallRemoval();
  if (compactions_.InstallOne()) again = 0;  // more can wait; flush between installs
  versions_.RollIfLong();
  const auto sooner = [&](std::optional<uint64_t> nanos) {
    if (nanos) again = std::min(*nanos, again.value_or(*nanos));
  };
  sooner(RestoreManifest());
  if (flags_.may_install.load(std::memory_order_acquire)) {
    sooner(flusher_.MaintainWals());
    sooner(flusher_.Advance());
  }
  // If it fails or the store has no room, the monitor asks again.
  if (wants_seal_.exchange(false, std::memory_order_relaxed)) write_path_.SealInRest();
  if (reader_.Collect()) sooner(kCollectNanos);
  sooner(loan_.Adapt(coordinator_->clock()->NowNanos(), MemoryShare()));
  sooner(flusher_.TrimInLull());
  sooner(WatchPins());
  return again;
}

CacheLoan::Share Store::MemoryShare() const {
  const uint64_t stores = std::max<uint64_t>(coordinator_->tenant_count(), 1);
  const uint64_t budget = coordinator_->memory_budget_bytes();
  const uint64_t unused = budget - std::min(budget, coordinator_->memory_used_bytes());
  return {.budget_bytes = budget / stores, .unused_bytes = unused / stores};
}

std::optional<uint64_t> Store::RestoreManifest() {
  const std::optional<uint64_t> at_nanos = versions_.restore_at_nanos();
  if (!at_nanos) return std::nullopt;
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (now < *at_nanos) return *at_nanos - now;
  write_path_.wal().DiscardPrepared(0);  // the new MANIFEST needs their space
  const std::optional<uint64_t> retry_at = versions_.Restore(now);
  return retry_at ? *retry_at - now : 0;
}

}  // namespace lull
