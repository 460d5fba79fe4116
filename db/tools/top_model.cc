// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/top_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "util/logging.h"

namespace lull::tools {
namespace {

/// The differences of counters between two texts.
class Changes {
 public:
  Changes(const MetricsText* before, const MetricsText& after) : before_(before), after_(after) {
    if (before == nullptr) return;
    seconds_ = Uptime(after) - Uptime(*before);
    // Also if the store is another one: two programs can take turns with a path.
    if (seconds_ <= 0 || before->Store() != after.Store()) {
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

/// A value that is a whole number, without a decimal point.
Json Whole(double value) { return static_cast<uint64_t>(value); }

Json Levels(const MetricsText& text, const Changes& changes) {
  Json levels = Json::array();
  for (const MetricSample& sample : text.Samples("lull_level_tables")) {
    const std::string level = sample.Label("level");
    const auto get = [&](const char* name) { return text.Get(name, {{"level", level}}); };
    const auto rate = [&](const char* name) { return changes.PerSecond(name, {{"level", level}}); };
    levels.push_back({{"tables", Whole(sample.value)},
                      {"bytes", Whole(get("lull_level_bytes"))},
                      {"target_bytes", Whole(get("lull_level_target_bytes"))},
                      {"score", get("lull_level_score")},
                      {"read_bytes_per_sec", rate("lull_level_read_bytes_total")},
                      {"written_bytes_per_sec", rate("lull_level_written_bytes_total")}});
  }
  return levels;
}

Json Jobs(const MetricsText& text, const Changes& changes) {
  Json jobs = Json::object();
  for (const MetricSample& sample : text.Samples("lull_jobs")) {
    if (sample.Label("state") != "running") continue;
    const std::string name = sample.Label("class");
    const auto rate = [&](const char* metric) {
      return changes.PerSecond(metric, {{"class", name}});
    };
    jobs[name] = {{"running", Whole(sample.value)},
                  {"paused", Whole(text.Get("lull_jobs", {{"class", name}, {"state", "paused"}}))},
                  {"failed", Whole(text.Get("lull_jobs_ended_total",
                                            {{"class", name}, {"outcome", "failed"}}))},
                  {"read_bytes_per_sec", rate("lull_job_read_bytes_total")},
                  {"written_bytes_per_sec", rate("lull_job_written_bytes_total")}};
  }
  return jobs;
}

/// Of the time between the texts, the share in which a write was held; counts since the open.
Json Stalls(const MetricsText& text, const Changes& changes) {
  Json stalls = Json::object();
  for (const MetricSample& sample : text.Samples("lull_stalls_total")) {
    const std::string kind = sample.Label("kind"), cause = sample.Label("cause");
    const double share =
        changes.PerSecond("lull_stall_held_seconds_total", {{"kind", kind}, {"cause", cause}});
    stalls[kind][cause] = {{"held_share", std::min(1.0, share)}, {"count", Whole(sample.value)}};
  }
  return stalls;
}

/// Empty without the option latency_histograms.
Json Latencies(const MetricsText& text, const Changes& changes) {
  const std::vector<MetricSample>& samples = text.Samples("lull_latency_seconds");
  Json latencies = Json::object();
  for (const MetricSample& count : samples) {
    if (!count.name.ends_with("_count")) continue;
    const std::string operation = count.Label("operation");
    std::vector<double> limits, counts;
    for (const MetricSample& sample : samples) {
      const std::string limit = sample.Label("le");
      if (limit.empty() || sample.Label("operation") != operation) continue;
      limits.push_back(std::strtod(limit.c_str(), nullptr));
      counts.push_back(changes.Of(sample.name, {{"operation", operation}, {"le", limit}}));
    }
    const auto quantile_us = [&](double q) { return BucketQuantile(limits, counts, q) * 1e6; };
    latencies[operation] = {{"per_sec", changes.PerSecond(count.name, {{"operation", operation}})},
                            {"p50_us", quantile_us(0.5)},
                            {"p99_us", quantile_us(0.99)},
                            {"p999_us", quantile_us(0.999)}};
  }
  return latencies;
}

std::string Worst(const MetricsText& text) {
  const auto is = [&](const char* name) { return text.Get(name) > 0; };
  const auto stalls = [&](const char* kind) {
    return text.Get("lull_stall_active", {{"kind", kind}}) > 0;
  };
  if (is("lull_writes_refused")) return "WRITES FAIL";
  if (is("lull_damage_found")) return "DAMAGED";
  if (is("lull_background_error")) return "JOBS FAIL";
  if (stalls("stop")) return "STOPPED";
  if (is("lull_disk_is_low")) return "disk low";
  return stalls("slowdown") ? "slowed" : "ok";
}

}  // namespace

StoreFigures MakeFigures(const MetricsText* before, const MetricsText& after) {
  const Changes changes(before, after);
  const auto get = [&](const char* name) { return after.Get(name); };
  const auto rate = [&](const char* name) { return changes.PerSecond(name); };
  const std::vector<MetricSample>& policy = after.Samples("lull_policy_info");
  const Json levels = Levels(after, changes);
  double table_bytes = 0;
  for (const Json& level : levels) table_bytes += level["bytes"].get<double>();
  const double cached = changes.Of("lull_blocks_read_total", {{"from", "cache"}});
  const double read = cached + changes.Of("lull_blocks_read_total", {{"from", "file"}});
  StoreFigures figures;
  figures.worst = Worst(after);
  figures.json = {
      {"store", after.Store()},
      {"policy", policy.empty() ? "" : policy.back().Label("policy")},
      {"uptime_seconds", get("lull_uptime_seconds")},
      {"age_seconds", 0.0},
      {"has_rates", changes.has_rates()},
      {"writes_per_sec", rate("lull_user_written_entries_total")},
      {"written_bytes_per_sec", rate("lull_user_written_bytes_total")},
      {"gets_per_sec", changes.PerSecond("lull_gets_total", {{"result", "found"}}) +
                           changes.PerSecond("lull_gets_total", {{"result", "not_found"}})},
      {"iterator_steps_per_sec", rate("lull_iterator_steps_total")},
      {"returned_bytes_per_sec", rate("lull_returned_bytes_total")},
      {"cache_hit_share", read > 0 ? cached / read : 0.0},
      {"write_amplification", get("lull_write_amplification_ratio")},
      {"debt_bytes", Whole(get("lull_debt_bytes"))},
      {"debt_bytes_max", Whole(get("lull_debt_max_bytes"))},
      {"memory_used_bytes", Whole(get("lull_memory_used_bytes"))},
      {"memory_budget_bytes", Whole(get("lull_memory_budget_bytes"))},
      {"disk_free_bytes", Whole(get("lull_disk_free_bytes"))},
      {"table_bytes", Whole(table_bytes)},
      {"levels", levels},
      {"jobs", Jobs(after, changes)},
      {"stalls", Stalls(after, changes)},
      {"latency", Latencies(after, changes)}};
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

std::string StoreFigures::Name() const {
  const std::string store = json.value("store", "");
  return store.empty() ? file : store;
}

double StoreFigures::StallShare() const {
  double share = 0;
  for (const Json& causes : json.value("stalls", Json::object())) {
    for (const Json& stall : causes) share += stall["held_share"].get<double>();
  }
  return std::min(1.0, share);
}

std::string StoreFigures::State() const {
  if (!problem.empty()) return problem;
  return IsStale() ? Format("not updated for %.0f s", (*this)["age_seconds"]) : worst;
}

Json StoreFigures::Line() const {
  Json line = {{"file", file}, {"state", State()}};
  if (problem.empty()) line.update(json);
  return line;
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
  figures.json["age_seconds"] = age_seconds_;
  return figures;
}

const char* TopSortName(TopSort sort) {
  constexpr const char* kNames[kTopSorts] = {"name", "writes", "debt", "stalls"};
  return kNames[static_cast<int>(sort)];
}

void SortStores(TopSort sort, std::vector<StoreFigures>* stores) {
  std::ranges::stable_sort(*stores, {}, [sort](const StoreFigures& store) {
    const double keys[kTopSorts] = {0, -store["written_bytes_per_sec"], -store["debt_bytes"],
                                    -store.StallShare()};
    const bool has_figures = store.problem.empty();
    return std::tuple(!has_figures, has_figures ? keys[static_cast<int>(sort)] : 0, store.Name());
  });
}

}  // namespace lull::tools
