// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// MetricsText: the text of a stats file (db/report/stats_file.h), parsed. Accepts only what Lull
// writes: a file of another program, or a cut one, must not become wrong figures. Plain data; pure
// functions.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leveldb/status.h"

namespace lull::tools {

using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

struct MetricSample {
  std::string name;  ///< with the suffix of a histogram's series
  std::vector<std::pair<std::string, std::string>> labels;  ///< without store; unescaped
  std::string number;                                       ///< as in the text
  double value = 0;

  /// "" without the label.
  std::string Label(std::string_view label) const;
};

struct MetricFamily {
  std::string name;
  std::string help;
  std::string type;
  std::vector<MetricSample> samples;
};

class MetricsText {
 public:
  /// Corruption names `path`, the line and the cause.
  static leveldb::Status Parse(const std::string& path, std::string_view text, MetricsText* result);

  /// Adds the time for which the text has stayed current to its ages and times.
  void AddElapsed(double seconds);

  /// The directory of the store, as its program wrote it.
  std::string Store() const { return store_.value_or(""); }
  const std::vector<MetricFamily>& families() const { return families_; }

  /// The value of the sample `name` with exactly these labels, in the order of the text.
  std::optional<double> Find(std::string_view name, MetricLabels labels = {}) const;
  /// 0 if there is no such sample.
  double Get(std::string_view name, MetricLabels labels = {}) const {
    return Find(name, labels).value_or(0);
  }
  /// The samples of a family; empty if there is no such family.
  const std::vector<MetricSample>& Samples(std::string_view family) const;

 private:
  // Each returns why Lull did not write the line, or "".
  std::string Add(std::string_view line);
  std::string AddHelp(std::string_view line);
  std::string AddType(std::string_view line);
  std::string AddSample(std::string_view line);

  std::optional<std::string> store_;
  std::vector<MetricFamily> families_;
};

}  // namespace lull::tools
