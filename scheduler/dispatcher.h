// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The dispatcher: given what the stores' policies want, which job runs on which worker, which one
// yields, what is abandoned, and who pays for I/O. Like a policy it has no thread, lock, clock or
// file: time is an argument, and the same calls give the same commands. The coordinator runs it
// with threads, the simulator in virtual time, the tests with a script.
//
// A round: BeginRound takes back what the workers return, Measure asks each store's policy, and
// Dispatch decides. Everything is decided again in each round from the present state; little is
// remembered. One thread calls it.
//
// The rules (dispatch_rules.cc):
//
// Order. Manual compactions go first, then what is overdue in any store, then L0, then deep
//   compactions. Clean-up takes a worker that has nothing else to do, and counts in no limit.
//   Among stores, the one whose turn it is in the I/O budget; without a limit, the one that was
//   served least recently.
//
// Payment. Under a rate limit a job gets its worker for one slice, pays for it, and waits without
//   a worker until the balance is positive again. A manual compaction and clean-up draw from the
//   budget and do not wait, because a client waits for them or they are short.
//
// Preemption. If an L0 job may run and deep jobs hold all workers, or all of the store's
//   compactions_max, the deep job that began last yields at the end of its slice. If that job runs
//   at idle priority, work of normal priority does not wait for that end.
//
// Conflict. A paused job keeps its key range, so it can be in the way of an L0 job that is due. If
//   all jobs in the way are paused and less than half done, they are abandoned. (SILK abandons
//   whatever the L0 job invalidates; here a job's range is reserved, so nothing under it changes,
//   and a conflict is the only reason.) Otherwise, and always if one was abandoned and no deep job
//   ended since, they run in the L0 job's place: with its grant, its CPU priority and its part of
//   the I/O budget, and meanwhile the store begins no other deep job, which might be in the way
//   next. So L0 waits for half a job at most, and of two deep jobs in its way one ends.
//
// Ageing. A store's class that has work but got no slice for ten seconds is overdue: one job of it
//   runs at normal priority, whatever grants and budget say, until a round finds that it got a
//   slice. While a client waits for background work, or L0 stands at its stop, patience is shorter,
//   and the class stays overdue until the client, or L0, has what it waits for.
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
#include "scheduler/token_bucket.h"

namespace lull {

enum class JobId : uint64_t {};

/// How a job runs until it comes back.
struct Assignment {
  int worker = 0;
  CpuPriority cpu = CpuPriority::kNormal;  ///< of that worker
  JobClass counts_as = JobClass::kDeep;    ///< kL0 for a deep job that runs in L0's place
  bool one_slice = false;                  ///< comes back after each slice, to pay for it
  SliceBudget slice;
};

/// Carries out what the dispatcher decides, at once and in order. Its functions must not call the
/// dispatcher.
class DispatchHost {
 public:
  virtual ~DispatchHost() = default;

  /// The store's picker: a job of that class that can run now, with its key range reserved. The
  /// id is a new one.
  virtual std::optional<JobId> Pick(StoreId store, JobClass job_class) = 0;
  /// Those of `jobs`, deep ones of the store, without which an L0 job could run that now cannot.
  /// Empty if none could even without all of them.
  virtual std::vector<JobId> BlockersOfL0(StoreId store, const std::vector<JobId>& jobs) = 0;

  /// Starts the job, or resumes it. It stays with the worker until the worker's WorkerReport.
  virtual void Start(JobId job, const Assignment& assignment) = 0;
  /// Asks a running job to come back at the end of its slice.
  virtual void Pause(JobId job) = 0;
  /// The job need not come back after all.
  virtual void Continue(JobId job) = 0;
  /// The job, which runs no slice, will not be finished: frees its range and its outputs.
  virtual void Abandon(JobId job) = 0;
  /// For statistics: the job came back, or stopped waiting for its budget, and is now paused.
  virtual void Paused(JobId) {}
  /// A store that was closed has no job left, and is forgotten.
  virtual void Closed(StoreId store) = 0;
};

/// A worker's job came back: it ended, or was asked to pause, or ran the one slice it had.
struct WorkerReport {
  enum class Outcome { kMore, kDone, kFailed };

  int worker = 0;
  Outcome outcome = Outcome::kMore;
  uint64_t written_bytes = 0;  ///< since it was started or resumed
  double share_done = 0;       ///< see Job::share_done
};

/// What a store's host measured for this round.
struct Measured {
  /// All but what the dispatcher knows itself: jobs running and paused, and idle_us.
  /// background_bytes_total counts flushes only.
  Pressure pressure;
  uint64_t compaction_bytes_total = 0;  ///< written by compactions so far, slices at hand included
};

class Dispatcher {
 public:
  /// Workers 0 to compaction_threads - 1 have normal CPU priority, as many more have idle priority.
  Dispatcher(int compaction_threads, DispatchHost* host);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Between two rounds. A store that opens counts as written to at `now_nanos`.
  StoreId Open(std::unique_ptr<Policy> policy, uint64_t now_nanos);
  void SetPolicy(StoreId store, std::unique_ptr<Policy> policy);
  /// From the next round on the store is not measured, and its jobs are abandoned as they come
  /// back. Once none is left, DispatchHost::Closed.
  void Close(StoreId store);

  /// Each report is of a job that was started and did not come back since.
  void BeginRound(uint64_t now_nanos, const std::vector<WorkerReport>& reports);
  /// Once for each open store that takes part in this round. What its policy wants.
  const Directive& Measure(StoreId store, const Measured& measured);
  /// Returns when the next round is to begin at the latest, in nanoseconds. It begins earlier when
  /// a worker reports, a client writes into a store at rest, or a store's work changes.
  uint64_t Dispatch();

  PolicyState StateOfPolicy(StoreId store) const { return stores_.at(store).policy->State(); }

 private:
  static constexpr int kNoWorker = -1;
  /// Whether a policy directs jobs of the class. It does not direct manual compactions and
  /// clean-up.
  static bool IsDirected(JobClass job_class) {
    return job_class == JobClass::kL0 || job_class == JobClass::kDeep;
  }

  /// L0 or deep compactions of one store.
  struct ClassState {
    uint64_t seen_slices = 0;
    uint64_t still_since_nanos = 0;  // no slice ran since then, although there was work
    bool overdue = false;            // one job runs, whatever the policy says
  };
  struct Store {
    ClassState& of(JobClass job_class) { return classes[job_class == JobClass::kDeep]; }
    const ClassState& of(JobClass job_class) const { return classes[job_class == JobClass::kDeep]; }
    const Grant& grant(JobClass job_class) const {
      return job_class == JobClass::kL0 ? directive.l0 : directive.deep;
    }
    bool is_due(JobClass job_class) const {
      return job_class == JobClass::kL0 ? pressure.l0_due : pressure.deep_due;
    }

    StoreId id{};
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
    std::optional<uint64_t> l0_refused_at_end;  // no L0 job was to be had when so many had ended
    bool abandoned_for_l0 = false;              // since a deep job last ended
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
    uint64_t started = 0;         // the last time, as a number that grows with each start
    bool in_place_of_l0 = false;  // an L0 job that is due can only run after this one
    bool wanted = true;           // says this round; the host is told at its end
    bool told_to_pause = false;
    bool awaits_budget = false;  // if it has no worker, then only because its slice is to be paid
    std::optional<Loan> loan;    // what its slice draws from the budget
    double share_done = 0;
  };
  using Jobs = std::list<RunningJob>;
  struct Worker {
    CpuPriority cpu = CpuPriority::kNormal;
    RunningJob* job = nullptr;
  };

  // dispatcher.cc
  void TakeBack(const WorkerReport& report);
  void AbandonClosing();
  void CountJobs(Store* store) const;
  static EventKind TakeEvent(Store* store);
  void FillWorkers();
  void SortByTurn();
  bool GiveCompaction(Worker* worker);
  bool GiveToFirst(JobClass job_class, Worker* worker);
  bool GiveIfAllowed(Store* store, JobClass job_class, Worker* worker);
  RunningJob* TakeNewJob(Store* store, JobClass job_class);
  void Start(RunningJob* job, Worker* worker);
  Jobs::iterator Abandon(Jobs::iterator job);
  void TellRunning();
  void WakeAt(uint64_t nanos);

  // dispatch_rules.cc
  void NoteOverdue(Store* store, JobClass job_class);
  void ChooseWhatRuns(Store* store);
  bool Allows(const Store& store, JobClass job_class, CpuPriority cpu) const;
  bool CanPay(const Store& store, JobClass job_class);
  bool ClearWayForL0(Store* store);
  void MakeRoom();
  bool NeedsRoom(const Store& store, JobClass job_class);
  void PreemptFor(const Store& store, JobClass job_class);
  RunningJob* FindPaused(const Store& store, JobClass job_class);
  bool HasJobInPlaceOfL0(const Store& store) const;
  CpuPriority CpuOf(const RunningJob& job) const {
    return workers_[static_cast<size_t>(job.worker)].cpu;
  }
  bool LeavesIdleWorker(const RunningJob& job) const;
  bool HoldsSlot(const RunningJob& job, CpuPriority cpu) const;
  int RunningOf(const Store& store, JobClass job_class, CpuPriority cpu) const;
  int RunningCompactions(CpuPriority cpu) const;

  const int compaction_threads_;
  DispatchHost* const host_;
  std::vector<Worker> workers_;
  std::map<StoreId, Store> stores_;
  Jobs jobs_;                  // running and paused, the oldest first
  std::vector<Store*> round_;  // measured in this round
  IoBudget budget_;
  uint64_t now_nanos_ = 0;      // when this round began
  uint64_t wake_at_nanos_ = 0;  // when the next one begins at the latest
  uint64_t starts_ = 0;         // jobs started or resumed so far
  uint64_t ends_ = 0;           // jobs ended so far: what was refused before may be had now
  uint64_t stores_opened_ = 0;
};

}  // namespace lull
