// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The figures that `lull top` shows, from two texts of a store's stats file. Rates divide by the
// difference of lull_uptime_seconds, which no jump of the calendar changes. If the store was opened
// again in between, its counters began at 0, and the rates are those since the open.
//
// Without a terminal, a clock or files. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/tools/freshness.h"
#include "db/tools/metrics_text.h"
#include "db/tools/output.h"
#include "leveldb/status.h"

namespace lull::tools {

/// A file that has not changed for this long is shown as not updated. Stores touch it every two
/// seconds.
inline constexpr double kStaleSeconds = 5;

struct StoreFigures {
  std::string file;
  std::string problem;  ///< why there are no figures; empty: there are
  std::string worst;    ///< the most important of: errors, stalls, "ok"
  /// Most members of the line of `lull top --json`. Rates are 0 unless `has_rates`.
  Json json = Json::object();

  /// A number of the line; 0 if it is missing.
  double operator[](const char* name) const { return json.value(name, 0.0); }
  /// The store's directory or, if unknown, the file.
  std::string Name() const;
  bool IsStale() const { return problem.empty() && (*this)["age_seconds"] >= kStaleSeconds; }
  /// Share of the time in which a write was held, by any cause.
  double StallShare() const;
  /// A problem, "not updated for 12 s", or the worst.
  std::string State() const;
  Json Line() const;
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
