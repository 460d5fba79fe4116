// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/store_reporter.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "db/base/filename.h"
#include "db/base/scheduling_options.h"
#include "db/report/info_log.h"
#include "util/env_extension.h"
#include "util/logging.h"

namespace lull {
namespace {

/// The logs with these numbers, without those that were deleted meanwhile.
FileTotals TotalsOfLogs(const StoreContext& context, const std::vector<uint64_t>& numbers) {
  FileTotals totals;
  for (const uint64_t number : numbers) {
    uint64_t bytes = 0;
    if (!context.env()->GetFileSize(LogFileName(context.name, number), &bytes).ok()) continue;
    ++totals.count;
    totals.bytes += bytes;
  }
  return totals;
}

FileTotals TotalsOfTables(const Version& version) {
  FileTotals totals;
  totals.bytes = version.TotalBytes();
  for (int level = 0; level < kLevels; ++level)
    totals.count += static_cast<uint64_t>(version.TableCount(level));
  return totals;
}

/// An upper bound on the age of the oldest deletion whose time is known, in seconds.
uint64_t OldestDeletionSeconds(const Version& version, uint64_t now_seconds) {
  uint64_t since = now_seconds;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (table->contents.deletions_since > 0)
        since = std::min(since, table->contents.deletions_since);
    }
  }
  return now_seconds - since;
}

void AddReclaim(const ReclaimStats& reclaim, SpaceReport* report) {
  report->reclaim_compactions = reclaim.compactions;
  report->reclaim_freed_bytes =
      reclaim.read_bytes - std::min(reclaim.read_bytes, reclaim.written_bytes);
}

}  // namespace

StoreReporter::StoreReporter(const EngineParts& parts, WritePath* writes,
                             const Compactions* compactions)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      disk_(parts.disk),
      obsolete_(parts.obsolete),
      reporting_(parts.reporting),
      writes_(writes),
      compactions_(compactions),
      pin_watch_(context_->pace.pinned_bytes_min) {}

bool StoreReporter::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  const std::string_view name(property.data(), property.size());
  if (name == "lull.stats") {
    StoreReport report = MakeReport();
    report.memory = MeasureMemory();
    *value = RenderJson(report);
    return true;
  }
  if (name == "lull.metrics") {
    *value = RenderPrometheus(MakeFullReport());
    return true;
  }
  if (name == "lull.space") {
    *value = RenderSpaceJson(MeasureSpace());
    return true;
  }
  if (name == "lull.layout") {
    *value = LayoutJson(GetLayoutFigures(), context_->layout);
    return true;
  }
  PropertySource source;
  {
    MutexLock lock(state_->mutex());
    source.stats = state_->installs().levels();
  }
  bool known = false;
  reader_->WithView([&](const ReadView& view) {
    source.version = &view.version();
    source.memory_bytes = context_->options.block_cache->TotalCharge() + view.MemoryBytes();
    known = RenderProperty(property, source, value);
  });
  return known;
}

LayoutFigures StoreReporter::GetLayoutFigures() {
  MutexLock lock(state_->mutex());
  return state_->installs().layout();
}

MemoryReport StoreReporter::MeasureMemory() {
  MemoryReport memory;
  memory.memtables = context_->memtable_blocks->used_bytes();
  memory.pooled_blocks = context_->memtable_blocks->warm_bytes();
  memory.mapped_wals = writes_->wal().memory_bytes();
  memory.job_buffers = context_->job_bytes.load(std::memory_order_relaxed);
  reader_->WithView([&](const ReadView& view) { memory.key_filters = view.KeyFilterBytes(); });
  memory.open_tables = reader_->tables()->GetUsage().memory_bytes;
  memory.block_cache = context_->options.block_cache->TotalCharge();
  memory.event_queue = reporting_->events().MemoryBytes();
  return memory;
}

StoreReport StoreReporter::MakeReport() {
  StoreReport report;
  report.name = context_->name;
  report.wall_seconds = context_->WallSeconds();
  report.user_bytes = writes_->client_bytes().load(std::memory_order_relaxed);
  report.user_entries = writes_->client_entries();
  report.wal_bytes = writes_->wal().appended_bytes();
  report.memory_used_bytes = coordinator_->memory_used_bytes();
  report.memory_budget_bytes = coordinator_->memory_budget_bytes();
  report.waiting_writers = writes_->QueueLength();
  if (context_->extension != nullptr)
    report.open_descriptors = context_->extension->OpenDescriptors();
  report.disk_is_low = disk_->is_low();
  report.dropped_events = reporting_->events().Dropped();
  report.obsolete_files = obsolete_->Totals().count;
  if (const Reporting::Latencies* const latencies = reporting_->latencies()) {
    report.latencies = LatencyReport{latencies->write.Snapshot(), latencies->sync_write.Snapshot(),
                                     latencies->get.Snapshot()};
  }
  report.activity = reporting_->activity().Report(report.user_bytes);
  const TableCache::Usage tables = reader_->tables()->GetUsage();
  report.reads = {reader_->counts().SumAll(), tables.tables, tables.opened, tables.evicted};
  report.debt_bytes_max = debt_bytes_max_.load(std::memory_order_relaxed);
  MutexLock lock(state_->mutex());
  ReportStateLocked(&report);
  return report;
}

StoreReport StoreReporter::MakeFullReport() {
  StoreReport report = MakeReport();
  report.mount = mount_;
  report.memory = MeasureMemory();
  report.space = MeasureSpace();
  return report;
}

void StoreReporter::ReportStateLocked(StoreReport* report) {
  const Version& version = *state_->version();
  const LayoutOptions& layout = state_->compactions().layout();
  const std::array<uint64_t, kLevels> targets = LevelTargets(layout);
  for (int level = 0; level < kLevels; ++level) {
    LevelReport& about = report->levels[level];
    about.tables = version.TableCount(level);
    about.bytes = version.LevelBytes(level);
    about.target_bytes = targets[level] == UINT64_MAX ? 0 : targets[level];
    about.score = LevelScore(version, level, layout);
    about.compactions = state_->installs().levels()[level];
  }
  report->debt_bytes = state_->DebtBytesLocked();
  report->active_bytes = state_->memtables().active()->MemoryBytes();
  report->immutable_bytes = state_->memtables().immutable_bytes();
  report->immutables = state_->memtables().immutable_count();
  report->waiting_installs = state_->compactions().jobs().waiting_count();
  report->waiting_manual = state_->compactions().request_count();
  report->filter = state_->filter().name();
  report->filter_error = state_->filter().error();
  report->filtered = state_->filter().dropped();
  const leveldb::Status& refusal = state_->health().WhyNotWritten();
  if (!refusal.ok()) report->write_error = refusal.ToString();
  const leveldb::Status& background = state_->health().background_status();
  if (!background.ok()) report->background_error = background.ToString();
  report->found_damage = !state_->health().damage().ok();
}

leveldb::Status StoreReporter::Begin(const OptionValues& scheduling, const Recovered& recovered) {
  if (context_->extension != nullptr) mount_ = context_->extension->MountOf(context_->name);
  if (scheduling.latency_histograms) reporting_->TimeCalls();
  reporting_->activity().SetOptions(scheduling.policy, ToOptionString(scheduling));
  if (context_->logger() == nullptr) return leveldb::Status::OK();
  LogOpen(context_->logger(), *context_, MakeReport(), recovered.new_tables.size(),
          recovered.lost.size());
  return reporting_->events().Add(std::make_shared<InfoLog>(context_->logger()),
                                  EventHub::Wants::kSummaries, {});
}

void StoreReporter::StartStatsFile(const std::string& option) {
  leveldb::Env* const env =
      context_->extension != nullptr ? context_->env() : leveldb::Env::Default();
  const std::string path = StatsFile::PathFor(context_->name, option);
  Log(context_->logger(), "Stats file: %s", path.c_str());
  stats_file_ = std::make_unique<StatsFile>(
      StatsFile::Setup{.env = env,
                       .logger = context_->logger(),
                       .store = context_->name,
                       .path = path,
                       .read = [this] {
                         const StoreReport report = MakeFullReport();
                         return StatsFile::Stats{RenderPrometheus(report),
                                                 report.activity.uptime_nanos, report.wall_seconds};
                       }});
  stats_file_->Start();
}

void StoreReporter::End(bool logs) {
  reporting_->activity().Close();
  reporting_->events().Stop();
  if (logs && context_->logger() != nullptr) LogClose(context_->logger(), MakeReport());
}

SpaceReport StoreReporter::MeasureSpace() {
  SpaceReport report;
  const WalSet::Numbers logs = writes_->wal().ListNumbers();
  report.logs = TotalsOfLogs(*context_, logs.in_use);
  report.prepared_logs = TotalsOfLogs(*context_, logs.prepared);
  VersionRef current;
  std::vector<OldVersions::Old> old;
  const uint64_t now_seconds = context_->WallSeconds();
  {
    MutexLock lock(state_->mutex());
    current = state_->version();
    old = state_->old_versions().Existing();
    report.levels = SpaceByLevel(*current);
    report.hidden_bytes = state_->compactions().Space(*current).HiddenBytes();
    report.overwritten_bytes = state_->compactions().OverwrittenBytes(*current);
    report.oldest_deletion_seconds = OldestDeletionSeconds(*current, now_seconds);
    AddReclaim(state_->installs().reclaim(), &report);
    report.snapshots = PinsOfSnapshotsLocked();
  }
  std::optional<uint64_t> free_bytes;
  if (context_->extension != nullptr) free_bytes = context_->extension->FreeBytes(context_->name);
  if (free_bytes) report.disk_free_bytes = std::max<uint64_t>(*free_bytes, 1);
  report.awaited_bytes = compactions_->bytes_awaiting_space();
  report.tables = TotalsOfTables(*current);
  report.pinned_tables = TablesOnlyIn(old, *current);
  report.readers = PinsOfReaders(old, *current);
  // After the Versions: a table that a reader releases meanwhile counts twice rather than never.
  report.obsolete_files = obsolete_->Totals();
  return report;
}

/// The age of a pin is the time since the Version was replaced, since only then can it keep
/// obsolete tables. An iterator need not read the clock for that.
SpaceReport::Pins StoreReporter::PinsOfReaders(const std::vector<OldVersions::Old>& old,
                                               const Version& current) const {
  std::vector<OldVersions::Old> read;
  std::copy_if(old.begin(), old.end(), std::back_inserter(read),
               [](const OldVersions::Old& each) { return each.is_read; });
  if (read.empty()) return {};
  return {read.size(), context_->pace.clock->NowNanos() - read.front().replaced_nanos,
          TablesOnlyIn(read, current).bytes};
}

SpaceReport::Pins StoreReporter::PinsOfSnapshotsLocked() const {
  const SnapshotList& snapshots = state_->snapshots();
  if (snapshots.count() == 0) return {};
  return {snapshots.count(), context_->pace.clock->NowNanos() - snapshots.oldest_taken_nanos(),
          HiddenBytesKept(*state_->version(), snapshots.OldestOr(0))};
}

std::optional<uint64_t> StoreReporter::WatchPins() {
  const uint64_t now = context_->pace.clock->NowNanos();
  if (const uint64_t wait = pin_watch_.UntilNextLook(now); wait > 0) {
    MutexLock lock(state_->mutex());
    const bool pins = !state_->snapshots().empty() || !state_->old_versions().Existing().empty();
    return pins ? std::optional(wait) : std::nullopt;
  }
  VersionRef current;
  std::vector<OldVersions::Old> old;
  SpaceReport::Pins snapshots;
  {
    MutexLock lock(state_->mutex());
    current = state_->version();
    old = state_->old_versions().Existing();
    snapshots = PinsOfSnapshotsLocked();
  }
  const SpaceReport::Pins readers = PinsOfReaders(old, *current);
  for (const std::string& line : pin_watch_.Sample(now, readers, snapshots))
    Log(context_->logger(), "%s", line.c_str());
  if (readers.count + snapshots.count == 0) return std::nullopt;
  return pin_watch_.UntilNextLook(now);
}

}  // namespace lull
