// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/stats_report.h"

#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

#include "db/report/metric_table.h"
#include "lull/version.h"
#include "util/build_info.h"
#include "util/json_tree.h"
#include "util/logging.h"

namespace lull {
namespace {

// Histogram buckets for Prometheus end at 2^10 ns (1 us) to 2^34 ns (17 s).
constexpr int kFirstExponent = 10;
constexpr int kLastExponent = 34;

using OperationLatency = std::pair<const char*, const LatencySnapshot&>;

std::array<OperationLatency, 3> ByOperation(const LatencyReport& latencies) {
  return {OperationLatency{"write", latencies.write},
          OperationLatency{"sync_write", latencies.sync_write},
          OperationLatency{"get", latencies.get}};
}

// ---- Prometheus' text exposition format, version 0.0.4

std::string NumberText(double value) {
  // Whole numbers in full: a counter of bytes must not lose its last digits.
  constexpr double kExactMax = 9007199254740992;  // 2^53
  const bool whole = std::abs(value) <= kExactMax && value == std::floor(value);
  std::string text = whole ? Format("%.0f", value) : Format("%.9g", value);
  std::ranges::replace(text, ',', '.');  // whatever the program's locale
  return text;
}

/// `begin`: the name and the first label.
void AddHistogram(const std::string& name, const std::string& begin, const LatencySnapshot& latency,
                  std::string* text) {
  const auto add = [&](const char* suffix, const std::string& labels, double value) {
    *text += name + suffix + begin + labels + "} " + NumberText(value) + "\n";
  };
  const auto count = static_cast<double>(latency.count());
  for (int exponent = kFirstExponent; exponent <= kLastExponent; ++exponent) {
    add("_bucket", ",le=\"" + NumberText(std::ldexp(1e-9, exponent)) + "\"",
        static_cast<double>(latency.CountBelowPowerOfTwo(exponent)));
  }
  add("_bucket", ",le=\"+Inf\"", count);
  add("_sum", "", latency.sum_nanos() / 1e9);
  add("_count", "", count);
}

// ---- JSON

std::string JsonPath(const MetricRow& row, const size_t* at, std::string_view path) {
  std::string result(path);
  for (const MetricLabel* const label : row.labels()) {
    if (label == nullptr) break;
    const size_t i = *at++;
    const std::string_view text = label->in_json[i].empty() ? label->values[i] : label->in_json[i];
    result.replace(result.find('*'), 1, text);
  }
  return result;
}

/// Sets the values that are also metrics.
void SetMetrics(const StoreReport& report, std::string_view property, JsonTree* json) {
  for (const MetricRow& row : MetricTable()) {
    if (!row.json.starts_with(property)) continue;
    const std::string_view path = row.json.substr(property.size());
    ForEachSample(row, report, [&](const size_t* at, const MetricValue& value) {
      std::visit([&](auto number) { json->Set(JsonPath(row, at, path), number); }, value);
    });
  }
}

std::string LevelPath(int level) { return "levels." + std::to_string(level); }

const char* CpuName(CpuPriority cpu) { return cpu == CpuPriority::kIdle ? "idle" : "normal"; }

void SetPolicy(const ActivityReport& activity, JsonTree* json) {
  json->Set("policy.name", activity.policy);
  json->Set("policy.options", activity.options);
  const Directive& directive = activity.directive;
  const auto set = [&](const char* name, auto value) {
    json->Set(std::string("policy.directive.") + name, value);
  };
  set("l0.cpu", CpuName(directive.l0.cpu));
  set("deep.cpu", CpuName(directive.deep.cpu));
  set("compactions_max", directive.compactions_max);
  set("rate_bytes_per_sec", directive.rate.bytes_per_sec);
  set("memtable_bytes", directive.memtable_bytes);
  set("table_bytes", directive.table_bytes);
  set("flush_bytes_min", directive.flush_bytes_min);
  set("flush_bytes_per_sec_max", directive.flush_bytes_per_sec_max);
  set("immutables_max", directive.immutables_max);
  set("l0_stop", directive.l0_stop);
  set("delay_us_per_write", directive.delay_us_per_write);
  json->SetObject("policy.state");
  for (const PolicyFigure& figure : activity.policy_state) {
    std::visit([&](auto value) { json->Set(std::string("policy.state.") + figure.name, value); },
               figure.value);
  }
}

void SetJobs(const ActivityReport& activity, JsonTree* json) {
  json->SetArray("jobs");
  for (size_t i = 0; i < activity.jobs.size(); ++i) {
    const JobInfo& info = activity.jobs[i].info;
    const auto set = [&](const char* name, auto value) {
      json->Set("jobs." + std::to_string(i) + "." + name, value);
    };
    set("id", info.id);
    set("class", JobKindName(info.kind));
    set("state", activity.jobs[i].paused ? "paused" : "running");
    set("input_level", info.input_level);
    set("output_level", info.output_level);
    set("cpu", info.idle_priority ? "idle" : "normal");
    set("input_files", info.input_files);
    set("input_bytes", info.input_bytes);
    set("input_bytes_done", info.input_bytes_done);
    set("elapsed_seconds", static_cast<double>(info.elapsed_us) / 1e6);
    set("paused_seconds", static_cast<double>(info.paused_us) / 1e6);
    set("pauses", info.pauses);
  }
}

void SetStalls(const ActivityReport& activity, JsonTree* json) {
  json->SetArray("stalls.now");
  for (size_t i = 0; i < activity.stalls.size(); ++i) {
    const StallInfo& stall = activity.stalls[i];
    const auto set = [&](const char* name, auto value) {
      json->Set("stalls.now." + std::to_string(i) + "." + name, value);
    };
    set("id", stall.id);
    set("kind", StallKindName(stall.kind));
    set("cause", StallCauseName(stall.cause));
    set("elapsed_seconds", static_cast<double>(stall.elapsed_us) / 1e6);
    set("held_seconds", static_cast<double>(stall.held_us) / 1e6);
    set("held_writes", stall.held_writes);
  }
}

void SetReads(const ReadCounts::Sums& counts, JsonTree* json) {
  json->Set("reads.gets_ended_in_memory", counts[kGetsEndedInMemory]);
  for (size_t level = 0; level < kLevels; ++level) {
    json->Set("reads.gets_ended_in_level." + std::to_string(level),
              counts[kGetsEndedInLevel + level]);
  }
  json->Set("reads.key_filter_checks", counts[kKeyFilterChecks]);
  json->Set("reads.key_filter_passes", counts[kKeyFilterPasses]);
  json->Set("reads.filter_checks", counts[kFilterChecks]);
  json->Set("reads.filter_passes", counts[kFilterPasses]);
}

void SetLatency(const OperationLatency& operation, JsonTree* json) {
  const LatencySnapshot& latency = operation.second;
  const auto set = [&, name = operation.first](const char* figure, double nanos) {
    json->Set(std::string("latency.") + name + "." + figure, nanos / 1000);
  };
  json->Set(std::string("latency.") + operation.first + ".count", latency.count());
  set("mean_us", latency.mean_nanos());
  set("p50_us", latency.PercentileNanos(0.5));
  set("p90_us", latency.PercentileNanos(0.9));
  set("p99_us", latency.PercentileNanos(0.99));
  set("p999_us", latency.PercentileNanos(0.999));
  set("p9999_us", latency.PercentileNanos(0.9999));
  set("max_us", latency.MaxNanos());
}

}  // namespace

uint64_t ReadReport::GetsFound() const {
  const auto begin = counts.begin() + kGetsEndedInMemory;
  const uint64_t ended = std::accumulate(begin, counts.begin() + kGetsOfAbsentKeys, uint64_t{0});
  return ended - std::min(ended, counts[kGetsEndedWithoutValue]);
}

uint64_t StoreReport::JobBytes(uint64_t JobTotals::*member, bool flushes, bool compactions) const {
  uint64_t bytes = 0;
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    const bool is_flush = static_cast<JobKind>(kind) == JobKind::kFlush;
    if (is_flush ? flushes : compactions) bytes += activity.job_totals[kind].*member;
  }
  return bytes;
}

double StoreReport::WriteAmplification() const {
  if (user_bytes == 0) return 0;
  const uint64_t written = wal_bytes + JobBytes(&JobTotals::written_bytes, true, true);
  return static_cast<double>(written) / static_cast<double>(user_bytes);
}

std::string EscapedLabel(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return escaped;
}

std::string RenderPrometheus(const StoreReport& report) {
  const std::string store = "{store=\"" + EscapedLabel(report.name) + "\"";
  std::string text;
  for (const MetricRow& row : MetricTable()) {
    const bool is_histogram = row.read == nullptr;
    if (is_histogram && !report.latencies) continue;
    const std::string name = std::string(kMetricPrefix) + std::string(row.name);
    text += "# HELP " + name + " " + std::string(row.help) + "\n";
    text += "# TYPE " + name + " " + std::string(row.type()) + "\n";
    if (is_histogram) {
      for (const auto& [operation, latency] : ByOperation(*report.latencies))
        AddHistogram(name, store + ",operation=\"" + operation + "\"", latency, &text);
      continue;
    }
    ForEachSample(row, report, [&](const size_t* at, const MetricValue& value) {
      text += name + store;
      for (const MetricLabel* const label : row.labels()) {
        if (label == nullptr) break;
        const std::string_view of_row = label->values[*at++];
        const std::string value =
            label->text == nullptr ? std::string(of_row) : label->text(report);
        text += "," + std::string(label->name) + "=\"" + EscapedLabel(value) + "\"";
      }
      text +=
          "} " +
          std::visit([](auto number) { return NumberText(static_cast<double>(number)); }, value) +
          "\n";
    });
  }
  return text;
}

std::string RenderJson(const StoreReport& report) {
  JsonTree json;
  json.Set("name", report.name);
  json.Set("version", LULL_VERSION_STRING);
  json.Set("commit", BuildCommit());
  json.Set("compiler", BuildCompiler());
  json.Set("write_error", report.write_error);
  json.Set("background_error", report.background_error);
  SetPolicy(report.activity, &json);
  for (int level = 0; level < kLevels; ++level) {
    json.Set(LevelPath(level) + ".level", level);
    json.Set(LevelPath(level) + ".busy_seconds",
             static_cast<double>(report.levels[level].compactions.micros) / 1e6);
  }
  SetMetrics(report, "stats.", &json);
  json.Set("l0_tables", report.levels[0].tables);
  json.Set("memory.total_bytes", report.memory.Total());
  SetJobs(report.activity, &json);
  SetStalls(report.activity, &json);
  json.Set("bytes.flush", report.JobBytes(&JobTotals::written_bytes, true, false));
  json.Set("bytes.compaction_read", report.JobBytes(&JobTotals::read_bytes, false, true));
  json.Set("bytes.compaction_written", report.JobBytes(&JobTotals::written_bytes, false, true));
  json.Set("rates.user_bytes_per_sec", report.activity.rates.user_bytes_per_sec);
  json.Set("rates.flush_bytes_per_sec", report.activity.rates.flush_bytes_per_sec);
  json.Set("rates.compaction_bytes_per_sec", report.activity.rates.compaction_bytes_per_sec);
  SetReads(report.reads.counts, &json);
  json.Set("filter.name", report.filter);
  json.Set("filter.error", report.filter_error);
  if (report.latencies) {
    for (const OperationLatency& operation : ByOperation(*report.latencies))
      SetLatency(operation, &json);
  }
  return json.Text();
}

std::string RenderSpaceJson(const SpaceReport& report) {
  StoreReport store;
  store.space = report;
  JsonTree json;
  for (int level = 0; level < kLevels; ++level) json.Set(LevelPath(level) + ".level", level);
  SetMetrics(store, "space.", &json);
  return json.Text();
}

}  // namespace lull
