// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/interval_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/stores/store.h"

namespace lull::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kPartSecondsMax = 0.1;  // of an interval inside a burst

template <typename Count>
double PerSecond(Count from, Count to, double seconds) {
  return static_cast<double>(to - from) / seconds;
}

void AddPercentiles(const std::string& prefix, const Histogram& latency, nlohmann::json* object) {
  (*object)[prefix + "p50_us"] = latency.PercentileUs(50);
  (*object)[prefix + "p99_us"] = latency.PercentileUs(99);
  (*object)[prefix + "p999_us"] = latency.PercentileUs(99.9);
  (*object)[prefix + "max_us"] = latency.MaxUs();
}

void AddState(const StoreState& from, const StoreState& to, double seconds,
              nlohmann::json* object) {
  if (to.levels.empty() && to.memory_bytes == 0) return;
  (*object)["l0_tables"] = to.levels.empty() ? 0 : to.levels[0].tables;
  auto& level_bytes = (*object)["level_bytes"] = nlohmann::json::array();
  auto& level_written_bytes = (*object)["level_written_bytes"] = nlohmann::json::array();
  for (const StoreState::Level& level : to.levels) {
    level_bytes.push_back(level.bytes);
    level_written_bytes.push_back(level.written_bytes);
  }
  (*object)["debt_bytes"] = to.debt_bytes;
  (*object)["store_memory_bytes"] = to.memory_bytes;
  // If the store was reopened in between, its counters restart at 0.
  const bool grows = to.background_written_bytes >= from.background_written_bytes &&
                     to.background_read_bytes >= from.background_read_bytes;
  const auto rate = [seconds, grows](uint64_t before, uint64_t after) {
    return grows ? PerSecond(before, after, seconds) / kMiB : 0;
  };
  (*object)["background_mb_per_s"] =
      rate(from.background_written_bytes, to.background_written_bytes);
  (*object)["background_read_mb_per_s"] =
      rate(from.background_read_bytes, to.background_read_bytes);
}

}  // namespace

IntervalReport::IntervalReport(Settings settings, Run& run,
                               const std::vector<std::unique_ptr<Worker>>& workers)
    : settings_(std::move(settings)),
      run_(run),
      workers_(workers),
      begin_ns_(NowNs()),
      progress_(settings_.benchmark, settings_.expected_seconds),
      // Collects the first totals here, before the workers begin. Otherwise, work done before this
      // thread starts would be missing.
      thread_([this, first = Collect()](std::stop_token stop) { Loop(stop, first); }) {}

IntervalReport::~IntervalReport() { Stop(); }

std::vector<nlohmann::json> IntervalReport::Stop() {
  if (!thread_.joinable()) return {};
  thread_.request_stop();
  thread_.join();
  progress_.Clear();
  return std::move(intervals_);
}

void IntervalReport::Loop(std::stop_token stop, Totals first) {
  const auto parts = static_cast<uint64_t>(std::ceil(settings_.seconds / kPartSecondsMax));
  const double part_seconds = settings_.seconds / static_cast<double>(parts);
  const auto part_ns = static_cast<uint64_t>(part_seconds * kNsPerSecond);
  Totals kept = first;
  Totals shown = std::move(first);
  bool was_in_burst = false;
  for (uint64_t round = 0;;) {
    const uint64_t last_round = round;
    // Skips rounds after a delay: the rates of a very short interval say nothing.
    const uint64_t now_ns = NowNs();
    round = std::max(round, (now_ns - begin_ns_ + part_ns / 2) / part_ns) + 1;
    {
      const uint64_t due_ns = begin_ns_ + round * part_ns;
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, std::chrono::nanoseconds(due_ns - now_ns), [] { return false; });
    }
    if (stop.stop_requested()) return;
    const double due = part_seconds * static_cast<double>(round);
    const bool in_burst = InBurst(due - part_seconds, due);
    const bool whole = round / parts != last_round / parts;
    // The part in which a burst ends has the end of its last write.
    const bool keeps = whole || in_burst || was_in_burst;
    was_in_burst = in_burst;
    if (!keeps) continue;
    Totals next = Collect();
    intervals_.push_back(Describe(kept, next));
    if (whole) {
      Show(Describe(shown, next));
      shown = next;
    }
    kept = std::move(next);
  }
}

IntervalReport::Totals IntervalReport::Collect() const {
  Totals totals;
  for (const auto& worker : workers_) {
    totals.ops += worker->meter.ops();
    totals.written_bytes += worker->meter.written_bytes();
    totals.read_bytes += worker->meter.read_bytes();
    for (const OpKind kind : kOpKinds) {
      totals.latencies[static_cast<size_t>(kind)].Merge(worker->meter.Latencies(kind).Snapshot());
    }
  }
  totals.usage = run_.Usage();
  if (settings_.causes != nullptr) totals.store = ReadStoreState(run_.db, settings_.causes);
  totals.at_ns = NowNs();
  return totals;
}

// A load in a closed loop is no burst, although none of its requests waits until it is due.
bool IntervalReport::InBurst(double from_seconds, double to_seconds) const {
  const std::string_view phase = Phase(from_seconds, to_seconds);
  return phase == "burst" || (phase == "peak" && !run_.load->closed_loop());
}

// "peak" if a load has more requests due than on average, "valley" if fewer; else the run's phase.
const char* IntervalReport::Phase(double from_seconds, double to_seconds) const {
  const char* const phase = run_.phase;
  if (!run_.load || phase != std::string_view("run")) return phase;
  const LoadPlan& load = *run_.load;
  const double now = load.OfferedRate(from_seconds, std::min(to_seconds, load.duration()));
  const double usual = load.OfferedRate(0, load.duration());
  if (!std::isfinite(usual)) return std::isfinite(now) ? "valley" : "peak";
  if (std::abs(now - usual) < 0.05 * usual) return phase;
  return now > usual ? "peak" : "valley";
}

nlohmann::json IntervalReport::Describe(const Totals& from, const Totals& to) const {
  const double seconds = static_cast<double>(to.at_ns - from.at_ns) / kNsPerSecond;
  const double at = static_cast<double>(to.at_ns - begin_ns_) / kNsPerSecond;
  const auto mb_per_s = [seconds](auto before, auto after) {
    return PerSecond(before, after, seconds) / kMiB;
  };
  nlohmann::json object = {
      {"kind", "interval"},
      {"benchmark", settings_.benchmark},
      {"at_seconds", at},
      {"phase", Phase(at - seconds, at)},
      {"mb_per_s",
       mb_per_s(from.written_bytes + from.read_bytes, to.written_bytes + to.read_bytes)},
      {"written_mb_per_s", mb_per_s(from.written_bytes, to.written_bytes)},
      {"ops_per_s", PerSecond(from.ops, to.ops, seconds)},
      {"device_mb_per_s", mb_per_s(from.usage.device_write_bytes, to.usage.device_write_bytes)},
      {"device_read_mb_per_s", mb_per_s(from.usage.device_read_bytes, to.usage.device_read_bytes)},
      {"device_reads_per_s", PerSecond(from.usage.device_reads, to.usage.device_reads, seconds)},
      {"cpus", (to.usage.cpu_seconds - from.usage.cpu_seconds) / seconds},
      {"stolen_cpus", (to.usage.stolen_cpu_seconds - from.usage.stolen_cpu_seconds) / seconds},
      {"rss_bytes", RssBytes()}};
  Histogram all;
  for (const OpKind kind : kOpKinds) {
    const auto index = static_cast<size_t>(kind);
    const Histogram latency = to.latencies[index].Since(from.latencies[index]);
    if (to.latencies[index].count() > 0) {
      AddPercentiles(std::string(kOpKindNames[index]) + "_", latency, &object);
    }
    all.Merge(latency);
  }
  AddPercentiles("", all, &object);
  if (run_.load) {
    const double rate = run_.load->OfferedRate(at - seconds, at);
    if (std::isfinite(rate)) object["offered_per_s"] = rate;
  }
  AddState(from.store, to.store, seconds, &object);
  return object;
}

void IntervalReport::Show(const nlohmann::json& interval) {
  if (settings_.prints) Print(interval);
  if (!progress_.live()) return;
  char text[64];
  std::snprintf(text, sizeof(text), "%s %.1f MB/s, p99 %.0f us",
                interval["phase"].get<std::string>().c_str(), interval["mb_per_s"].get<double>(),
                interval["p99_us"].get<double>());
  progress_.Show(interval["at_seconds"].get<double>(), text);
}

void IntervalReport::Print(const nlohmann::json& interval) {
  const auto number = [&interval](const char* name) { return interval[name].get<double>(); };
  progress_.Clear();
  std::printf(
      "%8.1f s  %-7s %8.1f MB/s %9.0f op/s  p50 %.1f  p99 %.1f  p99.9 %.1f  max %.1f us  "
      "device %.1f MB/s  CPU %.2f\n",
      number("at_seconds"), interval["phase"].get<std::string>().c_str(), number("mb_per_s"),
      number("ops_per_s"), number("p50_us"), number("p99_us"), number("p999_us"), number("max_us"),
      number("device_mb_per_s"), number("cpus"));
  std::fflush(stdout);
}

}  // namespace lull::bench
