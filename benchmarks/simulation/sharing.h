// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Who gets how much of the cores and of the device. Both are shared evenly among the threads that
// want them, and what one does not need the others have (max-min fairness): that is what Linux's
// scheduler comes to over some milliseconds, and a device that serves one request of each in turn.
// Threads of the idle class get what those of the normal class leave.
//
// A background thread computes, reads and writes in turn: its speed follows from the time that a
// job would take alone, and cannot exceed its share of either resource.
#pragma once

#include <span>

#include "scheduler/job.h"
#include "scheduler/policy.h"

namespace lull::sim {

struct Demand {
  double wanted = 0;
  double weight = 1;  ///< threads it comes from: their number counts in the sharing
  double granted = 0;
};

/// Fills in `granted`: no more than wanted, no more in sum than `capacity`, and the smallest first.
void ShareOut(double capacity, std::span<Demand> demands);

/// Of each class of background work.
struct ByClass {
  double& of(JobClass job_class) {
    return job_class == JobClass::kFlush ? flush : job_class == JobClass::kL0 ? l0 : deep;
  }
  double sum() const { return flush + l0 + deep; }
  void Add(const ByClass& other) {
    flush += other.flush;
    l0 += other.l0;
    deep += other.deep;
  }

  double flush = 0;
  double l0 = 0;
  double deep = 0;
};

/// A thread at work. The first fields describe the whole job.
struct BackgroundThread {
  JobClass job_class = JobClass::kFlush;
  CpuPriority cpu = CpuPriority::kNormal;
  double cpu_seconds = 0;
  double device_seconds = 0;  ///< if it had the device for itself
  double write_bytes = 0;

  double speed = 0;  ///< result: jobs a second
};

/// What the clients want: cores, device seconds a second, and from how many threads.
struct ClientShare {
  double cores = 0;
  double device = 0;
};

/// Sets the threads' speeds, and returns what the clients get of what they want.
/// `background_bytes_per_sec`: RocksDB's rate limit, of which flushes take what they need and all
/// compactions equal parts of the rest; 0: none. Lull's limit is the dispatcher's.
ClientShare ShareMachine(double cores, const ClientShare& clients, int client_threads,
                         std::span<BackgroundThread> threads, double background_bytes_per_sec = 0);

}  // namespace lull::sim
