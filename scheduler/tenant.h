// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store as its scheduler sees it. The dispatcher decides which jobs run, so it needs only
// JobSource. The coordinator also measures the store and has the threads, so it needs a Tenant.
// Both name a job by its id. The store owns the jobs, and alone knows what each one is.
//
// Only the monitor calls these functions, except for ClientBytes. They do no I/O.
#pragma once

#include <cstdint>
#include <vector>

#include "leveldb/status.h"
#include "scheduler/job.h"
#include "scheduler/policy.h"

namespace lull {

class JobSource {
 public:
  virtual ~JobSource() = default;

  /// Begins a job of the class that can run now, and reserves its key range until the job has
  /// failed, is installed or is abandoned. Returns false if there is no such job.
  virtual bool BeginJob(JobClass job_class, JobId id) = 0;
  /// Returns the jobs among `deep` (deep jobs of this store) that block an L0 job. Empty if no L0
  /// job could run even without all of them.
  virtual std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) = 0;
  /// For statistics: the job left its worker unfinished, or no longer waits for its budget, and is
  /// now paused.
  virtual void JobPaused(JobId) {}
  /// Drops a job that no worker has. The store deletes its partial outputs later, on a worker.
  virtual void AbandonJob(JobId id) = 0;
};

class Tenant : public JobSource {
 public:
  /// Fills in `pressure`. On entry, memory_used_bytes and memory_budget_bytes are set. The tenant
  /// sets background_bytes_total to what flushes wrote; the dispatcher adds compactions later, and
  /// counts the jobs. Returns whether the tenant rests: until something wakes the monitor, no later
  /// call would measure anything else.
  virtual bool MeasurePressure(Pressure* pressure) = 0;
  /// Applies the parts of the directive that concern clients and memtables. The dispatcher applies
  /// the grants.
  virtual void ApplyDirective(const Directive& directive) = 0;
  /// Receives the policy's state after each call of the policy.
  virtual void SetPolicyState(PolicyState) {}

  /// Returns a job that is about to begin or resume on a worker of that priority. It exists until
  /// JobEnded or AbandonJob. A job that only waits for the rate limit between slices is started
  /// repeatedly and not reported as paused.
  virtual Job* StartJob(JobId id, CpuPriority cpu) = 0;
  /// The job ended with `status`. If OK, the tenant queues it for its install on the flush thread.
  virtual void JobEnded(JobId id, const leveldb::Status& status) = 0;

  /// Changes with every client write. Any thread.
  virtual uint64_t ClientBytes() const = 0;
};

}  // namespace lull
