// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store's reports: properties, listeners and LOG.
#include <string_view>
#include <utility>

#include "db/base/scheduling_options.h"
#include "db/report/info_log.h"
#include "db/store/store.h"

namespace lull {

bool Store::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  if (IsInherited()) return false;
  const std::string_view name(property.data(), property.size());
  if (name == "lull.stats") {
    StoreReport report = MakeReport();
    report.memory = MeasureMemory();
    *value = RenderJson(report);
    return true;
  }
  if (name == "lull.metrics") {
    StoreReport report = MakeReport();
    report.memory = MeasureMemory();
    report.space = MeasureSpace();
    *value = RenderPrometheus(report);
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
  if (name == "lull.options") {
    *value = OptionsText();
    return true;
  }
  PropertySource source;
  {
    MutexLock lock(state_.mutex);
    source.stats = state_.installs.levels();
  }
  bool known = false;
  reader_.WithView([&](const ReadView& view) {
    source.version = &view.version();
    source.memory_bytes = context_->options.block_cache->TotalCharge() + view.MemoryBytes();
    known = RenderProperty(property, source, value);
  });
  return known;
}

LayoutFigures Store::GetLayoutFigures() {
  MutexLock lock(state_.mutex);
  return state_.installs.layout();
}

MemoryReport Store::MeasureMemory() {
  MemoryReport memory;
  memory.memtables = context_->memtable_blocks->used_bytes();
  memory.pooled_blocks = context_->memtable_blocks->warm_bytes();
  memory.mapped_wals = write_path_.wal().memory_bytes();
  memory.job_buffers = context_->job_bytes.load(std::memory_order_relaxed);
  reader_.WithView([&](const ReadView& view) { memory.key_filters = view.KeyFilterBytes(); });
  memory.open_tables = reader_.tables()->GetUsage().memory_bytes;
  memory.block_cache = context_->options.block_cache->TotalCharge();
  memory.event_queue = reporting_.events().MemoryBytes();
  return memory;
}

StoreReport Store::MakeReport() {
  StoreReport report;
  report.name = context_->name;
  report.wall_seconds = context_->WallSeconds();
  report.user_bytes = ClientBytes().load(std::memory_order_relaxed);
  report.user_entries = reader_.published() - opened_sequence_;
  report.wal_bytes = write_path_.wal().appended_bytes();
  report.memory_used_bytes = coordinator_->memory_used_bytes();
  report.memory_budget_bytes = coordinator_->memory_budget_bytes();
  report.waiting_writers = write_path_.QueueLength();
  if (context_->extension != nullptr)
    report.open_descriptors = context_->extension->OpenDescriptors();
  report.disk_is_low = room_.is_low();
  report.dropped_events = reporting_.events().Dropped();
  report.obsolete_files = obsolete_.Totals().count;
  if (const Reporting::Latencies* const latencies = reporting_.latencies()) {
    report.latencies = LatencyReport{latencies->write.Snapshot(), latencies->sync_write.Snapshot(),
                                     latencies->get.Snapshot()};
  }
  report.activity = reporting_.activity().Report(report.user_bytes);
  const TableCache::Usage tables = reader_.tables()->GetUsage();
  report.reads = {reader_.counts().SumAll(), tables.tables, tables.opened, tables.evicted};
  {
    MutexLock options_lock(options_mutex_);
    report.debt_bytes_max = Resolved(scheduling_).debt_bytes_max;
  }
  MutexLock lock(state_.mutex);
  const Version& version = *state_.version();
  const LayoutOptions& layout = state_.compaction_state.layout();
  const std::array<uint64_t, kLevels> targets = LevelTargets(layout);
  for (int level = 0; level < kLevels; ++level) {
    LevelReport& about = report.levels[level];
    about.tables = version.TableCount(level);
    about.bytes = version.LevelBytes(level);
    about.target_bytes = targets[level] == UINT64_MAX ? 0 : targets[level];
    about.score = LevelScore(version, level, layout);
    about.compactions = state_.installs.levels()[level];
  }
  report.debt_bytes = state_.DebtBytesLocked();
  report.active_bytes = state_.memtables.active()->MemoryBytes();
  report.immutable_bytes = state_.memtables.immutable_bytes();
  report.immutables = state_.memtables.immutable_count();
  report.waiting_installs = state_.in_flight.waiting_count();
  report.waiting_manual = state_.compaction_state.request_count();
  report.filter = state_.filter.name();
  report.filter_error = state_.filter.error();
  report.filtered = state_.filter.dropped();
  const leveldb::Status& refusal = state_.health.WhyNotWritten();
  if (!refusal.ok()) report.write_error = refusal.ToString();
  const leveldb::Status& background = state_.health.background_status();
  if (!background.ok()) report.background_error = background.ToString();
  report.found_damage = !state_.health.damage().ok();
  return report;
}

leveldb::Status Store::BeginReporting(const OptionValues& scheduling, const Recovered& recovered) {
  opened_sequence_ = recovered.last_sequence;
  if (scheduling.latency_histograms) reporting_.TimeCalls();
  reporting_.activity().SetOptions(scheduling.policy, ToOptionString(scheduling));
  if (context_->logger() == nullptr) return leveldb::Status::OK();
  LogOpen(context_->logger(), *context_, MakeReport(), recovered.new_tables.size(),
          recovered.lost.size());
  return reporting_.events().Add(std::make_shared<InfoLog>(context_->logger()),
                                 EventHub::Wants::kSummaries, {});
}

/// Other processes read the file. So if the program's Env cannot create it safely, the machine's
/// does.
void Store::StartStatsFile(const std::string& option) {
  leveldb::Env* const env =
      context_->extension != nullptr ? context_->env() : leveldb::Env::Default();
  stats_file_ = std::make_unique<StatsFile>(
      StatsFile::Setup{.env = env,
                       .logger = context_->logger(),
                       .path = StatsFile::PathFor(context_->name, option),
                       .text = [this] {
                         std::string text;
                         GetProperty("lull.metrics", &text);
                         return text;
                       }});
  stats_file_->Start();
}

/// REQUIRES: all threads of the store have ended. A listener can read the store until this returns.
void Store::EndReporting() {
  reporting_.activity().Close();
  reporting_.events().Stop();
  if (registered_ && context_->logger() != nullptr) LogClose(context_->logger(), MakeReport());
}

leveldb::Status Store::AddListener(std::shared_ptr<EventListener> listener) {
  if (IsInherited()) return InheritedError();
  return reporting_.activity().AddListener(std::move(listener));
}

leveldb::Status Store::RemoveListener(const EventListener* listener) {
  if (IsInherited()) return InheritedError();
  if (reporting_.events().Remove(listener)) return leveldb::Status::OK();
  return leveldb::Status::NotFound(context_->name, "has no such listener");
}

leveldb::Status AddListener(leveldb::DB* db, std::shared_ptr<EventListener> listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "AddListener", &store);
  if (!status.ok()) return status;
  if (listener == nullptr) return leveldb::Status::InvalidArgument("AddListener: listener is null");
  return store->AddListener(std::move(listener));
}

leveldb::Status RemoveListener(leveldb::DB* db, const std::shared_ptr<EventListener>& listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "RemoveListener", &store);
  return status.ok() ? store->RemoveListener(listener.get()) : status;
}

}  // namespace lull
