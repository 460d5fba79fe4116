// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A listener that checks the order of events: one state machine for each job and each kind of
// stall. errors() lists every violation of the promises at the top of lull/listener.h. Tests wait
// on its counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lull/listener.h"
#include "tests/support/event_count.h"
#include "util/mutex.h"

namespace lull::testing {

class JobSequenceChecker final : public EventListener {
 public:
  struct Counts {
    uint64_t begins = 0, pauses = 0, resumes = 0;
    uint64_t done = 0, failed = 0, abandoned = 0;
    uint64_t stall_begins = 0, stall_ends = 0;
    uint64_t flushes_done = 0, compactions_done = 0;
    uint64_t option_changes = 0, refusals = 0;
  };

  void OnJobBegin(const JobInfo& job) override {
    MutexLock lock(mutex_);
    ++counts_.begins;
    if (jobs_.contains(job.id)) Wrong(job, "begins twice");
    if (job.id <= last_new_id_) Wrong(job, "begins after a later one");
    last_new_id_ = job.id;
    if (job.outcome != JobOutcome::kRunning) Wrong(job, "begins with an outcome");
    jobs_[job.id] = {State::kRunning, job};
    changed_.Note();
  }
  void OnJobPause(const JobInfo& job) override {
    MutexLock lock(mutex_);
    ++counts_.pauses;
    Move(job, State::kRunning, State::kPaused);
  }
  void OnJobResume(const JobInfo& job) override {
    MutexLock lock(mutex_);
    ++counts_.resumes;
    Move(job, State::kPaused, State::kRunning);
  }
  void OnJobEnd(const JobInfo& job) override {
    MutexLock lock(mutex_);
    if (job.outcome == JobOutcome::kRunning) Wrong(job, "ends without an outcome");
    if (job.outcome == JobOutcome::kFailed) ++counts_.failed;
    if (job.outcome == JobOutcome::kAbandoned) ++counts_.abandoned;
    if (job.outcome == JobOutcome::kDone) {
      ++counts_.done;
      ++(job.kind == JobKind::kFlush ? counts_.flushes_done : counts_.compactions_done);
      if (job.input_bytes_done != job.input_bytes) Wrong(job, "is done before its end");
    }
    if (job.outcome == JobOutcome::kDone && !job.status.ok()) Wrong(job, "is done with an error");
    if (job.outcome == JobOutcome::kFailed && job.status.ok())
      Wrong(job, "failed without a reason");
    // A paused job can only be abandoned.
    const bool is_paused = jobs_.contains(job.id) && jobs_[job.id].state == State::kPaused;
    Move(job, is_paused && job.outcome == JobOutcome::kAbandoned ? State::kPaused : State::kRunning,
         State::kEnded);
    last_end_[job.kind] = job;
  }
  void OnStallBegin(const StallInfo& stall) override {
    MutexLock lock(mutex_);
    ++counts_.stall_begins;
    if (stalls_.contains(stall.kind))
      errors_.push_back("a stall begins while one of its kind lasts");
    stalls_[stall.kind] = stall;
    changed_.Note();
  }
  void OnStallEnd(const StallInfo& stall) override {
    MutexLock lock(mutex_);
    ++counts_.stall_ends;
    const auto found = stalls_.find(stall.kind);
    if (found == stalls_.end() || found->second.id != stall.id ||
        found->second.cause != stall.cause) {
      errors_.push_back("a stall that did not begin ends");
    }
    if (stall.held_us > stall.elapsed_us) errors_.push_back("held for longer than it lasted");
    if (stall.held_writes == 0) errors_.push_back("a stall that held up no write");
    stalls_.erase(stall.kind);
    last_stall_ = stall;
    changed_.Note();
  }
  void OnOptionsChange(const OptionsInfo&) override {
    MutexLock lock(mutex_);
    ++counts_.option_changes;
    changed_.Note();
  }
  void OnWritesRefused(const WritesRefusedInfo& refused) override {
    MutexLock lock(mutex_);
    ++counts_.refusals;
    if (refused.status.ok()) errors_.push_back("writes refused without a reason");
    changed_.Note();
  }

  /// Waits until `holds(counts)`.
  template <class Predicate>
  void Await(Predicate holds) {
    changed_.Await("an event of the store", [&] { return holds(counts()); });
  }
  Counts counts() {
    MutexLock lock(mutex_);
    return counts_;
  }
  std::vector<std::string> errors() {
    MutexLock lock(mutex_);
    return errors_;
  }
  /// Jobs and stalls that began and have not ended.
  size_t Open() {
    MutexLock lock(mutex_);
    size_t open = stalls_.size();
    for (const auto& [id, job] : jobs_) open += job.state != State::kEnded ? 1 : 0;
    return open;
  }
  JobInfo LastEnd(JobKind kind) {
    MutexLock lock(mutex_);
    return last_end_[kind];
  }
  StallInfo LastStall() {
    MutexLock lock(mutex_);
    return last_stall_;
  }

 private:
  enum class State { kRunning, kPaused, kEnded };
  struct Job {
    State state = State::kRunning;
    JobInfo last;
  };

  void Wrong(const JobInfo& job, const char* what) LULL_REQUIRES(mutex_) {
    errors_.push_back("job " + std::to_string(job.id) + " " + what);
  }
  void Move(const JobInfo& job, State from, State to) LULL_REQUIRES(mutex_) {
    const auto found = jobs_.find(job.id);
    if (found == jobs_.end()) return Wrong(job, "was never begun");
    Job& known = found->second;
    if (known.state == State::kEnded) Wrong(job, "continues after its end");
    if (known.state != from) Wrong(job, "changes from a state it is not in");
    const JobInfo& last = known.last;
    if (job.kind != last.kind || job.input_bytes != last.input_bytes) Wrong(job, "is another job");
    if (job.input_bytes_done < last.input_bytes_done) Wrong(job, "loses what it did");
    if (job.elapsed_us < last.elapsed_us || job.paused_us < last.paused_us) {
      Wrong(job, "goes back in time");
    }
    if (job.paused_us > job.elapsed_us) Wrong(job, "was paused longer than it is old");
    const uint32_t pauses = last.pauses + (to == State::kPaused ? 1 : 0);
    if (job.pauses != pauses) Wrong(job, "counts its pauses wrongly");
    if (job.input_bytes_done > job.input_bytes) Wrong(job, "does more than its input");
    known = {to, job};
    changed_.Note();
  }

  Mutex mutex_;
  EventCount changed_;
  std::map<uint64_t, Job> jobs_ LULL_GUARDED_BY(mutex_);
  std::map<StallKind, StallInfo> stalls_ LULL_GUARDED_BY(mutex_);
  std::map<JobKind, JobInfo> last_end_ LULL_GUARDED_BY(mutex_);
  StallInfo last_stall_ LULL_GUARDED_BY(mutex_);
  uint64_t last_new_id_ LULL_GUARDED_BY(mutex_) = 0;
  Counts counts_ LULL_GUARDED_BY(mutex_);
  std::vector<std::string> errors_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull::testing
