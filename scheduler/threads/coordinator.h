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
#include <vector>

#include "scheduler/dispatcher.h"
#include "scheduler/policy.h"
#include "scheduler/tenant.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull {

struct CoordinatorOptions {
  int compaction_threads = 2;
  uint64_t memory_budget_bytes = kDefaultMemoryBudgetBytes;
  Clock* clock = Clock::System();
  ThreadFactory* threads = ThreadFactory::System();
};

class Coordinator {
 public:
  explicit Coordinator(const CoordinatorOptions& options);
  /// Stops the threads. REQUIRES: no tenant is registered.
  ~Coordinator();

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

  void Obey(const WorkerOrder& order);
  void ReleaseClosed() LULL_EXCLUDES(mutex_);

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

  std::unique_ptr<ThreadHandle> monitor_thread_;
};

}  // namespace lull
