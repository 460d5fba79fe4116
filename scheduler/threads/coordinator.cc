// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/threads/coordinator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "util/shared_in_process.h"

namespace lull {
namespace {

// A slice takes a millisecond, or some hundred with a sync on a busy disk. On a busy machine, one
// of idle priority can wait seconds for the CPU.
constexpr uint64_t kHangNanos = 2'000'000'000;
constexpr uint64_t kIdleHangNanos = 10'000'000'000;

}  // namespace

/// A registered tenant. Only the monitor uses its fields, unless a comment says otherwise.
struct Coordinator::Entry {
  /// Slices run by compactions of one class; any worker adds to it.
  std::atomic<uint64_t>* SlicesOf(JobClass job_class) {
    if (job_class == JobClass::kL0) return &l0_slices;
    return job_class == JobClass::kDeep ? &deep_slices : nullptr;
  }

  Tenant* tenant = nullptr;
  std::optional<StoreId> id;  // set in its first round
  uint64_t registered_at_nanos = 0;
  std::atomic<uint64_t> l0_slices{0};
  std::atomic<uint64_t> deep_slices{0};
  std::atomic<uint64_t> compaction_bytes{0};  // written; any worker adds to it
  std::atomic<bool> offers_core{false};       // from the directive; workers read it

  // Guarded by the coordinator's mutex.
  bool closing = false;
  bool monitor_released = false;
  std::unique_ptr<Policy> next_policy;
  std::function<void()> at_change;
};

/// A thread and its current job. `state` transfers ownership of the fields before it: the worker's
/// while kBusy, the monitor's otherwise.
struct Coordinator::Worker {
  enum class State { kFree, kBusy, kEnded };

  CpuPriority cpu = CpuPriority::kNormal;
  JobId id{};
  Job* job = nullptr;
  Entry* entry = nullptr;
  uint64_t written_before = 0;              // bytes, at the job's last start
  std::atomic<uint64_t>* slices = nullptr;  // null: slices are not counted
  SliceBudget slice;
  bool one_slice = false;
  leveldb::Status status;
  Job::Progress progress = Job::Progress::kMore;

  // Monitor only: the slices that it has seen begin, and when it saw the last one.
  uint64_t seen_slices = 0;
  uint64_t seen_at_nanos = 0;

  std::atomic<uint64_t> slices_begun{0};
  std::atomic<bool> pause{false};
  std::atomic<State> state{State::kFree};
  std::atomic<bool> stopping{false};
  WakeSignal signal;
  std::shared_ptr<WakeSignal> monitor_signal;
  // Null for idle CPU priority: such a thread can wait long for the CPU that it needs to exit, and
  // joining it would block. It shares ownership of this object with the coordinator.
  std::unique_ptr<ThreadHandle> thread;
};

Coordinator::Coordinator(const CoordinatorOptions& options)
    : options_(options), dispatcher_(options.compaction_threads) {}

leveldb::Status Coordinator::StartThreads() {
  leveldb::Status status;
  for (CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
    for (int i = 0; status.ok() && i < options_.compaction_threads; ++i) status = StartWorker(cpu);
  }
  if (status.ok()) {
    status = options_.threads->TryStart(
        "lull-monitor", CpuClass::kNormal, [this] { MonitorLoop(); }, &monitor_thread_);
  }
  return status;
}

leveldb::Status Coordinator::StartWorker(CpuPriority cpu) {
  auto worker = std::make_shared<Worker>();
  worker->cpu = cpu;
  worker->monitor_signal = monitor_signal_;
  const auto body = [worker] { WorkerLoop(worker.get()); };
  leveldb::Status status =
      cpu == CpuPriority::kNormal
          ? options_.threads->TryStart("lull-work", CpuClass::kNormal, body, &worker->thread)
          : options_.threads->TryStartDetached("lull-idle", CpuClass::kIdle, body);
  if (status.ok()) workers_.push_back(std::move(worker));
  return status;
}

Coordinator::~Coordinator() {
  stopping_.store(true, std::memory_order_seq_cst);
  monitor_signal_->Wake();
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
  entry->next_policy = std::move(policy);
  entry->registered_at_nanos = options_.clock->NowNanos();
  {
    MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
    tenant_count_.store(entries_.size(), std::memory_order_relaxed);
  }
  WakeMonitor();
}

void Coordinator::Unregister(Tenant* tenant) {
  MutexLock lock(mutex_);
  const std::shared_ptr<Entry> entry = FindLocked(tenant);
  if (entry == nullptr) return;
  entry->closing = true;
  WakeMonitor();
  while (!entry->monitor_released) released_.Wait(mutex_);
  entries_.erase(std::find(entries_.begin(), entries_.end(), entry));
  tenant_count_.store(entries_.size(), std::memory_order_relaxed);
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

// ---- workers ----

/// Uses the coordinator (through its job) only while busy.
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
    worker->signal.Wait(ticket, WakeSignal::kForEver);
  }
}

void Coordinator::RunJob(Worker* worker) {
  Entry* const entry = worker->entry;
  uint64_t seen = entry->tenant->ClientBytes();
  uint64_t written = worker->job->written_bytes();
  worker->progress = Job::Progress::kMore;
  worker->status = leveldb::Status::OK();
  while (!worker->pause.load(std::memory_order_acquire)) {
    worker->slices_begun.fetch_add(1, std::memory_order_relaxed);
    worker->slice.offers_core = entry->offers_core.load(std::memory_order_relaxed);
    worker->status = worker->job->RunSlice(worker->slice, &worker->progress);
    const uint64_t before = std::exchange(written, worker->job->written_bytes());
    entry->compaction_bytes.fetch_add(written - before, std::memory_order_relaxed);
    if (worker->slices != nullptr) worker->slices->fetch_add(1, std::memory_order_relaxed);
    const bool ended = !worker->status.ok() || worker->progress == Job::Progress::kDone;
    if (ended || worker->one_slice) return;
    const uint64_t now = entry->tenant->ClientBytes();
    if (now != seen) worker->monitor_signal->Wake();
    seen = now;
  }
}

// ---- monitor ----

void Coordinator::MonitorLoop() {
  while (true) {
    const uint32_t ticket = monitor_signal_->Ticket();
    if (stopping_.load(std::memory_order_acquire)) return;
    const uint64_t wake_at_nanos = RunRound();
    const uint64_t now = options_.clock->NowNanos();
    if (wake_at_nanos > now) monitor_signal_->Wait(ticket, wake_at_nanos - now);
  }
}

uint64_t Coordinator::RunRound() {
  const std::vector<std::shared_ptr<Entry>> open = UpdateStores();
  const std::vector<WorkerReport> reports = CollectReports();
  dispatcher_.BeginRound(options_.clock->NowNanos(), reports);
  ReleaseClosed();
  NoteHanging();
  for (const auto& entry : open) Measure(entry.get());
  const uint64_t wake_at_nanos = dispatcher_.Dispatch();
  for (const WorkerOrder& order : dispatcher_.orders()) Obey(order);
  return wake_at_nanos;
}

/// Opens and closes stores and changes policies, between two rounds. Returns the stores of the
/// round.
std::vector<std::shared_ptr<Coordinator::Entry>> Coordinator::UpdateStores() {
  std::vector<std::shared_ptr<Entry>> open;
  std::vector<std::function<void()>> changes;
  {
    MutexLock lock(mutex_);
    for (const auto& entry : entries_) {
      if (entry->closing) {
        if (entry->id && !entry->monitor_released) {
          dispatcher_.Close(*entry->id);
        } else {
          entry->monitor_released = true;
          released_.NotifyAll();
        }
        continue;
      }
      open.push_back(entry);
      if (entry->next_policy == nullptr) continue;
      if (!entry->id) {
        entry->id = dispatcher_.Open(entry->tenant, std::move(entry->next_policy),
                                     entry->registered_at_nanos);
        stores_[*entry->id] = entry;
      } else {
        dispatcher_.SetPolicy(*entry->id, std::move(entry->next_policy));
      }
      if (entry->at_change) changes.push_back(std::exchange(entry->at_change, nullptr));
    }
  }
  for (const auto& change : changes) change();
  return open;
}

/// Collects the workers' reports. Jobs that ended go to their tenants.
std::vector<WorkerReport> Coordinator::CollectReports() {
  std::vector<WorkerReport> reports;
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[i];
    if (worker.state.load(std::memory_order_acquire) != Worker::State::kEnded) continue;
    WorkerReport& report = reports.emplace_back();
    report.worker = static_cast<int>(i);
    report.written_bytes = worker.job->written_bytes() - worker.written_before;
    report.share_done = worker.job->share_done();
    const leveldb::Status status = std::move(worker.status);
    if (worker.progress == Job::Progress::kDone) report.outcome = WorkerReport::Outcome::kDone;
    if (!status.ok()) report.outcome = WorkerReport::Outcome::kFailed;
    worker.job = nullptr;
    worker.state.store(Worker::State::kFree, std::memory_order_release);
    if (report.outcome != WorkerReport::Outcome::kMore)
      worker.entry->tenant->JobEnded(worker.id, status);
  }
  return reports;
}

/// Tells the dispatcher which slices do not end, and adds workers in place of theirs if other
/// stores need those.
void Coordinator::NoteHanging() {
  const uint64_t now = options_.clock->NowNanos();
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[i];
    if (worker.job == nullptr) continue;
    const uint64_t slices = worker.slices_begun.load(std::memory_order_relaxed);
    if (std::exchange(worker.seen_slices, slices) != slices) worker.seen_at_nanos = now;
    const bool is_idle = worker.cpu == CpuPriority::kIdle;
    const uint64_t patience = is_idle ? kIdleHangNanos : kHangNanos;
    dispatcher_.SetHanging(static_cast<int>(i),
                           stores_.size() > 1 && now - worker.seen_at_nanos >= patience);
    // Without a thread for it, the next round tries again.
    if (dispatcher_.LacksWorker(worker.cpu) && StartWorker(worker.cpu).ok())
      dispatcher_.AddWorker(workers_.back()->cpu);
  }
}

void Coordinator::Measure(Entry* entry) {
  Measured measured;
  measured.pressure.memory_used_bytes = memory_used_bytes();
  measured.pressure.memory_budget_bytes = memory_budget_bytes();
  measured.rests = entry->tenant->MeasurePressure(&measured.pressure);
  measured.pressure.l0_slices_total = entry->l0_slices.load(std::memory_order_relaxed);
  measured.pressure.deep_slices_total = entry->deep_slices.load(std::memory_order_relaxed);
  measured.compaction_bytes_total = entry->compaction_bytes.load(std::memory_order_relaxed);
  const Directive& directive = dispatcher_.Measure(*entry->id, measured);
  entry->offers_core.store(directive.offers_core, std::memory_order_relaxed);
  entry->tenant->ApplyDirective(directive);
  entry->tenant->SetPolicyState(dispatcher_.StateOfPolicy(*entry->id));
}

void Coordinator::Obey(const WorkerOrder& order) {
  Worker* const worker = workers_[static_cast<size_t>(order.assignment.worker)].get();
  if (order.kind != WorkerOrder::Kind::kStart) {
    worker->pause.store(order.kind == WorkerOrder::Kind::kPause, std::memory_order_release);
    return;
  }
  Entry* const entry = stores_.at(order.store).get();
  worker->id = order.job;
  worker->entry = entry;
  worker->job = entry->tenant->StartJob(order.job, order.assignment.cpu);
  worker->written_before = worker->job->written_bytes();
  worker->slices = entry->SlicesOf(order.assignment.counts_as);
  worker->slice = order.assignment.slice;
  worker->one_slice = order.assignment.one_slice;
  worker->seen_at_nanos = options_.clock->NowNanos();
  worker->pause.store(false, std::memory_order_release);
  worker->state.store(Worker::State::kBusy, std::memory_order_release);
  worker->signal.Wake();
}

/// Lets Unregister return for each tenant that the dispatcher has removed.
void Coordinator::ReleaseClosed() {
  for (auto next = stores_.begin(); next != stores_.end();) {
    const auto store = next++;
    if (dispatcher_.Has(store->first)) continue;
    const std::shared_ptr<Entry> entry = std::move(store->second);
    stores_.erase(store);
    MutexLock lock(mutex_);
    entry->monitor_released = true;
    released_.NotifyAll();
  }
}

}  // namespace lull
