// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The figures that `lull top` shows, from two texts of a store's stats file. Rates divide by the
// difference of lull_uptime_seconds, which no jump of the calendar changes. If the store was opened
// again in between, its counters began at 0, and the rates are those since the open.
//
// Without a terminal, a clock or files. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/tools/freshness.h"
#include "db/tools/metrics_text.h"
#include "leveldb/status.h"

namespace lull::tools {

/// A file that has not changed for this long is shown as not updated. Stores write every second.
inline constexpr double kStaleSeconds = 3;

struct LevelFigures {
  double tables = 0;
  double bytes = 0;
  double target_bytes = 0;  ///< 0: none
  double score = 0;
  double read_per_sec = 0;
  double written_per_sec = 0;
};

struct JobFigures {
  std::string job_class;
  double running = 0;
  double paused = 0;
  double read_per_sec = 0;
  double written_per_sec = 0;
  double failed = 0;  ///< since the open
};

struct StallFigures {
  std::string kind;
  std::string cause;
  double share = 0;  ///< of the time between the texts in which a write was held, 0 to 1
  double count = 0;  ///< since the open
};

struct LatencyFigures {
  std::string operation;
  double per_sec = 0;
  std::array<double, 3> seconds{};  ///< of p50, p99 and p99.9, between the texts
};

struct StoreFigures {
  std::string file;
  std::string problem;  ///< why there are no figures; empty: there are
  std::string store;
  std::string policy;
  double uptime_seconds = 0;
  double age_seconds = 0;
  bool has_rates = false;  ///< false after the first text

  bool writes_refused = false;
  bool background_error = false;
  bool damage_found = false;
  bool disk_is_low = false;
  std::vector<std::string> stalled;  ///< kinds of the stalls in progress

  double writes_per_sec = 0;
  double written_per_sec = 0;
  double gets_per_sec = 0;
  double steps_per_sec = 0;  ///< Next and Prev of iterators
  double returned_per_sec = 0;
  double cache_hit_share = 0;  ///< of the blocks read between the texts, 0 to 1
  double write_amplification = 0;
  double debt_bytes = 0;
  double debt_bytes_max = 0;
  double memory_used_bytes = 0;
  double memory_budget_bytes = 0;
  double disk_free_bytes = 0;  ///< 0: unknown
  double table_bytes = 0;
  std::vector<LevelFigures> levels;
  std::vector<JobFigures> jobs;
  std::vector<StallFigures> stalls;
  std::vector<LatencyFigures> latencies;  ///< empty without the option latency_histograms

  bool IsStale() const { return problem.empty() && age_seconds >= kStaleSeconds; }
  /// Share of the time in which a write was held, by any cause.
  double StallShare() const;
  /// The most important of: a problem, "not updated for 12 s", errors, stalls, "ok".
  std::string State() const;
};

/// The figures of `after`; without `before`, no rates.
StoreFigures MakeFigures(const MetricsText* before, const MetricsText& after);

/// The quantile `q` of the calls in a histogram's buckets, in seconds: `counts[i]` calls took at
/// most `limits[i]`. 0 without calls.
double BucketQuantile(const std::vector<double>& limits, const std::vector<double>& counts,
                      double q);

/// What successive looks at one stats file found.
class StoreWatch {
 public:
  explicit StoreWatch(std::string file) : file_(std::move(file)) {}

  void Observe(MetricsText text, double wall_seconds, uint64_t now_nanos);
  /// The file could not be read.
  void Fail(const leveldb::Status& why);

  const std::string& file() const { return file_; }
  /// The file was replaced at least once since the first look.
  bool was_updated() const { return before_.has_value(); }
  /// The last look found a text.
  bool was_read() const { return after_.has_value() && problem_.empty(); }
  StoreFigures Figures() const;

 private:
  std::string file_;
  std::string problem_;
  Freshness freshness_;
  double age_seconds_ = 0;
  std::optional<MetricsText> before_;
  std::optional<MetricsText> after_;
};

enum class TopSort { kName, kWrites, kDebt, kStalls };
inline constexpr int kTopSorts = 4;
const char* TopSortName(TopSort sort);
/// By name, or the largest first. Stores without figures come last.
void SortStores(TopSort sort, std::vector<StoreFigures>* stores);

}  // namespace lull::tools
