// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The result of a benchmark, printed in LevelDB's format on standard output and written as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/measure/histogram.h"
#include "benchmarks/measure/meter.h"
#include "benchmarks/measure/read_figures.h"
#include "benchmarks/workloads/burst_schedule.h"
#include "benchmarks/workloads/load_plan.h"

namespace lull::bench {

struct Result {
  std::string name;
  std::string message;     // printed after the figures
  bool long_form = false;  // a burst benchmark or a load
  int value_size = 0;
  int batch_size = 1;
  bool sync = false;

  uint64_t ops = 0;    // entries
  uint64_t bytes = 0;  // of keys and values, written and read
  uint64_t written_bytes = 0;
  double micros_per_op = 0;
  double active_seconds = 0;  // basis of the throughput: the bursts, or the whole run
  double wall_seconds = 0;    // from the first operation to the end, without the drain
  std::optional<double> drain_seconds;
  std::optional<ReadFigures> reads;  // Lull only

  bool timed = false;                                // whether the rest of this block is set
  std::array<Histogram, kOpKinds.size()> latencies;  // by OpKind
  StallTotal stalls;
  std::map<std::string, double> stall_seconds_by_cause;
  // All kinds together. Counts requests: a batch is one request.
  Histogram AllLatencies() const;
  // Calls `what(name, latencies)` for each kind that occurred.
  template <typename What>
  void ForEachKind(const What& what) const {
    for (size_t i = 0; i < latencies.size(); ++i) {
      if (latencies[i].count() > 0) what(kOpKindNames[i], latencies[i]);
    }
  }

  std::vector<Burst> bursts;
  std::shared_ptr<const LoadPlan> load;  // null if this is not a load
  double sustainable_rate = 0;           // X, if the load's rates are multiples of it
  double generator_ns_per_request = 0;
  double device_syncs_per_s = 0;  // synced loads only
  uint64_t unserved = 0;
  uint64_t operations_hash = 0;  // sum over all clients

  bool interrupted = false;        // the figures cover only a part
  std::optional<bool> limit_held;  // --store=limit: whether nothing was flushed
  int64_t device_write_bytes = 0;  // including the drain
  int64_t device_read_bytes = 0;
  uint64_t store_bytes = 0;  // in the store's directory, at the end
  std::optional<double> space_amplification;
  int64_t call_write_bytes = 0;
  std::optional<double> write_amplification;
  double cpu_seconds = 0;
  double stolen_cpu_seconds = 0;  // as in ProcessUsage
  uint64_t peak_rss_bytes = 0;
};

void PrintHeader(const Config& config, const std::string& store, const std::string& store_version);
void PrintResult(const Result& result, bool histogram);
void PrintSkipped(const std::string& name, const std::string& why);

nlohmann::json ToJson(const Result& result, const Config& config, const std::string& store,
                      const std::string& store_version);

}  // namespace lull::bench
