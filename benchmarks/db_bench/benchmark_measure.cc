// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Measures one benchmark: its threads, and the resources that the process used.
#include <algorithm>
#include <cstdio>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>

#include "benchmarks/db_bench/benchmark_run.h"
#include "benchmarks/db_bench/interval_report.h"
#include "benchmarks/measure/platform.h"

namespace lull::bench {
namespace {

// Sums up the threads' counters. The caller adds the process-wide figures.
void MergeWorkers(const std::vector<std::unique_ptr<Worker>>& workers, const StallCauses& causes,
                  Result* result) {
  std::vector<std::vector<TimeSpan>> waits;
  double thread_seconds = 0;
  for (const auto& worker : workers) {
    result->ops += worker->meter.ops();
    result->written_bytes += worker->meter.written_bytes();
    result->bytes += worker->meter.written_bytes() + worker->meter.read_bytes();
    for (const OpKind kind : kOpKinds) {
      result->latencies[static_cast<size_t>(kind)].Merge(worker->meter.Latencies(kind));
    }
    // Skip threads that only read: their empty list of waits would hide the stalls of the others.
    const bool writes = worker->meter.Latencies(OpKind::kWrite).count() > 0 ||
                        worker->meter.Latencies(OpKind::kReadModifyWrite).count() > 0;
    if (writes) waits.push_back(worker->meter.waits());
    thread_seconds += worker->meter.Seconds();
    // All threads of a benchmark have similar messages; one is enough.
    if (result->message.empty()) result->message = worker->message;
  }
  const std::vector<TimeSpan> stalls = CommonSpans(waits);
  result->stalls = SumStalls(stalls);
  result->stall_seconds_by_cause = causes.SecondsByCause(stalls);
  const Run& run = workers.front()->run;
  result->active_seconds = result->wall_seconds;
  if (run.bursts) {
    result->active_seconds = run.bursts->ActiveSeconds();
    result->bursts.assign(run.bursts->bursts().begin(), run.bursts->bursts().end());
    thread_seconds = result->active_seconds * run.threads;
    char text[48];
    std::snprintf(text, sizeof(text), "(%zu bursts, %.2f s)", result->bursts.size(),
                  result->active_seconds);
    result->message = text;
  } else if (run.load) {
    const Histogram all = result->AllLatencies();
    result->message = "(" + std::to_string(all.count()) + " requests, mean latency)";
    result->micros_per_op = all.MeanUs();
    return;
  }
  result->micros_per_op =
      thread_seconds * 1e6 / static_cast<double>(std::max<uint64_t>(1, result->ops));
}

}  // namespace

bool BenchmarkRun::Measure(const WorkloadSpec& spec, Run& run, Result* result) {
  if (spec.prepare != nullptr) spec.prepare(run);
  if (!run.failure().empty()) return Complain(result->name + ": " + run.failure());
  result->long_form = spec.long_form;
  result->timed =
      spec.long_form || config_.histogram || files_ || config_.report_interval_seconds > 0;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < run.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(run, i, result->timed));
  }

  // Earlier dirty data must not be written or cancelled during the measurement.
  if (spec.long_form) SyncFileSystemOf(config_.db);
  ResetPeakRss();
  const ProcessUsage before = run.Usage();
  const std::optional<ReadFigures> reads_before = ReadsSoFar();
  const auto watch = WatchIntervals(spec, run, workers, result->name);
  RunThreads(spec, run, workers);
  const uint64_t end_ns = NowNs();
  if (const auto reads = ReadsSoFar(); reads && reads_before)
    result->reads = reads->Since(*reads_before);
  if (spec.long_form && !StopRequested()) Drain(run, end_ns, result);
  const auto intervals = watch ? watch->Stop() : std::vector<nlohmann::json>();
  if (!run.failure().empty()) return Complain(result->name + ": " + run.failure());
  if (spec.long_form) SyncFileSystemOf(config_.db);  // dirty bytes count as written

  result->interrupted = StopRequested();
  result->value_size = run.value_size;
  result->batch_size = run.batch_size;
  result->sync = run.sync;
  result->wall_seconds = static_cast<double>(end_ns - run.begin_ns) / kNsPerSecond;
  MergeWorkers(workers, stall_causes_, result);
  result->load = run.load;
  result->generator_ns_per_request = run.generator_ns_per_request;
  result->device_syncs_per_s = run.device_syncs_per_s;
  result->unserved = run.unserved;
  result->operations_hash = run.operations_hash;
  FillUsage(run, before, result);
  return Report(*result, run.config, intervals);
}

std::unique_ptr<IntervalReport> BenchmarkRun::WatchIntervals(
    const WorkloadSpec& spec, Run& run, const std::vector<std::unique_ptr<Worker>>& workers,
    const std::string& title) {
  const bool prints = config_.report_interval_seconds > 0;
  const bool kept = files_ != nullptr && !config_.results.empty();
  const bool shows = spec.long_form && Progress(title, 0).live();
  if (!prints && !kept && !shows) return nullptr;
  IntervalReport::Settings settings;
  settings.benchmark = title;
  settings.prints = prints;
  if (prints) settings.seconds = config_.report_interval_seconds;
  if (spec.long_form) settings.expected_seconds = run.config.duration;
  if (!spec.reopens) settings.causes = &stall_causes_;
  return std::make_unique<IntervalReport>(std::move(settings), run, workers);
}

// Adds what the process used, and the amplification factors.
void BenchmarkRun::FillUsage(const Run& run, const ProcessUsage& before, Result* result) {
  const ProcessUsage after = run.Usage();
  result->cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  result->stolen_cpu_seconds = after.stolen_cpu_seconds - before.stolen_cpu_seconds;
  result->peak_rss_bytes = PeakRssBytes();
  result->call_write_bytes = after.call_write_bytes - before.call_write_bytes;
  result->device_write_bytes = after.device_write_bytes - before.device_write_bytes;
  result->device_read_bytes = after.device_read_bytes - before.device_read_bytes;
  if (config_.store == "null") return;
  result->store_bytes = DirectoryBytes(config_.db);
  if (config_.store == "limit") result->limit_held = !WroteTables();
  if (!result->long_form || result->written_bytes == 0) return;
  result->write_amplification =
      static_cast<double>(result->device_write_bytes) / static_cast<double>(result->written_bytes);
  // With all keys preloaded, the size of the live data is known.
  const uint64_t writes = result->latencies[static_cast<size_t>(OpKind::kWrite)].count();
  if (run.load && run.config.preload && writes > 0) {
    const double entry_bytes =
        static_cast<double>(result->written_bytes) / static_cast<double>(writes * run.batch_size);
    result->space_amplification = static_cast<double>(result->store_bytes) /
                                  (entry_bytes * static_cast<double>(run.load->keys.count));
  }
}

bool BenchmarkRun::Report(const Result& result, const Config& config,
                          const std::vector<nlohmann::json>& intervals) {
  PrintResult(result, config.histogram);
  if (config.comparisons) std::printf("Comparisons: %zu\n", comparator_.TakeCount());
  return !files_ || files_->Write(result, config, StoreName(), StoreVersion(), intervals);
}

void BenchmarkRun::Drain(Run& run, uint64_t end_ns, Result* result) {
  run.phase = "drain";
  uint64_t idle_since_ns = 0;
  const leveldb::Status status = WaitIdle(&idle_since_ns);
  if (!status.ok()) return run.Fail("waiting for the background work failed", status);
  if (StopRequested()) return;  // the drain may be incomplete
  const uint64_t drain_ns = idle_since_ns > end_ns ? idle_since_ns - end_ns : 0;
  result->drain_seconds = static_cast<double>(drain_ns) / kNsPerSecond;
}

std::optional<ReadFigures> BenchmarkRun::ReadsSoFar() const {
  std::string stats;
  if (db_ == nullptr || !db_->GetProperty("lull.stats", &stats)) return std::nullopt;
  return ParseReads(stats);
}

bool BenchmarkRun::WroteTables() {
  std::string tables;
  for (int level = 0; level < 7; ++level) {
    if (db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &tables) &&
        tables != "0") {
      return true;
    }
  }
  return false;
}

void BenchmarkRun::RunThreads(const WorkloadSpec& spec, Run& run,
                              std::vector<std::unique_ptr<Worker>>& workers) {
  const int extra = spec.writer != nullptr ? 1 : 0;
  streams_used_ += run.threads + 1;
  run.measuring = run.threads;
  std::latch ready(run.threads + extra + 1);
  std::vector<std::jthread> threads;
  for (const auto& worker : workers) {
    threads.emplace_back([&spec, &run, &ready, &worker = *worker] {
      ready.arrive_and_wait();
      worker.meter.Begin();
      spec.body(worker);
      worker.meter.End();
      --run.measuring;
    });
  }
  if (extra > 0) {
    threads.emplace_back([&spec, &run, &ready] {
      Worker writer(run, run.threads, false);
      ready.arrive_and_wait();
      spec.writer(writer);
    });
  }
  run.begin_ns = NowNs();
  ready.arrive_and_wait();
  threads.clear();  // joins them
}

}  // namespace lull::bench
