// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// For workloads that rest, and measure the disk space of the store: queue, churn, chainstate.
#pragma once

#include <cstdint>

#include "benchmarks/workloads/workload.h"

namespace lull::bench {

// --idle_seconds if given, else `otherwise`.
double RestSeconds(const Run& run, double otherwise);

// The rest does not count in the latency of the next operation. False if the program must stop.
bool Rest(Worker& worker, double seconds);

// Body of an unmeasured thread: keeps Run::disk_bytes_max up to date.
void SampleDisk(Worker& worker);

inline double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }
inline double Milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace lull::bench
