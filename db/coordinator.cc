// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/coordinator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lull {
namespace {

constexpr uint64_t kTickNanos = 10'000'000;
constexpr uint64_t kIdleNanos = 1'000'000'000;

// Two of these are the 2 ms in which background work yields: at the end of one slice a worker sees
// that a client writes and wakes the monitor, at the end of the next it sees that it shall pause.
constexpr SliceBudget kCompactionSlice{256 << 10, 1'000'000};

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

/// A registered tenant. Fields are the monitor's unless they say otherwise.
struct Coordinator::Entry {
  Tenant* tenant = nullptr;
  std::unique_ptr<Policy> policy;
  Directive directive;
  Pressure pressure;
  EventKind event = EventKind::kOpened;
  uint64_t seen_client_bytes = 0;
  uint64_t seen_write_at_nanos = 0;
  int seen_immutables = 0;
  uint64_t last_served = 0;
  std::optional<uint64_t> l0_refused_at_end;  // no L0 job was to be had when so many jobs had ended

  // Guarded by the coordinator's mutex.
  bool closing = false;
  bool monitor_released = false;
  bool flush_released = false;
};

/// A job and where it is: in a worker's hands, or paused.
struct Coordinator::RunningJob {
  std::shared_ptr<Entry> entry;
  std::unique_ptr<Job> job;
  Worker* worker = nullptr;  // null: paused
};

/// A thread and its one-place mailbox. The monitor writes the upper fields while the state is
/// kFree, the worker writes the result while it is kBusy; the state hands them over.
struct Coordinator::Worker {
  enum class State : uint32_t { kFree, kBusy, kEnded };

  CpuPriority cpu = CpuPriority::kNormal;
  RunningJob* running = nullptr;
  Job* job = nullptr;
  const std::atomic<uint64_t>* client_bytes = nullptr;

  leveldb::Status status;
  Job::Progress progress = Job::Progress::kMore;

  std::atomic<bool> pause{false};
  std::atomic<State> state{State::kFree};
  WakeSignal signal;
  std::unique_ptr<ThreadHandle> thread;
};

Coordinator::Coordinator(const CoordinatorOptions& options) : options_(options) {
  for (CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
    for (int i = 0; i < options_.compaction_threads; ++i) {
      auto worker = std::make_unique<Worker>();
      worker->cpu = cpu;
      Worker* raw = worker.get();
      const bool idle = cpu == CpuPriority::kIdle;
      worker->thread = options_.threads->Start(idle ? "lull-idle" : "lull-work",
                                               idle ? CpuClass::kIdle : CpuClass::kNormal,
                                               [this, raw] { WorkerLoop(raw); });
      workers_.push_back(std::move(worker));
    }
  }
  flush_thread_ = options_.threads->Start("lull-flush", CpuClass::kNormal, [this] { FlushLoop(); });
  monitor_thread_ =
      options_.threads->Start("lull-monitor", CpuClass::kNormal, [this] { MonitorLoop(); });
}

Coordinator::~Coordinator() {
  stopping_.store(true, std::memory_order_seq_cst);
  flush_signal_.Wake();
  monitor_signal_.Wake();
  flush_thread_.reset();
  monitor_thread_.reset();
  for (auto& worker : workers_) worker->signal.Wake();
  for (auto& worker : workers_) worker->thread.reset();
}

std::shared_ptr<Coordinator> Coordinator::Shared(const CoordinatorOptions& options) {
  static Mutex& mutex = *new Mutex;
  static std::weak_ptr<Coordinator>& shared = *new std::weak_ptr<Coordinator>;
  MutexLock lock(mutex);
  std::shared_ptr<Coordinator> coordinator = shared.lock();
  if (coordinator == nullptr) {
    coordinator = std::make_shared<Coordinator>(options);
    shared = coordinator;
  }
  return coordinator;
}

void Coordinator::Register(Tenant* tenant, std::unique_ptr<Policy> policy) {
  auto entry = std::make_shared<Entry>();
  entry->tenant = tenant;
  entry->policy = std::move(policy);
  entry->seen_write_at_nanos = options_.clock->NowNanos();
  {
    MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  WakeFlush();
  WakeMonitor();
}

void Coordinator::Unregister(Tenant* tenant) {
  MutexLock lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const std::shared_ptr<Entry>& entry) { return entry->tenant == tenant; });
  if (found == entries_.end()) return;
  const std::shared_ptr<Entry> entry = *found;
  entry->closing = true;
  WakeFlush();
  WakeMonitor();
  while (!entry->monitor_released || !entry->flush_released) released_.Wait(mutex_);
  entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
}

// ---- flush thread ----

void Coordinator::FlushLoop() {
  std::vector<std::shared_ptr<Entry>> entries;
  while (!stopping_.load(std::memory_order_acquire)) {
    const uint32_t ticket = flush_signal_.Ticket();
    uint64_t wait_nanos = kIdleNanos;
    {
      MutexLock lock(mutex_);
      entries.clear();
      for (const auto& entry : entries_) {
        if (!entry->closing) {
          entries.push_back(entry);
        } else if (!entry->flush_released) {
          entry->flush_released = true;
          released_.NotifyAll();
        }
      }
    }
    // An entry may begin to close from here on: Unregister waits until the next round has seen it.
    for (const auto& entry : entries) {
      const std::optional<uint64_t> again = entry->tenant->RunFlushSlice();
      if (again) wait_nanos = std::min(wait_nanos, *again);
    }
    if (wait_nanos > 0) flush_signal_.Wait(ticket, wait_nanos);
  }
}

// ---- workers ----

void Coordinator::WorkerLoop(Worker* worker) {
  while (true) {
    const uint32_t ticket = worker->signal.Ticket();
    if (worker->state.load(std::memory_order_acquire) != Worker::State::kBusy) {
      if (stopping_.load(std::memory_order_acquire)) return;
      worker->signal.Wait(ticket, kIdleNanos);
      continue;
    }
    uint64_t seen = worker->client_bytes->load(std::memory_order_relaxed);
    Job::Progress progress = Job::Progress::kMore;
    leveldb::Status status;
    while (status.ok() && progress == Job::Progress::kMore &&
           !worker->pause.load(std::memory_order_acquire)) {
      status = worker->job->RunSlice(kCompactionSlice, &progress);
      const uint64_t now = worker->client_bytes->load(std::memory_order_relaxed);
      if (now != seen) monitor_signal_.Wake();
      seen = now;
    }
    worker->status = std::move(status);
    worker->progress = progress;
    worker->state.store(Worker::State::kEnded, std::memory_order_release);
    monitor_signal_.Wake();
  }
}

// ---- monitor ----

void Coordinator::MonitorLoop() {
  while (!stopping_.load(std::memory_order_acquire)) {
    const uint32_t ticket = monitor_signal_.Ticket();
    const bool tick = MonitorRound();
    monitor_signal_.Wait(ticket, tick ? kTickNanos : kIdleNanos);
  }
}

/// Returns whether time matters to some policy.
bool Coordinator::MonitorRound() {
  {
    MutexLock lock(mutex_);
    round_ = entries_;
  }
  CollectReports();
  AbandonClosing();
  AskPolicies();
  PauseUnwanted();
  FillWorkers();
  PreemptForL0();
  const bool tick = std::any_of(round_.begin(), round_.end(),
                                [](const auto& entry) { return entry->directive.tick; });
  round_.clear();
  return tick;
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
  worker->running = nullptr;
  worker->job = nullptr;
  worker->state.store(Worker::State::kFree, std::memory_order_release);
  running->worker = nullptr;
  if (!ended) return running->entry->tenant->JobPaused(*running->job);
  running->entry->event = status.ok() ? EventKind::kJobDone : EventKind::kJobFailed;
  running->entry->tenant->JobEnded(std::move(running->job), status);
  ++ends_;
  jobs_.remove_if([&](const RunningJob& job) { return &job == running; });
}

void Coordinator::AskPolicies() {
  const uint64_t now = options_.clock->NowNanos();
  for (const auto& entry : round_) {
    Pressure& pressure = entry->pressure;
    pressure = Pressure{};
    pressure.memory_used_bytes = memory_used_bytes();
    pressure.memory_budget_bytes = memory_budget_bytes();
    entry->tenant->MeasurePressure(&pressure);
    if (pressure.client_bytes_total != entry->seen_client_bytes) {
      entry->seen_client_bytes = pressure.client_bytes_total;
      entry->seen_write_at_nanos = now;
    }
    pressure.idle_us = (now - entry->seen_write_at_nanos) / 1000;

    EventKind event = std::exchange(entry->event, EventKind::kTick);
    if (event == EventKind::kTick && pressure.immutables != entry->seen_immutables) {
      event =
          pressure.immutables > entry->seen_immutables ? EventKind::kSealed : EventKind::kFlushed;
    }
    entry->seen_immutables = pressure.immutables;

    entry->directive = entry->policy->OnEvent(event, pressure, now / 1000);
    entry->tenant->ApplyDirective(entry->directive);
  }
}

int Coordinator::RunningOf(const Entry& entry, JobClass job_class) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return job.worker != nullptr && job.entry.get() == &entry && job.job->job_class() == job_class;
  }));
}

int Coordinator::RunningCompactions() const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [](const RunningJob& job) {
    return job.worker != nullptr && job.job->job_class() != JobClass::kCleanup;
  }));
}

/// Asks jobs to pause that run beyond their grant or at a priority that is no longer wanted.
void Coordinator::PauseUnwanted() {
  for (const auto& entry : round_) {
    int kept_l0 = 0;
    int kept_deep = 0;
    const Directive& directive = entry->directive;
    for (RunningJob& job : jobs_) {
      if (job.worker == nullptr || job.entry != entry) continue;
      const JobClass job_class = job.job->job_class();
      if (job_class != JobClass::kL0 && job_class != JobClass::kDeep) continue;
      const bool is_l0 = job_class == JobClass::kL0;
      const Grant& grant = is_l0 ? directive.l0 : directive.deep;
      int& kept = is_l0 ? kept_l0 : kept_deep;
      const bool wanted = kept < grant.jobs_max &&
                          kept_l0 + kept_deep < directive.compactions_max &&
                          job.worker->cpu == grant.cpu;
      if (wanted) ++kept;
      job.worker->pause.store(!wanted, std::memory_order_release);
    }
  }
}

/// When every worker that may compact holds other work and an L0 compaction is due, one deep job
/// makes room.
void Coordinator::PreemptForL0() {
  if (RunningCompactions() < options_.compaction_threads) return;
  for (const auto& entry : round_) {
    if (!entry->pressure.l0_due || entry->directive.l0.jobs_max == 0) continue;
    if (RunningOf(*entry, JobClass::kL0) > 0 || entry->l0_refused_at_end == ends_) continue;
    for (RunningJob& job : jobs_) {
      if (job.worker == nullptr || job.job->job_class() != JobClass::kDeep) continue;
      job.worker->pause.store(true, std::memory_order_release);
      return;
    }
  }
}

void Coordinator::FillWorkers() {
  // Least recently served first.
  std::sort(round_.begin(), round_.end(),
            [](const auto& a, const auto& b) { return a->last_served < b->last_served; });
  for (auto& worker : workers_) {
    if (worker->running != nullptr) continue;
    bool given = false;
    if (RunningCompactions() < options_.compaction_threads) {
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

bool Coordinator::Allows(const Entry& entry, JobClass job_class, CpuPriority cpu) const {
  if (job_class == JobClass::kManual) return cpu == CpuPriority::kNormal;
  const Directive& directive = entry.directive;
  const Grant& grant = job_class == JobClass::kL0 ? directive.l0 : directive.deep;
  const int l0 = RunningOf(entry, JobClass::kL0);
  const int deep = RunningOf(entry, JobClass::kDeep);
  return grant.cpu == cpu && (job_class == JobClass::kL0 ? l0 : deep) < grant.jobs_max &&
         l0 + deep < directive.compactions_max;
}

/// Resumes the job of that class that has waited longest, or starts a new one.
bool Coordinator::GiveWork(Entry* entry, JobClass job_class, Worker* worker) {
  const auto paused = std::find_if(jobs_.begin(), jobs_.end(), [&](const RunningJob& job) {
    return job.worker == nullptr && job.entry.get() == entry && job.job->job_class() == job_class;
  });
  if (paused != jobs_.end()) {
    jobs_.splice(jobs_.end(), jobs_, paused);
    Start(&jobs_.back(), worker);
    return true;
  }
  std::unique_ptr<Job> job = entry->tenant->NextJob(job_class);
  if (job == nullptr) {
    // Due, but in conflict with a running or paused job: to make room for it now would be in vain.
    if (job_class == JobClass::kL0 && entry->pressure.l0_due) entry->l0_refused_at_end = ends_;
    return false;
  }
  const auto shared =
      std::find_if(round_.begin(), round_.end(), [&](const auto& e) { return e.get() == entry; });
  jobs_.push_back(RunningJob{*shared, std::move(job), nullptr});
  Start(&jobs_.back(), worker);
  return true;
}

void Coordinator::Start(RunningJob* job, Worker* worker) {
  job->entry->last_served = ++service_counter_;
  job->worker = worker;
  worker->running = job;
  worker->job = job->job.get();
  worker->client_bytes = &job->entry->tenant->ClientBytes();
  job->entry->tenant->JobStarted(*job->job, worker->cpu);
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
        job->worker->pause.store(true, std::memory_order_release);
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
    entry->monitor_released = true;
    released_.NotifyAll();
  }
}

}  // namespace lull
