// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/top_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace lull::tools {
namespace {

/// The differences of counters between two texts.
class Changes {
 public:
  Changes(const MetricsText* before, const MetricsText& after) : before_(before), after_(after) {
    if (before == nullptr) return;
    seconds_ = Uptime(after) - Uptime(*before);
    // Also if the store is another one: two programs can take turns with a path.
    if (seconds_ <= 0 || before->store_label() != after.store_label()) {
      before_ = nullptr;
      seconds_ = Uptime(after);
    }
  }

  bool has_rates() const { return seconds_ > 0; }
  /// How much a counter grew.
  double Of(std::string_view name, MetricLabels labels = {}) const {
    const double now = after_.Get(name, labels);
    const double then = before_ == nullptr ? 0 : before_->Get(name, labels);
    return now >= then ? now - then : now;  // it shrinks only if the store was opened again
  }
  double PerSecond(std::string_view name, MetricLabels labels = {}) const {
    return seconds_ > 0 ? Of(name, labels) / seconds_ : 0;
  }

 private:
  static double Uptime(const MetricsText& text) { return text.Get("lull_uptime_seconds"); }

  const MetricsText* before_;
  const MetricsText& after_;
  double seconds_ = 0;  // 0: unknown
};

/// The values of a label in a family, in the order of the text.
std::vector<std::string> ValuesOf(const MetricsText& text, std::string_view family,
                                  std::string_view label) {
  std::vector<std::string> values;
  for (const MetricSample& sample : text.Samples(family)) {
    const std::string value = LabelValue(sample, label);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

void AddLevels(const MetricsText& text, const Changes& changes, StoreFigures* figures) {
  for (const std::string& level : ValuesOf(text, "lull_level_tables", "level")) {
    const MetricLabels labels = {{"level", level}};
    LevelFigures about;
    about.tables = text.Get("lull_level_tables", labels);
    about.bytes = text.Get("lull_level_bytes", labels);
    about.target_bytes = text.Get("lull_level_target_bytes", labels);
    about.score = text.Get("lull_level_score", labels);
    about.read_per_sec = changes.PerSecond("lull_level_read_bytes_total", labels);
    about.written_per_sec = changes.PerSecond("lull_level_written_bytes_total", labels);
    figures->table_bytes += about.bytes;
    figures->levels.push_back(about);
  }
}

void AddJobs(const MetricsText& text, const Changes& changes, StoreFigures* figures) {
  for (const std::string& job_class : ValuesOf(text, "lull_jobs", "class")) {
    const MetricLabels labels = {{"class", job_class}};
    JobFigures jobs;
    jobs.job_class = job_class;
    jobs.running = text.Get("lull_jobs", {{"class", job_class}, {"state", "running"}});
    jobs.paused = text.Get("lull_jobs", {{"class", job_class}, {"state", "paused"}});
    jobs.read_per_sec = changes.PerSecond("lull_job_read_bytes_total", labels);
    jobs.written_per_sec = changes.PerSecond("lull_job_written_bytes_total", labels);
    jobs.failed = text.Get("lull_jobs_total", {{"class", job_class}, {"outcome", "failed"}});
    figures->jobs.push_back(jobs);
  }
}

void AddStalls(const MetricsText& text, const Changes& changes, StoreFigures* figures) {
  for (const MetricSample& sample : text.Samples("lull_stalls_total")) {
    StallFigures stall;
    stall.kind = LabelValue(sample, "kind");
    stall.cause = LabelValue(sample, "cause");
    stall.count = sample.value;
    stall.share = std::min(1.0, changes.PerSecond("lull_stall_held_seconds_total",
                                                  {{"kind", stall.kind}, {"cause", stall.cause}}));
    figures->stalls.push_back(stall);
  }
  for (const MetricSample& sample : text.Samples("lull_stall_active"))
    if (sample.value > 0) figures->stalled.push_back(LabelValue(sample, "kind"));
}

void AddLatencies(const MetricsText& text, const Changes& changes, StoreFigures* figures) {
  constexpr double kQuantiles[] = {0.5, 0.99, 0.999};
  for (const std::string& operation : ValuesOf(text, "lull_latency_seconds", "operation")) {
    std::vector<double> limits, counts;
    for (const MetricSample& sample : text.Samples("lull_latency_seconds")) {
      const std::string limit = LabelValue(sample, "le");
      if (limit.empty() || LabelValue(sample, "operation") != operation) continue;
      limits.push_back(limit == "+Inf" ? std::numeric_limits<double>::infinity()
                                       : std::strtod(limit.c_str(), nullptr));
      counts.push_back(changes.Of(sample.name, {{"operation", operation}, {"le", limit}}));
    }
    LatencyFigures latency;
    latency.operation = operation;
    latency.per_sec = changes.PerSecond("lull_latency_seconds_count", {{"operation", operation}});
    for (size_t i = 0; i < latency.seconds.size(); ++i)
      latency.seconds[i] = BucketQuantile(limits, counts, kQuantiles[i]);
    figures->latencies.push_back(latency);
  }
}

void AddRates(const Changes& changes, StoreFigures* figures) {
  figures->has_rates = changes.has_rates();
  figures->writes_per_sec = changes.PerSecond("lull_user_written_entries_total");
  figures->written_per_sec = changes.PerSecond("lull_user_written_bytes_total");
  figures->gets_per_sec = changes.PerSecond("lull_gets_total", {{"result", "found"}}) +
                          changes.PerSecond("lull_gets_total", {{"result", "not_found"}});
  figures->steps_per_sec = changes.PerSecond("lull_iterator_steps_total");
  figures->returned_per_sec = changes.PerSecond("lull_returned_bytes_total");
  const double cached = changes.Of("lull_blocks_read_total", {{"from", "cache"}});
  const double read = cached + changes.Of("lull_blocks_read_total", {{"from", "file"}});
  figures->cache_hit_share = read > 0 ? cached / read : 0;
}

/// What the list of stores is sorted by; smaller values come first.
double SortKey(TopSort sort, const StoreFigures& store) {
  switch (sort) {
    case TopSort::kName:
      return 0;
    case TopSort::kWrites:
      return -store.written_per_sec;
    case TopSort::kDebt:
      return -store.debt_bytes;
    case TopSort::kStalls:
      return -store.StallShare();
  }
  return 0;
}

}  // namespace

StoreFigures MakeFigures(const MetricsText* before, const MetricsText& after) {
  const Changes changes(before, after);
  StoreFigures figures;
  figures.store = after.Store();
  for (const MetricSample& sample : after.Samples("lull_policy_info"))
    figures.policy = LabelValue(sample, "policy");
  figures.uptime_seconds = after.Get("lull_uptime_seconds");
  figures.writes_refused = after.Get("lull_writes_refused") > 0;
  figures.background_error = after.Get("lull_background_error") > 0;
  figures.damage_found = after.Get("lull_damage_found") > 0;
  figures.disk_is_low = after.Get("lull_disk_is_low") > 0;
  figures.write_amplification = after.Get("lull_write_amplification_ratio");
  figures.debt_bytes = after.Get("lull_debt_bytes");
  figures.debt_bytes_max = after.Get("lull_debt_bytes_max");
  figures.memory_used_bytes = after.Get("lull_memory_used_bytes");
  figures.memory_budget_bytes = after.Get("lull_memory_budget_bytes");
  figures.disk_free_bytes = after.Get("lull_disk_free_bytes");
  AddRates(changes, &figures);
  AddLevels(after, changes, &figures);
  AddJobs(after, changes, &figures);
  AddStalls(after, changes, &figures);
  AddLatencies(after, changes, &figures);
  return figures;
}

double BucketQuantile(const std::vector<double>& limits, const std::vector<double>& counts,
                      double q) {
  if (counts.empty() || counts.back() <= 0) return 0;
  const double rank = q * counts.back();
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < rank) continue;
    const double low = i == 0 ? 0 : limits[i - 1];
    if (std::isinf(limits[i])) return low;
    const double below = i == 0 ? 0 : counts[i - 1];
    const double inside = counts[i] - below;
    return inside <= 0 ? limits[i] : low + (limits[i] - low) * (rank - below) / inside;
  }
  return 0;
}

double StoreFigures::StallShare() const {
  double share = 0;
  for (const StallFigures& stall : stalls) share += stall.share;
  return std::min(1.0, share);
}

std::string StoreFigures::State() const {
  if (!problem.empty()) return problem;
  if (IsStale()) {
    char text[64];
    std::snprintf(text, sizeof(text), "not updated for %.0f s", age_seconds);
    return text;
  }
  if (writes_refused) return "WRITES FAIL";
  if (damage_found) return "DAMAGED";
  if (background_error) return "JOBS FAIL";
  if (std::ranges::find(stalled, "stop") != stalled.end()) return "STOPPED";
  if (disk_is_low) return "disk low";
  return stalled.empty() ? "ok" : "slowed";
}

void StoreWatch::Observe(MetricsText text, double wall_seconds, uint64_t now_nanos) {
  problem_.clear();
  const double uptime = text.Get("lull_uptime_seconds");
  age_seconds_ = freshness_.Observe(uptime, text.Get("lull_written_timestamp_seconds"),
                                    wall_seconds, now_nanos);
  if (after_ && after_->Get("lull_uptime_seconds") == uptime) return;
  before_ = std::move(after_);
  after_ = std::move(text);
}

void StoreWatch::Fail(const leveldb::Status& why) {
  problem_ = why.IsNotFound() && after_ ? "closed: its stats file was removed" : why.ToString();
}

StoreFigures StoreWatch::Figures() const {
  StoreFigures figures;
  if (after_) figures = MakeFigures(before_ ? &*before_ : nullptr, *after_);
  figures.file = file_;
  figures.problem = after_ || !problem_.empty() ? problem_ : "not yet read";
  figures.age_seconds = age_seconds_;
  return figures;
}

const char* TopSortName(TopSort sort) {
  constexpr const char* kNames[kTopSorts] = {"name", "writes", "debt", "stalls"};
  return kNames[static_cast<int>(sort)];
}

void SortStores(TopSort sort, std::vector<StoreFigures>* stores) {
  std::ranges::stable_sort(*stores, {}, [sort](const StoreFigures& store) {
    const bool has_figures = store.problem.empty();
    return std::tuple(!has_figures, has_figures ? SortKey(sort, store) : 0,
                      store.store.empty() ? store.file : store.store);
  });
}

}  // namespace lull::tools
