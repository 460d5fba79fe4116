// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A workload is what the client threads of one benchmark do. Each is a function of a Worker, listed
// with its shape in a table; BenchmarkRun opens the store, starts the threads, times them and
// reports.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/device/paced_device.h"
#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"
#include "benchmarks/measure/meter.h"
#include "benchmarks/workloads/burst_schedule.h"
#include "benchmarks/workloads/load_plan.h"
#include "leveldb/db.h"
#include "leveldb/env.h"

namespace lull::bench {

struct Worker;

// What the threads of one benchmark share. Fields without a comment on threads are constant while
// the threads run.
struct Run {
  explicit Run(const Config& config_in) : config(config_in) {}

  const Config& config;
  leveldb::DB* db = nullptr;      // replaced by `reopen` only
  leveldb::Env* env = nullptr;    // under the store
  PacedDevice* device = nullptr;  // under that; null: the machine's own
  std::string folder;             // of the store

  // Of the process; what went to the device, to that of the model where there is one.
  ProcessUsage Usage() const;
  std::function<leveldb::Status()>
      reopen;  // closes and opens the store; for single-threaded benchmarks
  // Waits until the store's background work has come to rest, and tells since when it has.
  std::function<leveldb::Status(uint64_t* idle_since_ns)> wait_idle;

  int threads = 1;        // that are measured
  int64_t num = 0;        // entries a thread writes
  int64_t reads = 0;      // entries a thread reads
  int value_size = 0;     // bytes
  int batch_size = 1;     // entries of one write
  bool sync = false;      // every write
  int first_stream = 0;   // random numbers: thread i takes stream first_stream + i
  uint64_t begin_ns = 0;  // when the threads were let go

  std::unique_ptr<BurstSchedule> bursts;  // locks for itself
  std::shared_ptr<LoadPlan> load;         // of the benchmark "load"
  std::atomic<const char*> phase{"run"};  // shown by the interval report
  std::atomic<int> measuring{0};          // measured threads that are still at work
  // Requests of a load that were given up because the store fell too far behind.
  std::atomic<uint64_t> unserved{0};
  std::atomic<uint64_t> operations_hash{0};  // of a load: the sum of its clients'
  double generator_ns_per_request = 0;       // of a load: what making requests costs by itself
  double device_syncs_per_s = 0;             // of a synced load: what the device can do

  // Any thread: remembers the first failure, and stops everything. The workers look at
  // StopRequested() now and then and return.
  void Fail(std::string_view what, const leveldb::Status& status);
  std::string failure() const;  // empty when nothing failed

 private:
  mutable std::mutex mutex_;
  std::string failure_;
};

// One client thread: belongs to it alone, but for what Meter says.
struct Worker {
  Worker(Run& run_in, int index_in, bool timed);

  // The number of a key, drawn uniformly.
  uint64_t DrawKey() { return rng.Below(static_cast<uint64_t>(run.config.num)); }

  // Each result is valid until the next call of the same function.
  leveldb::Slice KeyOf(uint64_t number) {
    const std::string_view text = key.Of(number);
    return {text.data(), text.size()};
  }
  leveldb::Slice NextValue(uint64_t bytes) {
    const std::string_view value = values.Next(static_cast<size_t>(bytes));
    return {value.data(), value.size()};
  }
  leveldb::Slice NextValue() { return NextValue(static_cast<uint64_t>(run.value_size)); }

  Run& run;
  const int index;
  const uint64_t entry_bytes;  // key and value of one entry
  Rng rng;
  KeyText key;
  ValuePool values;
  Meter meter;
  std::string message;  // printed behind the figures
};

struct WorkloadSpec {
  std::string_view name;
  void (*body)(Worker& worker);

  bool fresh_store = false;   // begins with an empty store
  int64_t num_divisor = 1;    // of --num, for slow operations
  int64_t reads_divisor = 1;  // of --reads
  int value_size = 0;         // instead of --value_size
  int batch_size = 1;
  bool sync = false;
  bool writes = false;   // prints "(N ops)" when it wrote another number than --num
  bool reopens = false;  // uses Run::reopen, so nobody else may touch Run::db
  void (*writer)(Worker& worker) =
      nullptr;             // one further thread, not measured, until the measured ones are done
  bool long_form = false;  // a burst or open-loop benchmark: own batch size, sync and duration,
                           // always timed, and followed by waiting until the store is idle
  void (*prepare)(Run& run) = nullptr;  // before the threads start; not measured
};

std::span<const WorkloadSpec> WriteWorkloads();
std::span<const WorkloadSpec> ReadWorkloads();
std::span<const WorkloadSpec> CodecWorkloads();
std::span<const WorkloadSpec> BurstWorkloads();
std::span<const WorkloadSpec> LoadWorkloads();

std::vector<WorkloadSpec> AllWorkloads();

// Null when no workload has this name.
const WorkloadSpec* FindWorkload(std::string_view name);

// Writes random entries until every measured thread is done.
void WriteUntilMeasured(Worker& worker);

}  // namespace lull::bench
