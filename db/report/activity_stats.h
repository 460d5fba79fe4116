// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ActivityStats: a store's current and past activity: running and paused jobs, stalls, totals since
// the open, rates, and the current directive. Every change of a job or stall is also posted to the
// EventHub, under the same lock. So events and state agree, and a new listener first gets exactly
// the activity in progress.
//
// Threads: the monitor and the flush thread for jobs and directives; a write that is held; any
// thread for a report. Reads, and writes that are not held, never call it.
//
// Lock order: after the store's mutex, before the hub's. No other lock is taken under it.
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

/// Totals of jobs of one kind since the open.
struct JobTotals {
  uint64_t done = 0;
  uint64_t failed = 0;
  uint64_t abandoned = 0;
  uint64_t pauses = 0;
  uint64_t paused_nanos = 0;   ///< including current pauses
  uint64_t read_bytes = 0;     ///< table bytes (memtable bytes for a flush), including running jobs
  uint64_t written_bytes = 0;  ///< finished tables of ended jobs
};

/// Totals of stalls of one kind and cause since the open, including a current one.
struct StallTotals {
  uint64_t count = 0;
  uint64_t held_nanos = 0;  ///< time in which at least one write was held
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

/// A copy of all activity at one moment.
struct ActivityReport {
  uint64_t uptime_nanos = 0;
  std::string policy;
  std::string options;
  Directive directive;
  PolicyState policy_state;
  std::vector<RunningJobReport> jobs;  ///< by id
  std::array<JobTotals, kJobKinds> job_totals{};
  std::array<std::array<StallTotals, kStallCauses>, kStallKinds> stall_totals{};
  std::vector<StallInfo> stalls;  ///< current stalls
  Rates rates;
};

const char* JobKindName(JobKind kind);
const char* StallKindName(StallKind kind);
const char* StallCauseName(WriteStallCause cause);
WriteStallCause CauseOf(StallCause cause);

class ActivityStats {
 public:
  ActivityStats(Clock* clock, EventHub* hub);

  // ---- jobs. The job must not run during these calls, and must exist until it has ended or was
  // abandoned.

  /// A job begins, or continues after a pause.
  void JobStarted(const MergeJob& job, CpuPriority cpu) LULL_EXCLUDES(mutex_);
  void JobPaused(const MergeJob& job) LULL_EXCLUDES(mutex_);
  /// A part has merged its range, and waits for the other parts and their common install. Its
  /// elapsed time ends here.
  void PartMerged(const MergeJob& job) LULL_EXCLUDES(mutex_);
  /// `status`: of the whole job, including its install.
  void JobEnded(const MergeJob& job, const leveldb::Status& status) LULL_EXCLUDES(mutex_);
  void JobAbandoned(const MergeJob& job) LULL_EXCLUDES(mutex_);

  // ---- stalls

  /// A write is held from here to WriteReleased. For a slowdown, the cause is the directive's.
  void WriteHeld(StallKind kind, StallCause cause) LULL_EXCLUDES(mutex_);
  void WriteReleased(StallKind kind) LULL_EXCLUDES(mutex_);

  // ---- the rest

  /// Sets the current directive. Monitor only, each round.
  void SetDirective(const Directive& directive) LULL_EXCLUDES(mutex_);
  /// Sets the state that the policy reports. Monitor only, each round.
  void SetPolicyState(PolicyState state) LULL_EXCLUDES(mutex_);
  /// Takes a sample for the rates. Call at least once a second. `user_bytes`: written since the
  /// open.
  void Sample(uint64_t user_bytes) LULL_EXCLUDES(mutex_);
  /// Sets the options, at the open and after each change. A change is an event. Any thread.
  void SetOptions(const std::string& policy, const std::string& options) LULL_EXCLUDES(mutex_);
  void WritesRefused(const char* what, const leveldb::Status& status);
  /// Writes a line to `logger`, without I/O on this thread. The caller can hold locks as for
  /// EventHub::Post.
  void Log(leveldb::Logger* logger, std::string line) { hub_->PostLine(logger, std::move(line)); }

  /// Ends all activity, at the close.
  void Close() LULL_EXCLUDES(mutex_);

  /// Why writes are stopped now; kOther if none is. Any thread.
  WriteStallCause StopCause() LULL_EXCLUDES(mutex_);
  /// When the first running job that makes room for writes stopped by `cause` will end, at its
  /// speed so far; 0: unknown. Any thread.
  uint64_t MicrosToRoom(WriteStallCause cause) LULL_EXCLUDES(mutex_);
  ActivityReport Report(uint64_t user_bytes) LULL_EXCLUDES(mutex_);
  /// As EventHub::Add. The listener first gets the activity in progress.
  leveldb::Status AddListener(std::shared_ptr<EventListener> listener) LULL_EXCLUDES(mutex_);

 private:
  struct Running {
    JobInfo info;
    uint64_t began_nanos = 0;
    uint64_t pause_began_nanos = 0;  // 0: running
    uint64_t paused_nanos = 0;       // of earlier pauses
    uint64_t merged_nanos = 0;       // 0: not yet merged
  };
  /// The current stall of one kind, if any.
  struct Stall {
    bool lasts = false;
    StallInfo info;
    uint64_t began_nanos = 0;
    int held = 0;  // count of writes held now
    uint64_t held_since_nanos = 0;
    uint64_t held_nanos = 0;  // up to held_since_nanos
  };
  struct RateSample {
    uint64_t nanos = 0;
    uint64_t user_bytes = 0;
    uint64_t flush_bytes = 0;
    uint64_t compaction_bytes = 0;
  };

  JobInfo InfoOfLocked(const MergeJob& job, const Running& running, uint64_t now) const
      LULL_REQUIRES(mutex_);
  std::vector<RunningJobReport> JobsLocked(uint64_t now) const LULL_REQUIRES(mutex_);
  void EndJobLocked(const MergeJob& job, JobOutcome outcome, const leveldb::Status& status)
      LULL_REQUIRES(mutex_);
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
  std::map<const MergeJob*, Running> running_ LULL_GUARDED_BY(mutex_);
  uint64_t last_job_id_ LULL_GUARDED_BY(mutex_) = 0;
  std::array<Stall, kStallKinds> stalls_ LULL_GUARDED_BY(mutex_){};
  uint64_t last_stall_id_ LULL_GUARDED_BY(mutex_) = 0;
  /// What needs no measurement: the policy's members, and the totals of what has ended.
  ActivityReport known_ LULL_GUARDED_BY(mutex_);
  bool slows_ LULL_GUARDED_BY(mutex_) = false;  // whether the directive slows writes
  StallCause slow_cause_ LULL_GUARDED_BY(mutex_) = StallCause::kNone;  // of the last one that did
  std::deque<RateSample> samples_ LULL_GUARDED_BY(mutex_);             // oldest first
};

/// A write that is slowed during the life of this object. `stats` can be null.
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

/// A write that can be held at a hard limit: from the first call of Because to the end of this
/// object.
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
