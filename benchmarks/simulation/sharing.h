// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How threads share the cores and the device. Each is shared evenly among the threads that want it,
// and what one thread does not need goes to the others (max-min fairness). Linux's scheduler does
// the same over some milliseconds, and so does a device that serves one request of each thread in
// turn. Threads of the idle class get what those of the normal class leave.
//
// A background thread computes, reads and writes in turn. Its speed follows from the time that a
// job would take alone, and cannot exceed its share of either resource.
#pragma once

#include <optional>
#include <span>

#include "scheduler/job.h"
#include "scheduler/policy.h"

namespace lull::sim {

struct Demand {
  double wanted = 0;
  double weight = 1;  ///< number of threads with this demand
  double granted = 0;
};

/// Sets `granted`, at most `wanted` each and `capacity` in total. Serves small demands first.
void ShareOut(double capacity, std::span<Demand> demands);

/// One value per class of background work.
struct ByClass {
  /// nullopt: flushes.
  double& of(std::optional<JobClass> job_class) {
    return !job_class ? flush : *job_class == JobClass::kL0 ? l0 : deep;
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

/// A running background thread. The first fields describe the whole job.
struct BackgroundThread {
  std::optional<JobClass> job_class;  ///< nullopt: a flush
  CpuPriority cpu = CpuPriority::kNormal;
  double cpu_seconds = 0;
  double device_seconds = 0;  ///< with exclusive use of the device
  double write_bytes = 0;
  double bytes_per_sec_max = 0;  ///< limit on what it writes; 0: none

  double speed = 0;  ///< result: jobs per second

  /// Whether the limit is what slows it.
  [[nodiscard]] bool IsAtLimit() const {
    return bytes_per_sec_max > 0 && speed * write_bytes >= 0.999 * bytes_per_sec_max;
  }
};

/// The clients' demand: cores, device seconds per second, and number of threads.
struct ClientShare {
  double cores = 0;
  double device = 0;
};

/// Sets the threads' speeds, and returns what the clients get of their demand.
/// `background_bytes_per_sec` is RocksDB's rate limit: flushes take what they need, and all
/// compactions share the rest in proportion; 0: none. The dispatcher applies Lull's limit.
ClientShare ShareMachine(double cores, const ClientShare& clients, int client_threads,
                         std::span<BackgroundThread> threads, double background_bytes_per_sec = 0);

}  // namespace lull::sim
