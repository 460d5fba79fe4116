// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/metrics_change.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "db/report/metric_table.h"

namespace lull {
namespace {

// An age and the uptime are rounded differently, and the calendar is adjusted a little.
constexpr double kToleratedSeconds = 2;

/// Removes and returns the first line, without its end.
std::string_view TakeLine(std::string_view* text) {
  const std::string_view line = text->substr(0, text->find('\n'));
  text->remove_prefix(std::min(line.size() + 1, text->size()));
  return line;
}

/// The scope of a sample's metric. Any other line belongs to the store.
MetricScope ScopeOf(std::string_view line) {
  const MetricRow* const row = FindMetric(line.substr(0, line.find('{')));
  return row == nullptr ? MetricScope::kStore : row->scope();
}

double ValueOf(std::string_view line) {
  return std::strtod(std::string(line.substr(line.rfind(' ') + 1)).c_str(), nullptr);
}

bool SameSeries(std::string_view a, std::string_view b) {
  return a.substr(0, a.rfind(' ')) == b.substr(0, b.rfind(' '));
}

}  // namespace

MetricsChange CompareMetrics(std::string_view before, std::string_view after) {
  MetricsChange change = MetricsChange::kNone;
  std::optional<double> elapsed;  // the growth of the uptime, which comes first
  while (!before.empty() && !after.empty()) {
    const std::string_view old_line = TakeLine(&before), line = TakeLine(&after);
    if (line == old_line) continue;
    const MetricScope scope = ScopeOf(line);
    if (scope == MetricScope::kStore || !SameSeries(line, old_line)) return MetricsChange::kOfStore;
    if (scope != MetricScope::kClock) {
      change = MetricsChange::kOfOthers;
      continue;
    }
    const double growth = ValueOf(line) - ValueOf(old_line);
    if (!elapsed) elapsed = growth;
    if (std::abs(growth - *elapsed) > kToleratedSeconds) return MetricsChange::kOfStore;
  }
  return before.size() == after.size() ? change : MetricsChange::kOfStore;
}

}  // namespace lull
