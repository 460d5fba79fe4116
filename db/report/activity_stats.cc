// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/activity_stats.h"

#include <algorithm>
#include <utility>

#include "db/compaction/merge_job.h"

namespace lull {
namespace {

// A rate covers at least the last second: from the newest sample that is old enough until now.
constexpr uint64_t kRateNanos = 1'000'000'000;
constexpr uint64_t kSampleNanos = 100'000'000;

template <class Enum>
size_t Index(Enum value) {
  return static_cast<size_t>(value);
}

/// Whether a job of this kind makes room for writes that `cause` stops.
bool MakesRoom(JobKind kind, WriteStallCause cause) {
  if (cause == WriteStallCause::kMemory) return kind == JobKind::kFlush;
  if (cause == WriteStallCause::kL0) return kind == JobKind::kL0Compaction;
  return cause == WriteStallCause::kDebt && kind != JobKind::kFlush;
}

}  // namespace

const char* JobKindName(JobKind kind) {
  constexpr const char* kNames[kJobKinds] = {"flush", "l0", "deep", "manual"};
  return kNames[Index(kind)];
}

const char* StallKindName(StallKind kind) {
  constexpr const char* kNames[kStallKinds] = {"slowdown", "stop"};
  return kNames[Index(kind)];
}

const char* StallCauseName(WriteStallCause cause) {
  constexpr const char* kNames[kStallCauses] = {"memory", "l0", "debt", "other"};
  return kNames[Index(cause)];
}

WriteStallCause CauseOf(StallCause cause) {
  switch (cause) {
    case StallCause::kMemory:
      return WriteStallCause::kMemory;
    case StallCause::kL0:
      return WriteStallCause::kL0;
    case StallCause::kDebt:
      return WriteStallCause::kDebt;
    case StallCause::kNone:
      break;
  }
  return WriteStallCause::kOther;
}

ActivityStats::ActivityStats(Clock* clock, EventHub* hub)
    : clock_(clock), hub_(hub), opened_nanos_(clock->NowNanos()) {
  samples_.push_back({opened_nanos_, 0, 0, 0});
  stalls_[Index(StallKind::kStop)].info.kind = StallKind::kStop;
}

// ---- jobs ----

JobInfo ActivityStats::InfoOfLocked(const MergeJob& job, const Running& running,
                                    uint64_t now) const {
  JobInfo info = running.info;
  // A part that has merged its range only waits for the others.
  const uint64_t until = running.merged_nanos == 0 ? now : running.merged_nanos;
  const uint64_t pause =
      running.pause_began_nanos == 0 ? 0 : until - std::min(until, running.pause_began_nanos);
  info.input_bytes_done = std::min(job.input_bytes_read(), info.input_bytes);
  info.at_us = WallClockMicros();
  info.elapsed_us = (until - running.began_nanos) / 1000;
  info.paused_us = (running.paused_nanos + pause) / 1000;
  return info;
}

void ActivityStats::JobStarted(const MergeJob& job, CpuPriority cpu) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  const auto [place, is_new] = running_.try_emplace(&job);
  Running& running = place->second;
  if (is_new) running.info = job.Describe();
  running.info.idle_priority = cpu == CpuPriority::kIdle;
  if (is_new) {
    running.info.id = ++last_job_id_;
    running.began_nanos = now;
    hub_->Post(JobEvent{JobEvent::Phase::kBegin, InfoOfLocked(job, running, now)});
  } else if (running.pause_began_nanos != 0) {
    running.paused_nanos += now - running.pause_began_nanos;
    running.pause_began_nanos = 0;
    hub_->Post(JobEvent{JobEvent::Phase::kResume, InfoOfLocked(job, running, now)});
  }
}

void ActivityStats::JobPaused(const MergeJob& job) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  const auto found = running_.find(&job);
  if (found == running_.end() || found->second.pause_began_nanos != 0) return;
  Running& running = found->second;
  running.pause_began_nanos = now;
  ++running.info.pauses;
  ++known_.job_totals[Index(running.info.kind)].pauses;
  hub_->Post(JobEvent{JobEvent::Phase::kPause, InfoOfLocked(job, running, now)});
}

void ActivityStats::PartMerged(const MergeJob& job) {
  MutexLock lock(mutex_);
  const auto found = running_.find(&job);
  if (found != running_.end()) found->second.merged_nanos = clock_->NowNanos();
}

void ActivityStats::JobEnded(const MergeJob& job, const leveldb::Status& status) {
  MutexLock lock(mutex_);
  EndJobLocked(job, status.ok() ? JobOutcome::kDone : JobOutcome::kFailed, status);
}

void ActivityStats::JobAbandoned(const MergeJob& job) {
  MutexLock lock(mutex_);
  EndJobLocked(job, JobOutcome::kAbandoned, leveldb::Status::OK());
}

void ActivityStats::EndJobLocked(const MergeJob& job, JobOutcome outcome,
                                 const leveldb::Status& status) {
  const auto found = running_.find(&job);
  if (found == running_.end()) return;
  const Running& running = found->second;
  const TableOutputs& outputs = job.outputs();
  JobInfo info = InfoOfLocked(job, running, clock_->NowNanos());
  info.outcome = outcome;
  info.status = status;
  JobTotals& totals = known_.job_totals[Index(info.kind)];
  totals.paused_nanos += info.paused_us * 1000;
  totals.read_bytes += info.trivial_move ? 0 : info.input_bytes_done;
  totals.written_bytes += outputs.FinishedBytes();
  switch (outcome) {
    case JobOutcome::kDone:
      ++totals.done;
      // A table's index and filter are never merged, so a finished job counts all of its input.
      if (!info.trivial_move) totals.read_bytes += info.input_bytes - info.input_bytes_done;
      info.input_bytes_done = info.input_bytes;
      info.output_files = info.trivial_move ? info.input_files : outputs.finished().size();
      info.output_bytes = info.trivial_move ? info.input_bytes : outputs.FinishedBytes();
      break;
    case JobOutcome::kFailed:
      ++totals.failed;
      break;
    case JobOutcome::kAbandoned:
    case JobOutcome::kRunning:
      ++totals.abandoned;
      break;
  }
  running_.erase(found);
  hub_->Post(JobEvent{JobEvent::Phase::kEnd, info});
}

uint64_t ActivityStats::ReadBytesLocked(JobKind kind) const {
  uint64_t bytes = known_.job_totals[Index(kind)].read_bytes;
  for (const auto& [job, running] : running_) {
    if (running.info.kind != kind || running.info.trivial_move) continue;
    bytes += std::min(job->input_bytes_read(), running.info.input_bytes);
  }
  return bytes;
}

// ---- stalls ----

StallInfo ActivityStats::InfoOfLocked(const Stall& stall, uint64_t now) const {
  StallInfo info = stall.info;
  const uint64_t held = stall.held == 0 ? 0 : now - std::min(now, stall.held_since_nanos);
  info.at_us = WallClockMicros();
  info.elapsed_us = (now - stall.began_nanos) / 1000;
  info.held_us = (stall.held_nanos + held) / 1000;
  return info;
}

/// Held writes count for the new stall from here on.
void ActivityStats::BeginStallLocked(StallKind kind, WriteStallCause cause, uint64_t now) {
  Stall& stall = stalls_[Index(kind)];
  stall.lasts = true;
  stall.began_nanos = stall.held_since_nanos = now;
  stall.held_nanos = 0;
  stall.info.id = ++last_stall_id_;
  stall.info.cause = cause;
  stall.info.held_writes = static_cast<uint64_t>(stall.held);
  ++known_.stall_totals[Index(kind)][Index(cause)].count;
  hub_->Post(StallEvent{true, InfoOfLocked(stall, now)});
}

void ActivityStats::EndStallLocked(StallKind kind, uint64_t now) {
  Stall& stall = stalls_[Index(kind)];
  const StallInfo info = InfoOfLocked(stall, now);
  StallTotals& totals = known_.stall_totals[Index(kind)][Index(info.cause)];
  totals.held_nanos += info.held_us * 1000;
  totals.held_writes += info.held_writes;
  stall.lasts = false;
  hub_->Post(StallEvent{false, info});
}

void ActivityStats::WriteHeld(StallKind kind, StallCause cause) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  Stall& stall = stalls_[Index(kind)];
  if (!stall.lasts) {
    BeginStallLocked(kind, CauseOf(kind == StallKind::kSlowdown ? slow_cause_ : cause), now);
  }
  if (stall.held++ == 0) stall.held_since_nanos = now;
  ++stall.info.held_writes;
}

void ActivityStats::WriteReleased(StallKind kind) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  Stall& stall = stalls_[Index(kind)];
  if (--stall.held > 0) return;
  stall.held_nanos += now - std::min(now, stall.held_since_nanos);
  const bool may_go_on = kind == StallKind::kSlowdown && slows_;
  if (stall.lasts && !may_go_on) EndStallLocked(kind, now);
}

void ActivityStats::SetDirective(const Directive& directive) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  known_.directive = directive;
  slows_ = directive.delay_us_per_write > 0 || directive.write_bytes_per_sec_max > 0;
  Stall& slowdown = stalls_[Index(StallKind::kSlowdown)];
  if (!slows_) {
    if (slowdown.lasts && slowdown.held == 0) EndStallLocked(StallKind::kSlowdown, now);
    return;
  }
  slow_cause_ = directive.cause;
  const WriteStallCause cause = CauseOf(directive.cause);
  if (!slowdown.lasts || slowdown.info.cause == cause) return;
  EndStallLocked(StallKind::kSlowdown, now);
  if (slowdown.held > 0) BeginStallLocked(StallKind::kSlowdown, cause, now);
}

// ---- the rest ----

void ActivityStats::SetPolicyState(PolicyState state) {
  MutexLock lock(mutex_);
  known_.policy_state = std::move(state);
}

ActivityStats::RateSample ActivityStats::MeasureLocked(uint64_t user_bytes) const {
  return {clock_->NowNanos(), user_bytes, ReadBytesLocked(JobKind::kFlush),
          ReadBytesLocked(JobKind::kL0Compaction) + ReadBytesLocked(JobKind::kDeepCompaction) +
              ReadBytesLocked(JobKind::kManualCompaction)};
}

void ActivityStats::Sample(uint64_t user_bytes) {
  MutexLock lock(mutex_);
  if (clock_->NowNanos() - samples_.back().nanos < kSampleNanos) return;
  samples_.push_back(MeasureLocked(user_bytes));
  const uint64_t now = samples_.back().nanos;
  // The first sample stays until the second one is old enough to replace it.
  while (samples_.size() > 1 && now - samples_[1].nanos >= kRateNanos) samples_.pop_front();
}

Rates ActivityStats::RatesLocked(uint64_t user_bytes) const {
  const RateSample now = MeasureLocked(user_bytes);
  const RateSample& then = samples_.front();
  const auto nanos = static_cast<double>(now.nanos - then.nanos);
  const auto per_sec = [&](uint64_t RateSample::*bytes) {
    if (now.*bytes <= then.*bytes || nanos == 0) return 0.0;
    return static_cast<double>(now.*bytes - then.*bytes) * 1e9 / nanos;
  };
  return {per_sec(&RateSample::user_bytes), per_sec(&RateSample::flush_bytes),
          per_sec(&RateSample::compaction_bytes)};
}

void ActivityStats::SetOptions(const std::string& policy, const std::string& options) {
  MutexLock lock(mutex_);
  if (options == known_.options) return;
  const bool is_change = !known_.options.empty();
  known_.policy = policy;
  known_.options = options;
  if (is_change) hub_->Post(OptionsInfo{WallClockMicros(), policy, options});
}

void ActivityStats::WritesRefused(const char* what, const leveldb::Status& status) {
  hub_->Post(WritesRefusedInfo{WallClockMicros(), what, status});
}

void ActivityStats::Close() {
  MutexLock lock(mutex_);
  while (!running_.empty()) {
    EndJobLocked(*running_.begin()->first, JobOutcome::kAbandoned, leveldb::Status::OK());
  }
  for (Stall& stall : stalls_) {
    if (stall.lasts) EndStallLocked(stall.info.kind, clock_->NowNanos());
  }
}

std::vector<RunningJobReport> ActivityStats::JobsLocked(uint64_t now) const {
  std::vector<RunningJobReport> jobs;
  for (const auto& [job, running] : running_)
    jobs.push_back({InfoOfLocked(*job, running, now), running.pause_began_nanos != 0});
  std::ranges::sort(jobs, {}, [](const RunningJobReport& job) { return job.info.id; });
  return jobs;
}

WriteStallCause ActivityStats::StopCause() {
  MutexLock lock(mutex_);
  const Stall& stop = stalls_[Index(StallKind::kStop)];
  return stop.held > 0 ? stop.info.cause : WriteStallCause::kOther;
}

uint64_t ActivityStats::MicrosToRoom(WriteStallCause cause) {
  MutexLock lock(mutex_);
  uint64_t first = UINT64_MAX;
  for (const auto& [info, paused] : JobsLocked(clock_->NowNanos())) {
    if (paused || info.input_bytes_done == 0 || !MakesRoom(info.kind, cause)) continue;
    const double left = static_cast<double>(info.input_bytes - info.input_bytes_done) /
                        static_cast<double>(info.input_bytes_done);
    const auto ran_us = static_cast<double>(info.elapsed_us - info.paused_us);
    first = std::min(first, static_cast<uint64_t>(left * ran_us) + 1);
  }
  return first == UINT64_MAX ? 0 : first;
}

ActivityReport ActivityStats::Report(uint64_t user_bytes) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  ActivityReport report = known_;
  report.uptime_nanos = now - opened_nanos_;
  report.jobs = JobsLocked(now);
  for (const RunningJobReport& job : report.jobs)
    report.job_totals[Index(job.info.kind)].paused_nanos += job.info.paused_us * 1000;
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    report.job_totals[kind].read_bytes = ReadBytesLocked(static_cast<JobKind>(kind));
  }
  for (const Stall& stall : stalls_) {
    if (!stall.lasts) continue;
    const StallInfo info = InfoOfLocked(stall, now);
    StallTotals& totals = report.stall_totals[Index(info.kind)][Index(info.cause)];
    totals.held_nanos += info.held_us * 1000;
    totals.held_writes += info.held_writes;
    report.stalls.push_back(info);
  }
  report.rates = RatesLocked(user_bytes);
  return report;
}

leveldb::Status ActivityStats::AddListener(std::shared_ptr<EventListener> listener) {
  MutexLock lock(mutex_);
  const uint64_t now = clock_->NowNanos();
  std::vector<Event> present;
  for (const auto& [info, paused] : JobsLocked(now)) {
    JobInfo begin = info;
    if (paused) --begin.pauses;  // the current pause gets its own event
    present.emplace_back(JobEvent{JobEvent::Phase::kBegin, begin});
    if (paused) present.emplace_back(JobEvent{JobEvent::Phase::kPause, info});
  }
  for (const Stall& stall : stalls_) {
    if (stall.lasts) present.emplace_back(StallEvent{true, InfoOfLocked(stall, now)});
  }
  return hub_->Add(std::move(listener), EventHub::Wants::kEverything, std::move(present));
}

}  // namespace lull
