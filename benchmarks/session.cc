// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/session.h"

#include <algorithm>
#include <cstdio>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>

#include "benchmarks/interval_report.h"
#include "benchmarks/platform.h"
#include "benchmarks/store.h"
#include "leveldb/env.h"

namespace lull::bench {
namespace {

Config WithFolder(Config config) {
  if (config.db.empty()) {
    leveldb::Env::Default()->GetTestDirectory(&config.db);
    config.db += "/dbbench";
  }
  return config;
}

bool Complain(const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "db_bench: %s\n", what.c_str());
  return false;
}

// "leveldb.stats" for "stats"; empty for a benchmark proper.
std::string PropertyOf(const std::string& name) {
  if (name == "layout") return "lull.layout";
  return name == "stats" || name == "sstables" ? "leveldb." + name : "";
}

std::string CountText(const char* format, uint64_t count) {
  char text[64];
  std::snprintf(text, sizeof(text), format, static_cast<unsigned long long>(count));
  return text;
}

// Sums up what the threads counted. The process-wide figures are added by the caller.
void MergeWorkers(const WorkloadSpec& spec, const std::vector<std::unique_ptr<Worker>>& workers,
                  Result* result) {
  std::vector<std::vector<TimeSpan>> waits;
  double thread_seconds = 0;
  for (const auto& worker : workers) {
    result->ops += worker->meter.ops();
    result->bytes += worker->meter.bytes();
    result->writes.Merge(worker->meter.Latencies(OpKind::kWrite));
    result->reads.Merge(worker->meter.Latencies(OpKind::kRead));
    waits.push_back(worker->meter.waits());
    thread_seconds += worker->meter.Seconds();
    // The threads of a benchmark all say the like; one message is enough.
    if (result->message.empty()) result->message = worker->message;
  }
  result->stalls = SumStalls(CommonSpans(waits));
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
  } else if (spec.long_form) {
    Histogram all = result->writes;
    all.Merge(result->reads);
    result->open_loop = true;
    result->message = CountText("(%llu requests, mean latency)", result->ops);
    result->micros_per_op = all.MeanUs();
    return;
  }
  result->micros_per_op =
      thread_seconds * 1e6 / static_cast<double>(std::max<uint64_t>(1, result->ops));
}

}  // namespace

std::string StoreVersion() {
  return std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
}

int CountingComparator::Compare(const leveldb::Slice& a, const leveldb::Slice& b) const {
  count_.fetch_add(1, std::memory_order_relaxed);
  return leveldb::BytewiseComparator()->Compare(a, b);
}
const char* CountingComparator::Name() const { return leveldb::BytewiseComparator()->Name(); }
void CountingComparator::FindShortestSeparator(std::string* start,
                                               const leveldb::Slice& limit) const {
  leveldb::BytewiseComparator()->FindShortestSeparator(start, limit);
}
void CountingComparator::FindShortSuccessor(std::string* key) const {
  leveldb::BytewiseComparator()->FindShortSuccessor(key);
}

Session::Session(const Config& config)
    : config_(WithFolder(config)),
      cache_(config.cache_size >= 0 ? leveldb::NewLRUCache(static_cast<size_t>(config.cache_size))
                                    : nullptr),
      filter_(config.bloom_bits >= 0 ? leveldb::NewBloomFilterPolicy(config.bloom_bits) : nullptr) {
}

bool Session::RunAll() {
  for (const std::string& name : config_.benchmarks) {
    if (PropertyOf(name).empty() && FindWorkload(name) == nullptr) {
      return Complain("--benchmarks: there is no benchmark '" + name + "'");
    }
  }
  if (!config_.json.empty()) {
    json_ = JsonLog::Open(config_.json);
    if (json_ == nullptr) return false;
  }
  PrintHeader(config_, StoreVersion());
  if (!config_.use_existing_db && config_.store == "db")
    leveldb::DestroyDB(config_.db, MakeOptions());
  const leveldb::Status status = Open();
  if (!status.ok()) return Complain("open failed: " + status.ToString());
  for (const std::string& name : config_.benchmarks) {
    if (!RunOne(name)) return false;
  }
  return true;
}

leveldb::Options Session::MakeOptions() const {
  leveldb::Options options;
  options.create_if_missing = !config_.use_existing_db;
  options.block_cache = cache_.get();
  options.filter_policy = filter_.get();
  options.reuse_logs = config_.reuse_logs;
  options.compression = config_.compression ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  if (config_.comparisons) options.comparator = &comparator_;
  if (config_.write_buffer_size > 0)
    options.write_buffer_size = static_cast<size_t>(config_.write_buffer_size);
  if (config_.max_file_size > 0) options.max_file_size = static_cast<size_t>(config_.max_file_size);
  if (config_.block_size > 0) options.block_size = static_cast<size_t>(config_.block_size);
  if (config_.open_files > 0) options.max_open_files = config_.open_files;
  return options;
}

leveldb::Status Session::Open() {
  if (config_.store == "null") {
    db_ = NewNullStore();
    return leveldb::Status::OK();
  }
  return OpenStore(MakeOptions(), config_.scheduling, config_.db, &db_);
}

leveldb::Status Session::Reopen() {
  db_.reset();
  return Open();
}

// A benchmark that needs an empty store gets one; false when that failed.
bool Session::PrepareStore(const WorkloadSpec& spec) {
  if (!spec.fresh_store || config_.use_existing_db) return true;
  db_.reset();
  if (config_.store == "db") {
    const leveldb::Status destroyed = leveldb::DestroyDB(config_.db, MakeOptions());
    if (!destroyed.ok())
      return Complain("cannot empty " + config_.db + ": " + destroyed.ToString());
  }
  const leveldb::Status opened = Open();
  return opened.ok() || Complain("open failed: " + opened.ToString());
}

bool Session::PrintProperty(const std::string& property) {
  std::string text;
  if (!db_->GetProperty(property, &text)) text = "(failed)";
  std::printf("\n%s\n", text.c_str());
  std::fflush(stdout);
  return true;
}

void Session::FillRun(const WorkloadSpec& spec, Run* run) {
  run->db = db_.get();
  run->threads = config_.threads;
  run->num = std::max<int64_t>(1, config_.num / spec.num_divisor);
  run->reads = config_.reads / spec.reads_divisor;
  run->value_size = spec.value_size > 0 ? spec.value_size : config_.value_size;
  run->batch_size = spec.long_form ? config_.batch_size : spec.batch_size;
  run->sync = spec.long_form ? config_.sync : spec.sync;
  run->first_stream = streams_used_;
  run->reopen = [this, run] {
    const leveldb::Status status = Reopen();
    run->db = db_.get();
    return status;
  };
  run->wait_idle = [this](uint64_t* idle_since_ns) { return WaitIdle(idle_since_ns); };
}

leveldb::Status Session::WaitIdle(uint64_t* idle_since_ns) {
  *idle_since_ns = NowNs();
  if (config_.store == "null") return leveldb::Status::OK();
  return WaitUntilIdle(db_.get(), config_.db, idle_since_ns);
}

bool Session::RunOne(const std::string& name) {
  const std::string property = PropertyOf(name);
  if (!property.empty()) return PrintProperty(property);

  const WorkloadSpec& spec = *FindWorkload(name);
  if (spec.fresh_store && !spec.long_form && config_.use_existing_db) {
    PrintSkipped(name, "--use_existing_db is true");
    return true;
  }
  if (spec.reopens && config_.threads > 1) {
    PrintSkipped(name, "--threads is over 1");
    return true;
  }
  if (!PrepareStore(spec)) return false;
  Run run(config_);
  FillRun(spec, &run);
  Result result;
  result.name = name;
  if (spec.writes && run.num != config_.num) {
    result.message = CountText("(%llu ops)", static_cast<uint64_t>(run.num));
  }
  if (!Measure(spec, run, &result)) return false;

  PrintResult(result, config_.histogram);
  if (config_.comparisons) std::printf("Comparisons: %zu\n", comparator_.TakeCount());
  if (json_) json_->Write(ToJson(result, config_, StoreName(), StoreVersion()));
  return true;
}

bool Session::Measure(const WorkloadSpec& spec, Run& run, Result* result) {
  if (spec.prepare != nullptr) spec.prepare(run);
  if (run.failed()) return Complain(result->name + ": " + run.failure());
  result->timed =
      spec.long_form || config_.histogram || json_ || config_.report_interval_seconds > 0;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < run.threads; ++i)
    workers.push_back(std::make_unique<Worker>(run, i, result->timed));

  ResetPeakRss();
  const ProcessUsage before = ReadProcessUsage();
  std::unique_ptr<IntervalReport> intervals;
  if (config_.report_interval_seconds > 0) {
    intervals = std::make_unique<IntervalReport>(result->name, config_.report_interval_seconds, run,
                                                 workers, !spec.reopens);
  }
  RunThreads(spec, run, workers);
  const uint64_t end_ns = NowNs();
  if (spec.long_form && !run.failed()) {
    run.phase = "drain";
    uint64_t idle_since_ns = 0;
    const leveldb::Status status = WaitIdle(&idle_since_ns);
    if (!status.ok()) run.Fail("waiting for the background work failed", status);
    const uint64_t drain_ns = idle_since_ns > end_ns ? idle_since_ns - end_ns : 0;
    result->drain_seconds = static_cast<double>(drain_ns) / kNsPerSecond;
  }
  if (intervals) intervals->Stop(json_.get());
  if (run.failed()) return Complain(result->name + ": " + run.failure());

  const ProcessUsage after = ReadProcessUsage();
  result->value_size = run.value_size;
  result->batch_size = run.batch_size;
  result->sync = run.sync;
  result->wall_seconds = static_cast<double>(end_ns - run.begin_ns) / kNsPerSecond;
  MergeWorkers(spec, workers, result);
  result->unserved = run.unserved;
  result->cpu_seconds = after.cpu_seconds - before.cpu_seconds;
  result->peak_rss_bytes = PeakRssBytes();
  result->call_write_bytes = after.call_write_bytes - before.call_write_bytes;
  result->device_write_bytes = after.device_write_bytes - before.device_write_bytes;
  if (spec.long_form && result->bytes > 0) {
    result->write_amplification =
        static_cast<double>(result->device_write_bytes) / static_cast<double>(result->bytes);
  }
  return true;
}

void Session::RunThreads(const WorkloadSpec& spec, Run& run,
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
