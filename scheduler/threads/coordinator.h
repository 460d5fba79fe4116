// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator: the threads of background work, shared by all stores of a process (unless a
// store asks for its own). It measures, asks each store's policy, and makes what the policies want
// so. It decides nothing else, except for the hard limits, which no policy can lift.
//
//   flush thread   installs finished jobs, prepares WALs, flushes memtables: slice by slice, store
//                  after store. The only thread that writes a MANIFEST, so installs are in order by
//                  construction.
//   monitor        the one thread that makes decisions: takes reports of workers, measures
//                  pressure, calls policies, hands jobs to workers, and asks running ones to pause.
//   workers        compaction_threads of normal and as many of idle CPU priority; each runs the one
//                  job in its hands until it is done or asked to pause. A job changes priority by
//                  moving between the two kinds (see CpuClass).
//
// What no policy can do (coordinator_rules.cc says how):
//   - exceed the I/O budget: under a limit a job gets its worker for one slice at a time, and waits
//     without one until that slice is paid for;
//   - keep a paused deep job in the way of an L0 job that is due: it is discarded, or finished in
//     the L0 job's place;
//   - starve anything: what has been due and still for long runs, whatever the policy says. How
//     long depends on who waits for it.
//
// Workers of idle priority take no lock that anyone else waits for: they talk to the monitor
// through atomics, since a thread that holds a lock while it gets no CPU would hold up whoever
// wants that lock.
//
// Lock order: no lock that a tenant's functions take is held when the coordinator is called, except
// for the Wake calls and the memory counters, which take no lock; and the coordinator holds none
// when it calls a tenant.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/job.h"
#include "scheduler/policy.h"
#include "scheduler/token_bucket.h"
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

class Coordinator {
 public:
  explicit Coordinator(const CoordinatorOptions& options);
  /// Ends the threads. REQUIRES: no tenant is registered.
  ~Coordinator();
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
  struct Worker;
  struct Lane;        // L0 or deep compactions of one tenant
  struct Entry;       // a registered tenant
  struct RunningJob;  // a job and where it is

  void FlushLoop();
  std::shared_ptr<Entry> FindLocked(const Tenant* tenant) const LULL_REQUIRES(mutex_);
  bool EnterFlush(const std::shared_ptr<Entry>& entry) LULL_EXCLUDES(mutex_);
  void LeaveFlush() LULL_EXCLUDES(mutex_);
  void MonitorLoop();
  static void WorkerLoop(Worker* worker);
  static void RunJob(Worker* worker);

  // Monitor only. coordinator.cc:
  void MonitorRound();
  void BeginRound() LULL_EXCLUDES(mutex_);
  void CollectReports();
  void TakeBack(Worker* worker, RunningJob* job);
  void AskPolicies();
  void CountJobs(Entry* entry) const;
  void FillWorkers();
  bool GiveOverdueWork(Worker* worker);
  bool GiveWork(Entry* entry, JobClass job_class, Worker* worker);
  RunningJob* TakeNewJob(Entry* entry, JobClass job_class);
  void Start(RunningJob* job, Worker* worker);
  void AbandonClosing() LULL_EXCLUDES(mutex_);
  void WakeMonitorAt(uint64_t nanos);

  // Monitor only. coordinator_rules.cc:
  void NoteOverdue(Entry* entry);
  void ChooseWhatRuns(Entry* entry);
  void MakeRoom();
  bool NeedsRoom(const Entry& entry, int lane);
  void PreemptFor(const Entry& entry, int lane);
  void ApplyPauses();
  bool Allows(const Entry& entry, JobClass job_class, CpuPriority cpu) const;
  bool CanPay(const Entry& entry, JobClass job_class);
  bool ClearWayForL0(Entry* entry);
  RunningJob* FindPaused(const Entry& entry, JobClass job_class);
  static bool LeavesIdleWorker(const RunningJob& job);
  static bool HoldsSlot(const RunningJob& job, CpuPriority cpu);
  int RunningOf(const Entry& entry, int lane, CpuPriority cpu) const;
  int RunningCompactions(CpuPriority cpu) const;

  const CoordinatorOptions options_;
  std::atomic<uint64_t> memory_used_bytes_{0};
  std::atomic<bool> stopping_{false};
  WakeSignal flush_signal_;
  const std::shared_ptr<WakeSignal> monitor_signal_ = std::make_shared<WakeSignal>();

  Mutex mutex_;
  CondVar released_;
  std::vector<std::shared_ptr<Entry>> entries_ LULL_GUARDED_BY(mutex_);
  std::shared_ptr<Entry> in_flush_ LULL_GUARDED_BY(mutex_);  // whom the flush thread works for now

  std::vector<std::shared_ptr<Worker>> workers_;  // constant after construction
  // Monitor only.
  std::list<RunningJob> jobs_;                 // all jobs, running and paused
  std::vector<std::shared_ptr<Entry>> round_;  // the tenants of this round
  uint64_t now_nanos_ = 0;                     // when this round began
  uint64_t wake_at_nanos_ = 0;                 // when the next one begins at the latest
  IoBudget budget_;
  uint64_t service_counter_ = 0;  // who was served when: fairness among tenants
  uint64_t ends_ = 0;             // jobs ended so far: what was refused before may be had now

  std::unique_ptr<ThreadHandle> flush_thread_;
  std::unique_ptr<ThreadHandle> monitor_thread_;
};

}  // namespace lull
