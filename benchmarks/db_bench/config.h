// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The settings of one run of db_bench, parsed from its flags and checked. Constant afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lull::bench {

// Keys have 16 decimal digits.
inline constexpr int64_t kKeyNumbers = 10'000'000'000'000'000;

struct Config {
  std::vector<std::string> benchmarks;

  // Amount of work.
  int64_t num = 0;         // keys are drawn from [0, num)
  int64_t first = 0;       // append writes entries [first, first + num)
  int64_t reads = 0;       // per thread
  bool hash_keys = false;  // entry numbers are scattered over all keys
  int threads = 1;
  int value_size = 0;
  int key_prefix = 0;
  double compression_ratio = 0.5;
  uint64_t seed = 0;

  // The store. 0 keeps the store's default, or -1 where 0 is a valid value.
  std::string db;     // directory
  std::string store;  // "db", "limit" (never flushes) or "null"
  bool use_existing_db = false;
  bool reuse_logs = false;
  bool compression = true;
  int zstd_compression_level = 1;
  int64_t write_buffer_size = 0;
  int64_t max_file_size = 0;
  int64_t block_size = 0;
  int64_t cache_size = -1;
  int open_files = 0;
  int bloom_bits = -1;
  std::string device;           // "real", or the name of a model (device_model.h)
  std::string rocksdb_profile;  // "defaults", "matched", "tuned" or "autotuned"
  std::string scheduling;       // "policy=…;layout=…;k=v", for stores that schedule

  // Bursts and open loop.
  double duration = 0;
  std::vector<double> burst_seconds;  // used in turn, repeatedly
  std::vector<double> idle_seconds;
  int64_t burst_ops = 0;
  int days = 0;  // of chainstate
  int batch_size = 1;
  bool sync = false;
  double rate = 0;  // requests per second of all threads together
  double put_percent = 0;

  // A load; loadgen/ parses these.
  std::string mix;                     // groups of clients are separated by "|"
  std::string shape;                   // likewise
  std::string keys;                    // distribution
  std::string values;                  // sizes; empty: value_size
  std::string scans;                   // lengths
  std::string arrivals;                // file of due times; empty: a Poisson process
  double scale = 1;                    // multiplies the work of b0 to b11 and chainstate
  std::map<std::string, double> x_of;  // X by load, requests per second; "": for all other loads
  double calibrate_seconds = 0;
  bool calibrate_only = false;
  bool preload = false;  // write all keys before the load begins
  bool reuse = false;    // continue with the previous benchmark's store

  // Reports.
  bool histogram = false;
  bool comparisons = false;
  double report_interval_seconds = 0;  // 0: no intervals
  std::string json;                    // path; empty: no file
  std::string results;                 // directory; empty: no files

  // Flags that the user set. They override a benchmark's presets.
  std::set<std::string, std::less<>> given;
};

// "10,30,10" as numbers; empty if any part is not a number of at least zero.
std::vector<double> ParseSeconds(std::string_view text);

// "9000", or "b1=9000;b4/80%=20000", as rates by name. An invalid part has a rate of -1.
std::map<std::string, double> ParseRates(std::string_view text);

// Parses argv. Returns an error that names the flag; empty if none. An unparsable value ends the
// process with status 1. --help and --version print their text and end it.
std::string ParseFlags(int argc, char** argv, const std::string& version, Config* config);

}  // namespace lull::bench
