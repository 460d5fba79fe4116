// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One run of db_bench: holds the store and what its options point to, and runs the named benchmarks
// one after another. Used by the main thread only; it starts and joins the client threads of each
// benchmark.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/config.h"
#include "benchmarks/report.h"
#include "benchmarks/workload.h"
#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"

namespace lull::bench {

// Byte order, and how often it was asked for.
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

class Session {
 public:
  explicit Session(const Config& config);

  // Runs them all. False, with the reason on standard error, as soon as one fails.
  bool RunAll();

 private:
  bool RunOne(const std::string& name);
  bool PrintProperty(const std::string& property);
  bool PrepareStore(const WorkloadSpec& spec);
  leveldb::Status Open();
  leveldb::Status Reopen();
  leveldb::Options MakeOptions() const;
  void FillRun(const WorkloadSpec& spec, Run* run);
  bool Measure(const WorkloadSpec& spec, Run& run, Result* result);
  void RunThreads(const WorkloadSpec& spec, Run& run,
                  std::vector<std::unique_ptr<Worker>>& workers);
  leveldb::Status WaitIdle(uint64_t* idle_since_ns);

  const Config config_;
  const std::unique_ptr<leveldb::Cache> cache_;
  const std::unique_ptr<const leveldb::FilterPolicy> filter_;
  CountingComparator comparator_;
  std::unique_ptr<JsonLog> json_;
  std::unique_ptr<leveldb::DB> db_;  // after what its options point to, so that it goes first
  int streams_used_ = 0;             // random streams that earlier benchmarks took
};

// "1.23", as the library's header says.
std::string StoreVersion();

}  // namespace lull::bench
