// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What one run of db_bench was asked to do, after its flags were read and checked. Constant from
// then on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lull::bench {

struct Config {
  std::vector<std::string> benchmarks;

  // Size of the work.
  int64_t num = 0;    // keys are drawn from [0, num)
  int64_t reads = 0;  // reads of a thread
  int threads = 1;
  int value_size = 0;
  int key_prefix = 0;
  double compression_ratio = 0.5;
  uint64_t seed = 0;

  // The store; 0, or -1 where 0 has a meaning of its own, leaves the store's default.
  std::string db;     // folder
  std::string store;  // "db", "limit" (nothing is ever flushed) or "null"
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
  std::string rocksdb_profile;  // "defaults", "matched" or "tuned"
  std::string scheduling;       // "policy=…;layout=…;k=v", for stores that schedule

  // Bursts and open loop.
  double duration = 0;
  std::vector<double> burst_seconds;  // taken in turn, again from the first
  std::vector<double> idle_seconds;
  int64_t burst_ops = 0;
  int batch_size = 1;
  bool sync = false;
  double rate = 0;  // requests a second, all threads together
  double put_percent = 0;

  // A load, in the words of loadgen/.
  std::string mix;                     // groups of clients are separated by "|"
  std::string shape;                   // likewise
  std::string keys;                    // distribution
  std::string values;                  // sizes; empty: value_size
  std::string scans;                   // lengths
  std::string arrivals;                // file of due times; empty: a Poisson process
  double scale = 1;                    // of seconds and keys of b0 to b11
  std::map<std::string, double> x_of;  // X of loads by name, requests a second; "": of all others
  double calibrate_seconds = 0;
  bool calibrate_only = false;
  bool preload = false;  // all keys are there before the load begins
  bool reuse = false;    // goes on with the store that the benchmark before it left

  // What is reported, and where.
  bool histogram = false;
  bool comparisons = false;
  double report_interval_seconds = 0;  // 0: no intervals
  std::string json;                    // path; empty: none
  std::string results;                 // folder; empty: none

  // Flags that the user set: they go before what a benchmark would choose.
  std::set<std::string, std::less<>> given;
};

// "10,30,10" as numbers; empty when any part is not a number of at least zero.
std::vector<double> ParseSeconds(std::string_view text);

// "9000", or "b1=9000;b4/80%=20000", as rates by name. A part that is neither has a rate of -1.
std::map<std::string, double> ParseRates(std::string_view text);

// Reads argv. Returns an empty string, or what is wrong with it in one sentence that names the
// flag. A value that does not parse ends the process with status 1, and --help or --version with
// their text.
std::string ParseFlags(int argc, char** argv, const std::string& version, Config* config);

}  // namespace lull::bench
