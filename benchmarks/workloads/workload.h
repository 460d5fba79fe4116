// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A workload is what the client threads of one benchmark do: a function of a Worker, listed in a
// table with its properties. BenchmarkRun opens the store, starts the threads, and measures and
// reports them.
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
#include "benchmarks/loadgen/distributions.h"
#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"
#include "benchmarks/measure/meter.h"
#include "benchmarks/workloads/burst_schedule.h"
#include "benchmarks/workloads/load_plan.h"
#include "leveldb/db.h"
#include "leveldb/env.h"

namespace lull::bench {

struct Worker;

// State shared by the threads of one benchmark. Fields are constant while the threads run, unless
// their comment says otherwise.
struct Run {
  explicit Run(const Config& config_in) : config(config_in) {}

  const Config& config;
  leveldb::DB* db = nullptr;      // replaced only by `reopen`
  leveldb::Env* env = nullptr;    // of the store
  PacedDevice* device = nullptr;  // modelled disk; null: the machine's own disk
  std::string directory;          // of the store

  // Usage of the process. Device bytes are those of the modelled device, if there is one.
  ProcessUsage Usage() const;
  std::function<leveldb::Status()>
      reopen;  // closes and opens the store; for single-threaded benchmarks
  // Waits until the store's background work has finished, and sets `*idle_since_ns` to that time.
  std::function<leveldb::Status(uint64_t* idle_since_ns)> wait_idle;

  int threads = 1;        // measured threads
  int64_t num = 0;        // entries written per thread
  int64_t reads = 0;      // entries read per thread
  int value_size = 0;     // bytes
  int batch_size = 1;     // entries per write
  bool sync = false;      // every write
  int first_stream = 0;   // random numbers: thread i takes stream first_stream + i
  uint64_t begin_ns = 0;  // when the threads started

  std::unique_ptr<BurstSchedule> bursts;  // does its own locking
  std::shared_ptr<LoadPlan> load;         // for the benchmark "load"
  std::atomic<const char*> phase{"run"};  // shown by the interval report
  std::atomic<int> measuring{0};          // measured threads that are still running
  // Requests of a load that were given up because the store was too slow.
  std::atomic<uint64_t> unserved{0};
  std::atomic<uint64_t> disk_bytes_max{0};   // the largest size of the store, from SampleDisk()
  std::atomic<uint64_t> operations_hash{0};  // loads: the sum of the clients' hashes
  double generator_ns_per_request = 0;       // loads: cost of generating one request
  double device_syncs_per_s = 0;             // synced loads: the device's limit

  // Any thread. Remembers the first failure and requests a stop. Workers check StopRequested()
  // regularly and return.
  void Fail(std::string_view what, const leveldb::Status& status);
  std::string failure() const;  // empty when nothing failed

 private:
  mutable std::mutex mutex_;
  std::string failure_;
};

// One client thread's state. Only that thread uses it, except for what Meter allows.
struct Worker {
  Worker(Run& run_in, int index_in, bool timed);

  // A uniformly random key number.
  uint64_t DrawKey() { return rng.Below(static_cast<uint64_t>(run.config.num)); }

  // Each result is valid until the next call of the same function.
  leveldb::Slice KeyOf(uint64_t number) {
    if (run.config.hash_keys) number = loadgen::Scatter(number, kKeyNumbers);
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
  std::string message;  // printed after the figures
};

struct WorkloadSpec {
  std::string_view name;
  void (*body)(Worker& worker);

  bool fresh_store = false;   // starts with an empty store
  int64_t num_divisor = 1;    // divides --num, for slow operations
  int64_t reads_divisor = 1;  // divides --reads
  int value_size = 0;         // overrides --value_size
  int batch_size = 1;
  bool sync = false;
  bool writes = false;      // prints "(N ops)" if it writes a number of entries other than --num
  bool one_client = false;  // allows no --threads above 1
  bool reopens = false;     // uses Run::reopen, so no other thread may use Run::db
  void (*writer)(Worker& worker) =
      nullptr;             // an extra unmeasured thread, which runs until the measured ones end
  bool long_form = false;  // a burst or open-loop benchmark: has its own batch size, sync and
                           // duration, is always timed, and ends when the store is idle
  void (*prepare)(Run& run) = nullptr;  // before the threads start; not measured
};

std::span<const WorkloadSpec> WriteWorkloads();
std::span<const WorkloadSpec> ReadWorkloads();
std::span<const WorkloadSpec> CallWorkloads();
std::span<const WorkloadSpec> CodecWorkloads();
std::span<const WorkloadSpec> BurstWorkloads();
std::span<const WorkloadSpec> LoadWorkloads();
std::span<const WorkloadSpec> QueueWorkloads();
std::span<const WorkloadSpec> ChainstateWorkloads();

std::vector<WorkloadSpec> AllWorkloads();

// Null when no workload has this name.
const WorkloadSpec* FindWorkload(std::string_view name);

// Writes random entries until every measured thread is done.
void WriteUntilMeasured(Worker& worker);

}  // namespace lull::bench
