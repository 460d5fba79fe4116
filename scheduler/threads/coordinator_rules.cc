// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which jobs run, given what the policies say: grants, the I/O budget, and the rules that are above
// every policy. All of it is decided anew in each round of the monitor from what is so now.
//
// Conflict. A paused job keeps its key range, so it can be in the way of an L0 compaction that is
//   due and granted. If all jobs in the way are paused and less than half done, they are discarded,
//   and L0 goes ahead (SILK discards whatever the L0 job invalidated; here nothing that a job holds
//   can change under it, because its range is reserved, so this is the only reason to discard one).
//   Otherwise, and always when one was discarded and no deep job was finished since, they go on in
//   the L0 job's place: with its grant, its CPU priority, its part of the budget. So L0 waits for
//   half a job at most, and of two deep jobs in its way one is finished.
//
// Pre-emption. When no worker is left for an L0 job that may run, because deep jobs hold them or
//   the store's share of them, the deep job that began last makes room, at the end of its slice.
//   If it runs at idle priority, work of normal priority does not wait for that end.
//
// Ageing. What is due, or paused, and got no slice for kPatienceNanos is overdue: one job of its
//   lane runs at normal CPU priority, whatever grants and budget say, for a slice, and before what
//   is due in other stores. While a client waits for background work, or L0 stands at its stop,
//   patience is shorter, and what is overdue then stays so until the client, or L0, has what it
//   waits for.
#include <algorithm>
#include <utility>

#include "scheduler/threads/coordinator_state.h"

namespace lull {
namespace {

constexpr uint64_t kPatienceNanos = 10'000'000'000;
// LevelDB's own rules make L0 wait at its stop for a compaction that runs; those are done by then.
constexpr uint64_t kPatienceAtStopNanos = 1'000'000'000;
constexpr uint64_t kPatienceInDrainNanos = 100'000'000;

constexpr double kShareWorthFinishing = 0.5;

}  // namespace

void Coordinator::NoteOverdue(Entry* entry) {
  const Pressure& pressure = entry->pressure;
  const bool at_stop = pressure.l0_due && pressure.l0_tables >= entry->directive.l0_stop;
  for (int index = 0; index < kLanes; ++index) {
    Lane& lane = entry->lanes[index];
    const bool has_paused = std::any_of(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
      return job.entry.get() == entry && job.lane() == index;
    });
    const bool is_due = index == kL0Lane ? pressure.l0_due : pressure.deep_due;
    const uint64_t slices = lane.slices.load(std::memory_order_relaxed);
    const bool moved = std::exchange(lane.seen_slices, slices) != slices;
    if (!is_due && !has_paused) lane.overdue = false;
    if ((!is_due && !has_paused) || moved) lane.still_since_nanos = now_nanos_;

    uint64_t patience = kPatienceNanos;
    if (at_stop && index == kL0Lane) patience = kPatienceAtStopNanos;
    if (pressure.drain_requested) patience = kPatienceInDrainNanos;
    if (moved && patience == kPatienceNanos) lane.overdue = false;
    if (!is_due && !has_paused) continue;
    if (now_nanos_ - lane.still_since_nanos >= patience) lane.overdue = true;
    if (!lane.overdue) WakeMonitorAt(lane.still_since_nanos + patience);
  }
}

/// Says of each job in a worker's hands whether it may stay there: not beyond its grant, not at a
/// CPU priority that is no longer wanted, and not unpaid under a limit.
void Coordinator::ChooseWhatRuns(Entry* entry) {
  const Directive& directive = entry->directive;
  const bool limited = budget_.IsLimited(*entry->budget_id);
  int kept_in_all = 0;
  for (int index = 0; index < kLanes; ++index) {
    const Grant& grant = index == kL0Lane ? directive.l0 : directive.deep;
    const bool overdue = entry->lanes[index].overdue;
    int kept = 0;
    for (RunningJob& job : jobs_) {
      if (job.entry.get() != entry) continue;
      if (!entry->pressure.l0_due) job.in_place_of_l0 = false;
      if (job.lane() != index) continue;
      if (job.awaits_budget && grant.jobs_max == 0) {
        job.awaits_budget = false;
        entry->tenant->JobPaused(*job.job);
      }
      if (job.worker == nullptr) continue;
      // What leaves an idle worker is not granted again: its slot may be in use.
      const bool granted = kept < grant.jobs_max && kept_in_all < directive.compactions_max &&
                           job.worker->cpu == grant.cpu && !LeavesIdleWorker(job);
      const bool outranks = overdue && kept == 0 && job.worker->cpu == CpuPriority::kNormal;
      job.wanted = (granted && (!limited || job.loan)) || outranks;
      job.awaits_budget = granted && limited;
      if (granted || outranks) ++kept, ++kept_in_all;
    }
  }
}

bool Coordinator::Allows(const Entry& entry, JobClass job_class, CpuPriority cpu) const {
  const int lane = LaneOf(job_class);
  if (lane == kNoLane) return cpu == CpuPriority::kNormal;
  const int running = RunningOf(entry, lane, cpu);
  if (entry.lanes[lane].overdue) return running == 0 && cpu == CpuPriority::kNormal;
  const Directive& directive = entry.directive;
  const Grant& grant = lane == kL0Lane ? directive.l0 : directive.deep;
  return grant.cpu == cpu && running < grant.jobs_max &&
         RunningOf(entry, kL0Lane, cpu) + RunningOf(entry, kDeepLane, cpu) <
             directive.compactions_max;
}

/// Whether a slice may begin as far as the budget is concerned. A client waits for a manual
/// compaction, so that draws and is not held up; so does what is overdue.
bool Coordinator::CanPay(const Entry& entry, JobClass job_class) {
  const int lane = LaneOf(job_class);
  if (lane == kNoLane || entry.lanes[lane].overdue) return true;
  const IoClass io_class = lane == kL0Lane ? IoClass::kUrgent : IoClass::kDeep;
  const uint64_t wait = budget_.WaitNanos(*entry.budget_id, io_class, now_nanos_);
  if (wait > 0) WakeMonitorAt(now_nanos_ + wait);
  return wait == 0;
}

/// An L0 job is due and cannot be had: deals with deep jobs in its way. True if it may be had now.
bool Coordinator::ClearWayForL0(Entry* entry) {
  std::vector<const Job*> deep;
  for (const RunningJob& job : jobs_) {
    if (job.entry.get() == entry && job.job->job_class() == JobClass::kDeep)
      deep.push_back(job.job.get());
  }
  if (deep.empty()) return false;
  const std::vector<const Job*> in_way = entry->tenant->BlockersOfL0(deep);
  const auto blocks = [&](const RunningJob& job) {
    return std::find(in_way.begin(), in_way.end(), job.job.get()) != in_way.end();
  };
  const bool discard = !in_way.empty() && !entry->discarded_for_l0 &&
                       std::all_of(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
                         return !blocks(job) || (job.worker == nullptr &&
                                                 job.job->share_done() < kShareWorthFinishing);
                       });
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto next = std::next(job);
    if (blocks(*job) && discard) {
      entry->tenant->AbandonJob(std::move(job->job));
      jobs_.erase(job);
      ++ends_;
    } else if (blocks(*job)) {
      job->in_place_of_l0 = true;
    }
    job = next;
  }
  if (discard) entry->discarded_for_l0 = true;
  return discard;
}

void Coordinator::MakeRoom() {
  for (const auto& entry : round_) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (NeedsRoom(*entry, lane)) PreemptFor(*entry, lane);
    }
  }
}

/// Whether there is a job that should run now and is only kept from it by deep jobs.
bool Coordinator::NeedsRoom(const Entry& entry, int lane) {
  const bool overdue = entry.lanes[lane].overdue;
  if (lane == kDeepLane && !overdue) return false;
  if (lane == kL0Lane && !overdue && entry.directive.l0.jobs_max == 0) return false;
  if (RunningOf(entry, lane, CpuPriority::kNormal) > 0) return false;
  const JobClass job_class = lane == kL0Lane ? JobClass::kL0 : JobClass::kDeep;
  const bool is_due = lane == kL0Lane ? entry.pressure.l0_due && entry.l0_refused_at_end != ends_
                                      : entry.pressure.deep_due;
  if (!is_due && FindPaused(entry, job_class) == nullptr) return false;
  return CanPay(entry, job_class);
}

/// Asks the deep job that began last to pause, unless a worker is free or about to be.
void Coordinator::PreemptFor(const Entry& entry, int lane) {
  int staying = 0;  // compactions that were not asked to pause
  int own_staying = 0;
  RunningJob* last_of_all = nullptr;
  RunningJob* last_of_own = nullptr;
  for (RunningJob& job : jobs_) {
    if (job.worker == nullptr || !job.wanted || job.job->job_class() == JobClass::kCleanup)
      continue;
    const bool own = job.entry.get() == &entry;
    ++staying;
    if (own && job.lane() != kNoLane) ++own_staying;
    if (job.lane() != kDeepLane || job.entry->lanes[kDeepLane].overdue) continue;
    if (own && lane == kDeepLane) continue;
    const auto is_later = [&](const RunningJob* than) {
      return than == nullptr || job.started > than->started;
    };
    if (is_later(last_of_all)) last_of_all = &job;
    if (own && is_later(last_of_own)) last_of_own = &job;
  }
  const bool own_limit =
      !entry.lanes[lane].overdue && own_staying >= entry.directive.compactions_max;
  if (!own_limit && staying < options_.compaction_threads) return;
  RunningJob* const makes_room = own_limit ? last_of_own : last_of_all;
  if (makes_room != nullptr) makes_room->wanted = makes_room->awaits_budget = false;
}

void Coordinator::ApplyPauses() {
  for (RunningJob& job : jobs_) {
    if (job.worker != nullptr) job.worker->pause.store(!job.wanted, std::memory_order_release);
  }
}

/// The one that has waited longest.
Coordinator::RunningJob* Coordinator::FindPaused(const Entry& entry, JobClass job_class) {
  const int lane = LaneOf(job_class);
  RunningJob* first = nullptr;
  for (RunningJob& job : jobs_) {
    if (job.worker != nullptr || job.entry.get() != &entry) continue;
    const bool fits = lane == kNoLane ? job.job->job_class() == job_class : job.lane() == lane;
    if (fits && (first == nullptr || job.started < first->started)) first = &job;
  }
  return first;
}

/// Whether the job was asked to pause while a worker of idle priority runs it. On a saturated
/// machine that worker may get no CPU for seconds to end its slice, so it must not delay work of
/// normal priority. The worker keeps its order to pause, or both would run in one slot.
bool Coordinator::LeavesIdleWorker(const RunningJob& job) {
  return job.worker != nullptr && job.worker->cpu == CpuPriority::kIdle &&
         job.worker->pause.load(std::memory_order_relaxed);
}

/// Whether the job takes one of the compaction_threads slots from new work of priority `cpu`.
bool Coordinator::HoldsSlot(const RunningJob& job, CpuPriority cpu) {
  return job.worker != nullptr && !(cpu == CpuPriority::kNormal && LeavesIdleWorker(job));
}

int Coordinator::RunningOf(const Entry& entry, int lane, CpuPriority cpu) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return HoldsSlot(job, cpu) && job.entry.get() == &entry && job.lane() == lane;
  }));
}

int Coordinator::RunningCompactions(CpuPriority cpu) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return HoldsSlot(job, cpu) && job.job->job_class() != JobClass::kCleanup;
  }));
}

}  // namespace lull
