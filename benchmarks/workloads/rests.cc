// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/rests.h"

#include <algorithm>

#include "benchmarks/measure/platform.h"

namespace lull::bench {
namespace {

constexpr uint64_t kSampleNs = kNsPerSecond / 50;

}  // namespace

double RestSeconds(const Run& run, double otherwise) {
  return run.config.given.contains("idle_seconds") ? run.config.idle_seconds.front() : otherwise;
}

bool Rest(Worker& worker, double seconds) {
  worker.run.phase = "rest";
  SleepUntilNs(NowNs() + static_cast<uint64_t>(seconds * kNsPerSecond), StopRequested());
  worker.meter.Resume(NowNs());
  return !StopRequested();
}

void SampleDisk(Worker& worker) {
  Run& run = worker.run;
  while (run.measuring.load() > 0 && !StopRequested()) {
    run.disk_bytes_max = std::max(run.disk_bytes_max.load(), DirectoryBytes(run.directory));
    SleepUntilNs(NowNs() + kSampleNs);
  }
}

}  // namespace lull::bench
