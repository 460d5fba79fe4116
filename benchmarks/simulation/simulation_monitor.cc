// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator's monitor in virtual time: it measures, asks the policy, and makes what the
// policy wants so by the rules of db/coordinator.cc.
#include <algorithm>
#include <utility>

#include "benchmarks/simulation/simulation.h"

namespace lull::sim {
namespace {

constexpr uint64_t kTickNs = 10'000'000;
constexpr uint64_t kSilenceNs = 1'000'000'000;
constexpr uint64_t kSliceNs = 1'000'000;

}  // namespace

void Simulation::WakeMonitor(uint64_t at_ns) {
  if (at_ns >= monitor_at_ns_) return;
  monitor_at_ns_ = at_ns;
  At(at_ns, EventKindOf::kMonitor);
}

void Simulation::MonitorRound() {
  monitor_at_ns_ = UINT64_MAX;
  AskPolicy();
  PauseUnwanted();
  FillWorkers();
  if (options_.l0_first) PreemptForL0();
  WakeMonitor(now_ns_ + (directive_.tick ? kTickNs : kSilenceNs));
}

Pressure Simulation::MeasurePressure() {
  Pressure pressure;
  pressure.memory_used_bytes = static_cast<uint64_t>(MemoryUsed());
  pressure.memory_budget_bytes = options_.memory_budget_bytes;
  pressure.immutable_bytes = static_cast<uint64_t>(sealed_bytes_);
  pressure.immutables = static_cast<int>(sealed_.size());
  pressure.flush_bytes_per_sec = static_cast<uint64_t>(flush_bytes_per_sec_);
  pressure.l0_tables = tables_.version().TableCount(0);
  pressure.l0_bytes = tables_.version().LevelBytes(0);
  pressure.l1_bytes = tables_.version().LevelBytes(1);
  pressure.debt_bytes = tables_.DebtBytes();
  pressure.l0_due = tables_.Due(Depth::kL0);
  pressure.deep_due = tables_.Due(Depth::kDeep);
  pressure.l0_running = Running(WorkClass::kL0);
  pressure.deep_running = Running(WorkClass::kDeep);
  pressure.deep_paused =
      static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) {
        return job.state == JobState::kPaused && job.thread.work_class == WorkClass::kDeep;
      }));
  pressure.background_bytes_total = static_cast<uint64_t>(background_bytes_);
  const auto slices = [this](WorkClass work_class) {
    return static_cast<uint64_t>(slices_[static_cast<size_t>(work_class)]);
  };
  pressure.l0_slices_total = slices(WorkClass::kL0);
  pressure.deep_slices_total = slices(WorkClass::kDeep);
  pressure.active_bytes = static_cast<uint64_t>(active_bytes_);
  pressure.memtable_bytes = options_.limits.memtable_bytes;
  pressure.client_bytes_total = static_cast<uint64_t>(client_bytes_);
  pressure.client_read_bytes_total = static_cast<uint64_t>(client_read_bytes_);
  pressure.l0_misses_total = static_cast<uint64_t>(l0_misses_);
  if (pressure.client_bytes_total != seen_client_bytes_) {
    seen_client_bytes_ = pressure.client_bytes_total;
    seen_write_at_ns_ = now_ns_;
  }
  pressure.idle_us = (now_ns_ - seen_write_at_ns_) / 1000;
  return pressure;
}

void Simulation::AskPolicy() {
  const Pressure pressure = MeasurePressure();
  EventKind event = std::exchange(event_, EventKind::kTick);
  if (event == EventKind::kTick && sealed_.size() != seen_sealed_) {
    event = sealed_.size() > seen_sealed_ ? EventKind::kSealed : EventKind::kFlushed;
  }
  seen_sealed_ = sealed_.size();
  const Directive wanted = policy_->OnEvent(event, pressure, now_ns_ / 1000);
  ++result_.policy_calls;
  if (wanted != directive_) {
    shares_changed_ = true;
    directive_ = wanted;
    AddToFingerprint(static_cast<double>(directive_.l0.jobs_max * 16 + directive_.deep.jobs_max));
    AddToFingerprint(static_cast<double>(directive_.write_bytes_per_sec_max));
  }
}

int Simulation::Running(WorkClass work_class) const {
  return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.state != JobState::kPaused && job.thread.work_class == work_class;
  }));
}

int Simulation::Running() const { return Running(WorkClass::kL0) + Running(WorkClass::kDeep); }

void Simulation::Pause(Job* job) {
  if (job->state != JobState::kRunning) return;
  job->state = JobState::kPausing;  // until the end of its slice
  At(now_ns_ + kSliceNs, EventKindOf::kPaused, job->id);
}

void Simulation::PauseUnwanted() {
  int l0 = 0;
  int deep = 0;
  for (Job& job : jobs_) {
    if (job.state == JobState::kPaused) continue;
    const bool is_l0 = job.thread.work_class == WorkClass::kL0;
    const Grant& grant = is_l0 ? directive_.l0 : directive_.deep;
    int& kept = is_l0 ? l0 : deep;
    if (kept < grant.jobs_max && l0 + deep < directive_.compactions_max &&
        job.thread.cpu == grant.cpu) {
      ++kept;
      job.state = JobState::kRunning;
    } else {
      Pause(&job);
    }
  }
}

bool Simulation::Allowed(WorkClass work_class, CpuPriority cpu) const {
  const Grant& grant = work_class == WorkClass::kL0 ? directive_.l0 : directive_.deep;
  return grant.cpu == cpu && Running(work_class) < grant.jobs_max &&
         Running() < directive_.compactions_max;
}

void Simulation::FillWorkers() {
  std::array<WorkClass, 2> classes = {WorkClass::kL0, WorkClass::kDeep};
  // First due, first served: whichever class is further over its target.
  if (!options_.l0_first) {
    double deepest = 0;
    for (int level = 1; level + 1 < kLevels; ++level) {
      deepest = std::max(deepest, LevelScore(tables_.version(), level, options_.layout));
    }
    if (deepest > LevelScore(tables_.version(), 0, options_.layout))
      std::swap(classes[0], classes[1]);
  }
  for (const CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
    for (int worker = 0; worker < options_.limits.compaction_threads; ++worker) {
      if (Running() >= options_.limits.compaction_threads) return;
      bool given = false;
      for (const WorkClass work_class : classes) {
        if (!given && Allowed(work_class, cpu)) given = GiveWork(work_class, cpu);
      }
      if (!given) break;
    }
  }
}

bool Simulation::GiveWork(WorkClass work_class, CpuPriority cpu) {
  const auto paused = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    return job.state == JobState::kPaused && job.thread.work_class == work_class;
  });
  if (paused != jobs_.end()) {
    paused->state = JobState::kRunning;
    paused->thread.cpu = cpu;
    jobs_.splice(jobs_.end(), jobs_, paused);
    shares_changed_ = true;
    return true;
  }
  const bool is_l0 = work_class == WorkClass::kL0;
  std::optional<TableMerge> merge =
      tables_.Begin(is_l0 ? Depth::kL0 : Depth::kDeep, directive_.table_bytes);
  if (!merge) {
    if (is_l0 && tables_.Due(Depth::kL0)) l0_refused_at_end_ = ends_;
    return false;
  }
  const Costs& costs = options_.costs;
  const double entry_bytes = options_.load.key_bytes + options_.load.value_bytes;
  Job job;
  job.id = next_job_++;
  job.thread.work_class = work_class;
  job.thread.cpu = cpu;
  job.thread.cpu_seconds =
      1e-6 + 1e-9 * merge->entries_in * (costs.merge_entry_ns + costs.merge_byte_ns * entry_bytes);
  job.thread.write_bytes = static_cast<double>(merge->bytes_out);
  job.thread.device_seconds = job.thread.write_bytes / options_.device.write_bytes_per_sec +
                              options_.merge_miss_share * static_cast<double>(merge->bytes_in) /
                                  options_.device.read_bytes_per_sec;
  job.merge = std::move(*merge);
  jobs_.push_back(std::move(job));
  shares_changed_ = true;
  return true;
}

void Simulation::PreemptForL0() {
  if (Running() < options_.limits.compaction_threads || !tables_.Due(Depth::kL0)) return;
  if (directive_.l0.jobs_max == 0 || Running(WorkClass::kL0) > 0) return;
  if (l0_refused_at_end_ == ends_) return;
  for (Job& job : jobs_) {
    if (job.state == JobState::kPausing) return;  // one is on its way out
  }
  for (Job& job : jobs_) {
    if (job.state == JobState::kPaused || job.thread.work_class != WorkClass::kDeep) continue;
    Pause(&job);
    return;
  }
}

void Simulation::JobsEnded() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->done < 1 || job->state == JobState::kPaused) {
      ++job;
      continue;
    }
    to_install_.push_back(std::move(job->merge));
    job = jobs_.erase(job);
    ++ends_;
    event_ = EventKind::kJobDone;
    shares_changed_ = true;
    WakeMonitor(now_ns_);
  }
}

}  // namespace lull::sim
