// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/simulation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace lull::sim {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr uint64_t kStepNsMax = 10'000'000;
constexpr uint64_t kNever = UINT64_MAX;
constexpr double kSaturated = 0.98;
constexpr double kSliceBytes = 256 << 10;
constexpr double kHugeSeconds = 1e7;

double EntryTableBytes(const SimulationOptions& options) {
  return options.load.key_bytes + options.load.value_bytes * options.costs.table_value_share +
         options.costs.table_entry_bytes;
}

ClientMachine MachineOf(const SimulationOptions& options) {
  return {options.costs, options.device, options.cores, options.read_miss_share,
          options.log_writes};
}

uint64_t ToNs(double seconds) {
  return static_cast<uint64_t>(std::ceil(std::min(seconds, kHugeSeconds) * kNsPerSecond));
}

}  // namespace

double SimulationResult::BlockedSeconds() const {
  return std::accumulate(blocked_seconds.begin(), blocked_seconds.end(), 0.0);
}

double SimulationResult::SlowedSeconds() const {
  return std::accumulate(slowed_seconds.begin(), slowed_seconds.end(), 0.0);
}

Simulation::Simulation(const SimulationOptions& options)
    : options_(options),
      clients_(options.load, MachineOf(options), options.seed),
      tables_(options.load.key_count, EntryTableBytes(options), options.layout),
      dispatcher_(options.limits.compaction_threads),
      store_(dispatcher_.Open(this, MakeObservedPolicy(), 0)) {
  if (options.populated_bytes > 0) tables_.Populate(options.populated_bytes);
  result_.entries_in = tables_.EntriesListed();
}

SimulationResult Simulation::Run(const Report& report) {
  report_ = report;
  end_ns_ = ToNs(options_.seconds);
  phase_ = options_.load.phases.size() - 1;
  BeginPhase();
  At(kNsPerSecond, EventKindOf::kInterval);
  WakeMonitor(0);
  while (now_ns_ < end_ns_) {
    if (shares_changed_) Share();
    Advance(NextStop());
    Settle();
    while (!events_.empty() && events_.top().at_ns <= now_ns_) {
      const Event event = events_.top();
      events_.pop();
      Handle(event);
    }
    Settle();
  }
  if (blocked_) EndBlock();
  EndInterval();
  result_.seconds = Now();
  result_.layout = tables_.layout_figures();
  result_.entries_in_memory = active_entries_;
  for (const Sealed& sealed : sealed_) result_.entries_in_memory += sealed.entries;
  result_.entries_listed = tables_.EntriesListed();
  result_.entries_dropped = entries_dropped_by_flush_ + tables_.entries_dropped();
  return std::move(result_);
}

void Simulation::At(uint64_t at_ns, EventKindOf kind) {
  if (at_ns < now_ns_) {
    std::fprintf(stderr, "simulation: an event is %llu ns in the past\n",
                 static_cast<unsigned long long>(now_ns_ - at_ns));
    std::abort();
  }
  events_.push({at_ns, order_++, kind});
}

void Simulation::Handle(const Event& event) {
  ++result_.events;
  switch (event.kind) {
    case EventKindOf::kMonitor:
      if (event.at_ns == monitor_at_ns_) MonitorRound();  // otherwise it already ran earlier
      break;
    case EventKindOf::kPhase:
      BeginPhase();
      break;
    case EventKindOf::kInterval:
      EndInterval();
      At(now_ns_ + static_cast<uint64_t>(kNsPerSecond), EventKindOf::kInterval);
      break;
    case EventKindOf::kSliceEnds:  // JobsEnded handles it
      break;
    case EventKindOf::kInstalled:
      FinishInstall();
      break;
  }
}

void Simulation::BeginPhase() {
  const double before = requests_per_sec_;
  phase_ = (phase_ + 1) % options_.load.phases.size();
  const Phase& phase = options_.load.phases[phase_];
  requests_per_sec_ = phase.requests_per_sec;
  At(now_ns_ + std::max<uint64_t>(1, ToNs(phase.seconds)), EventKindOf::kPhase);
  shares_changed_ = true;
  // A worker notices the first write at the end of its slice.
  const bool running = std::any_of(jobs_.begin(), jobs_.end(),
                                   [](const Job& job) { return job.state != JobState::kPaused; });
  if (before == 0 && requests_per_sec_ > 0 && running) WakeMonitor(now_ns_ + 1'000'000);
}

/// The next time at which anything can change.
uint64_t Simulation::NextStop() const {
  uint64_t stop = std::min(end_ns_, events_.top().at_ns);
  if (requests_per_sec_ > 0 || clients_.backlogged()) stop = std::min(stop, now_ns_ + kStepNsMax);
  double seconds = kHugeSeconds;
  const auto ends = [&](double done, double speed) {
    if (speed > 0) seconds = std::min(seconds, std::max(0.0, 1 - done) / speed);
  };
  for (const Job& job : jobs_) {
    if (job.state != JobState::kPaused) ends(job.done + 1 - job.slice_ends, job.thread.speed);
  }
  if (flush_ && !installing_) ends(flush_->done, flush_->thread.speed);
  const double bytes_per_sec = clients_.requests_per_sec_wanted() * options_.load.put_share *
                               clients_.memtable_bytes_per_write();
  const double room = MemtableBytesMax() + AbsorbRoom() - active_bytes_;
  if (bytes_per_sec > 0 && room > 0) seconds = std::min(seconds, room / bytes_per_sec);
  const double drains = clients_.capacity() - requests_per_sec_;
  if (clients_.backlogged() && drains > 0) seconds = std::min(seconds, clients_.backlog() / drains);
  return std::max(now_ns_ + 1, std::min(stop, now_ns_ + ToNs(seconds)));
}

void Simulation::Advance(uint64_t to_ns) {
  const double from = Now();
  const double to = static_cast<double>(to_ns) / kNsPerSecond;
  const double seconds = to - from;
  const bool was_backlogged = clients_.backlogged();
  const Served served = clients_.Advance(from, to);
  if (clients_.backlogged() != was_backlogged) shares_changed_ = true;
  const double entries = served.writes * options_.load.batch_entries;
  active_bytes_ += served.writes * clients_.memtable_bytes_per_write();
  active_entries_ += entries;
  result_.entries_in += entries;
  client_bytes_ += served.writes * clients_.client_bytes_per_write();
  client_read_bytes_ += (served.requests - served.writes) * options_.load.value_bytes;
  // A filter can answer a get. An iterator has to look into all tables.
  const double l0_tables = tables_.version().TableCount(0);
  l0_misses_ += served.requests *
                (options_.load.get_share * options_.filter_pass_share * tables_.L0SearchedInVain() +
                 options_.load.scan_share * kMissesOfASeek * std::max(0.0, l0_tables - 1));
  interval_.client_bytes += served.writes * clients_.write_bytes();
  interval_.arrived += served.arrived;
  interval_.served += served.requests;
  if (requests_per_sec_ > 0 || was_backlogged) result_.at_work_seconds += seconds;

  const bool want_to_write = requests_per_sec_ > 0 || was_backlogged;
  if (blocked_ && want_to_write) {
    interval_.blocked_seconds[static_cast<size_t>(*blocked_)] += seconds;
  } else if (want_to_write && clients_.slowed()) {
    interval_.slowed_seconds[static_cast<size_t>(directive_.cause)] += seconds;
  }
  interval_.device_share += device_in_use_ * seconds;
  interval_.cores += cores_in_use_ * seconds;
  AdvanceWork(seconds);
  now_ns_ = to_ns;
}

void Simulation::AdvanceWork(double seconds) {
  const auto note = [&](const BackgroundThread& thread, double part) {
    const double bytes = part * thread.write_bytes;
    interval_.written_bytes.of(thread.job_class) += bytes;
    (thread.job_class ? compaction_bytes_ : flush_bytes_) += bytes;
  };
  for (Job& job : jobs_) {
    if (job.state == JobState::kPaused) continue;
    const double part = std::min(job.thread.speed * seconds, job.slice_ends - job.done);
    job.done += part;
    if (job.slice_ends - job.done < 1e-9) job.done = job.slice_ends;
    note(job.thread, part);
    const double read_bytes = part * static_cast<double>(job.merge.bytes_in);
    interval_.read_bytes += read_bytes;
    (job.counts_as == JobClass::kL0 ? l0_slices_ : deep_slices_) += read_bytes / kSliceBytes;
  }
  if (flush_ && !installing_) {
    const double part = std::min(flush_->thread.speed * seconds, 1 - flush_->done);
    flush_->done += part;
    if (1 - flush_->done < 1e-9) flush_->done = 1;
    note(flush_->thread, part);
  }
}

/// The background threads that are not paused.
std::vector<BackgroundThread*> Simulation::AtWork() {
  std::vector<BackgroundThread*> threads;
  for (Job& job : jobs_) {
    if (job.state != JobState::kPaused) threads.push_back(&job.thread);
  }
  if (flush_ && !installing_) threads.push_back(&flush_->thread);
  return threads;
}

ClientShare Simulation::ShareOnce(const ClientShare& clients) {
  if (flush_) flush_->thread.bytes_per_sec_max = FlushLimit();
  const std::vector<BackgroundThread*> at_work = AtWork();
  std::vector<BackgroundThread> threads;
  for (const BackgroundThread* thread : at_work) threads.push_back(*thread);
  const ClientShare granted = ShareMachine(options_.cores, clients, options_.load.clients, threads,
                                           static_cast<double>(rocksdb_limit_));
  for (size_t i = 0; i < threads.size(); ++i) at_work[i]->speed = threads[i].speed;
  return granted;
}

Conditions Simulation::MakeConditions(const ClientShare& most) {
  Conditions conditions;
  conditions.requests_per_sec = requests_per_sec_;
  conditions.cores = most.cores;
  conditions.device = most.device;
  conditions.queue_seconds = queue_seconds_;
  conditions.queue_seconds_max = queue_seconds_max_;
  for (const BackgroundThread* thread : AtWork()) {
    if (thread->cpu != CpuPriority::kNormal) continue;
    conditions.busy += thread->speed * thread->cpu_seconds / options_.cores;
  }
  conditions.memtable_bytes = MemtableBytesMax();
  conditions.delay_us_per_write = static_cast<double>(directive_.delay_us_per_write);
  conditions.write_bytes_per_sec_max = static_cast<double>(directive_.write_bytes_per_sec_max);
  conditions.blocked = blocked_.has_value();
  return conditions;
}

/// Computes the queue that a client's small read finds at the device: one chunk of each background
/// thread that has a request there. If the device is the bottleneck, a thread has a request
/// whenever it does not compute; otherwise, or if a limit slows it, only while the device works for
/// it.
void Simulation::MeasureQueue(const ClientShare& clients) {
  const std::vector<BackgroundThread*> threads = AtWork();
  double used = clients.device;
  for (const BackgroundThread* thread : threads) used += thread->speed * thread->device_seconds;
  device_in_use_ = std::min(1.0, used);
  const bool device_is_short = used > kSaturated;
  double outstanding = 0;
  int users = 0;
  for (const BackgroundThread* thread : threads) {
    if (thread->device_seconds <= 0) continue;
    const double served = thread->speed * thread->device_seconds;
    const bool waits = device_is_short && !thread->IsAtLimit();
    outstanding += waits ? std::max(served, 1 - thread->speed * thread->cpu_seconds) : served;
    ++users;
  }
  const double chunk_seconds = options_.device.chunk_bytes / options_.device.write_bytes_per_sec;
  queue_seconds_ = outstanding * chunk_seconds;
  queue_seconds_max_ = users * chunk_seconds;
}

/// Recomputes all speeds: first the most that the clients could get, then their demand under those
/// conditions, then everyone's share.
void Simulation::Share() {
  shares_changed_ = false;
  ClientShare all;
  all.cores = std::min(options_.load.clients, options_.cores);
  all.device = 1;
  const ClientShare most = ShareOnce(all);
  clients_.Set(MakeConditions(most));
  const double wanted = clients_.requests_per_sec_wanted();
  const ClientShare granted = ShareOnce({clients_.CoresFor(wanted), clients_.DeviceFor(wanted)});
  MeasureQueue(granted);
  clients_.Set(MakeConditions(most));
  cores_in_use_ = granted.cores;
  for (const BackgroundThread* thread : AtWork()) {
    cores_in_use_ += thread->speed * thread->cpu_seconds;
  }
}

void Simulation::AddToFingerprint(double value) {
  result_.fingerprint =
      (result_.fingerprint ^ std::bit_cast<uint64_t>(value)) * uint64_t{0x9e3779b97f4a7c15};
}

void Simulation::EndInterval() {
  const double seconds = Now() - interval_began_;
  if (seconds <= 0) return;
  clients_.Settle();
  interval_.at_seconds = Now();
  interval_.backlog = clients_.backlog();
  interval_.p50_us = clients_.all.Quantile(0.5) * 1e6;
  interval_.p99_us = clients_.all.Quantile(0.99) * 1e6;
  interval_.p999_us = clients_.all.Quantile(0.999) * 1e6;
  interval_.max_us = clients_.all.max_seconds() * 1e6;
  interval_.write_p99_us = clients_.writes.Quantile(0.99) * 1e6;
  interval_.device_share /= seconds;
  interval_.cores /= seconds;
  interval_.l0_tables = tables_.version().TableCount(0);
  interval_.jobs = static_cast<int>(jobs_.size());
  interval_.debt_bytes = tables_.DebtBytes();
  interval_.memory_bytes = static_cast<uint64_t>(active_bytes_ + sealed_bytes_);
  interval_.compactions_max = directive_.compactions_max;
  interval_.memtable_bytes = MemtableBytesMax();

  result_.arrived += interval_.arrived;
  result_.served += interval_.served;
  result_.all.Merge(clients_.all);
  result_.writes.Merge(clients_.writes);
  for (size_t i = 0; i < kCauses; ++i) {
    result_.blocked_seconds[i] += interval_.blocked_seconds[i];
    result_.slowed_seconds[i] += interval_.slowed_seconds[i];
  }
  result_.client_bytes += interval_.client_bytes;
  result_.written_bytes.Add(interval_.written_bytes);
  result_.read_bytes += interval_.read_bytes;
  for (const double value : {interval_.served, interval_.p99_us, interval_.written_bytes.deep,
                             static_cast<double>(interval_.debt_bytes)}) {
    AddToFingerprint(value);
  }
  if (report_) report_(interval_);
  clients_.all.Clear();
  clients_.writes.Clear();
  interval_ = Interval();
  interval_began_ = Now();
}

}  // namespace lull::sim
