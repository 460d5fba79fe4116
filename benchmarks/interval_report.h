// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Tells how a benchmark goes while it runs: a line on standard output every so many seconds, from a
// thread of its own, and at the end the same as JSON lines. It only reads what the workers count
// anyway, so it costs them nothing.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/histogram.h"
#include "benchmarks/platform.h"
#include "benchmarks/report.h"
#include "benchmarks/workload.h"

namespace lull::bench {

class IntervalReport {
 public:
  // `run` and `workers` must outlive the object. `reads_store`: the store may be asked for its
  // level 0 meanwhile.
  IntervalReport(const std::string& benchmark, double seconds, Run& run,
                 const std::vector<std::unique_ptr<Worker>>& workers, bool reads_store);
  ~IntervalReport();  // stops it if Stop() was not called

  // Ends the thread. Writes all intervals to `log` if there is one: not before, as that would write
  // to the device.
  void Stop(JsonLog* log);

 private:
  struct Totals {
    uint64_t at_ns = 0;
    uint64_t ops = 0;
    uint64_t bytes = 0;
    Histogram latencies;
    ProcessUsage usage;
  };

  void Loop(std::stop_token stop, Totals last);
  Totals Collect() const;
  void Report(const Totals& from, const Totals& to);

  const std::string benchmark_;
  const double seconds_;
  Run& run_;
  const std::vector<std::unique_ptr<Worker>>& workers_;
  const bool reads_store_;
  const uint64_t begin_ns_;
  std::vector<nlohmann::json> intervals_;  // the thread's, until it has ended
  std::mutex mutex_;                       // for wake_ only
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace lull::bench
