// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/benchmark_run.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/db_bench/flag_uses.h"
#include "benchmarks/device/device_env.h"
#include "benchmarks/loadgen/text.h"
#include "benchmarks/measure/platform.h"
#include "leveldb/env.h"

namespace lull::bench {
namespace {

Config WithDirectory(Config config) {
  if (config.db.empty()) {
    leveldb::Env::Default()->GetTestDirectory(&config.db);
    config.db += "/dbbench";
  }
  return config;
}

// "leveldb.stats" for "stats"; empty for a real benchmark.
std::string PropertyOf(const std::string& name) {
  if (name == "layout") return "lull.layout";
  return name == "stats" || name == "sstables" ? "leveldb." + name : "";
}

std::string CountText(const char* format, uint64_t count) {
  char text[64];
  std::snprintf(text, sizeof(text), format, static_cast<unsigned long long>(count));
  return text;
}

std::unique_ptr<PacedDevice> MakeDevice(const std::string& name) {
  const DeviceSpec* const spec = DeviceModel::FindPreset(name);
  return spec == nullptr ? nullptr : std::make_unique<PacedDevice>(*spec);
}

// The settings that determine a load's sustainable rate.
std::string LoadKey(const Config& config) {
  std::string key;
  for (const std::string& part :
       {config.mix, config.keys, config.values, config.scans, std::to_string(config.value_size),
        std::to_string(config.key_prefix), std::to_string(config.num),
        std::to_string(config.batch_size), std::to_string(config.threads),
        std::to_string(config.sync)}) {
    key.append(part).append(1, ' ');
  }
  return key;
}

}  // namespace

bool Complain(const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "db_bench: %s\n", what.c_str());
  return false;
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

BenchmarkRun::BenchmarkRun(const Config& config)
    : config_(WithDirectory(config)),
      cache_(config.cache_size >= 0 ? leveldb::NewLRUCache(static_cast<size_t>(config.cache_size))
                                    : nullptr),
      filter_(config.bloom_bits >= 0 ? leveldb::NewBloomFilterPolicy(config.bloom_bits) : nullptr),
      device_(MakeDevice(config.device)),
      env_(device_ ? std::make_unique<DeviceEnv>(device_.get()) : nullptr) {}

leveldb::Env* BenchmarkRun::env() const { return env_ ? env_.get() : leveldb::Env::Default(); }

std::string BenchmarkRun::FirstFault() const {
  if (config_.device != "real" && DeviceModel::FindPreset(config_.device) == nullptr) {
    std::vector<std::string_view> known = DeviceModel::PresetNames();
    known.push_back("real");
    const char* const cap =
        config_.device == "cap" ? " (only benchmarks/compare, policies and papers)" : "";
    return "--device: there is no device '" + config_.device + "'" + cap +
           loadgen::DidYouMean(config_.device, known);
  }
  if (StoreName() != "rocksdb" && config_.given.contains("rocksdb_profile")) {
    return "--rocksdb_profile is for db_bench_rocksdb; this is " + StoreName();
  }
  if (StoreName() == "rocksdb" && config_.comparisons) {
    return "--comparisons: not supported with RocksDB, which uses its own comparator";
  }
  const std::string fault = SchedulingFault(config_.scheduling);
  if (!fault.empty()) return fault;
  for (const std::string& name : config_.benchmarks) {
    if (!PropertyOf(name).empty() || FindWorkload(name) != nullptr) {
      if (name != "load") continue;
    }
    const std::vector<LoadCase> cases = CasesOf(name, config_);
    if (cases.empty()) {
      std::vector<std::string_view> known = LoadNames();
      for (const WorkloadSpec& spec : AllWorkloads()) known.push_back(spec.name);
      return "--benchmarks: there is no benchmark '" + name + "'" +
             loadgen::DidYouMean(name, known);
    }
    for (const LoadCase& load_case : cases) {
      std::shared_ptr<LoadPlan> plan;
      const std::string bad =
          load_case.benchmark == "load" ? LoadPlan::Make(load_case.config, 1, &plan) : "";
      if (!bad.empty()) return bad;
    }
  }
  return FirstUselessFlag(config_);
}

bool BenchmarkRun::RunAll() {
  const std::string fault = FirstFault();
  if (!fault.empty()) return Complain(fault);
  if (!config_.json.empty() || !config_.results.empty()) {
    files_ = ResultFiles::Open(config_.json, config_.results);
    if (files_ == nullptr) return false;
  }
  PrintHeader(config_, StoreName(), StoreVersion());
  if (!config_.use_existing_db && config_.store != "null") DestroyStore(MakeSettings(), config_.db);
  const leveldb::Status status = Open();
  if (!status.ok()) return Complain("open failed: " + status.ToString());
  for (const std::string& name : config_.benchmarks) {
    if (!RunOne(name)) return false;
    if (StopRequested()) break;
  }
  return true;
}

StoreSettings BenchmarkRun::MakeSettings() {
  StoreSettings settings;
  leveldb::Options& options = settings.options;
  settings.scheduling = config_.scheduling;
  settings.device = device_.get();
  options.env = env();
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
  settings.flushes = config_.store != "limit";

  settings.profile = config_.rocksdb_profile;
  if (config_.write_buffer_size > 0) settings.write_buffer_bytes = options.write_buffer_size;
  settings.max_file_bytes = static_cast<size_t>(config_.max_file_size);
  settings.block_bytes = static_cast<size_t>(config_.block_size);
  settings.cache_bytes = config_.cache_size;
  settings.bloom_bits = config_.bloom_bits;
  settings.open_files = config_.open_files;
  settings.stall_log = &stall_log_;
  return settings;
}

leveldb::Status BenchmarkRun::Open() {
  if (config_.store == "null") {
    db_ = NewNullStore();
    return leveldb::Status::OK();
  }
  return OpenStore(MakeSettings(), config_.db, &db_);
}

leveldb::Status BenchmarkRun::Reopen() {
  db_.reset();
  return Open();
}

// Gives the benchmark an empty store if it needs one. False on failure.
bool BenchmarkRun::PrepareStore(const WorkloadSpec& spec, const Config& config) {
  if (!spec.fresh_store || config.use_existing_db || config.reuse) return true;
  db_.reset();
  if (config_.store != "null") {
    const leveldb::Status destroyed = DestroyStore(MakeSettings(), config_.db);
    if (!destroyed.ok())
      return Complain("cannot empty " + config_.db + ": " + destroyed.ToString());
  }
  const leveldb::Status opened = Open();
  return opened.ok() || Complain("open failed: " + opened.ToString());
}

bool BenchmarkRun::PrintProperty(const std::string& property) {
  std::string text;
  if (!db_->GetProperty(property, &text)) text = "(failed)";
  std::printf("\n%s\n", text.c_str());
  std::fflush(stdout);
  return true;
}

void BenchmarkRun::FillRun(const WorkloadSpec& spec, Run* run) {
  const Config& config = run->config;
  run->db = db_.get();
  run->env = env();
  run->device = device_.get();
  run->directory = config.db;
  run->threads = run->load ? run->load->clients() : config.threads;
  run->num = std::max<int64_t>(1, config.num / spec.num_divisor);
  run->reads = config.reads / spec.reads_divisor;
  run->value_size = spec.value_size > 0 ? spec.value_size : config.value_size;
  if (run->load) run->value_size = static_cast<int>(run->load->value_bytes_max());
  run->batch_size = spec.long_form ? config.batch_size : spec.batch_size;
  run->sync = spec.long_form ? config.sync : spec.sync;
  run->first_stream = streams_used_;
  run->reopen = [this, run] {
    const leveldb::Status status = Reopen();
    run->db = db_.get();
    return status;
  };
  run->wait_idle = [this](uint64_t* idle_since_ns) { return WaitIdle(idle_since_ns); };
}

leveldb::Status BenchmarkRun::WaitIdle(uint64_t* idle_since_ns) {
  *idle_since_ns = NowNs();
  // The null store has no background work. With --store=limit, waiting would start flushes.
  if (config_.store != "db") return leveldb::Status::OK();
  return WaitUntilIdle(db_.get(), config_.db, idle_since_ns);
}

bool BenchmarkRun::RunOne(const std::string& name) {
  const std::string property = PropertyOf(name);
  if (!property.empty()) return PrintProperty(property);
  const std::vector<LoadCase> cases = CasesOf(name, config_);
  for (const LoadCase& load_case : cases) {
    if (!RunCase(load_case)) return false;
    if (StopRequested()) return true;
  }
  if (!cases.empty()) return true;

  const WorkloadSpec& spec = *FindWorkload(name);
  if (spec.fresh_store && !spec.long_form && config_.use_existing_db) {
    PrintSkipped(name, "--use_existing_db is true");
    return true;
  }
  if ((spec.reopens || spec.one_client) && config_.threads > 1) {
    PrintSkipped(name, "--threads is above 1");
    return true;
  }
  if (!PrepareStore(spec, config_)) return false;
  Run run(config_);
  FillRun(spec, &run);
  Result result;
  result.name = name;
  if (spec.writes && run.num != config_.num) {
    result.message = CountText("(%llu ops)", static_cast<uint64_t>(run.num));
  }
  return Measure(spec, run, &result);
}

// X is the rate that the same clients reach in a closed loop. For a load with several groups, X is
// measured with the first group alone.
bool BenchmarkRun::FindSustainableRate(const LoadCase& load_case, double* rate) {
  const Config& config = load_case.config;
  if (!LoadPlan::NeedsSustainableRate(config)) return true;
  const auto given = [&config](const std::string& name) {
    const auto found = config.x_of.find(name);
    return found == config.x_of.end() ? 0.0 : found->second;
  };
  // A rate given for one case also holds for later cases that differ only in their share of X.
  *rate = given(load_case.name);
  if (*rate > 0) sustainable_rates_[LoadKey(config)] = *rate;
  if (*rate == 0) *rate = given("");
  if (*rate > 0) return true;
  const auto known = sustainable_rates_.find(LoadKey(config));
  if (known != sustainable_rates_.end()) {
    *rate = known->second;
    return true;
  }
  LoadCase closed = load_case;
  closed.name += ",sustainable";
  closed.config.mix = config.mix.substr(0, config.mix.find('|'));
  closed.config.shape = "max";
  closed.config.arrivals.clear();
  closed.config.duration = config.calibrate_seconds;
  if (!RunCase(closed)) return false;
  *rate = sustainable_rates_[LoadKey(closed.config)];
  sustainable_rates_[LoadKey(config)] = *rate;
  return StopRequested() || *rate > 0 ||
         Complain(closed.name + ": no request was served, so the sustainable rate X is unknown");
}

bool BenchmarkRun::RunCase(const LoadCase& load_case) {
  const WorkloadSpec& spec = *FindWorkload(load_case.benchmark);
  Result result;
  result.name = load_case.name;
  Run run(load_case.config);
  if (load_case.benchmark == "load") {
    if (!FindSustainableRate(load_case, &result.sustainable_rate)) return false;
    const bool closed = !LoadPlan::NeedsSustainableRate(load_case.config);
    if (StopRequested() || (load_case.config.calibrate_only && !closed)) return true;
    const std::string fault = LoadPlan::Make(load_case.config, result.sustainable_rate, &run.load);
    if (!fault.empty()) return Complain(fault);
  }
  if (!PrepareStore(spec, load_case.config)) return false;
  FillRun(spec, &run);
  if (!Measure(spec, run, &result)) return false;
  if (run.load && run.load->closed_loop() && result.active_seconds > 0) {
    sustainable_rates_[LoadKey(load_case.config)] =
        static_cast<double>(result.AllLatencies().count()) / result.active_seconds;
  }
  return true;
}

}  // namespace lull::bench
