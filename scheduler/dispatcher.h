// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The dispatcher decides, from the policies' directives, which job runs on which worker, which job
// yields, which is abandoned, and which waits for its I/O budget. Like a policy it has no thread,
// lock, clock or file: time is an argument, and the same calls give the same orders. The
// coordinator runs it with threads, the simulator in virtual time, the tests with a script. One
// thread calls it. It calls a store only to ask for jobs and to end them (JobSource).
//
// In each round, BeginRound takes the workers' reports, Measure asks each store's policy, and
// Dispatch decides. A round decides everything again from the current state; little is remembered.
//
// The rules (dispatch_rules.cc):
//
// Order. First what a client waits for: manual compactions, overdue work, and L0 at its stop. Among
//   these, the class of a store that was started least recently goes first, so none waits for more
//   than one job of each other. Then preload, since reads need what it loads, then L0, then deep
//   compactions. Clean-up takes a worker that has no other work. Preload and clean-up count toward
//   no limit; their jobs are short, and after ten seconds without a worker they go before all
//   others. Among stores, the one with the smallest IoBudget::Turn goes first; without a rate
//   limit, the one served least recently.
//
// Payment. Under a rate limit a job gets a worker for one slice, pays for it, and waits without a
//   worker until the balance is positive again. Manual compactions and clean-up draw from the
//   budget but do not wait: a client waits for the former, and the latter is short.
//
// Preemption. If an L0 job could run, or a job that a client waits for, but deep jobs use all
//   workers, or all of the store's compactions_max, the most recently started deep job yields at
//   the end of its slice. A manual one yields only to L0 at its stop, or overdue. A worker of idle
//   priority can take seconds to end its slice. So work of normal priority does not wait for that,
//   and takes the slot at once.
//
// Hanging. A disk can stop answering in the middle of a slice. A job that hangs uses none of the
//   slots that stores share, and another worker is added in place of its own. It still counts for
//   its own store, and once as many jobs of a store hang as there are slots, the store gets no
//   worker any more. So a sick disk takes nothing from stores on other disks.
//
// Conflict. A deep job keeps its key range reserved, also while it is paused, so it can block a due
//   L0 job. If all blocking jobs are paused and less than half done, they are abandoned. If the
//   directive says so, running ones are first asked to pause. (SILK abandons every job that an L0
//   job invalidates. Here reserved ranges prevent that, so only conflicts matter.) Otherwise, or if
//   the store has abandoned jobs for L0 and no deep job has ended since, the blocking jobs run in
//   place of the L0 job: with its grant, CPU priority and part of the I/O budget. Meanwhile the
//   store begins no other deep job, which could block L0 next. So L0 waits only for jobs that have
//   begun, and L0 cannot make the store abandon one deep job after another.
//
// Ageing. A class of a store is overdue if it has work but got no slice for ten seconds. The limit
//   is one second for L0 at its stop, and a tenth of a second while a client waits for background
//   work. Then one job of the class runs at normal priority, whatever grants and budget say, until
//   a round finds that it got a slice. With a shorter limit, it runs until L0 is below its stop or
//   the client's wait ends. Other jobs of the class run beside it as granted, but not under a rate
//   limit. A limit that the user set on background writes allows only the ten seconds.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/job.h"
#include "scheduler/policy.h"
#include "scheduler/tenant.h"
#include "scheduler/token_bucket.h"

namespace lull {

/// How a job runs until its worker returns it.
struct Assignment {
  int worker = 0;
  CpuPriority cpu = CpuPriority::kNormal;  ///< of that worker
  JobClass counts_as = JobClass::kDeep;    ///< kL0 for a deep job that runs in place of an L0 job
  bool one_slice = false;                  ///< returned after each slice, to pay for it
  SliceBudget slice;
};

/// What a worker does next. The caller obeys the orders of a round in their sequence.
struct WorkerOrder {
  enum class Kind {
    kStart,     ///< starts or resumes the job, and keeps it until its WorkerReport
    kPause,     ///< returns the job at the end of its slice
    kContinue,  ///< cancels kPause
  };

  Kind kind = Kind::kStart;
  StoreId store{};
  JobId job{};
  Assignment assignment;  ///< of kStart; of the others, only the worker
};

/// A worker returned its job: it ended, paused as asked, or ran its one slice.
struct WorkerReport {
  enum class Outcome { kMore, kDone, kFailed };

  int worker = 0;
  Outcome outcome = Outcome::kMore;
  uint64_t written_bytes = 0;  ///< since the last start or resume
  double share_done = 0;       ///< see Job::share_done
};

/// Measurements of a store for one round.
struct Measured {
  /// The caller leaves out what the dispatcher fills in: the numbers of running and paused jobs,
  /// and idle_us. background_bytes_total counts only flushes.
  Pressure pressure;
  uint64_t compaction_bytes_total = 0;  ///< written by compactions, running slices included
  bool rests = false;  ///< time alone changes nothing; a client's write begins a round
};

class Dispatcher {
 public:
  /// Workers 0 to compaction_threads - 1 have normal CPU priority; the same number of others have
  /// idle priority.
  explicit Dispatcher(int compaction_threads);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Adds a store; call between rounds. `jobs` exists until the store is removed. The time
  /// `now_nanos` counts as its last write.
  StoreId Open(JobSource* jobs, std::unique_ptr<Policy> policy, uint64_t now_nanos);
  /// Replaces a store's policy; call between rounds.
  void SetPolicy(StoreId store, std::unique_ptr<Policy> policy);
  /// From the next round on, the store is not measured, and its jobs are abandoned when they
  /// return. After the last one, BeginRound removes it.
  void Close(StoreId store);
  /// Whether the store is not yet removed.
  bool Has(StoreId store) const { return stores_.contains(store); }

  /// Begins a round at time `now_nanos`. Each report is for a job that was started and has not
  /// returned since.
  void BeginRound(uint64_t now_nanos, const std::vector<WorkerReport>& reports);
  /// Called once per round for each open store. Returns the directive of its policy.
  const Directive& Measure(StoreId store, const Measured& measured);
  /// Ends the round. Returns the latest time for the next BeginRound, on the same clock as
  /// `now_nanos`. Begin it earlier if a worker reports, a client writes into an idle store, or a
  /// store's work changes.
  uint64_t Dispatch();
  /// What was decided in the round that Dispatch ended.
  const std::vector<WorkerOrder>& orders() const { return orders_; }

  /// The slice of the worker's job has not ended for long; `hangs` false: it goes on after all.
  /// REQUIRES: the worker has a job. Call between BeginRound and Dispatch.
  void SetHanging(int worker, bool hangs);
  /// True if fewer than compaction_threads workers of that priority do not hang.
  bool LacksWorker(CpuPriority cpu) const;
  /// Adds a worker, with the next number.
  void AddWorker(CpuPriority cpu) { workers_.push_back({cpu}); }

  PolicyState StateOfPolicy(StoreId store) const { return stores_.at(store).policy->State(); }

 private:
  static constexpr int kNoWorker = -1;
  static size_t IndexOf(JobClass job_class) { return static_cast<size_t>(job_class); }
  /// True if policies direct jobs of the class. They do not direct manual compactions, clean-up and
  /// preload.
  static bool IsDirected(JobClass job_class) {
    return job_class == JobClass::kL0 || job_class == JobClass::kDeep;
  }
  /// True if jobs of the class are short and count toward no limit.
  static bool IsUnlimited(JobClass job_class) {
    return job_class == JobClass::kCleanup || job_class == JobClass::kPreload;
  }

  /// L0 or deep compactions of one store.
  struct ClassState {
    uint64_t seen_slices = 0;
    uint64_t no_progress_since_nanos = 0;  // no slice since then, although work was due
    bool overdue = false;                  // one job runs, whatever the policy says
  };
  struct Store {
    ClassState& of(JobClass job_class) { return classes[job_class == JobClass::kDeep]; }
    const ClassState& of(JobClass job_class) const { return classes[job_class == JobClass::kDeep]; }
    const Grant& grant(JobClass job_class) const {
      return job_class == JobClass::kL0 ? directive.l0 : directive.deep;
    }
    bool is_due(JobClass job_class) const {
      if (job_class == JobClass::kManual) return pressure.manual_due;
      return job_class == JobClass::kL0 ? pressure.l0_due : pressure.deep_due;
    }
    /// A client waits for a job of the class.
    bool is_awaited(JobClass job_class) const {
      if (job_class == JobClass::kManual) return pressure.manual_due;
      return of(job_class).overdue || (job_class == JobClass::kL0 && l0_is_at_stop());
    }
    bool l0_is_at_stop() const {
      return pressure.l0_due && pressure.l0_tables >= directive.l0_stop;
    }

    StoreId id{};
    JobSource* source = nullptr;
    std::unique_ptr<Policy> policy;
    Directive directive;
    Pressure pressure;
    EventKind event = EventKind::kOpened;
    std::array<ClassState, 2> classes;
    uint64_t seen_client_bytes = 0;
    uint64_t seen_write_at_nanos = 0;
    uint64_t seen_flush_bytes = 0;
    int seen_immutables = 0;
    uint64_t last_served = 0;
    std::array<uint64_t, kJobClasses> last_started{};  // by class; numbers as RunningJob::started
    std::array<uint64_t, 2>
        seen_nanos{};  // when preload and clean-up last got a worker or had none
    // By class: work was due, but no job available, at this offers_version.
    std::array<std::optional<uint64_t>, kJobClasses> refused_at;
    bool abandoned_for_l0 = false;  // since a deep job last ended
    bool rests = false;
    bool closing = false;
  };
  struct RunningJob {
    bool is_of(const Store& of, JobClass job_class) const {
      return store == &of && counts_as() == job_class;
    }
    bool runs() const { return worker != kNoWorker; }
    JobClass counts_as() const { return in_place_of_l0 ? JobClass::kL0 : job_class; }

    JobId id{};
    Store* store = nullptr;
    JobClass job_class = JobClass::kDeep;
    int worker = kNoWorker;       // none: paused
    uint64_t started = 0;         // number of its last start; numbers increase
    bool in_place_of_l0 = false;  // a due L0 job must wait for this one
    bool wanted = true;           // may run, decided this round; ordered at its end
    bool told_to_pause = false;
    bool hangs = false;
    bool awaits_budget = false;  // if it has no worker, it only waits to pay for a slice
    std::optional<Loan> loan;    // what its slice borrowed from the budget
    double share_done = 0;
  };
  using Jobs = std::list<RunningJob>;
  struct Worker {
    bool hangs() const { return job != nullptr && job->hangs; }

    CpuPriority cpu = CpuPriority::kNormal;
    RunningJob* job = nullptr;
  };

  // dispatcher.cc
  void TakeBack(const WorkerReport& report);
  void AbandonClosing();
  void CountJobs(Store* store) const;
  static EventKind TakeEvent(Store* store);
  void FillWorkers();
  int WorkersInUse(CpuPriority cpu) const;
  void SortByTurn();
  bool GiveStarved(Worker* worker);
  bool GiveAwaited(Worker* worker);
  bool GiveToFirst(JobClass job_class, Worker* worker);
  bool GiveIfAllowed(Store* store, JobClass job_class, Worker* worker);
  RunningJob* TakeNewJob(Store* store, JobClass job_class);
  void Start(RunningJob* job, Worker* worker);
  Jobs::iterator Abandon(Jobs::iterator job);
  void OrderPauses();
  void WakeAt(uint64_t nanos);

  // dispatch_rules.cc
  void NoteOverdue(Store* store, JobClass job_class);
  void ChooseWhatRuns(Store* store);
  bool Allows(const Store& store, JobClass job_class, CpuPriority cpu) const;
  bool CanPay(const Store& store, JobClass job_class);
  bool ClearWayForL0(Store* store);
  void FreeSlots();
  bool NeedsSlot(const Store& store, JobClass job_class);
  bool Yields(const RunningJob& job, const Store& to, JobClass job_class) const;
  void PreemptFor(const Store& store, JobClass job_class);
  RunningJob* FindPaused(const Store& store, JobClass job_class);
  bool HasJobInPlaceOfL0(const Store& store) const;
  CpuPriority CpuOf(const RunningJob& job) const {
    return workers_[static_cast<size_t>(job.worker)].cpu;
  }
  bool LeavesIdleWorker(const RunningJob& job) const;
  int HangingOf(const Store& store) const;
  bool HoldsSlot(const RunningJob& job, CpuPriority cpu) const;
  int RunningOf(const Store& store, JobClass job_class, CpuPriority cpu) const;
  int RunningCompactions(CpuPriority cpu) const;

  const int compaction_threads_;
  std::vector<Worker> workers_;
  std::map<StoreId, Store> stores_;
  Jobs jobs_;                  // running and paused, oldest first
  std::vector<Store*> round_;  // stores measured in this round
  std::vector<WorkerOrder> orders_;
  IoBudget budget_;
  uint64_t now_nanos_ = 0;      // start of this round
  uint64_t wake_at_nanos_ = 0;  // latest start of the next one
  uint64_t begun_ = 0;          // jobs begun so far
  uint64_t starts_ = 0;         // jobs started or resumed so far
  uint64_t stores_opened_ = 0;
};

}  // namespace lull
