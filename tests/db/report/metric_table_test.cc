// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The rules for metrics: Prometheus' (https://prometheus.io/docs/practices/naming), which promtool
// checks in part, and those of OpenMetrics. They hold for each row of the table, so a new metric
// must follow them.
#include "db/report/metric_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lull {
namespace {

using ::testing::Contains;

bool Matches(std::string_view text, const char* pattern) {
  return std::regex_match(std::string(text), std::regex(pattern));
}

/// The words of a name, without those that can end it: the type's and the unit.
std::vector<std::string> WordsBeforeUnit(std::string name) {
  for (const std::string_view end : {"_total", "_bytes_per_second", "_bytes", "_seconds", "_ratio"})
    if (name.ends_with(end)) name.erase(name.size() - end.size());
  const std::regex separator("_");
  return {std::sregex_token_iterator(name.begin(), name.end(), separator, -1), {}};
}

TEST(MetricTable, NamesEndWithBaseUnits) {
  for (const MetricRow& row : MetricTable()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(Matches(row.name, "[a-z][a-z0-9]*(_[a-z0-9]+)*"));
    const std::vector<std::string> words = WordsBeforeUnit(std::string(row.name));
    for (const std::string& word : words) {
      EXPECT_FALSE(Matches(word, "bytes?|seconds?|ratio|total|per|rate|lull")) << word;
      EXPECT_FALSE(Matches(word,
                           "(nano|micro|milli).*|[num]s|sec|minutes?|hours?|days?|percent|"
                           "bits?|[kmgt]i?b|([kmgt]ibi|kilo|mega|giga).*"))
          << word;
    }
    EXPECT_FALSE(Matches(row.name, ".*_(max|min)")) << "the unit of a limit comes last";
    // Prometheus computes rates from counters. A limit can be one of a rate.
    if (row.name.find("_per_") != row.name.npos) {
      EXPECT_THAT(words, Contains("max"));
    }
  }
}

TEST(MetricTable, SuffixesTellTheType) {
  for (const MetricRow& row : MetricTable()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.type() == "counter", row.name.ends_with("_total"));
    EXPECT_FALSE(Matches(row.name, ".*_(bucket|sum|count|gauge|counter|histogram)"));
    EXPECT_TRUE(row.type() != "histogram" || Matches(row.name, ".*_(seconds|bytes)"));
  }
}

/// In OpenMetrics, the name of a counter's family has no "_total".
TEST(MetricTable, NoTwoFamiliesHaveOneName) {
  std::set<std::string_view> families;
  for (const MetricRow& row : MetricTable()) {
    const size_t end = row.type() == "counter" ? row.name.rfind('_') : row.name.npos;
    EXPECT_TRUE(families.insert(row.name.substr(0, end)).second) << row.name;
  }
}

TEST(MetricTable, RowsHaveHelpAndTheirOwnLabels) {
  for (const MetricRow& row : MetricTable()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(Matches(row.help, "[A-Z0-9][^\n\\\\]*\\.")) << row.help;
    // What each series has, `lull export` adds, or Prometheus uses.
    std::vector<std::string_view> labels = {"store", "file", "le", "quantile", "job", "instance"};
    for (const MetricLabel* const label : row.labels()) {
      if (label == nullptr) continue;
      EXPECT_TRUE(Matches(label->name, "[a-z]+(_[a-z]+)*"));
      EXPECT_THAT(labels, ::testing::Not(Contains(label->name)));
      labels.push_back(label->name);
    }
  }
}

}  // namespace
}  // namespace lull
