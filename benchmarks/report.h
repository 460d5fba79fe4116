// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a benchmark came to, and how it is told: LevelDB's lines on standard output, and JSON lines
// in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/burst_schedule.h"
#include "benchmarks/config.h"
#include "benchmarks/histogram.h"
#include "benchmarks/meter.h"

namespace lull::bench {

struct Result {
  std::string name;
  std::string message;  // printed behind the figures
  int value_size = 0;
  int batch_size = 1;
  bool sync = false;
  bool open_loop = false;

  uint64_t ops = 0;
  uint64_t bytes = 0;
  double micros_per_op = 0;
  double active_seconds = 0;  // that throughput is taken over: the bursts, or the whole
  double wall_seconds = 0;    // from the first operation to the end, without the drain
  std::optional<double> drain_seconds;

  bool timed = false;  // the rest of the block is filled
  Histogram writes;
  Histogram reads;
  StallTotal stalls;

  std::vector<Burst> bursts;
  uint64_t unserved = 0;
  int64_t device_write_bytes = 0;  // with the drain
  int64_t call_write_bytes = 0;
  std::optional<double> write_amplification;
  double cpu_seconds = 0;
  uint64_t peak_rss_bytes = 0;
};

// A file of JSON lines, appended to. One thread at a time writes.
class JsonLog {
 public:
  // Null, with a message on standard error, when the file cannot be opened.
  static std::unique_ptr<JsonLog> Open(const std::string& path);
  ~JsonLog();
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  void Write(const nlohmann::json& object);

 private:
  explicit JsonLog(std::FILE* file) : file_(file) {}
  std::FILE* const file_;
};

void PrintHeader(const Config& config, const std::string& store_version);
void PrintResult(const Result& result, bool histogram);
void PrintSkipped(const std::string& name, const std::string& why);

nlohmann::json ToJson(const Result& result, const Config& config, const std::string& store,
                      const std::string& store_version);

}  // namespace lull::bench
