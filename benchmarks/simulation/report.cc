// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "benchmarks/measure/platform.h"

namespace lull::sim {
namespace {

constexpr double kMega = 1e6;
constexpr double kSlowUs = 10'000;
constexpr const char* kCauseNames[kCauses] = {"none", "memory", "l0", "debt"};

struct Column {
  const char* name;
  double (*value)(const Interval&);
};

double Sum(const std::array<double, kCauses>& seconds) {
  double sum = 0;
  for (const double part : seconds) sum += part;
  return sum;
}

constexpr Column kColumns[] = {
    {"at_seconds", [](const Interval& i) { return i.at_seconds; }},
    {"arrived", [](const Interval& i) { return i.arrived; }},
    {"served", [](const Interval& i) { return i.served; }},
    {"backlog", [](const Interval& i) { return i.backlog; }},
    {"p50_us", [](const Interval& i) { return i.p50_us; }},
    {"p99_us", [](const Interval& i) { return i.p99_us; }},
    {"p999_us", [](const Interval& i) { return i.p999_us; }},
    {"max_us", [](const Interval& i) { return i.max_us; }},
    {"write_p99_us", [](const Interval& i) { return i.write_p99_us; }},
    {"blocked_memory_s", [](const Interval& i) { return i.blocked_seconds[1]; }},
    {"blocked_l0_s", [](const Interval& i) { return i.blocked_seconds[2]; }},
    {"slowed_memory_s", [](const Interval& i) { return i.slowed_seconds[1]; }},
    {"slowed_l0_s", [](const Interval& i) { return i.slowed_seconds[2]; }},
    {"slowed_debt_s", [](const Interval& i) { return i.slowed_seconds[3]; }},
    {"client_mb", [](const Interval& i) { return i.client_bytes / kMega; }},
    {"flush_mb", [](const Interval& i) { return i.written_bytes.flush / kMega; }},
    {"l0_mb", [](const Interval& i) { return i.written_bytes.l0 / kMega; }},
    {"deep_mb", [](const Interval& i) { return i.written_bytes.deep / kMega; }},
    {"read_mb", [](const Interval& i) { return i.read_bytes / kMega; }},
    {"device_share", [](const Interval& i) { return i.device_share; }},
    {"cores", [](const Interval& i) { return i.cores; }},
    {"l0_tables", [](const Interval& i) { return static_cast<double>(i.l0_tables); }},
    {"jobs", [](const Interval& i) { return static_cast<double>(i.jobs); }},
    {"debt_mb", [](const Interval& i) { return static_cast<double>(i.debt_bytes) / kMega; }},
    {"memory_mb", [](const Interval& i) { return static_cast<double>(i.memory_bytes) / kMega; }},
    {"compactions_max", [](const Interval& i) { return static_cast<double>(i.compactions_max); }},
    {"memtable_mb", [](const Interval& i) { return i.memtable_bytes / kMega; }},
};

void WriteHeader(std::FILE* csv) {
  const char* separator = "";
  for (const Column& column : kColumns) {
    std::fprintf(csv, "%s%s", separator, column.name);
    separator = ",";
  }
  std::fputc('\n', csv);
}

void WriteRow(const Interval& interval, std::FILE* csv) {
  const char* separator = "";
  for (const Column& column : kColumns) {
    std::fprintf(csv, "%s%.6g", separator, column.value(interval));
    separator = ",";
  }
  std::fputc('\n', csv);
}

nlohmann::json ToJson(const Scenario& scenario, const Outcome& outcome,
                      const LayoutOptions& layout) {
  const SimulationResult& result = outcome.result;
  nlohmann::json json = {{"kind", "simulation"},
                         {"scenario", scenario.name},
                         {"policy", outcome.policy},
                         {"seed", scenario.base.seed},
                         {"seconds", result.seconds},
                         {"arrived", result.arrived},
                         {"served", result.served},
                         {"at_work_seconds", result.at_work_seconds},
                         {"client_bytes", result.client_bytes},
                         {"read_bytes", result.read_bytes},
                         {"p50_us", result.all.Quantile(0.5) * kMega},
                         {"p99_us", result.all.Quantile(0.99) * kMega},
                         {"p999_us", result.all.Quantile(0.999) * kMega},
                         {"max_us", result.all.max_seconds() * kMega},
                         {"write_p99_us", result.writes.Quantile(0.99) * kMega},
                         {"p99_median_us", outcome.p99_median_us},
                         {"p99_worst_us", outcome.p99_worst_us},
                         {"slow_share", outcome.slow_share},
                         {"first_slow_seconds", outcome.first_slow_seconds},
                         {"jobs_max", outcome.jobs_max},
                         {"device_share", outcome.device_share},
                         {"cores", outcome.cores},
                         {"memory_bytes", outcome.memory_bytes},
                         {"compactions", outcome.compactions},
                         {"memtable_bytes", outcome.memtable_bytes},
                         {"compactions_changes", outcome.compactions_changes},
                         {"memtable_changes", outcome.memtable_changes},
                         {"longest_block_seconds", result.longest_block_seconds},
                         {"stalled_seconds", result.stalled_seconds},
                         {"l0_tables_max", result.l0_tables_max},
                         {"debt_bytes_max", result.debt_bytes_max},
                         {"memory_bytes_max", result.memory_bytes_max},
                         {"drained_at_seconds", result.drained_at_seconds},
                         {"events", result.events},
                         {"policy_calls", result.policy_calls},
                         {"fingerprint", result.fingerprint},
                         {"wall_seconds", outcome.wall_seconds}};
  for (size_t i = 1; i < kCauses; ++i) {
    json["blocked_seconds"][kCauseNames[i]] = result.blocked_seconds[i];
    json["slowed_seconds"][kCauseNames[i]] = result.slowed_seconds[i];
  }
  json["written_bytes"] = {{"flush", result.written_bytes.flush},
                           {"l0", result.written_bytes.l0},
                           {"deep", result.written_bytes.deep}};
  json["layout"] = nlohmann::json::parse(LayoutJson(result.layout, layout));
  return json;
}

/// Follows a simulation second by second.
class Watcher {
 public:
  Watcher(const std::string& policy, double seconds, std::FILE* csv, bool progress)
      : policy_(policy), seconds_(seconds), csv_(csv), progress_(progress) {
    sums_.policy = policy;
    if (csv_ != nullptr) WriteHeader(csv_);
  }

  void See(const Interval& interval) {
    if (csv_ != nullptr) WriteRow(interval, csv_);
    AddToMeans(interval);
    if (interval.served > 0 || interval.backlog > 0) {
      // A second in which nothing was served counts with a p99 of one second.
      const double p99_us = interval.served > 0 ? interval.p99_us : kMega;
      p99_us_.push_back(p99_us);
      if (p99_us > kSlowUs) {
        if (slow_++ == 0) first_slow_seconds_ = interval.at_seconds;
      }
    }
    if (progress_) ShowProgress(interval);
  }

  Outcome Finish() {
    if (progress_) std::fprintf(stderr, "\r%-100s\r", "");
    Outcome outcome = sums_;
    for (double Outcome::*const mean :
         {&Outcome::device_share, &Outcome::cores, &Outcome::memory_bytes, &Outcome::compactions,
          &Outcome::memtable_bytes}) {
      outcome.*mean /= std::max(1e-9, last_.at_seconds);
    }
    if (p99_us_.empty()) return outcome;
    std::sort(p99_us_.begin(), p99_us_.end());
    outcome.p99_median_us = p99_us_[p99_us_.size() / 2];
    outcome.p99_worst_us = p99_us_.back();
    outcome.slow_share = static_cast<double>(slow_) / static_cast<double>(p99_us_.size());
    outcome.first_slow_seconds = first_slow_seconds_;
    return outcome;
  }

 private:
  void AddToMeans(const Interval& interval) {
    const double seconds = interval.at_seconds - last_.at_seconds;
    sums_.jobs_max = std::max(sums_.jobs_max, static_cast<double>(interval.jobs));
    sums_.device_share += interval.device_share * seconds;
    sums_.cores += interval.cores * seconds;
    sums_.memory_bytes += static_cast<double>(interval.memory_bytes) * seconds;
    sums_.compactions += interval.compactions_max * seconds;
    sums_.memtable_bytes += interval.memtable_bytes * seconds;
    if (last_.at_seconds > 0) {
      sums_.compactions_changes += interval.compactions_max != last_.compactions_max;
      sums_.memtable_changes += interval.memtable_bytes != last_.memtable_bytes;
    }
    last_ = interval;
  }

  void ShowProgress(const Interval& interval) {
    const uint64_t now_ns = bench::NowNs();
    if (now_ns - shown_ns_ < bench::kNsPerSecond / 4) return;
    shown_ns_ = now_ns;
    std::fprintf(stderr, "\r  %-20s %3.0f %%  %8.0f s   p99 %10.0f us   debt %8.0f MB   L0 %4d ",
                 policy_.c_str(), 100 * interval.at_seconds / seconds_, interval.at_seconds,
                 interval.p99_us, static_cast<double>(interval.debt_bytes) / kMega,
                 interval.l0_tables);
  }

  const std::string policy_;
  const double seconds_;
  std::FILE* const csv_;
  const bool progress_;
  uint64_t shown_ns_ = 0;
  std::vector<double> p99_us_;
  size_t slow_ = 0;
  double first_slow_seconds_ = 0;
  Interval last_;
  Outcome sums_;
};

}  // namespace

Outcome RunPolicy(const Scenario& scenario, const std::string& policy,
                  const SimulationOptions& options, std::FILE* csv, std::FILE* json,
                  bool progress) {
  const uint64_t began_ns = bench::NowNs();
  Watcher watcher(policy, options.seconds, csv, progress);
  SimulationResult result =
      Simulation(options).Run([&](const Interval& interval) { watcher.See(interval); });
  Outcome outcome = watcher.Finish();
  outcome.result = std::move(result);
  outcome.wall_seconds = static_cast<double>(bench::NowNs() - began_ns) / bench::kNsPerSecond;
  if (json != nullptr) {
    std::fprintf(json, "%s\n", ToJson(scenario, outcome, options.layout).dump().c_str());
    std::fflush(json);
  }
  return outcome;
}

void PrintTable(const Scenario& scenario, const std::vector<Outcome>& outcomes) {
  std::printf("\n%s: %s\n", scenario.name.c_str(), scenario.title.c_str());
  if (!scenario.claim.empty()) std::printf("  paper: %s\n", scenario.claim.c_str());
  std::printf("  %-20s %9s %6s %10s %10s %10s %8s %8s %8s %8s %6s %8s %5s %7s %7s %6s\n", "policy",
              "done/s", "done", "p99/s mid", "p99/s max", "p99 all", "s>10ms", "blocked", "slowed",
              "written", "WA", "debt max", "L0", "chain", "chain", "ran");
  std::printf("  %-20s %9s %6s %10s %10s %10s %8s %8s %8s %8s %6s %8s %5s %7s %7s %6s\n", "", "",
              "%", "us", "us", "us", "%", "s", "s", "GB", "", "GB", "max", "MB", "max", "s");
  for (const Outcome& outcome : outcomes) {
    const SimulationResult& result = outcome.result;
    const double written = result.written_bytes.sum();
    const LayoutFigures::Chains& chains = result.layout.chains;
    std::printf(
        "  %-20s %9.0f %6.1f %10.0f %10.0f %10.0f %8.2f %8.1f %8.1f %8.1f %6.2f %8.2f %5d "
        "%7.0f %7.0f %6.1f\n",
        outcome.policy.c_str(), result.served / std::max(1e-9, result.at_work_seconds),
        100 * result.served / std::max(1.0, result.arrived), outcome.p99_median_us,
        outcome.p99_worst_us, result.all.Quantile(0.99) * kMega, 100 * outcome.slow_share,
        Sum(result.blocked_seconds), Sum(result.slowed_seconds), written / 1e9,
        written / std::max(1.0, result.client_bytes),
        static_cast<double>(result.debt_bytes_max) / 1e9, result.l0_tables_max,
        static_cast<double>(chains.width_bytes_sum) / kMega /
            static_cast<double>(std::max<uint64_t>(1, chains.chains)),
        static_cast<double>(chains.width_bytes_max) / kMega, outcome.wall_seconds);
  }
  std::fflush(stdout);
}

}  // namespace lull::sim
