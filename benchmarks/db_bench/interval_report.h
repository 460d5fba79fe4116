// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reports progress while a benchmark runs, from its own thread: a line on standard output per
// interval, or a progress bar on a terminal; and at the end the intervals as JSON, those inside
// bursts in parts of at most 0.1 s. It only reads counters that the workers keep anyway, so it
// costs them nothing.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/db_bench/progress.h"
#include "benchmarks/measure/histogram.h"
#include "benchmarks/measure/platform.h"
#include "benchmarks/measure/stall_causes.h"
#include "benchmarks/measure/store_state.h"
#include "benchmarks/workloads/workload.h"

namespace lull::bench {

class IntervalReport {
 public:
  struct Settings {
    std::string benchmark;
    double seconds = 1;             // per interval
    bool prints = false;            // a line per interval
    double expected_seconds = 0;    // length of the benchmark; 0: unknown
    StallCauses* causes = nullptr;  // null: the store's state must not be read meanwhile
  };

  // `run` and `workers` must outlive the object.
  IntervalReport(Settings settings, Run& run, const std::vector<std::unique_ptr<Worker>>& workers);
  ~IntervalReport();  // stops the thread if Stop() was not called

  // Ends the thread and returns all intervals.
  std::vector<nlohmann::json> Stop();

 private:
  struct Totals {
    uint64_t at_ns = 0;
    uint64_t ops = 0;
    uint64_t written_bytes = 0;
    uint64_t read_bytes = 0;
    std::array<Histogram, kOpKinds.size()> latencies;
    ProcessUsage usage;
    StoreState store;
  };

  void Loop(std::stop_token stop, Totals first);
  Totals Collect() const;
  nlohmann::json Describe(const Totals& from, const Totals& to) const;
  void Show(const nlohmann::json& interval);
  void Print(const nlohmann::json& interval);
  bool InBurst(double from_seconds, double to_seconds) const;
  const char* Phase(double from_seconds, double to_seconds) const;

  const Settings settings_;
  Run& run_;
  const std::vector<std::unique_ptr<Worker>>& workers_;
  const uint64_t begin_ns_;
  Progress progress_;
  std::vector<nlohmann::json> intervals_;  // owned by the thread until it ends
  std::mutex mutex_;                       // for wake_ only
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace lull::bench
