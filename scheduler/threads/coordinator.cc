// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/threads/coordinator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/threads/coordinator_state.h"
#include "util/shared_in_process.h"

namespace lull {
namespace {

constexpr uint64_t kTickNanos = 10'000'000;
constexpr uint64_t kIdleNanos = 1'000'000'000;

// Two of these are the 2 ms in which background work yields: at the end of one slice a worker sees
// that a client writes and wakes the monitor, at the end of the next it sees that it shall pause.
constexpr SliceBudget kCompactionSlice{256 << 10, 1'000'000};

// What is written is at most about what is read, so this is what a slice is lent.
constexpr SliceBudget kLimitedSlice{kLentBytes, 1'000'000};

constexpr JobClass kCompactionClasses[] = {JobClass::kManual, JobClass::kL0, JobClass::kDeep};

}  // namespace

const char* JobClassName(JobClass job_class) {
  switch (job_class) {
    case JobClass::kFlush:
      return "flush";
    case JobClass::kManual:
      return "manual compaction";
    case JobClass::kL0:
      return "L0 compaction";
    case JobClass::kDeep:
      return "deep compaction";
    case JobClass::kCleanup:
      return "clean-up";
  }
  return "unknown";
}

Coordinator::Coordinator(const CoordinatorOptions& options) : options_(options) {}

leveldb::Status Coordinator::StartThreads() {
  leveldb::Status status;
  for (CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
    for (int i = 0; status.ok() && i < options_.compaction_threads; ++i) {
      auto worker = std::make_shared<Worker>();
      worker->cpu = cpu;
      worker->monitor_signal = monitor_signal_;
      const auto body = [worker] { WorkerLoop(worker.get()); };
      status =
          cpu == CpuPriority::kNormal
              ? options_.threads->TryStart("lull-work", CpuClass::kNormal, body, &worker->thread)
              : options_.threads->TryStartDetached("lull-idle", CpuClass::kIdle, body);
      if (status.ok()) workers_.push_back(std::move(worker));
    }
  }
  if (status.ok()) {
    status = options_.threads->TryStart(
        "lull-flush", CpuClass::kNormal, [this] { FlushLoop(); }, &flush_thread_);
  }
  if (status.ok()) {
    status = options_.threads->TryStart(
        "lull-monitor", CpuClass::kNormal, [this] { MonitorLoop(); }, &monitor_thread_);
  }
  return status;
}

Coordinator::~Coordinator() {
  stopping_.store(true, std::memory_order_seq_cst);
  flush_signal_.Wake();
  monitor_signal_->Wake();
  flush_thread_.reset();
  monitor_thread_.reset();
  for (auto& worker : workers_) {
    worker->stopping.store(true, std::memory_order_seq_cst);
    worker->signal.Wake();
  }
  for (auto& worker : workers_) worker->thread.reset();
}

leveldb::Status Coordinator::Shared(const CoordinatorOptions& options,
                                    std::shared_ptr<Coordinator>* result) {
  static constinit SharedInProcess<Coordinator> shared;
  const auto make = [&](std::shared_ptr<Coordinator>* made) {
    *made = std::make_shared<Coordinator>(options);
    return (*made)->StartThreads();
  };
  return shared.Get(make, result);
}

void Coordinator::Register(Tenant* tenant, std::unique_ptr<Policy> policy) {
  auto entry = std::make_shared<Entry>();
  entry->tenant = tenant;
  entry->policy = std::move(policy);
  entry->seen_write_at_nanos = options_.clock->NowNanos();
  for (Lane& lane : entry->lanes) lane.still_since_nanos = entry->seen_write_at_nanos;
  {
    MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  WakeFlush();
  WakeMonitor();
}

void Coordinator::Unregister(Tenant* tenant) {
  MutexLock lock(mutex_);
  const std::shared_ptr<Entry> entry = FindLocked(tenant);
  if (entry == nullptr) return;
  entry->closing = true;
  WakeMonitor();
  while (!entry->monitor_released || in_flush_ == entry) released_.Wait(mutex_);
  entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
}

void Coordinator::SetPolicy(Tenant* tenant, std::unique_ptr<Policy> policy,
                            std::function<void()> at_change) {
  {
    MutexLock lock(mutex_);
    const std::shared_ptr<Entry> entry = FindLocked(tenant);
    entry->next_policy = std::move(policy);
    entry->at_change = std::move(at_change);
  }
  WakeMonitor();
}

std::shared_ptr<Coordinator::Entry> Coordinator::FindLocked(const Tenant* tenant) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const std::shared_ptr<Entry>& entry) { return entry->tenant == tenant; });
  return found == entries_.end() ? nullptr : *found;
}

// ---- flush thread ----

void Coordinator::FlushLoop() {
  std::vector<std::shared_ptr<Entry>> entries;
  while (true) {
    const uint32_t ticket = flush_signal_.Ticket();  // before the look, or a wake could be missed
    if (stopping_.load(std::memory_order_acquire)) return;
    uint64_t wait_nanos = kIdleNanos;
    {
      MutexLock lock(mutex_);
      entries = entries_;
    }
    for (const auto& entry : entries) {
      if (!EnterFlush(entry)) continue;
      const std::optional<uint64_t> again = entry->tenant->RunFlushSlice();
      LeaveFlush();
      if (again) wait_nanos = std::min(wait_nanos, *again);
    }
    entries.clear();
    if (wait_nanos > 0) flush_signal_.Wait(ticket, wait_nanos);
  }
}

/// False for a tenant that closes: it is not to be called any more. One that begins to close later
/// waits for LeaveFlush.
bool Coordinator::EnterFlush(const std::shared_ptr<Entry>& entry) {
  MutexLock lock(mutex_);
  if (entry->closing) return false;
  in_flush_ = entry;
  return true;
}

void Coordinator::LeaveFlush() {
  MutexLock lock(mutex_);
  if (in_flush_->closing) released_.NotifyAll();
  in_flush_ = nullptr;
}

// ---- workers ----

/// Touches the coordinator, through the job in its hands, only while it is busy.
void Coordinator::WorkerLoop(Worker* worker) {
  while (true) {
    const uint32_t ticket = worker->signal.Ticket();
    if (worker->state.load(std::memory_order_acquire) == Worker::State::kBusy) {
      RunJob(worker);
      worker->state.store(Worker::State::kEnded, std::memory_order_release);
      worker->monitor_signal->Wake();
      continue;
    }
    if (worker->stopping.load(std::memory_order_acquire)) return;
    worker->signal.Wait(ticket, kIdleNanos);
  }
}

void Coordinator::RunJob(Worker* worker) {
  Entry* const entry = worker->entry;
  const std::atomic<uint64_t>& client_bytes = entry->tenant->ClientBytes();
  uint64_t seen = client_bytes.load(std::memory_order_relaxed);
  uint64_t written = worker->job->written_bytes();
  worker->progress = Job::Progress::kMore;
  worker->status = leveldb::Status::OK();
  while (!worker->pause.load(std::memory_order_acquire)) {
    worker->slice.offers_core = entry->offers_core.load(std::memory_order_relaxed);
    worker->status = worker->job->RunSlice(worker->slice, &worker->progress);
    const uint64_t before = std::exchange(written, worker->job->written_bytes());
    entry->compaction_bytes.fetch_add(written - before, std::memory_order_relaxed);
    if (worker->lane != nullptr) worker->lane->slices.fetch_add(1, std::memory_order_relaxed);
    const bool ended = !worker->status.ok() || worker->progress == Job::Progress::kDone;
    if (ended || worker->one_slice) return;
    const uint64_t now = client_bytes.load(std::memory_order_relaxed);
    if (now != seen) worker->monitor_signal->Wake();
    seen = now;
  }
}

// ---- monitor ----

void Coordinator::MonitorLoop() {
  while (true) {
    const uint32_t ticket = monitor_signal_->Ticket();
    if (stopping_.load(std::memory_order_acquire)) return;
    MonitorRound();
    const uint64_t now = options_.clock->NowNanos();
    if (wake_at_nanos_ > now) monitor_signal_->Wait(ticket, wake_at_nanos_ - now);
  }
}

void Coordinator::MonitorRound() {
  BeginRound();
  CollectReports();
  AbandonClosing();
  AskPolicies();
  for (const auto& entry : round_) {
    NoteOverdue(entry.get());
    ChooseWhatRuns(entry.get());
    if (entry->directive.tick) WakeMonitorAt(now_nanos_ + kTickNanos);
  }
  FillWorkers();
  MakeRoom();
  ApplyPauses();
  round_.clear();
}

void Coordinator::WakeMonitorAt(uint64_t nanos) {
  wake_at_nanos_ = std::min(wake_at_nanos_, nanos);
}

/// Between two rounds is where policies change.
void Coordinator::BeginRound() {
  now_nanos_ = options_.clock->NowNanos();
  wake_at_nanos_ = now_nanos_ + kIdleNanos;
  std::vector<std::function<void()>> changes;
  {
    MutexLock lock(mutex_);
    round_ = entries_;
    for (const auto& entry : round_) {
      if (!entry->budget_id) entry->budget_id = budget_.Add();
      if (entry->next_policy == nullptr || entry->closing) continue;
      entry->policy = std::move(entry->next_policy);
      entry->event = EventKind::kOpened;
      changes.push_back(std::move(entry->at_change));
    }
  }
  for (const auto& change : changes) change();
}

void Coordinator::CollectReports() {
  for (auto& worker : workers_) {
    if (worker->state.load(std::memory_order_acquire) == Worker::State::kEnded) {
      TakeBack(worker.get(), worker->running);
    }
  }
}

void Coordinator::TakeBack(Worker* worker, RunningJob* running) {
  const leveldb::Status status = std::move(worker->status);
  const bool ended = !status.ok() || worker->progress == Job::Progress::kDone;
  Entry* const entry = running->entry.get();
  const uint64_t before = std::exchange(running->seen_written_bytes, running->job->written_bytes());
  const uint64_t written = running->seen_written_bytes - before;
  if (running->loan) {
    budget_.End(*entry->budget_id, *running->loan, written, now_nanos_);
  } else {
    budget_.Draw(*entry->budget_id, written);
  }
  running->loan.reset();
  running->worker = nullptr;
  worker->running = nullptr;
  worker->job = nullptr;
  worker->state.store(Worker::State::kFree, std::memory_order_release);
  if (!ended && !running->awaits_budget) entry->tenant->JobPaused(*running->job);
  if (!ended) return;
  entry->event = status.ok() ? EventKind::kJobDone : EventKind::kJobFailed;
  if (running->job->job_class() == JobClass::kDeep) entry->discarded_for_l0 = false;
  entry->tenant->JobEnded(std::move(running->job), status);
  ++ends_;
  jobs_.remove_if([&](const RunningJob& job) { return &job == running; });
}

void Coordinator::AskPolicies() {
  for (const auto& entry : round_) {
    Pressure& pressure = entry->pressure;
    pressure = Pressure{};
    pressure.memory_used_bytes = memory_used_bytes();
    pressure.memory_budget_bytes = memory_budget_bytes();
    entry->tenant->MeasurePressure(&pressure);
    const uint64_t flushed = pressure.background_bytes_total;
    budget_.Draw(*entry->budget_id, flushed - std::exchange(entry->seen_flush_bytes, flushed));
    CountJobs(entry.get());
    if (pressure.client_bytes_total != entry->seen_client_bytes || pressure.write_under_way) {
      entry->seen_client_bytes = pressure.client_bytes_total;
      entry->seen_write_at_nanos = now_nanos_;
    }
    pressure.idle_us = (now_nanos_ - entry->seen_write_at_nanos) / 1000;

    EventKind event = std::exchange(entry->event, EventKind::kTick);
    if (event == EventKind::kTick && pressure.immutables != entry->seen_immutables) {
      event =
          pressure.immutables > entry->seen_immutables ? EventKind::kSealed : EventKind::kFlushed;
    }
    entry->seen_immutables = pressure.immutables;

    entry->directive = entry->policy->OnEvent(event, pressure, now_nanos_ / 1000);
    entry->offers_core.store(entry->directive.offers_core, std::memory_order_relaxed);
    entry->tenant->ApplyDirective(entry->directive);
    entry->tenant->PolicyStateIs(entry->policy->State());
    budget_.SetRate(*entry->budget_id, entry->directive.rate, pressure.HasWork(), now_nanos_);
  }
}

/// A job that waits for its budget counts as running: it is slowed, not paused.
void Coordinator::CountJobs(Entry* entry) const {
  Pressure& pressure = entry->pressure;
  pressure.background_bytes_total += entry->compaction_bytes.load(std::memory_order_relaxed);
  pressure.l0_slices_total = entry->lanes[kL0Lane].slices.load(std::memory_order_relaxed);
  pressure.deep_slices_total = entry->lanes[kDeepLane].slices.load(std::memory_order_relaxed);
  for (const RunningJob& job : jobs_) {
    if (job.entry.get() != entry) continue;
    const bool runs = job.worker != nullptr || job.awaits_budget;
    if (job.job->job_class() == JobClass::kL0 && runs) ++pressure.l0_running;
    if (job.job->job_class() == JobClass::kDeep) {
      ++(runs ? pressure.deep_running : pressure.deep_paused);
    }
  }
}

void Coordinator::FillWorkers() {
  for (auto& worker : workers_) {
    if (worker->running != nullptr) continue;
    // Each in its turn of the budget; without one, least recently served first.
    std::sort(round_.begin(), round_.end(), [this](const auto& a, const auto& b) {
      return std::pair(budget_.Turn(*a->budget_id), a->last_served) <
             std::pair(budget_.Turn(*b->budget_id), b->last_served);
    });
    bool given = false;
    if (RunningCompactions(worker->cpu) < options_.compaction_threads) {
      // What is overdue in one store goes before L0 in another.
      given = GiveOverdueWork(worker.get());
      for (JobClass job_class : kCompactionClasses) {
        for (const auto& entry : round_) {
          if (!given && Allows(*entry, job_class, worker->cpu))
            given = GiveWork(entry.get(), job_class, worker.get());
        }
      }
    }
    // Clean-up is short and counts against nothing, so it never starves. Not at idle priority: an
    // unlink that gets no CPU holds the folder's lock, and with it whoever creates a file.
    if (worker->cpu == CpuPriority::kIdle) continue;
    for (const auto& entry : round_) {
      if (!given) given = GiveWork(entry.get(), JobClass::kCleanup, worker.get());
    }
  }
}

bool Coordinator::GiveOverdueWork(Worker* worker) {
  for (JobClass job_class : {JobClass::kL0, JobClass::kDeep}) {
    for (const auto& entry : round_) {
      if (!entry->lanes[LaneOf(job_class)].overdue || !Allows(*entry, job_class, worker->cpu))
        continue;
      if (GiveWork(entry.get(), job_class, worker)) return true;
    }
  }
  return false;
}

/// Resumes the job of that class that has waited longest, or starts a new one.
bool Coordinator::GiveWork(Entry* entry, JobClass job_class, Worker* worker) {
  if (!CanPay(*entry, job_class)) return false;
  RunningJob* job = FindPaused(*entry, job_class);
  if (job == nullptr) job = TakeNewJob(entry, job_class);
  if (job == nullptr) return false;
  Start(job, worker);
  return true;
}

Coordinator::RunningJob* Coordinator::TakeNewJob(Entry* entry, JobClass job_class) {
  std::unique_ptr<Job> job = entry->tenant->NextJob(job_class);
  if (job == nullptr && job_class == JobClass::kL0 && entry->pressure.l0_due) {
    if (ClearWayForL0(entry)) job = entry->tenant->NextJob(job_class);
    // In conflict with something that is not to be discarded: to make room for it now would be in
    // vain.
    if (job == nullptr) entry->l0_refused_at_end = ends_;
  }
  if (job == nullptr) return nullptr;
  const auto shared =
      std::find_if(round_.begin(), round_.end(), [&](const auto& e) { return e.get() == entry; });
  RunningJob& taken = jobs_.emplace_back();
  taken.entry = *shared;
  taken.job = std::move(job);
  return &taken;
}

/// REQUIRES: CanPay said so.
void Coordinator::Start(RunningJob* job, Worker* worker) {
  Entry* const entry = job->entry.get();
  const int lane = job->lane();
  entry->last_served = job->started = ++service_counter_;
  job->worker = worker;
  job->wanted = true;
  if (lane != kNoLane && budget_.IsLimited(*entry->budget_id) && !entry->lanes[lane].overdue) {
    const IoClass io_class = lane == kL0Lane ? IoClass::kUrgent : IoClass::kDeep;
    job->loan = budget_.Begin(*entry->budget_id, io_class, now_nanos_);
  }
  job->awaits_budget = job->loan.has_value();
  worker->running = job;
  worker->job = job->job.get();
  worker->entry = entry;
  worker->lane = lane == kNoLane ? nullptr : &entry->lanes[lane];
  worker->one_slice = job->loan.has_value();
  worker->slice = worker->one_slice ? kLimitedSlice : kCompactionSlice;
  entry->tenant->JobStarted(*job->job, worker->cpu);
  worker->pause.store(false, std::memory_order_release);
  worker->state.store(Worker::State::kBusy, std::memory_order_release);
  worker->signal.Wake();
}

/// Takes closing tenants' jobs out of the workers' hands, and the tenants out of this round.
void Coordinator::AbandonClosing() {
  std::vector<std::shared_ptr<Entry>> closing;
  {
    MutexLock lock(mutex_);
    for (const auto& entry : round_) {
      if (entry->closing) closing.push_back(entry);
    }
  }
  for (const auto& entry : closing) {
    bool busy = false;
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      const auto next = std::next(job);
      if (job->entry == entry && job->worker != nullptr) {
        job->wanted = false;
        busy = true;
      } else if (job->entry == entry) {
        entry->tenant->AbandonJob(std::move(job->job));
        jobs_.erase(job);
        ++ends_;
      }
      job = next;
    }
    std::erase(round_, entry);
    if (busy) continue;  // the worker's report wakes the monitor again
    MutexLock lock(mutex_);
    if (std::exchange(entry->monitor_released, true)) continue;
    budget_.Remove(*entry->budget_id, now_nanos_);
    released_.NotifyAll();
  }
}

}  // namespace lull
