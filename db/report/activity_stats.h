// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a store does now, and has done: jobs that run or are paused, stalls, totals since it was
// opened, rates, the directive in force. Every change of a job or stall is also posted to the
// EventHub, under the same lock, so that events and state agree, and a listener that comes later
// can be told exactly what is under way.
//
// Who calls: the monitor and the flush thread about jobs and directives; a write that is held up;
// any thread for a report. A write that is not held up and a read never come here.
//
// Lock order: behind the store's mutex, before the hub's; nothing else is taken inside.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/report/event_hub.h"
#include "lull/listener.h"
#include "scheduler/job.h"
#include "scheduler/policy.h"
#include "util/clock.h"
#include "util/mutex.h"

namespace lull {

class MergeJob;

constexpr size_t kJobKinds = 4;
constexpr size_t kStallKinds = 2;
constexpr size_t kStallCauses = 4;

/// What jobs of one kind came to, since the store was opened.
struct JobTotals {
  uint64_t done = 0;
  uint64_t failed = 0;
  uint64_t abandoned = 0;
  uint64_t pauses = 0;
  uint64_t paused_nanos = 0;   ///< pauses that last are counted up to now
  uint64_t read_bytes = 0;     ///< of tables (a flush: of memtables), running jobs included
  uint64_t written_bytes = 0;  ///< of finished tables, by jobs that have ended
};

/// Stalls of one kind and cause, since the store was opened; one that lasts is counted up to now.
struct StallTotals {
  uint64_t count = 0;
  uint64_t held_nanos = 0;  ///< time in which at least one write was held up
  uint64_t held_writes = 0;
};

struct RunningJobReport {
  JobInfo info;
  bool paused = false;
};

struct Rates {
  double user_bytes_per_sec = 0;
  double flush_bytes_per_sec = 0;       ///< of memtables
  double compaction_bytes_per_sec = 0;  ///< of tables read
};

/// A copy of everything, at one moment.
struct ActivityReport {
  uint64_t uptime_nanos = 0;
  std::string policy;
  std::string options;
  Directive directive;
  PolicyState policy_state;
  std::vector<RunningJobReport> jobs;  ///< by id
  std::array<JobTotals, kJobKinds> job_totals{};
  std::array<std::array<StallTotals, kStallCauses>, kStallKinds> stall_totals{};
  std::vector<StallInfo> stalls;  ///< those that last
  Rates rates;
};

const char* JobKindName(JobKind kind);
const char* StallKindName(StallKind kind);
const char* StallCauseName(WriteStallCause cause);

class ActivityStats {
 public:
  ActivityStats(Clock* clock, EventHub* hub);
  ActivityStats(const ActivityStats&) = delete;
  ActivityStats& operator=(const ActivityStats&) = delete;

  // ---- jobs. The job must not run while it is started, paused or ended, and must live until it
  // is ended or abandoned. Jobs that are no MergeJob are passed over.

  /// It begins, or goes on after a pause.
  void JobStarted(const Job& job, CpuPriority cpu) LULL_EXCLUDES(mutex_);
  void JobPaused(const Job& job) LULL_EXCLUDES(mutex_);
  /// `status`: of the whole job, its install included.
  void JobEnded(const Job& job, const leveldb::Status& status) LULL_EXCLUDES(mutex_);
  void JobAbandoned(const Job& job) LULL_EXCLUDES(mutex_);

  // ---- stalls

  /// One write is held up from here to WriteReleased. The cause of a slowdown is the directive's.
  void WriteHeld(StallKind kind, StallCause cause) LULL_EXCLUDES(mutex_);
  void WriteReleased(StallKind kind) LULL_EXCLUDES(mutex_);

  // ---- the rest

  /// Monitor only, each round: what the policy wants from now on.
  void DirectiveIs(const Directive& directive) LULL_EXCLUDES(mutex_);
  /// Monitor only, likewise: what it reports of itself.
  void PolicyStateIs(PolicyState state) LULL_EXCLUDES(mutex_);
  /// For the rates; at least once a second would be good. `user_bytes`: written since open.
  void Sample(uint64_t user_bytes) LULL_EXCLUDES(mutex_);
  /// At open, and whenever they change: then listeners hear of it. Any thread.
  void OptionsAre(const std::string& policy, const std::string& options) LULL_EXCLUDES(mutex_);
  void WritesRefused(const char* what, const leveldb::Status& status);

  /// The store closes: whatever is under way ends here.
  void Close() LULL_EXCLUDES(mutex_);

  ActivityReport Report(uint64_t user_bytes) LULL_EXCLUDES(mutex_);
  /// As EventHub::Add; the listener first hears of what is under way.
  leveldb::Status AddListener(std::shared_ptr<EventListener> listener) LULL_EXCLUDES(mutex_);

 private:
  struct Running {
    JobInfo info;
    const MergeJob* job = nullptr;
    uint64_t began_nanos = 0;
    uint64_t pause_began_nanos = 0;  // 0: it runs
    uint64_t paused_nanos = 0;       // by pauses that are over
  };
  /// The stall of one kind, if one lasts.
  struct Stall {
    bool lasts = false;
    StallInfo info;
    uint64_t began_nanos = 0;
    int held = 0;  // writes, now
    uint64_t held_since_nanos = 0;
    uint64_t held_nanos = 0;  // up to held_since_nanos
  };
  struct RateSample {
    uint64_t nanos = 0;
    uint64_t user_bytes = 0;
    uint64_t flush_bytes = 0;
    uint64_t compaction_bytes = 0;
  };

  JobInfo InfoOfLocked(const Running& running, uint64_t now) const LULL_REQUIRES(mutex_);
  void EndJobLocked(const Job& job, JobOutcome outcome, const leveldb::Status& status)
      LULL_REQUIRES(mutex_);
  void PostJobLocked(JobEvent::Phase phase, const JobInfo& info) LULL_REQUIRES(mutex_);
  uint64_t ReadBytesLocked(JobKind kind) const LULL_REQUIRES(mutex_);
  StallInfo InfoOfLocked(const Stall& stall, uint64_t now) const LULL_REQUIRES(mutex_);
  void BeginStallLocked(StallKind kind, WriteStallCause cause, uint64_t now) LULL_REQUIRES(mutex_);
  void EndStallLocked(StallKind kind, uint64_t now) LULL_REQUIRES(mutex_);
  RateSample MeasureLocked(uint64_t user_bytes) const LULL_REQUIRES(mutex_);
  Rates RatesLocked(uint64_t user_bytes) const LULL_REQUIRES(mutex_);

  Clock* const clock_;
  EventHub* const hub_;
  const uint64_t opened_nanos_;

  Mutex mutex_;
  std::map<const Job*, Running> running_ LULL_GUARDED_BY(mutex_);
  uint64_t last_job_id_ LULL_GUARDED_BY(mutex_) = 0;
  std::array<JobTotals, kJobKinds> job_totals_ LULL_GUARDED_BY(mutex_){};
  std::array<Stall, kStallKinds> stalls_ LULL_GUARDED_BY(mutex_){};
  uint64_t last_stall_id_ LULL_GUARDED_BY(mutex_) = 0;
  std::array<std::array<StallTotals, kStallCauses>, kStallKinds> stall_totals_
      LULL_GUARDED_BY(mutex_){};
  std::string policy_ LULL_GUARDED_BY(mutex_);
  std::string options_ LULL_GUARDED_BY(mutex_);
  Directive directive_ LULL_GUARDED_BY(mutex_);
  PolicyState policy_state_ LULL_GUARDED_BY(mutex_);
  bool slows_ LULL_GUARDED_BY(mutex_) = false;  // whether the directive slows writes
  StallCause slow_cause_ LULL_GUARDED_BY(mutex_) = StallCause::kNone;  // of the last that did
  std::deque<RateSample> samples_ LULL_GUARDED_BY(mutex_);             // oldest first
};

/// A write that is slowed, from the construction to the end of this object. `stats` may be null.
class SlowedWrite {
 public:
  explicit SlowedWrite(ActivityStats* stats) : stats_(stats) {
    if (stats_ != nullptr) stats_->WriteHeld(StallKind::kSlowdown, StallCause::kNone);
  }
  ~SlowedWrite() {
    if (stats_ != nullptr) stats_->WriteReleased(StallKind::kSlowdown);
  }
  SlowedWrite(const SlowedWrite&) = delete;
  SlowedWrite& operator=(const SlowedWrite&) = delete;

 private:
  ActivityStats* const stats_;
};

/// A write that may be held up at a hard limit: holds from the first call of Because to its end.
class StoppedWrite {
 public:
  explicit StoppedWrite(ActivityStats* stats) : stats_(stats) {}
  ~StoppedWrite() {
    if (held_) stats_->WriteReleased(StallKind::kStop);
  }
  StoppedWrite(const StoppedWrite&) = delete;
  StoppedWrite& operator=(const StoppedWrite&) = delete;

  void Because(StallCause cause) {
    if (held_ && cause == cause_) return;
    if (held_) stats_->WriteReleased(StallKind::kStop);
    held_ = true;
    cause_ = cause;
    stats_->WriteHeld(StallKind::kStop, cause);
  }

 private:
  ActivityStats* const stats_;
  bool held_ = false;
  StallCause cause_ = StallCause::kNone;
};

}  // namespace lull
