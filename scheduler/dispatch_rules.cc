// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The dispatcher's rules: ageing, grants, payment, conflicts, preemption. See dispatcher.h.
#include <algorithm>
#include <utility>

#include "scheduler/dispatcher.h"

namespace lull {
namespace {

constexpr uint64_t kPatienceNanos = 10'000'000'000;
// Under LevelDB's rules, L0 at its stop waits for a running compaction; that ends before this.
constexpr uint64_t kPatienceAtStopNanos = 1'000'000'000;
constexpr uint64_t kPatienceInDrainNanos = 100'000'000;

constexpr double kShareWorthFinishing = 0.5;

}  // namespace

void Dispatcher::NoteOverdue(Store* store, JobClass job_class) {
  const Pressure& pressure = store->pressure;
  const bool is_l0 = job_class == JobClass::kL0;
  ClassState& state = store->of(job_class);
  const bool has_job = std::any_of(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return job.is_of(*store, job_class);
  });
  const bool has_work = has_job || store->is_due(job_class);
  const uint64_t slices = is_l0 ? pressure.l0_slices_total : pressure.deep_slices_total;
  const bool moved = std::exchange(state.seen_slices, slices) != slices;
  if (!has_work || moved) state.no_progress_since_nanos = now_nanos_;
  if (!has_work) {
    state.overdue = false;
    return;
  }
  uint64_t patience = kPatienceNanos;
  if (is_l0 && store->l0_is_at_stop()) patience = kPatienceAtStopNanos;
  if (pressure.GoesFirst()) patience = kPatienceInDrainNanos;
  if (store->directive.rate.is_users) patience = kPatienceNanos;
  if (moved && patience == kPatienceNanos) state.overdue = false;
  if (now_nanos_ - state.no_progress_since_nanos >= patience) state.overdue = true;
  if (!state.overdue) WakeAt(state.no_progress_since_nanos + patience);
}

/// Decides for each running job whether it may stay: within its grant, at a CPU priority that is
/// still wanted, and paid for under a limit.
void Dispatcher::ChooseWhatRuns(Store* store) {
  const Directive& directive = store->directive;
  const bool limited = budget_.IsLimited(store->id);
  if (!store->pressure.l0_due) {
    for (RunningJob& job : jobs_) {
      if (job.store == store) job.in_place_of_l0 = false;
    }
  }
  int kept_of_store = 0;
  for (JobClass job_class : {JobClass::kL0, JobClass::kDeep}) {
    const Grant& grant = store->grant(job_class);
    const bool overdue = store->of(job_class).overdue;
    int kept = 0;
    for (RunningJob& job : jobs_) {
      if (!job.is_of(*store, job_class)) continue;
      if (job.awaits_budget && grant.jobs_max == 0) {
        job.awaits_budget = false;
        store->source->JobPaused(job.id);
      }
      if (!job.runs()) continue;
      const CpuPriority cpu = CpuOf(job);
      // A job that leaves an idle worker gets no new grant: its slot can be in use.
      const bool granted = kept < grant.jobs_max && kept_of_store < directive.compactions_max &&
                           cpu == grant.cpu && !LeavesIdleWorker(job);
      const bool outranks = overdue && kept == 0 && cpu == CpuPriority::kNormal;
      job.wanted = (granted && (!limited || job.loan)) || outranks;
      job.awaits_budget = granted && limited;
      if (granted || outranks) ++kept, ++kept_of_store;
    }
  }
}

bool Dispatcher::Allows(const Store& store, JobClass job_class, CpuPriority cpu) const {
  if (!IsDirected(job_class)) return cpu == CpuPriority::kNormal;
  const int running = RunningOf(store, job_class, cpu);
  const Grant& grant = store.grant(job_class);
  if (store.of(job_class).overdue) {
    if (running == 0 || cpu == CpuPriority::kIdle) return cpu == CpuPriority::kNormal;
    // Others run beside it as granted, but not under a rate limit.
    if (budget_.IsLimited(store.id)) return false;
  }
  return grant.cpu == cpu && running < grant.jobs_max &&
         RunningOf(store, JobClass::kL0, cpu) + RunningOf(store, JobClass::kDeep, cpu) <
             store.directive.compactions_max;
}

/// True if the budget allows a slice to begin. Overdue work does not wait.
bool Dispatcher::CanPay(const Store& store, JobClass job_class) {
  if (!IsDirected(job_class) || store.of(job_class).overdue) return true;
  const uint64_t wait = budget_.WaitNanos(store.id, job_class, now_nanos_);
  if (wait > 0) WakeAt(now_nanos_ + wait);
  return wait == 0;
}

/// A due L0 job is not available: handles the deep jobs that block it. Returns true if it can be
/// available now.
bool Dispatcher::ClearWayForL0(Store* store) {
  std::vector<JobId> deep;
  for (const RunningJob& job : jobs_) {
    if (job.store == store && job.job_class == JobClass::kDeep) deep.push_back(job.id);
  }
  if (deep.empty()) return false;
  const std::vector<JobId> in_way = store->source->BlockersOfL0(deep);
  const auto blocks = [&](const RunningJob& job) {
    return std::find(in_way.begin(), in_way.end(), job.id) != in_way.end();
  };
  bool may_abandon = !in_way.empty() && !store->abandoned_for_l0;
  std::vector<RunningJob*> running;
  for (RunningJob& job : jobs_) {
    if (!blocks(job)) continue;
    if (job.runs()) running.push_back(&job);
    if (job.runs() ? job.in_place_of_l0 : job.share_done >= kShareWorthFinishing)
      may_abandon = false;
  }
  const bool stops = store->directive.l0_stops_blockers && !store->of(JobClass::kDeep).overdue;
  if (may_abandon && stops && !running.empty()) {
    for (RunningJob* job : running) job->wanted = job->awaits_budget = false;
    return false;  // how much they have done is known when they return
  }
  const bool abandons = may_abandon && running.empty();
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (blocks(*job) && abandons) {
      job = Abandon(job);
      continue;
    }
    if (blocks(*job)) job->in_place_of_l0 = true;
    ++job;
  }
  if (abandons) store->abandoned_for_l0 = true;
  return abandons;
}

void Dispatcher::FreeSlots() {
  for (const Store* store : round_) {
    for (JobClass job_class : {JobClass::kManual, JobClass::kL0, JobClass::kDeep}) {
      if (NeedsSlot(*store, job_class)) PreemptFor(*store, job_class);
    }
  }
}

/// True if a job should run now and only jobs that can yield prevent it.
bool Dispatcher::NeedsSlot(const Store& store, JobClass job_class) {
  const bool is_manual = job_class == JobClass::kManual;
  const bool is_granted = job_class == JobClass::kL0 && store.directive.l0.jobs_max > 0;
  if (!is_granted && !(is_manual ? store.pressure.manual_due : store.of(job_class).overdue))
    return false;
  if (HangingOf(store) >= compaction_threads_) return false;
  if (RunningOf(store, job_class, CpuPriority::kNormal) > 0) return false;
  // L0 and manual jobs can conflict with jobs that must not be abandoned. Then room is useless now.
  const bool is_refused = job_class != JobClass::kDeep &&
                          store.refused_at[IndexOf(job_class)] == store.pressure.offers_version;
  const bool is_to_be_had = store.is_due(job_class) && !is_refused;
  if (!is_to_be_had && FindPaused(store, job_class) == nullptr) return false;
  return CanPay(store, job_class);
}

/// Whether `job` can yield to work of that class.
bool Dispatcher::Yields(const RunningJob& job, const Store& to, JobClass job_class) const {
  if (job.counts_as() == JobClass::kManual)
    return job_class == JobClass::kL0 && to.is_awaited(job_class);
  if (job.counts_as() != JobClass::kDeep || job.store->of(JobClass::kDeep).overdue) return false;
  return job.store != &to || job_class != JobClass::kDeep;
}

/// Asks the most recently started deep job to pause, or if no deep job can yield, a manual one.
/// Does nothing if a worker is free or soon will be.
void Dispatcher::PreemptFor(const Store& store, JobClass job_class) {
  int staying = 0;  // compactions that were not asked to pause
  int own_staying = 0;
  RunningJob* last_of_all = nullptr;
  RunningJob* last_of_own = nullptr;
  const auto is_better = [](const RunningJob& job, const RunningJob* than) {
    if (than == nullptr) return true;
    const auto rank = [](const RunningJob& of) {
      return std::pair(of.counts_as() == JobClass::kDeep, of.started);
    };
    return rank(job) > rank(*than);
  };
  for (RunningJob& job : jobs_) {
    if (!job.runs() || !job.wanted || IsUnlimited(job.job_class)) continue;
    const bool own = job.store == &store;
    if (own && IsDirected(job.counts_as())) ++own_staying;
    if (job.hangs) continue;
    ++staying;
    if (!Yields(job, store, job_class)) continue;
    if (is_better(job, last_of_all)) last_of_all = &job;
    if (own && is_better(job, last_of_own)) last_of_own = &job;
  }
  const bool own_limit = IsDirected(job_class) && !store.of(job_class).overdue &&
                         own_staying >= store.directive.compactions_max;
  if (!own_limit && staying < compaction_threads_) return;
  RunningJob* const yields = own_limit ? last_of_own : last_of_all;
  if (yields != nullptr) yields->wanted = yields->awaits_budget = false;
}

/// Returns the job that has waited longest.
Dispatcher::RunningJob* Dispatcher::FindPaused(const Store& store, JobClass job_class) {
  RunningJob* first = nullptr;
  for (RunningJob& job : jobs_) {
    if (job.runs() || !job.is_of(store, job_class)) continue;
    if (first == nullptr || job.started < first->started) first = &job;
  }
  return first;
}

bool Dispatcher::HasJobInPlaceOfL0(const Store& store) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return job.store == &store && job.in_place_of_l0;
  });
}

/// True if the job was asked to pause and a worker of idle priority runs it. On a saturated machine
/// that worker can take seconds to finish its slice, so it must not delay work of normal priority.
/// The job stays asked to pause; otherwise both would run in one slot.
bool Dispatcher::LeavesIdleWorker(const RunningJob& job) const {
  return job.runs() && CpuOf(job) == CpuPriority::kIdle && job.told_to_pause;
}

/// True if the job uses one of the compaction_threads slots for new work of priority `cpu`.
bool Dispatcher::HoldsSlot(const RunningJob& job, CpuPriority cpu) const {
  return job.runs() && !(cpu == CpuPriority::kNormal && LeavesIdleWorker(job));
}

int Dispatcher::RunningOf(const Store& store, JobClass job_class, CpuPriority cpu) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return HoldsSlot(job, cpu) && job.is_of(store, job_class);
  }));
}

int Dispatcher::RunningCompactions(CpuPriority cpu) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return HoldsSlot(job, cpu) && !job.hangs && !IsUnlimited(job.job_class);
  }));
}

int Dispatcher::HangingOf(const Store& store) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return job.store == &store && job.hangs;
  }));
}

}  // namespace lull
