// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator: the threads of background work, shared by all stores of a process (unless a
// store asks for its own). The monitor measures the stores, lets the dispatcher decide, and carries
// out what it decides. The coordinator decides nothing itself.
//
//   flush thread   installs finished jobs, prepares WALs, flushes memtables: slice by slice, store
//                  after store. The only thread that writes a MANIFEST, so installs are in order by
//                  construction.
//   monitor        runs the dispatcher's rounds: on a tick, and whenever something happened. The
//                  only thread that calls policies and hands out jobs.
//   workers        compaction_threads of normal and as many of idle CPU priority; each runs one job
//                  until it ends or is asked to pause. A job changes priority by moving between the
//                  two kinds (see CpuClass).
//
// Workers of idle priority take no lock that anyone else waits for: a thread that holds a lock
// while it gets no CPU would hold up the threads that want it. They talk to the monitor through
// atomics.
//
// Lock order: no lock that a tenant's functions take is held when the coordinator is called, except
// for the Wake calls and the memory counters, which take no lock. The coordinator holds none when
// it calls a tenant.
#pragma once

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

/// A store, as the coordinator sees it.
class Tenant {
 public:
  virtual ~Tenant() = default;

  // The functions up to BlockersOfL0 are called by the monitor only, and do no I/O.

  /// `pressure` comes with the memory of all tenants filled in, and goes back with what flushes
  /// wrote as background_bytes_total: the coordinator adds the compactions, and counts the jobs.
  virtual void MeasurePressure(Pressure* pressure) = 0;
  virtual void ApplyDirective(const Directive& directive) = 0;
  /// What the policy reports of itself, each time it was asked.
  virtual void PolicyStateIs(PolicyState) {}
  /// A job of that class that may run now, or nullptr. Its ranges count as in flight until it is
  /// finished or abandoned.
  virtual std::unique_ptr<Job> NextJob(JobClass job_class) = 0;
  /// The job is about to begin, or to go on, on a worker of that priority; it was taken from its
  /// worker and waits for another. Under a limit of the budget it goes on again and again, and is
  /// not paused in between.
  virtual void JobStarted(const Job&, CpuPriority) {}
  virtual void JobPaused(const Job&) {}
  /// Takes back a job that ended with `status`; a good one is queued for its install on the flush
  /// thread.
  virtual void JobEnded(std::unique_ptr<Job> job, const leveldb::Status& status) = 0;
  /// Takes back a job that will not be finished; its partial outputs are removed, later.
  virtual void AbandonJob(std::unique_ptr<Job> job) = 0;
  /// Those of `jobs`, deep ones of this tenant, without which an L0 job could run that now cannot.
  /// Empty if none could even without all of them.
  virtual std::vector<const Job*> BlockersOfL0(const std::vector<const Job*>& jobs) = 0;

  /// Flush thread only: does the most urgent piece of its work, about one slice. Returns in how
  /// many nanoseconds it wants to be called again (0: there is more to do now); nullopt: not before
  /// WakeFlush.
  virtual std::optional<uint64_t> RunFlushSlice() = 0;

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
  /// Ends the threads. REQUIRES: no tenant is registered.
  ~Coordinator() override;
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Starts the threads; to be called once, before Register. After a failure the coordinator is of
  /// no use.
  leveldb::Status StartThreads();

  /// The one that the stores of this process share; started with `options` if there is none now. A
  /// forked child gets one of its own.
  static leveldb::Status Shared(const CoordinatorOptions& options,
                                std::shared_ptr<Coordinator>* result);

  Clock* clock() const { return options_.clock; }
  int compaction_threads() const { return options_.compaction_threads; }

  /// From here on the tenant is called, until Unregister returns: then none of its jobs is left, in
  /// no thread. Unregister waits for one slice of each of its jobs at most, and for nothing that
  /// belongs to other tenants.
  void Register(Tenant* tenant, std::unique_ptr<Policy> policy);
  void Unregister(Tenant* tenant);

  /// From the monitor's next round on `policy` is the tenant's; `at_change` is called by the
  /// monitor in between, to change what goes with it. Where a change is still waiting, the later
  /// one stands. Any thread. REQUIRES: the tenant is registered.
  void SetPolicy(Tenant* tenant, std::unique_ptr<Policy> policy, std::function<void()> at_change);

  /// Something happened that the flush thread, or the monitor, should look at. Any thread, any lock
  /// held.
  void WakeFlush() { flush_signal_.Wake(); }
  void WakeMonitor() { monitor_signal_->Wake(); }

  /// Memory of sealed memtables, and what active ones took beyond their size; all tenants.
  void AddMemory(uint64_t bytes) { memory_used_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void ReleaseMemory(uint64_t bytes) {
    memory_used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  /// False, and nothing is added, where that would be more than the budget.
  bool TryAddMemory(uint64_t bytes) {
    const uint64_t used = memory_used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (used <= options_.memory_budget_bytes) return true;
    ReleaseMemory(bytes);
    return false;
  }
  uint64_t memory_used_bytes() const { return memory_used_bytes_.load(std::memory_order_relaxed); }
  uint64_t memory_budget_bytes() const { return options_.memory_budget_bytes; }

 private:
  struct Worker;  // a thread and the job in its hands
  struct Entry;   // a registered tenant
  /// A job that began and did not end: in a worker's hands, or paused.
  struct HeldJob {
    JobId id{};
    std::shared_ptr<Entry> entry;
    std::unique_ptr<Job> job;
    Worker* worker = nullptr;
    uint64_t reported_bytes = 0;  // of what it wrote
  };

  std::shared_ptr<Entry> FindLocked(const Tenant* tenant) const LULL_REQUIRES(mutex_);

  void FlushLoop();
  bool EnterFlush(const std::shared_ptr<Entry>& entry) LULL_EXCLUDES(mutex_);
  void LeaveFlush() LULL_EXCLUDES(mutex_);

  static void WorkerLoop(Worker* worker);
  static void RunJob(Worker* worker);

  // Monitor only.
  void MonitorLoop();
  uint64_t RunRound();
  std::vector<std::shared_ptr<Entry>> UpdateStores() LULL_EXCLUDES(mutex_);
  std::vector<WorkerReport> CollectReports();
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
  std::atomic<bool> stopping_{false};
  WakeSignal flush_signal_;
  const std::shared_ptr<WakeSignal> monitor_signal_ = std::make_shared<WakeSignal>();

  Mutex mutex_;
  CondVar released_;
  std::vector<std::shared_ptr<Entry>> entries_ LULL_GUARDED_BY(mutex_);
  std::shared_ptr<Entry> in_flush_ LULL_GUARDED_BY(mutex_);  // whom the flush thread works for now

  std::vector<std::shared_ptr<Worker>> workers_;  // constant once the threads run
  // Monitor only.
  Dispatcher dispatcher_;
  std::map<StoreId, std::shared_ptr<Entry>> stores_;  // that the dispatcher knows
  std::map<JobId, HeldJob> jobs_;
  uint64_t jobs_picked_ = 0;

  std::unique_ptr<ThreadHandle> flush_thread_;
  std::unique_ptr<ThreadHandle> monitor_thread_;
};

}  // namespace lull
