// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/metrics_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "db/report/metric_table.h"
#include "db/report/stats_file.h"
#include "util/logging.h"

namespace lull::tools {
namespace {

using leveldb::Status;

constexpr std::string_view kStoreLabel = "{store=\"";

bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

/// Removes and returns the name of a metric; "" if the text does not begin with one of Lull's.
std::string_view ConsumeName(std::string_view* text) {
  if (!text->starts_with(kMetricPrefix)) return {};
  size_t end = kMetricPrefix.size();
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end < text->size() && is_name((*text)[end])) ++end;
  const std::string_view name = text->substr(0, end);
  text->remove_prefix(end);
  return name;
}

/// Removes a label's value and the quotation mark that ends it; returns the value, unescaped.
std::optional<std::string> ConsumeValue(std::string_view* text) {
  std::string value;
  for (size_t at = 0; at < text->size(); ++at) {
    const bool is_escaped = (*text)[at] == '\\' && at + 1 < text->size();
    if (is_escaped) ++at;
    if (!is_escaped && (*text)[at] == '"') {
      text->remove_prefix(at + 1);
      return value;
    }
    value += is_escaped && (*text)[at] == 'n' ? '\n' : (*text)[at];
  }
  return std::nullopt;
}

/// Reads the rest of a sample's line after the store's label: ,level="0"} 5
bool ParseRest(std::string_view rest, MetricSample* sample) {
  while (ConsumePrefix(&rest, ",")) {
    const size_t equals = rest.find("=\"");
    if (equals == 0 || equals == rest.npos) return false;
    const std::string name(rest.substr(0, equals));
    rest.remove_prefix(equals + 2);
    const std::optional<std::string> value = ConsumeValue(&rest);
    if (!value) return false;
    sample->labels.emplace_back(name, *value);
  }
  if (!ConsumePrefix(&rest, "} ") || rest.empty()) return false;
  sample->number = rest;
  char* end = nullptr;
  sample->value = std::strtod(sample->number.c_str(), &end);
  const bool complete = end == sample->number.c_str() + sample->number.size();
  return complete && std::isfinite(sample->value);
}

bool BelongsTo(const MetricFamily& family, std::string_view name) {
  if (family.type != "histogram") return name == family.name && !family.type.empty();
  if (!ConsumePrefix(&name, family.name)) return false;
  return name == "_bucket" || name == "_sum" || name == "_count";
}

}  // namespace

std::string MetricsText::Add(std::string_view line) {
  if (ConsumePrefix(&line, "# HELP ")) return AddHelp(line);
  if (ConsumePrefix(&line, "# TYPE ")) return AddType(line);
  return AddSample(line);
}

std::string MetricsText::AddHelp(std::string_view line) {
  const std::string_view name = ConsumeName(&line);
  if (name.empty() || !ConsumePrefix(&line, " ")) return "not a HELP line of Lull";
  families_.push_back({std::string(name), std::string(line), "", {}});
  return "";
}

std::string MetricsText::AddType(std::string_view line) {
  const std::string_view name = ConsumeName(&line);
  if (families_.empty() || families_.back().name != name || !families_.back().type.empty())
    return "a TYPE line without its HELP line";
  if (line != " gauge" && line != " counter" && line != " histogram") return "an unknown type";
  families_.back().type = line.substr(1);
  return "";
}

std::string MetricsText::AddSample(std::string_view line) {
  MetricSample sample;
  sample.name = ConsumeName(&line);
  if (sample.name.empty() || !ConsumePrefix(&line, kStoreLabel)) return "not a line of Lull";
  const std::optional<std::string> store = ConsumeValue(&line);
  if (!store || !ParseRest(line, &sample)) return "not a complete sample";
  if (families_.empty() || !BelongsTo(families_.back(), sample.name))
    return "a sample without its TYPE line";
  if (store_.value_or(*store) != *store) return "a second store";
  store_ = store;
  families_.back().samples.push_back(std::move(sample));
  return "";
}

Status MetricsText::Parse(const std::string& path, std::string_view text, MetricsText* result) {
  *result = MetricsText();
  if (text.empty())
    return Status::Corruption(path,
                              "is empty, as after a power loss: remove it if no store is open");
  if (!text.starts_with(kStatsFileBegin))
    return Status::InvalidArgument(path, "is not a stats file of Lull (option stats_file)");
  for (uint64_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    const std::string cause = end == text.npos ? "cut short" : result->Add(text.substr(0, end));
    if (!cause.empty())
      return Status::Corruption(path, "line " + std::to_string(line) + ": " + cause);
    text.remove_prefix(end + 1);
  }
  if (!result->Find("lull_uptime_seconds"))
    return Status::Corruption(path, "has no lull_uptime_seconds");
  return Status::OK();
}

void MetricsText::AddElapsed(double seconds) {
  for (MetricFamily& family : families_) {
    const MetricRow* const row = FindMetric(family.name);
    if (row == nullptr || row->scope() != MetricScope::kClock) continue;
    for (MetricSample& sample : family.samples) {
      if (sample.value <= 0) continue;  // there is nothing whose age it is
      sample.value += seconds;
      sample.number = Format("%.3f", sample.value);
    }
  }
}

std::optional<double> MetricsText::Find(std::string_view name, MetricLabels labels) const {
  const auto is_equal = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second == b.second;
  };
  for (const MetricFamily& family : families_) {
    if (!BelongsTo(family, name)) continue;
    for (const MetricSample& sample : family.samples) {
      if (sample.name == name && std::ranges::equal(sample.labels, labels, is_equal))
        return sample.value;
    }
  }
  return std::nullopt;
}

const std::vector<MetricSample>& MetricsText::Samples(std::string_view family) const {
  static const std::vector<MetricSample> kNone;
  const auto found = std::ranges::find(families_, family, &MetricFamily::name);
  return found == families_.end() ? kNone : found->samples;
}

std::string MetricSample::Label(std::string_view label) const {
  for (const auto& [name, value] : labels) {
    if (name == label) return value;
  }
  return "";
}

}  // namespace lull::tools
