// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/interval_report.h"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace lull::bench {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

template <typename Count>
double PerSecond(Count from, Count to, double seconds) {
  return static_cast<double>(to - from) / seconds;
}

}  // namespace

IntervalReport::IntervalReport(const std::string& benchmark, double seconds, Run& run,
                               const std::vector<std::unique_ptr<Worker>>& workers,
                               bool reads_store)
    : benchmark_(benchmark),
      seconds_(seconds),
      run_(run),
      workers_(workers),
      reads_store_(reads_store),
      begin_ns_(NowNs()),
      // The first totals are taken here, before the workers begin: a thread that started late would
      // leave out what had been done by then.
      thread_([this, first = Collect()](std::stop_token stop) { Loop(stop, first); }) {}

IntervalReport::~IntervalReport() { Stop(nullptr); }

void IntervalReport::Stop(JsonLog* log) {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (log == nullptr) return;
  for (const nlohmann::json& interval : intervals_) log->Write(interval);
}

void IntervalReport::Loop(std::stop_token stop, Totals last) {
  for (uint64_t round = 1;; ++round) {
    const uint64_t due_ns =
        begin_ns_ + static_cast<uint64_t>(seconds_ * kNsPerSecond * static_cast<double>(round));
    const uint64_t now_ns = NowNs();
    if (due_ns > now_ns) {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, std::chrono::nanoseconds(due_ns - now_ns), [] { return false; });
    }
    if (stop.stop_requested()) return;
    Totals next = Collect();
    Report(last, next);
    last = std::move(next);
  }
}

IntervalReport::Totals IntervalReport::Collect() const {
  Totals totals;
  for (const auto& worker : workers_) {
    totals.ops += worker->meter.ops();
    totals.bytes += worker->meter.bytes();
    totals.latencies.Merge(worker->meter.Latencies(OpKind::kWrite).Snapshot());
    totals.latencies.Merge(worker->meter.Latencies(OpKind::kRead).Snapshot());
  }
  totals.usage = ReadProcessUsage();
  totals.at_ns = NowNs();
  return totals;
}

void IntervalReport::Report(const Totals& from, const Totals& to) {
  const double seconds = static_cast<double>(to.at_ns - from.at_ns) / kNsPerSecond;
  const double at = static_cast<double>(to.at_ns - begin_ns_) / kNsPerSecond;
  const double mb = PerSecond(from.bytes, to.bytes, seconds) / kMiB;
  const double ops = PerSecond(from.ops, to.ops, seconds);
  const double device =
      PerSecond(from.usage.device_write_bytes, to.usage.device_write_bytes, seconds) / kMiB;
  const double cpu = (to.usage.cpu_seconds - from.usage.cpu_seconds) / seconds;
  const Histogram latency = to.latencies.Since(from.latencies);
  const char* phase = run_.phase;
  std::printf(
      "%8.1f s  %-7s %8.1f MB/s %9.0f op/s  p50 %.1f  p99 %.1f  p99.9 %.1f  max %.1f us  "
      "device %.1f MB/s  CPU %.2f\n",
      at, phase, mb, ops, latency.PercentileUs(50), latency.PercentileUs(99),
      latency.PercentileUs(99.9), latency.MaxUs(), device, cpu);
  std::fflush(stdout);

  nlohmann::json object = {{"kind", "interval"},
                           {"benchmark", benchmark_},
                           {"at_seconds", at},
                           {"phase", phase},
                           {"mb_per_s", mb},
                           {"ops_per_s", ops},
                           {"device_mb_per_s", device},
                           {"cpus", cpu},
                           {"p50_us", latency.PercentileUs(50)},
                           {"p99_us", latency.PercentileUs(99)},
                           {"p999_us", latency.PercentileUs(99.9)},
                           {"max_us", latency.MaxUs()}};
  std::string l0_tables;
  if (reads_store_ && run_.db->GetProperty("leveldb.num-files-at-level0", &l0_tables)) {
    object["l0_tables"] = std::stoi(l0_tables);
  }
  intervals_.push_back(std::move(object));
}

}  // namespace lull::bench
