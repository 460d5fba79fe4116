// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/dispatcher.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

constexpr uint64_t kTickNanos = 10'000'000;
constexpr uint64_t kIdleNanos = 1'000'000'000;
constexpr uint64_t kRestNanos = 86'400'000'000'000;  // at rest: until a thread wakes the monitor

// Background work must yield within 2 ms, two of these slices. At the end of one slice a worker
// sees that a client writes and wakes the coordinator. At the end of the next it sees the request
// to pause.
constexpr SliceBudget kCompactionSlice{256 << 10, 1'000'000};

// A compaction writes at most about as much as it reads, so the loan covers a slice.
constexpr SliceBudget kLimitedSlice{kLentBytes, 1'000'000};

constexpr JobClass kDirected[] = {JobClass::kL0, JobClass::kDeep};
constexpr JobClass kAwaited[] = {JobClass::kL0, JobClass::kDeep, JobClass::kManual};
constexpr JobClass kUnlimited[] = {JobClass::kPreload, JobClass::kCleanup};
constexpr uint64_t kStarvedNanos = 10'000'000'000;

}  // namespace

Dispatcher::Dispatcher(int compaction_threads) : compaction_threads_(compaction_threads) {
  const auto threads = static_cast<size_t>(compaction_threads);
  workers_.assign(threads, {CpuPriority::kNormal});
  workers_.resize(2 * threads, {CpuPriority::kIdle});
}

StoreId Dispatcher::Open(JobSource* jobs, std::unique_ptr<Policy> policy, uint64_t now_nanos) {
  const StoreId id{++stores_opened_};
  Store& store = stores_[id];
  store.id = id;
  store.source = jobs;
  store.policy = std::move(policy);
  store.seen_write_at_nanos = now_nanos;
  for (ClassState& state : store.classes) state.no_progress_since_nanos = now_nanos;
  store.seen_nanos.fill(now_nanos);
  budget_.Add(id);
  return id;
}

void Dispatcher::SetPolicy(StoreId store, std::unique_ptr<Policy> policy) {
  Store& changed = stores_.at(store);
  changed.policy = std::move(policy);
  changed.event = EventKind::kOpened;
}

void Dispatcher::Close(StoreId store) { stores_.at(store).closing = true; }

void Dispatcher::BeginRound(uint64_t now_nanos, const std::vector<WorkerReport>& reports) {
  now_nanos_ = now_nanos;
  wake_at_nanos_ = now_nanos + kRestNanos;
  round_.clear();
  orders_.clear();
  for (const WorkerReport& report : reports) TakeBack(report);
  AbandonClosing();
}

void Dispatcher::WakeAt(uint64_t nanos) { wake_at_nanos_ = std::min(wake_at_nanos_, nanos); }

void Dispatcher::TakeBack(const WorkerReport& report) {
  RunningJob* const job = std::exchange(workers_[static_cast<size_t>(report.worker)].job, nullptr);
  Store& store = *job->store;
  if (job->loan) {
    budget_.End(store.id, *job->loan, report.written_bytes, now_nanos_);
  } else {
    budget_.Draw(store.id, report.written_bytes);
  }
  job->loan.reset();
  job->worker = kNoWorker;
  job->hangs = false;
  job->share_done = report.share_done;
  if (report.outcome == WorkerReport::Outcome::kMore) {
    if (!job->awaits_budget) store.source->JobPaused(job->id);
    return;
  }
  const bool done = report.outcome == WorkerReport::Outcome::kDone;
  store.event = done ? EventKind::kJobDone : EventKind::kJobFailed;
  if (job->job_class == JobClass::kDeep) store.abandoned_for_l0 = false;
  jobs_.remove_if([&](const RunningJob& other) { return &other == job; });
}

Dispatcher::Jobs::iterator Dispatcher::Abandon(Jobs::iterator job) {
  job->store->source->AbandonJob(job->id);
  return jobs_.erase(job);
}

void Dispatcher::SetHanging(int worker, bool hangs) {
  workers_[static_cast<size_t>(worker)].job->hangs = hangs;
}

bool Dispatcher::LacksWorker(CpuPriority cpu) const {
  return std::count_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
           return worker.cpu == cpu && !worker.hangs();
         }) < compaction_threads_;
}

void Dispatcher::AbandonClosing() {
  for (auto next = stores_.begin(); next != stores_.end();) {
    Store& store = next->second;
    const StoreId id = (next++)->first;
    if (!store.closing) continue;
    bool busy = false;
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      if (job->store == &store && !job->runs()) {
        job = Abandon(job);
        continue;
      }
      if (job->store == &store) {
        job->wanted = false;
        busy = true;  // until the worker's report
      }
      ++job;
    }
    if (busy) continue;
    budget_.Remove(id, now_nanos_);
    stores_.erase(id);
  }
}

const Directive& Dispatcher::Measure(StoreId id, const Measured& measured) {
  Store& store = stores_.at(id);
  round_.push_back(&store);
  store.rests = measured.rests;
  Pressure& pressure = store.pressure;
  pressure = measured.pressure;
  const uint64_t flushed = pressure.background_bytes_total;
  budget_.Draw(id, flushed - std::exchange(store.seen_flush_bytes, flushed));
  pressure.background_bytes_total += measured.compaction_bytes_total;
  CountJobs(&store);
  if (pressure.client_bytes_total != store.seen_client_bytes || pressure.write_under_way) {
    store.seen_client_bytes = pressure.client_bytes_total;
    store.seen_write_at_nanos = now_nanos_;
  }
  pressure.idle_us = (now_nanos_ - store.seen_write_at_nanos) / 1000;
  const EventKind event = TakeEvent(&store);
  store.directive = store.policy->OnEvent(event, pressure, now_nanos_ / 1000);
  budget_.SetRate(id, store.directive.rate, pressure.HasWork(), now_nanos_);
  return store.directive;
}

/// A job that waits for its budget counts as running: it is slowed, not paused. A paused manual one
/// stays due although its client has given up: until it ends, its key range is reserved.
void Dispatcher::CountJobs(Store* store) const {
  Pressure& pressure = store->pressure;
  for (const RunningJob& job : jobs_) {
    if (job.store != store) continue;
    const bool runs = job.runs() || job.awaits_budget;
    if (job.job_class == JobClass::kManual && !runs) pressure.manual_due = true;
    if (job.job_class == JobClass::kL0 && runs) ++pressure.l0_running;
    if (job.job_class == JobClass::kDeep) ++(runs ? pressure.deep_running : pressure.deep_paused);
  }
}

EventKind Dispatcher::TakeEvent(Store* store) {
  const EventKind event = std::exchange(store->event, EventKind::kTick);
  const int immutables = store->pressure.immutables;
  const int before = std::exchange(store->seen_immutables, immutables);
  if (event != EventKind::kTick || immutables == before) return event;
  return immutables > before ? EventKind::kSealed : EventKind::kFlushed;
}

uint64_t Dispatcher::Dispatch() {
  for (Store* store : round_) {
    for (JobClass job_class : kDirected) NoteOverdue(store, job_class);
    ChooseWhatRuns(store);
    if (store->directive.tick) WakeAt(now_nanos_ + kTickNanos);
    if (!store->rests) WakeAt(now_nanos_ + kIdleNanos);
  }
  FillWorkers();
  FreeSlots();
  OrderPauses();
  if (!jobs_.empty()) WakeAt(now_nanos_ + kIdleNanos);
  return wake_at_nanos_;
}

void Dispatcher::FillWorkers() {
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.job != nullptr || WorkersInUse(worker.cpu) >= compaction_threads_) continue;
    if (round_.size() > 1) SortByTurn();
    const auto gives = [&](JobClass job_class) { return GiveToFirst(job_class, &worker); };
    const bool is_normal = worker.cpu == CpuPriority::kNormal;
    const bool has_slot = RunningCompactions(worker.cpu) < compaction_threads_;
    if (is_normal && GiveStarved(&worker)) continue;
    if (is_normal && has_slot && GiveAwaited(&worker)) continue;
    // Without the filters that a preload loads, each read searches all of L0, of which a store that
    // was closed in a burst has much. Preloads are short, and a store has one at a time.
    if (is_normal && gives(JobClass::kPreload)) continue;
    if (has_slot && std::any_of(std::begin(kDirected), std::end(kDirected), gives)) continue;
    // Clean-up needs normal priority: an unlink that gets no CPU holds the directory lock, and a
    // create waits for it.
    if (is_normal) gives(JobClass::kCleanup);
  }
}

int Dispatcher::WorkersInUse(CpuPriority cpu) const {
  return static_cast<int>(
      std::count_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
        return worker.cpu == cpu && worker.job != nullptr && !worker.hangs();
      }));
}

void Dispatcher::SortByTurn() {
  std::stable_sort(round_.begin(), round_.end(), [this](const Store* a, const Store* b) {
    return std::pair(budget_.Turn(a->id), a->last_served) <
           std::pair(budget_.Turn(b->id), b->last_served);
  });
}

/// Preload and clean-up, which otherwise wait as long as there are compactions.
bool Dispatcher::GiveStarved(Worker* worker) {
  for (Store* store : round_) {
    for (size_t i = 0; i < std::size(kUnlimited); ++i) {
      uint64_t& seen_nanos = store->seen_nanos[i];
      if (now_nanos_ - seen_nanos < kStarvedNanos) continue;
      seen_nanos = now_nanos_;
      if (GiveIfAllowed(store, kUnlimited[i], worker)) return true;
    }
  }
  return false;
}

/// Work that a client waits for. What was started least recently goes first.
bool Dispatcher::GiveAwaited(Worker* worker) {
  std::vector<std::pair<Store*, JobClass>> awaited;
  for (JobClass job_class : kAwaited) {
    for (Store* store : round_) {
      if (store->is_awaited(job_class)) awaited.emplace_back(store, job_class);
    }
  }
  std::stable_sort(awaited.begin(), awaited.end(), [](const auto& a, const auto& b) {
    return a.first->last_started[IndexOf(a.second)] < b.first->last_started[IndexOf(b.second)];
  });
  return std::any_of(awaited.begin(), awaited.end(), [&](const auto& work) {
    return GiveIfAllowed(work.first, work.second, worker);
  });
}

bool Dispatcher::GiveToFirst(JobClass job_class, Worker* worker) {
  const auto gives = [&](Store* store) { return GiveIfAllowed(store, job_class, worker); };
  return std::any_of(round_.begin(), round_.end(), gives);
}

/// Resumes the job of that class that has waited longest, or starts a new one.
bool Dispatcher::GiveIfAllowed(Store* store, JobClass job_class, Worker* worker) {
  if (HangingOf(*store) >= compaction_threads_) return false;
  if (!Allows(*store, job_class, worker->cpu) || !CanPay(*store, job_class)) return false;
  RunningJob* job = FindPaused(*store, job_class);
  if (job == nullptr) job = TakeNewJob(store, job_class);
  if (job == nullptr) return false;
  Start(job, worker);
  return true;
}

Dispatcher::RunningJob* Dispatcher::TakeNewJob(Store* store, JobClass job_class) {
  if (job_class == JobClass::kDeep && HasJobInPlaceOfL0(*store)) return nullptr;
  const JobId id{begun_ + 1};
  bool begins = store->source->BeginJob(job_class, id);
  if (!begins && job_class == JobClass::kL0 && store->pressure.l0_due)
    begins = ClearWayForL0(store) && store->source->BeginJob(job_class, id);
  if (!begins) {
    if (store->is_due(job_class))
      store->refused_at[IndexOf(job_class)] = store->pressure.offers_version;
    return nullptr;
  }
  ++begun_;
  RunningJob& taken = jobs_.emplace_back();
  taken.id = id;
  taken.store = store;
  taken.job_class = job_class;
  return &taken;
}

/// REQUIRES: CanPay returned true.
void Dispatcher::Start(RunningJob* job, Worker* worker) {
  Store* const store = job->store;
  const JobClass counts_as = job->counts_as();
  store->last_served = job->started = ++starts_;
  store->last_started[IndexOf(job->job_class)] = job->started;
  worker->job = job;
  job->worker = static_cast<int>(worker - workers_.data());
  job->wanted = true;
  job->told_to_pause = false;
  if (IsDirected(counts_as) && budget_.IsLimited(store->id) && !store->of(counts_as).overdue)
    job->loan = budget_.Begin(store->id, counts_as, now_nanos_);
  job->awaits_budget = job->loan.has_value();
  Assignment assignment;
  assignment.worker = job->worker;
  assignment.cpu = worker->cpu;
  assignment.counts_as = counts_as;
  assignment.one_slice = job->loan.has_value();
  assignment.slice = assignment.one_slice ? kLimitedSlice : kCompactionSlice;
  orders_.push_back({WorkerOrder::Kind::kStart, store->id, job->id, assignment});
}

/// Called after a round has decided on every job.
void Dispatcher::OrderPauses() {
  for (RunningJob& job : jobs_) {
    if (!job.runs() || job.told_to_pause == !job.wanted) continue;
    job.told_to_pause = !job.wanted;
    const auto kind = job.wanted ? WorkerOrder::Kind::kContinue : WorkerOrder::Kind::kPause;
    Assignment where;
    where.worker = job.worker;
    orders_.push_back({kind, job.store->id, job.id, where});
  }
}

}  // namespace lull
