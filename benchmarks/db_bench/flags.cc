// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <gflags/gflags.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/loadgen/text.h"

DEFINE_string(
    benchmarks,
    "fillseq,fillsync,fillrandom,overwrite,readrandom,readrandom,readseq,readreverse,compact,"
    "readrandom,readseq,readreverse,fill100K,crc32c,snappycomp,snappyuncomp",
    "comma-separated benchmarks, run in this order");
DEFINE_int64(num, 1000000, "entries to write; keys are drawn from [0, num)");
DEFINE_int64(first, 0, "number of the first entry that append writes");
DEFINE_bool(hash_keys, false,
            "spread keys over all numbers of 16 digits, so that appended entries fall between "
            "existing ones");
DEFINE_int64(reads, -1, "entries to read; -1: as many as --num");
DEFINE_int32(threads, 1, "client threads; in a load, per group of clients");
DEFINE_int32(value_size, 100, "bytes per value");
DEFINE_double(compression_ratio, 0.5, "compressed size of a value as a share of its size");
DEFINE_bool(histogram, false, "print a histogram of the latencies of each benchmark");
DEFINE_bool(comparisons, false, "count and print key comparisons");
DEFINE_int64(write_buffer_size, 0, "bytes of a memtable; 0: the store's default");
DEFINE_int64(max_file_size, 0, "bytes of a table file; 0: the store's default");
DEFINE_int64(block_size, 0, "bytes of a table's block before compression; 0: the store's default");
DEFINE_int64(cache_size, -1, "bytes of the cache for uncompressed blocks; -1: the store's default");
DEFINE_int32(open_files, 0, "maximum number of open files; 0: the store's default");
DEFINE_int32(bloom_bits, -1, "Bloom filter bits per key; negative: no filter");
DEFINE_int32(key_prefix, 0, "bytes added before every 16-byte key");
DEFINE_bool(
    use_existing_db, false,
    "keep the existing store; bursts and loads then run on it, and LevelDB's benchmarks that need "
    "an empty store are skipped");
DEFINE_bool(reuse_logs, false, "append to an existing log or MANIFEST when opening");
DEFINE_bool(compression, true, "compress blocks with Snappy");
DEFINE_int32(zstd_compression_level, 1, "level of zstdcomp and zstduncomp");
DEFINE_string(
    db, "",
    "the store's directory; an existing store is deleted first, unless --use_existing_db is set; "
    "empty: a subdirectory of the test directory");

DEFINE_string(
    store, "db",
    "db: the store; limit: the store without flushes, which measures its limit without background "
    "work; null: a store that does nothing, which measures the cost of the benchmark itself");
DEFINE_string(policy, "", "scheduling policy; Lull only");
DEFINE_string(layout, "", "compaction layout; Lull only");
DEFINE_string(options, "",
              "Lull: further scheduling options; RocksDB: options by its names; \"k=v;k=v\"");
DEFINE_string(device, "real", "real: the machine's disk; or a model: hdd, sata, nvme, 100mb");
DEFINE_string(rocksdb_profile, "defaults",
              "RocksDB only: defaults; matched: as much memory as the other stores; tuned: for "
              "bursts; autotuned: defaults with the auto-tuned rate limiter");
DEFINE_double(duration, 120, "seconds per burst benchmark or load");
DEFINE_string(burst_seconds, "10", "length of a burst; a list such as 10,30,10 is used in turn");
DEFINE_string(idle_seconds, "20", "length of a lull between bursts; a list is used in turn");
DEFINE_int64(burst_ops, 1000000, "entries per burst of burstsincount");
DEFINE_int32(days, 7, "simulated days of chainstate");
DEFINE_int32(batch_size, 1, "entries per write, in bursts and loads");
DEFINE_bool(sync, false, "sync every write, in bursts and loads");
DEFINE_double(rate, 20000, "requests per second of openloop, all threads together");
DEFINE_double(put_percent, 57, "percentage of puts among openloop's requests; the rest are gets");
DEFINE_double(report_interval_seconds, 0,
              "print a line at this interval while a benchmark runs; 0: never");
DEFINE_string(workload, "", "B0 to B11; the same as --benchmarks, which it overrides");
DEFINE_string(mix, "put", "a load's requests: put=57,get=41,scan=2; also delete, rmw, insert");
DEFINE_string(shape, "max",
              "a load's requests per second: RATE or SECONDS@RATE,...; RATE is 300, 20k, 0.8x (of "
              "--x) or max (closed loop); or sine:MEAN:AMPLITUDE:PERIOD, "
              "gaps:RATE:BURST:MIN:MAX:IDLE:MIN:MAX, trace:FILE");
DEFINE_string(keys, "uniform",
              "a load's keys: uniform, zipfian[:EXPONENT], latest[:EXPONENT], mixgraph");
DEFINE_string(values, "",
              "a load's value sizes: 400, uniform:MIN:MAX, lognormal:MEDIAN:SIGMA:MIN:MAX or "
              "pareto:SHAPE:SCALE:MIN:MAX; empty: --value_size");
DEFINE_string(scans, "100", "a load's scan lengths, in entries; same forms as --values");
DEFINE_string(arrivals, "", "file of the due times of a load's requests: seconds, one per line");
DEFINE_double(
    scale, 1,
    "multiplies the durations and numbers of keys of b0 to b11, and the changes per day of "
    "chainstate");
DEFINE_string(x, "",
              "sustainable rate X of a load, requests per second; or of several loads by name: "
              "b1=9000;b4/80%=20000. If missing or 0, it is measured when needed");
DEFINE_double(calibrate_seconds, 20, "how long to measure X, in a closed loop");
DEFINE_bool(calibrate_only, false, "only measure X of a load");
DEFINE_bool(preload, true, "load: write all --num keys first");
DEFINE_string(json, "", "append one JSON object per benchmark to this file, one per line");
DEFINE_string(results, "",
              "append results.jsonl, intervals.csv and percentile tables to this directory");
DEFINE_uint64(seed, 301, "seed of keys, values and arrivals");

namespace lull::bench {
namespace {

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) names.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return names;
}

std::string SchedulingText() {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty() && text.back() != ';') text += ';';
    text += part;
  };
  if (!FLAGS_policy.empty()) add("policy=" + FLAGS_policy);
  if (!FLAGS_layout.empty()) add("layout=" + FLAGS_layout);
  if (!FLAGS_options.empty()) add(FLAGS_options);
  return text;
}

void CopyFlags(Config* config) {
  config->benchmarks = SplitNames(FLAGS_workload.empty() ? FLAGS_benchmarks : FLAGS_workload);
  if (!FLAGS_workload.empty()) {
    for (std::string& name : config->benchmarks) {
      if (name[0] == 'B') name[0] = 'b';
    }
  }
  config->num = FLAGS_num;
  config->first = FLAGS_first;
  config->hash_keys = FLAGS_hash_keys;
  config->reads = FLAGS_reads < 0 ? FLAGS_num : FLAGS_reads;
  config->threads = FLAGS_threads;
  config->value_size = FLAGS_value_size;
  config->key_prefix = FLAGS_key_prefix;
  config->compression_ratio = FLAGS_compression_ratio;
  config->seed = FLAGS_seed;
  config->db = FLAGS_db;
  config->store = FLAGS_store;
  config->use_existing_db = FLAGS_use_existing_db;
  config->reuse_logs = FLAGS_reuse_logs;
  config->compression = FLAGS_compression;
  config->zstd_compression_level = FLAGS_zstd_compression_level;
  config->write_buffer_size = FLAGS_write_buffer_size;
  config->max_file_size = FLAGS_max_file_size;
  config->block_size = FLAGS_block_size;
  config->cache_size = FLAGS_cache_size;
  config->open_files = FLAGS_open_files;
  config->bloom_bits = FLAGS_bloom_bits;
  config->device = FLAGS_device;
  config->rocksdb_profile = FLAGS_rocksdb_profile;
  config->scheduling = SchedulingText();
  config->duration = FLAGS_duration;
  config->burst_seconds = ParseSeconds(FLAGS_burst_seconds);
  config->idle_seconds = ParseSeconds(FLAGS_idle_seconds);
  config->burst_ops = FLAGS_burst_ops;
  config->days = FLAGS_days;
  config->batch_size = FLAGS_batch_size;
  config->sync = FLAGS_sync;
  config->rate = FLAGS_rate;
  config->put_percent = FLAGS_put_percent;
  config->mix = FLAGS_mix;
  config->shape = FLAGS_shape;
  config->keys = FLAGS_keys;
  config->values = FLAGS_values;
  config->scans = FLAGS_scans;
  config->arrivals = FLAGS_arrivals;
  config->scale = FLAGS_scale;
  config->x_of = ParseRates(FLAGS_x);
  config->calibrate_seconds = FLAGS_calibrate_seconds;
  config->calibrate_only = FLAGS_calibrate_only;
  config->preload = FLAGS_preload;
  config->histogram = FLAGS_histogram;
  config->comparisons = FLAGS_comparisons;
  config->report_interval_seconds = FLAGS_report_interval_seconds;
  config->json = FLAGS_json;
  config->results = FLAGS_results;
}

// Names the first flag with an invalid value, and the reason; empty if all are valid.
std::string FirstFault(const Config& config) {
  const struct {
    bool bad;
    const char* fault;
  } checks[] = {
      {config.num < 1, "--num must be at least 1"},
      {config.first < 0, "--first must not be negative"},
      {config.num > kKeyNumbers || config.first > kKeyNumbers - config.num,
       "--num, with --first, must be at most 10^16: keys have 16 digits"},
      {config.threads < 1 || config.threads > 1024, "--threads must be 1 to 1024"},
      {config.value_size < 0 || config.value_size > (1 << 30), "--value_size must be 0 to 1 GiB"},
      {config.key_prefix < 0 || config.key_prefix > 65536, "--key_prefix must be 0 to 65536"},
      {!(config.compression_ratio > 0) || config.compression_ratio > 1,
       "--compression_ratio must be above 0 and at most 1"},
      {config.write_buffer_size < 0, "--write_buffer_size must not be negative"},
      {config.max_file_size < 0, "--max_file_size must not be negative"},
      {config.block_size < 0, "--block_size must not be negative"},
      {config.open_files < 0, "--open_files must not be negative"},
      {config.store != "db" && config.store != "limit" && config.store != "null",
       "--store must be db, limit or null"},
      {config.rocksdb_profile != "defaults" && config.rocksdb_profile != "matched" &&
           config.rocksdb_profile != "tuned" && config.rocksdb_profile != "autotuned",
       "--rocksdb_profile must be defaults, matched, tuned or autotuned"},
      {!(config.duration > 0), "--duration must be above 0"},
      {config.burst_seconds.empty(),
       "--burst_seconds must be a list of numbers, such as 10 or 10,30,10"},
      {config.idle_seconds.empty(), "--idle_seconds must be a list of numbers, such as 20 or 5,20"},
      {config.burst_ops < 1, "--burst_ops must be at least 1"},
      {config.days < 1, "--days must be at least 1"},
      {config.batch_size < 1 || config.batch_size > 10'000'000,
       "--batch_size must be 1 to 10000000"},
      {!(config.rate > 0) || std::isinf(config.rate), "--rate must be above 0"},
      {!(config.put_percent >= 0) || config.put_percent > 100, "--put_percent must be 0 to 100"},
      {!(config.scale > 0) || config.scale > 1000, "--scale must be above 0 and at most 1000"},
      {std::any_of(config.x_of.begin(), config.x_of.end(),
                   [](const auto& x) { return x.second < 0; }),
       "--x must be a rate of at least 0, or NAME=RATE;NAME=RATE"},
      {!(config.calibrate_seconds > 0), "--calibrate_seconds must be above 0"},
      {config.report_interval_seconds != 0 && !(config.report_interval_seconds >= 0.01),
       "--report_interval_seconds must be 0 or at least 0.01"},
  };
  for (const auto& check : checks) {
    if (check.bad) return check.fault;
  }
  return "";
}

// db_bench's flags, without those of gflags itself.
std::vector<gflags::CommandLineFlagInfo> OwnFlags() {
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  std::erase_if(flags, [](const gflags::CommandLineFlagInfo& flag) {
    return !flag.filename.ends_with("benchmarks/db_bench/flags.cc");
  });
  return flags;
}

// Names the first unknown flag, with the closest known one; empty if all are known.
std::string FirstUnknownFlag(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--") break;
    if (!name.starts_with('-')) continue;
    name.remove_prefix(name.starts_with("--") ? 2 : 1);
    name = name.substr(0, name.find('='));
    gflags::CommandLineFlagInfo info;
    std::string known(name);
    if (gflags::GetCommandLineFlagInfo(known.c_str(), &info)) continue;
    if (known.starts_with("no") && gflags::GetCommandLineFlagInfo(known.c_str() + 2, &info) &&
        info.type == "bool") {
      continue;
    }
    const std::vector<gflags::CommandLineFlagInfo> flags = OwnFlags();
    std::vector<std::string_view> names;
    for (const gflags::CommandLineFlagInfo& flag : flags) names.push_back(flag.name);
    return "there is no flag '" + known + "'" + loadgen::DidYouMean(name, names);
  }
  return "";
}

bool WantsHelp(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<double> ParseSeconds(std::string_view text) {
  std::vector<double> seconds;
  for (const std::string& part : SplitNames(text)) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (*end != '\0' || !std::isfinite(value) || value < 0) return {};
    seconds.push_back(value);
  }
  return seconds;
}

std::map<std::string, double> ParseRates(std::string_view text) {
  std::map<std::string, double> rates;
  for (const std::string_view part : loadgen::Split(text, ';')) {
    const size_t equals = part.rfind('=');
    const bool named = equals != std::string_view::npos;
    const auto rate = loadgen::ParseAmount(named ? part.substr(equals + 1) : part);
    rates[std::string(named ? part.substr(0, equals) : "")] = rate.value_or(-1);
  }
  return rates;
}

std::string ParseFlags(int argc, char** argv, const std::string& version, Config* config) {
  gflags::SetUsageMessage("measures a LevelDB-compatible store; see docs/benchmarks.md");
  gflags::SetVersionString(version);
  if (WantsHelp(argc, argv)) {
    gflags::ShowUsageWithFlagsRestrict(argv[0], "benchmarks/db_bench/flags");
    std::exit(0);
  }
  const std::string unknown = FirstUnknownFlag(argc, argv);
  if (!unknown.empty()) return unknown;
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc > 1) return std::string("'") + argv[1] + "' is not a flag; use the form --num=1000";
  CopyFlags(config);
  for (const gflags::CommandLineFlagInfo& flag : OwnFlags()) {
    if (!flag.is_default) config->given.insert(flag.name);
  }
  return FirstFault(*config);
}

}  // namespace lull::bench
