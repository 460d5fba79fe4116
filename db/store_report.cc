// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a store tells of itself: properties, listeners, and LOG.
#include <string_view>
#include <utility>

#include "db/report/info_log.h"
#include "db/store.h"

namespace lull {

bool Store::GetProperty(const leveldb::Slice& property, std::string* value) {
  value->clear();
  if (IsInherited()) return false;
  const std::string_view name(property.data(), property.size());
  if (name == "lull.stats") {
    *value = RenderJson(MakeReport());
    return true;
  }
  if (name == "lull.metrics") {
    *value = RenderPrometheus(MakeReport());
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
  const GraceGuard guard(grace_);
  const ReadView* const view = view_.load(std::memory_order_acquire);
  PropertySource source;
  source.version = &view->version();
  source.memory_bytes = context_->options.block_cache->TotalCharge() + view->MemoryBytes();
  {
    MutexLock lock(mutex_);
    source.stats = stats_;
  }
  return RenderProperty(property, source, value);
}

StoreReport Store::MakeReport() {
  StoreReport report;
  report.name = context_->name;
  report.user_bytes = client_bytes_.load(std::memory_order_relaxed);
  report.user_entries = published_sequence_.load(std::memory_order_relaxed) - opened_sequence_;
  report.wal_bytes = wal_.appended_bytes();
  report.memory_used_bytes = coordinator_->memory_used_bytes();
  report.memory_budget_bytes = coordinator_->memory_budget_bytes();
  report.waiting_writers = writers_.Length();
  if (context_->extension != nullptr)
    report.open_descriptors = context_->extension->OpenDescriptors();
  report.disk_is_low = room_.is_low();
  report.dropped_events = events_.Dropped();
  {
    MutexLock lock(obsolete_mutex_);
    report.obsolete_files = obsolete_.paths.size();
  }
  if (latencies_ != nullptr) {
    report.latencies = LatencyReport{latencies_->write.Snapshot(),
                                     latencies_->sync_write.Snapshot(), latencies_->get.Snapshot()};
  }
  report.activity = activity_.Report(report.user_bytes);
  MutexLock lock(mutex_);
  const std::array<uint64_t, kLevels> targets = LevelTargets(layout_);
  for (int level = 0; level < kLevels; ++level) {
    LevelReport& about = report.levels[level];
    about.tables = version_->TableCount(level);
    about.bytes = version_->LevelBytes(level);
    about.target_bytes = targets[level] == UINT64_MAX ? 0 : targets[level];
    about.score = LevelScore(*version_, level, layout_);
    about.compactions = stats_[level];
  }
  report.debt_bytes = version_->DebtBytes(targets, layout_.l0_trigger);
  report.active_bytes = active_->MemoryBytes();
  report.key_filter_bytes = view_.load(std::memory_order_relaxed)->KeyFilterBytes();
  report.immutable_bytes = immutable_bytes_;
  report.immutables = immutables_.size();
  report.waiting_installs = to_install_.size();
  report.waiting_manual = manual_.size();
  const leveldb::Status& refusal = write_error_.ok() ? wal_error_ : write_error_;
  if (!refusal.ok()) report.write_error = refusal.ToString();
  const leveldb::Status& background = background_error_.ok() ? damage_ : background_error_;
  if (!background.ok()) report.background_error = background.ToString();
  return report;
}

leveldb::Status Store::BeginReporting(const SchedulingOptions& scheduling,
                                      const Recovered& recovered) {
  opened_sequence_ = recovered.last_sequence;
  if (scheduling.latency_histograms) latencies_ = std::make_unique<Latencies>();
  activity_.OptionsAre(scheduling.policy, scheduling.ToString());
  if (context_->logger() == nullptr) return leveldb::Status::OK();
  LogOpen(context_->logger(), *context_, MakeReport(), recovered.new_tables.size(),
          recovered.lost.size());
  return events_.Add(std::make_shared<InfoLog>(context_->logger()), EventHub::Wants::kSummaries,
                     {});
}

/// REQUIRES: nothing of the store runs any more. A listener may read it until this returns.
void Store::EndReporting() {
  activity_.Close();
  events_.Stop();
  if (registered_ && context_->logger() != nullptr) LogClose(context_->logger(), MakeReport());
}

leveldb::Status Store::AddListener(std::shared_ptr<EventListener> listener) {
  if (IsInherited()) return InheritedError();
  return activity_.AddListener(std::move(listener));
}

leveldb::Status Store::RemoveListener(const EventListener* listener) {
  if (IsInherited()) return InheritedError();
  if (events_.Remove(listener)) return leveldb::Status::OK();
  return leveldb::Status::NotFound(context_->name, "has no such listener");
}

leveldb::Status AddListener(leveldb::DB* db, std::shared_ptr<EventListener> listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "AddListener", &store);
  if (!status.ok()) return status;
  if (listener == nullptr) return leveldb::Status::InvalidArgument("AddListener: it is null");
  return store->AddListener(std::move(listener));
}

leveldb::Status RemoveListener(leveldb::DB* db, const std::shared_ptr<EventListener>& listener) {
  Store* store = nullptr;
  const leveldb::Status status = Store::Of(db, "RemoveListener", &store);
  return status.ok() ? store->RemoveListener(listener.get()) : status;
}

}  // namespace lull
