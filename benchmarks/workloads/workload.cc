// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/workload.h"

#include <algorithm>
#include <array>

namespace lull::bench {

ProcessUsage Run::Usage() const {
  ProcessUsage usage = ReadProcessUsage(config.db);
  if (device != nullptr) {
    usage.device_write_bytes = static_cast<int64_t>(device->WrittenBytes());
    usage.device_read_bytes = 0;
    usage.device_reads = 0;
  }
  return usage;
}

void Run::Fail(std::string_view what, const leveldb::Status& status) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = std::string(what) + ": " + status.ToString();
  RequestStop();
}

std::string Run::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// Every thread of every benchmark has its own random stream, far from the others. The constant only
// has to differ from SplitMix64's increment.
Worker::Worker(Run& run_in, int index_in, bool timed)
    : run(run_in),
      index(index_in),
      entry_bytes(static_cast<uint64_t>(run.config.key_prefix) + KeyText::kDigits +
                  static_cast<uint64_t>(run.value_size)),
      rng(run.config.seed + static_cast<uint64_t>(run.first_stream + index) * 0xd1342543de82ef95u),
      key(static_cast<size_t>(run.config.key_prefix)),
      values(run.config.compression_ratio, static_cast<size_t>(run.value_size), run.config.seed),
      meter(timed) {}

namespace {

std::array<std::span<const WorkloadSpec>, 8> Tables() {
  return {WriteWorkloads(), ReadWorkloads(), CallWorkloads(),  CodecWorkloads(),
          BurstWorkloads(), LoadWorkloads(), QueueWorkloads(), ChainstateWorkloads()};
}

}  // namespace

std::vector<WorkloadSpec> AllWorkloads() {
  std::vector<WorkloadSpec> all;
  for (const std::span<const WorkloadSpec> table : Tables()) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

const WorkloadSpec* FindWorkload(std::string_view name) {
  for (const std::span<const WorkloadSpec> table : Tables()) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [name](const WorkloadSpec& spec) { return spec.name == name; });
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

}  // namespace lull::bench
