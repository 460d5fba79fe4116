// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One run of db_bench: owns the store and what its options point to, and runs the named benchmarks
// in order. Main thread only; it starts and joins the client threads of each benchmark.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/db_bench/interval_report.h"
#include "benchmarks/db_bench/result.h"
#include "benchmarks/db_bench/result_files.h"
#include "benchmarks/stores/store.h"
#include "benchmarks/workloads/load_presets.h"
#include "benchmarks/workloads/workload.h"
#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"

namespace lull::bench {

// Bytewise order; counts its calls.
class CountingComparator final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override;
  const char* Name() const override;
  void FindShortestSeparator(std::string* start, const leveldb::Slice& limit) const override;
  void FindShortSuccessor(std::string* key) const override;

  size_t TakeCount() { return count_.exchange(0); }

 private:
  mutable std::atomic<size_t> count_{0};
};

class BenchmarkRun {
 public:
  explicit BenchmarkRun(const Config& config);

  // Runs all benchmarks. Stops at the first failure, prints the reason on standard error and
  // returns false. An interrupted benchmark reports what it measured; later ones do not run.
  bool RunAll();

 private:
  // benchmark_run.cc
  std::string FirstFault() const;
  bool RunOne(const std::string& name);
  bool RunCase(const LoadCase& load_case);
  bool FindSustainableRate(const LoadCase& load_case, double* rate);
  bool PrintProperty(const std::string& property);
  bool PrepareStore(const WorkloadSpec& spec, const Config& config);
  leveldb::Status Open();
  leveldb::Status Reopen();
  leveldb::Env* env() const;
  StoreSettings MakeSettings();
  void FillRun(const WorkloadSpec& spec, Run* run);
  leveldb::Status WaitIdle(uint64_t* idle_since_ns);

  // benchmark_measure.cc
  bool Measure(const WorkloadSpec& spec, Run& run, Result* result);
  std::unique_ptr<IntervalReport> WatchIntervals(
      const WorkloadSpec& spec, Run& run, const std::vector<std::unique_ptr<Worker>>& workers,
      const std::string& title);
  void FillUsage(const Run& run, const ProcessUsage& before, Result* result);
  void RunThreads(const WorkloadSpec& spec, Run& run,
                  std::vector<std::unique_ptr<Worker>>& workers);
  void Drain(Run& run, uint64_t end_ns, Result* result);
  bool WroteTables();
  std::optional<ReadFigures> ReadsSoFar() const;
  bool Report(const Result& result, const Config& config,
              const std::vector<nlohmann::json>& intervals);

  const Config config_;
  const std::unique_ptr<leveldb::Cache> cache_;
  const std::unique_ptr<const leveldb::FilterPolicy> filter_;
  CountingComparator comparator_;
  const std::unique_ptr<PacedDevice> device_;  // null: the machine's own disk
  const std::unique_ptr<leveldb::Env> env_;    // on device_; null without one
  StallCauses stall_causes_;
  StallLog stall_log_{&stall_causes_};
  std::unique_ptr<ResultFiles> files_;  // null when no files are written
  std::unique_ptr<leveldb::DB> db_;     // declared after what its options use: destroyed first
  int streams_used_ = 0;                // random streams used by earlier benchmarks
  // X, in requests per second, of loads measured in a closed loop, by LoadKey().
  std::map<std::string, double> sustainable_rates_;
};

// Prints an error on standard error; returns false.
bool Complain(const std::string& what);

}  // namespace lull::bench
