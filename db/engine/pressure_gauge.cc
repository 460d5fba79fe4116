// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/pressure_gauge.h"

#include <algorithm>
#include <utility>

#include "db/report/reporting.h"

namespace lull {
namespace {

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

PressureGauge::PressureGauge(const EngineParts& parts, const Sources& sources)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      applied_(parts.applied),
      disk_(parts.disk),
      obsolete_(parts.obsolete),
      reporting_(parts.reporting),
      sources_(sources) {}

bool PressureGauge::Measure(Pressure* pressure) {
  const uint64_t now_nanos = coordinator_->clock()->NowNanos();
  SampleClients(now_nanos);
  PassOnShare(now_nanos);
  const uint64_t memtable_bytes = context_->options.write_buffer_size;
  pressure->client_bytes_total = clients_.written_bytes;
  pressure->client_read_bytes_total = reader_->counts().Sum(kBytesReturned);
  pressure->l0_misses_total = reader_->counts().Sum(kL0TablesWithoutKey);
  pressure->background_bytes_total =
      sources_.flusher->written_bytes() + sources_.ingester->written_bytes();
  pressure->flush_bytes_per_sec = sources_.flusher->bytes_per_sec();
  pressure->memtable_bytes = memtable_bytes;
  // At least two memtables, whatever the shared budget: otherwise a writer with large memtables
  // would wait for every flush.
  pressure->memory_budget_bytes =
      std::max<uint64_t>(pressure->memory_budget_bytes, 2 * memtable_bytes);
  pressure->memory_used_bytes -=
      std::min(pressure->memory_used_bytes, sources_.flusher->merged_bytes());
  const uint64_t now_seconds = context_->WallSeconds();

  MutexLock lock(state_->mutex());
  // A writer that waits for room needs the work that a policy defers until writes stop.
  pressure->write_waits = state_->has_waiting_writer();
  pressure->write_under_way = clients_.are_writing && !pressure->write_waits;
  pressure->active_bytes = state_->memtables().active()->MemoryBytes();
  pressure->immutable_bytes = state_->memtables().immutable_bytes();
  pressure->immutables = static_cast<int>(state_->memtables().immutable_count());
  state_->compactions().SetDeletePersist(state_->delete_persist_seconds(), now_seconds);
  MeasureTablesLocked(pressure);
  const bool frees_space = ObeySpaceBoundLocked(pressure);
  pressure->drain_requested = state_->is_draining();
  pressure->space_is_low = disk_->is_low() || frees_space;
  state_->SetReclaimsLocked(clients_.rest_nanos >= kRestNanos || pressure->GoesFirst() ||
                            pressure->hidden_bytes >= pressure->HiddenBytesMax());
  // As for L0, a compaction is due while one of its parts has not begun.
  if (state_->compactions().jobs().HasPart(JobClass::kDeep) ||
      state_->compactions().IsReclaimDue(*state_->version(), state_->OldestSnapshotLocked(),
                                         state_->ReclaimScopeLocked())) {
    pressure->deep_due = true;
  }
  const bool wants_seal = WantsSealLocked();
  if (wants_seal && !wants_seal_.exchange(true, std::memory_order_relaxed))
    context_->flush_thread->Wake();
  return Rests(!wants_seal && MayRestLocked(*pressure));
}

void PressureGauge::SampleClients(uint64_t now_nanos) {
  const uint64_t before = std::exchange(
      clients_.written_bytes, sources_.writes->client_bytes().load(std::memory_order_relaxed));
  clients_.are_writing = sources_.writes->IsUnderWay();
  if (clients_.written_bytes != before || clients_.are_writing) clients_.wrote_at_nanos = now_nanos;
  clients_.rest_nanos = now_nanos - clients_.wrote_at_nanos;
  reporting_->activity().Sample(clients_.written_bytes);
  if (clients_.rest_nanos < kRestNanos && sources_.versions->IsLookDue(now_nanos))
    context_->flush_thread->Wake();
}

/// Wakes the flush thread if the store's share of the memory budget has changed: its loan to the
/// cache must follow.
void PressureGauge::PassOnShare(uint64_t now_nanos) {
  const CacheLoan::Share share = MemoryShare();
  if (share == share_ || now_nanos - share_passed_at_nanos_ < kSharePassedNanos) return;
  share_ = share;
  share_passed_at_nanos_ = now_nanos;
  context_->flush_thread->Wake();
}

CacheLoan::Share PressureGauge::MemoryShare() const {
  const uint64_t stores = std::max<uint64_t>(coordinator_->tenant_count(), 1);
  const uint64_t budget = coordinator_->memory_budget_bytes();
  const uint64_t unused = budget - std::min(budget, coordinator_->memory_used_bytes());
  return {.budget_bytes = budget / stores, .unused_bytes = unused / stores};
}

void PressureGauge::MeasureTablesLocked(Pressure* pressure) {
  const Version& version = *state_->version();
  CompactionState& compactions = state_->compactions();
  const LayoutOptions& layout = compactions.layout();
  pressure->l0_tables = version.TableCount(0);
  pressure->l0_bytes = version.LevelBytes(0);
  pressure->l1_bytes = version.LevelBytes(1);
  pressure->debt_bytes = state_->DebtBytesLocked();
  const TableSpace& space = compactions.Space(version);
  const bool needs_contents =
      state_->delete_persist_seconds() > 0 || state_->space_bound().is_set();
  if (space.unknown_bytes > 0 && needs_contents)
    sources_.preload->ReadUnknownContents(version, coordinator_->clock()->NowNanos());
  table_bytes_ = space.known_bytes + space.unknown_bytes;
  sources_.writes->wal().SetTableBytes(table_bytes_);
  pressure->hidden_bytes = space.HiddenBytes();
  if (!state_->snapshots().empty())
    pressure->hidden_bytes -= compactions.BytesKept(version, state_->OldestSnapshotLocked());
  pressure->live_bytes =
      table_bytes_ - pressure->hidden_bytes - compactions.OverwrittenBytes(version);
  pressure->offers_version = compactions.inputs_version();
  // L0 is due while a part has not begun: otherwise its compaction could keep its range reserved
  // forever.
  pressure->manual_due =
      compactions.request_count() > 0 || compactions.jobs().HasPart(JobClass::kManual);
  pressure->l0_due =
      LevelScore(version, 0, layout) >= 1.0 || compactions.jobs().HasPart(JobClass::kL0);
  for (int level = 1; level < kLevels - 1; ++level) {
    if (LevelScore(version, level, layout) >= 1.0) pressure->deep_due = true;
  }
}

/// Whether compactions must free space for the user's bound, and can. Also decides whether writers
/// wait for them.
bool PressureGauge::ObeySpaceBoundLocked(Pressure* pressure) {
  state_->SetSpaceLocked(/*is_full=*/false, /*is_clearing=*/false);
  const SpaceBound& bound = state_->space_bound();
  if (!bound.is_set()) return false;
  const JobTable& jobs = state_->compactions().jobs();
  const FileTotals obsolete = obsolete_->Totals();
  SpaceBound::Use use;
  const uint64_t listed_bytes = sources_.listed_bytes->load(std::memory_order_relaxed);
  use.file_bytes = listed_bytes + obsolete.bytes + sources_.writes->wal().FileBytes() +
                   pressure->immutable_bytes;
  const uint64_t in_version_bytes = std::min(table_bytes_, listed_bytes);
  use.doomed_bytes = listed_bytes + obsolete.bytes - in_version_bytes;
  use.output_bytes = std::max(
      jobs.OutputBytes(), std::min(pressure->live_bytes, pressure->l0_bytes + pressure->l1_bytes));
  use.live_bytes = pressure->live_bytes;
  use.memtable_bytes = applied_->memtable_bytes();
  // Without the tables that only readers keep: no compaction frees those.
  pressure->file_bytes = use.file_bytes + use.output_bytes - (listed_bytes - in_version_bytes);
  pressure->file_bytes_max = bound.BytesMax(use);
  // Damage can keep what is due from running, so no writer waits for it.
  const bool frees_space =
      bound.IsNear(use) && state_->health().damage().ok() &&
      (obsolete.count > 0 || jobs.has_compactions() || pressure->immutables > 0 ||
       pressure->l0_due || pressure->deep_due ||
       state_->compactions().IsReclaimDue(*state_->version(), state_->OldestSnapshotLocked(),
                                          ReclaimScope::kAll));
  state_->SetSpaceLocked(frees_space && bound.IsReached(use),
                         bound.HoldsCompactions(use, coordinator_->clock()->NowNanos()));
  return frees_space;
}

/// Whether the memtable has old deletions. Once no client writes, also whether its flush lets
/// compactions free space that its deletions hide, or its WAL takes much of a small store's space.
bool PressureGauge::WantsSealLocked() {
  if (state_->is_closing() || state_->has_waiting_writer() ||
      state_->memtables().immutable_count() > 0)
    return false;
  CompactionState& compactions = state_->compactions();
  const uint64_t deletions = state_->memtables().active()->DeletionCount();
  if (deletions > 0 && compactions.IsOld(state_->memtables().active_begun_seconds())) return true;
  if (clients_.rest_nanos < kSealRestNanos) return false;
  if (deletions > 0 && IsFlushToReclaimDue(compactions.Space(*state_->version()), deletions))
    return true;
  return clients_.rest_nanos >= kShrinkRestNanos && sources_.writes->WantsLogsAhead() &&
         sources_.writes->wal().IsTooLargeForRest();
}

/// Whether no work is left that time alone would make due.
bool PressureGauge::MayRestLocked(const Pressure& pressure) {
  if (clients_.rest_nanos < kUnwatchedRestNanos || state_->has_waiting_writer() ||
      share_ != MemoryShare())
    return false;
  if (pressure.HasWork() || pressure.manual_due || pressure.drain_requested ||
      state_->space_is_clearing() || state_->compactions().jobs().has_compactions() ||
      obsolete_->Totals().count > 0)
    return false;
  // A released snapshot and the end of an unreadable range wake nobody.
  if (!state_->snapshots().empty() || !state_->health().damage().ok()) return false;
  const TableSpace& space = state_->compactions().Space(*state_->version());
  const bool has_deletions = space.deletions + state_->memtables().active()->DeletionCount() > 0;
  const bool ages =
      state_->delete_persist_seconds() > 0 && (has_deletions || space.unknown_bytes > 0);
  return !ages && !(state_->space_bound().is_set() && space.unknown_bytes > 0);
}

/// Whether the monitor need not measure the store until a write wakes it. First makes sure that the
/// next write does.
bool PressureGauge::Rests(bool may_rest) {
  const uint64_t now = coordinator_->clock()->NowNanos();
  if (may_rest && sources_.writes->TellsOfNextWrite())
    return now - rest_told_at_nanos_ >= kWriteVisibleNanos;
  if (may_rest) sources_.writes->TellOfNextWrite();
  rest_told_at_nanos_ = now;
  return false;
}

}  // namespace lull
