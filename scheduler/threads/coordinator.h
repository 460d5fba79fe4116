// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator runs the threads of compactions. All stores of a process share one, unless a
// store asks for its own. The monitor measures the stores, lets the dispatcher decide, and executes
// its decisions. The coordinator itself decides nothing.
//
//   monitor   runs the dispatcher's rounds: on a tick, and on every event. The only thread that
//             calls policies and assigns jobs.
//   workers   compaction_threads of normal and the same number of idle CPU priority. Each runs one
//             job until it ends or is asked to pause. A job changes priority by moving to a worker
//             of the other kind (see CpuClass).
//
// Nothing that touches the disk of one store runs on a thread that another store needs. So the
// monitor does no I/O, and a worker whose slice does not end is replaced by another one. Flushes
// and installs have a thread of their own in each store (flush_thread.h).
//
// Workers of idle priority take no lock that another thread waits for. Otherwise that thread would
// have to wait until the worker gets CPU time. They communicate with the monitor through atomics.
//
// Lock order: the coordinator holds no lock when it calls a tenant. A caller of the coordinator
// holds no lock that a tenant's functions take. The Wake calls and the memory counters take no
// lock, so they can be called under any lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/dispatcher.h"
#include "scheduler/job.h"
#include "scheduler/policy.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull {

/// The coordinator's view of a store.
class Tenant {
 public:
  virtual ~Tenant() = default;

  // Only the monitor calls these functions, except for ClientBytes. They do no I/O.

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
  /// Returns a job of the class that can run now, or nullptr. Its key range is reserved until the
  /// job has failed, is installed or is abandoned.
  virtual std::unique_ptr<Job> NextJob(JobClass job_class) = 0;
  /// For statistics. JobStarted: the job is about to begin or resume on a worker of that priority.
  /// JobPaused: it left its worker and waits for another. A job that only waits for the rate limit
  /// between slices is started repeatedly and not reported as paused.
  virtual void JobStarted(const Job&, CpuPriority) {}
  virtual void JobPaused(const Job&) {}
  /// Takes a job that ended with `status`. If OK, the tenant queues it for its install on the flush
  /// thread.
  virtual void JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) = 0;
  /// Takes a job that will not be finished. The tenant deletes its partial outputs later, on a
  /// worker.
  virtual void AbandonJob(std::unique_ptr<Job> job) = 0;
  /// Returns the jobs among `jobs` (deep jobs of this tenant) that block an L0 job. Empty if no L0
  /// job could run even without all of them.
  virtual std::vector<const Job*> BlockersOfL0(const std::vector<const Job*>& jobs) = 0;

  /// Changes with every client write. Any thread.
  virtual const std::atomic<uint64_t>& ClientBytes() const = 0;
};

struct CoordinatorOptions {
  int compaction_threads = 2;
  uint64_t memory_budget_bytes = 64u << 20;
  Clock* clock = Clock::System();
  ThreadFactory* threads = ThreadFactory::System();
};

class Coordinator : private DispatchHost {
 public:
  explicit Coordinator(const CoordinatorOptions& options);
  /// Stops the threads. REQUIRES: no tenant is registered.
  ~Coordinator() override;
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Starts the threads. Call once, before Register. After a failure the coordinator is unusable.
  leveldb::Status StartThreads();

  /// Returns the instance that the stores of this process share. The first caller creates it with
  /// its `options`; those of later callers are ignored. IOError if a thread cannot start. A forked
  /// child gets its own.
  static leveldb::Status Shared(const CoordinatorOptions& options,
                                std::shared_ptr<Coordinator>* result);

  Clock* clock() const { return options_.clock; }
  int compaction_threads() const { return options_.compaction_threads; }

  /// The coordinator calls the tenant from Register until Unregister returns. By then all jobs of
  /// the tenant have gone back to it. Unregister waits for at most one slice of each of its jobs,
  /// and never for other tenants.
  void Register(Tenant* tenant, std::unique_ptr<Policy> policy);
  void Unregister(Tenant* tenant);

  /// The tenant gets this policy in the monitor's next round. Before the policy's first event, the
  /// monitor calls `at_change` without a lock, to make related changes. A later call replaces one
  /// that has not taken effect. Any thread. REQUIRES: the tenant is registered.
  void SetPolicy(Tenant* tenant, std::unique_ptr<Policy> policy, std::function<void()> at_change);

  /// Makes the monitor look for work now. Any thread, with or without locks.
  void WakeMonitor() { monitor_signal_->Wake(); }

  /// Count the memory of sealed memtables, and of active ones past their opening size, of all
  /// tenants. In bytes. Any thread, with or without locks.
  void AddMemory(uint64_t bytes) { memory_used_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void ReleaseMemory(uint64_t bytes) {
    memory_used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  /// Returns false, and adds nothing, if that would exceed the budget.
  bool TryAddMemory(uint64_t bytes) {
    const uint64_t used = memory_used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used <= options_.memory_budget_bytes) return true;
    ReleaseMemory(bytes);
    return false;
  }
  uint64_t memory_used_bytes() const { return memory_used_bytes_.load(std::memory_order_relaxed); }
  uint64_t memory_budget_bytes() const { return options_.memory_budget_bytes; }
  uint64_t memory_left_bytes() const {
    return options_.memory_budget_bytes -
           std::min(options_.memory_budget_bytes, memory_used_bytes());
  }
  /// The number of tenants that share the budget. Any thread.
  size_t tenant_count() const { return tenant_count_.load(std::memory_order_relaxed); }

 private:
  struct Worker;  // a thread and its current job
  struct Entry;   // a registered tenant
  /// A job that began and has not ended: on a worker, or paused.
  struct HeldJob {
    JobId id{};
    std::shared_ptr<Entry> entry;
    std::unique_ptr<Job> job;
    Worker* worker = nullptr;
    uint64_t reported_bytes = 0;  // written bytes reported so far
  };

  std::shared_ptr<Entry> FindLocked(const Tenant* tenant) const LULL_REQUIRES(mutex_);

  leveldb::Status StartWorker(CpuPriority cpu);
  static void WorkerLoop(Worker* worker);
  static void RunJob(Worker* worker);

  // Monitor only.
  void MonitorLoop();
  uint64_t RunRound();
  std::vector<std::shared_ptr<Entry>> UpdateStores() LULL_EXCLUDES(mutex_);
  std::vector<WorkerReport> CollectReports();
  void NoteHanging();
  void Measure(Entry* entry);

  // DispatchHost, monitor only.
  std::optional<JobId> Pick(StoreId store, JobClass job_class) override;
  std::vector<JobId> BlockersOfL0(StoreId store, const std::vector<JobId>& jobs) override;
  void Start(JobId job, const Assignment& assignment) override;
  void Pause(JobId job) override;
  void Continue(JobId job) override;
  void Abandon(JobId job) override;
  void Paused(JobId job) override;
  void Closed(StoreId store) override LULL_EXCLUDES(mutex_);

  const CoordinatorOptions options_;
  std::atomic<uint64_t> memory_used_bytes_{0};
  std::atomic<size_t> tenant_count_{0};
  std::atomic<bool> stopping_{false};
  const std::shared_ptr<WakeSignal> monitor_signal_ = std::make_shared<WakeSignal>();

  Mutex mutex_;
  CondVar released_;
  std::vector<std::shared_ptr<Entry>> entries_ LULL_GUARDED_BY(mutex_);

  // Monitor only, after the threads have started.
  std::vector<std::shared_ptr<Worker>> workers_;
  Dispatcher dispatcher_;
  std::map<StoreId, std::shared_ptr<Entry>> stores_;  // those that the dispatcher knows
  std::map<JobId, HeldJob> jobs_;
  uint64_t jobs_picked_ = 0;

  std::unique_ptr<ThreadHandle> monitor_thread_;
};

}  // namespace lull
