// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The table of metrics. The properties lull.metrics, lull.stats and lull.space and the list in
// docs/metrics.md use its rows. To add a metric, add a row. Names are an interface: they are added,
// never changed. tests/db/report/metric_table_test.cc has their rules, which are Prometheus'.
// Constant data; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "db/report/stats_report.h"

namespace lull {

using MetricValue = std::variant<bool, int64_t, uint64_t, double>;

/// Every name in a text begins with this.
inline constexpr std::string_view kMetricPrefix = "lull_";

/// Values without a text mark the end.
struct MetricLabel {
  std::string_view name;
  std::array<std::string_view, 9> values{};
  std::array<std::string_view, 9> in_json{};                 ///< if other than `values`
  std::string (*text)(const StoreReport& report) = nullptr;  ///< the only value, without `values`
};

/// What a value belongs to. A stats file is rewritten for a change of its store
/// (metrics_change.h).
enum class MetricScope {
  kStore,    ///< changes only with the store
  kClock,    ///< an age or a time: while nothing happens, it grows by a second each second
  kProcess,  ///< changes with other stores of the process too
  kDisk,     ///< of the whole file system; `lull export` shows it once for all its stores
};

struct MetricRow {
  std::string_view name;  ///< without kMetricPrefix
  std::string_view help;
  /// Where JSON has the value: the property without "lull.", then the path of a JsonTree, with a *
  /// for each label. Empty: nowhere, or with other names.
  std::string_view json;
  /// `index`: of the values of the labels. Null: the histogram of latencies.
  MetricValue (*read)(const StoreReport& report, const size_t* index);
  const MetricLabel* label = nullptr;
  const MetricLabel* second_label = nullptr;
  const MetricLabel* third_label = nullptr;  ///< only with `text`

  MetricScope scope() const;
  std::array<const MetricLabel*, 3> labels() const { return {label, second_label, third_label}; }
  std::string_view type() const {
    return name.ends_with("_total") ? "counter" : read == nullptr ? "histogram" : "gauge";
  }
};

/// All metrics, in the order of the property.
std::span<const MetricRow> MetricTable();
/// The row of a metric's full name, or null.
const MetricRow* FindMetric(std::string_view name);

/// Calls `visit` with the indices and the value of each sample of a row that has `read`.
template <class Visit>
void ForEachSample(const MetricRow& row, const StoreReport& report, Visit visit) {
  const auto is_one = [](const MetricLabel* label, size_t i) {
    return i == 0 || (label != nullptr && i < label->values.size() && !label->values[i].empty());
  };
  size_t at[3] = {0, 0, 0};
  for (; is_one(row.label, at[0]); ++at[0]) {
    for (at[1] = 0; is_one(row.second_label, at[1]); ++at[1]) visit(at, row.read(report, at));
  }
}

}  // namespace lull
