// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Hearing what a store does: jobs that begin, pause, go on and end; writes that had to wait, and
// why; options that changed; the moment from which writes are refused.
//
// WHO CALLS, AND WHEN. One thread of the process, "lull-events", calls the listeners of all stores,
// one function at a time. It runs while a store with a listener or a LOG is open. A listener that
// hears of one store needs no lock against itself. It is called with no lock of the store held, and
// delays neither readers, writers nor background work: events wait in a queue, with the times at
// which they happened. A slow listener delays the events of all stores, so return fast.
//
// Each store queues at most 4096 events. If more wait, the oldest are dropped; the property
// lull.stats counts them as dropped_events. Closing a store delivers what its queue holds, on the
// thread that closes it. If a listener of that store does not return, closing the store and
// RemoveListener wait for it without limit. Listeners of other stores do not delay them.
//
// ORDER. A listener hears of events in the order in which they happened, from AddListener on, and
// of every event that was not dropped. What is under way at that moment (running and paused jobs, a
// stall) is reported first, as if it began now. So for each job: one begin, then pause and resume
// in turn, then one end, whether it succeeded, failed, or was abandoned (then it may end while
// paused). For each stall: one begin, one end. Nothing comes after the store is closed, or after
// RemoveListener has returned.
//
// WHAT A LISTENER MAY DO. It may read the store: Get, iterators, snapshots, GetProperty,
// GetApproximateSizes. It must not write to it, wait for it (Flush, WaitForIdle, CompactRange),
// close it, or throw: an exception ends the process. RemoveListener for itself is allowed.
//
// LATER VERSIONS. Info structs may grow at their ends; a library that knows more kinds of events
// will tell of them through a class derived from EventListener, so that listeners compiled today go
// on working.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/status.h"

namespace lull {

enum class JobKind {
  kFlush = 0,             ///< sealed memtables to one L0 table
  kL0Compaction = 1,      ///< L0 to L1
  kDeepCompaction = 2,    ///< Ln to Ln+1, n >= 1
  kManualCompaction = 3,  ///< asked for by CompactRange
};

enum class JobOutcome {
  kRunning = 0,  ///< it has not ended
  kDone = 1,     ///< its result is in the store, durably
  kFailed = 2,   ///< `status` says why; its output is removed, and it will be tried again
  /// Given up, because the store closes or more urgent work needs its place; its output is removed.
  kAbandoned = 3,
};

/// A job as it stands when the event happens.
struct JobInfo {
  uint64_t id = 0;  ///< counts from 1 in each opening of a store; never used twice
  JobKind kind = JobKind::kFlush;
  int input_level = -1;  ///< -1: memory
  int output_level = 0;
  bool idle_priority = false;  ///< runs only on cores that nothing else wants
  bool trivial_move = false;   ///< a table changes its level, and no byte is copied

  uint64_t input_files = 0;       ///< tables, or memtables of a flush
  uint64_t input_bytes = 0;       ///< their size
  uint64_t input_bytes_done = 0;  ///< of that, merged; grows up to input_bytes
  uint64_t output_files = 0;      ///< once it is done
  uint64_t output_bytes = 0;      ///< once it is done

  uint64_t at_us = 0;       ///< when the event happened: microseconds since 1970
  uint64_t elapsed_us = 0;  ///< since the job began, pauses included
  uint64_t paused_us = 0;   ///< of that, paused; a pause that lasts is counted up to now
  uint32_t pauses = 0;      ///< begun so far

  JobOutcome outcome = JobOutcome::kRunning;
  leveldb::Status status;  ///< of a job that failed
};

/// Why a write waits.
enum class WriteStallCause {
  kMemory = 0,  ///< memtables wait for their flush
  kL0 = 1,      ///< too many tables in L0
  kDebt = 2,    ///< too much is still to be compacted
  kOther = 3,   ///< the policy gave no cause
};

enum class StallKind {
  kSlowdown = 0,  ///< the policy slows writes: each waits a little
  kStop = 1,      ///< a hard limit: no write goes on before background work made room
};

/// A time in which writes were held up by background work. At most one of each kind lasts at any
/// moment. A slowdown begins with the first write that is made to wait, and ends when the policy
/// slows none any more, or for another cause.
struct StallInfo {
  uint64_t id = 0;  ///< counts from 1; the same at begin and end
  StallKind kind = StallKind::kSlowdown;
  WriteStallCause cause = WriteStallCause::kMemory;
  uint64_t at_us = 0;        ///< when the event happened: microseconds since 1970
  uint64_t elapsed_us = 0;   ///< since it began
  uint64_t held_us = 0;      ///< of that, the time in which at least one write was held up
  uint64_t held_writes = 0;  ///< how many were
};

struct OptionsInfo {
  uint64_t at_us = 0;
  std::string policy;
  std::string options;  ///< all of them, as SchedulingOptions::ToString gives them
};

/// From this event on writes fail. Where `what` is "the MANIFEST", until the store is opened again;
/// where it is "the write-ahead log", until all that memory holds could be written to tables and a
/// new log be begun, which the store goes on trying: when a write succeeds, that was done.
struct WritesRefusedInfo {
  uint64_t at_us = 0;
  std::string what;  ///< which part failed, for a message
  leveldb::Status status;
};

/// Derive from it, and override what you want to hear. See the top of this file for the rules.
class LEVELDB_EXPORT EventListener {
 public:
  EventListener() = default;
  virtual ~EventListener();
  EventListener(const EventListener&) = delete;
  EventListener& operator=(const EventListener&) = delete;

  virtual void OnJobBegin(const JobInfo& job);
  virtual void OnJobPause(const JobInfo& job);
  virtual void OnJobResume(const JobInfo& job);
  virtual void OnJobEnd(const JobInfo& job);

  virtual void OnStallBegin(const StallInfo& stall);
  virtual void OnStallEnd(const StallInfo& stall);

  virtual void OnOptionsChange(const OptionsInfo& options);
  virtual void OnWritesRefused(const WritesRefusedInfo& refused);
};

/// Calls `listener` from now on, until RemoveListener or until `db` is closed; the store keeps it
/// alive so long. A listener may hear of several stores. A store that is being closed calls it on
/// the closing thread, perhaps while another store does, so such a listener needs a lock.
/// InvalidArgument if `db` has it already, and for a DB that is not Lull's. IOError if the event
/// thread cannot be started. Any thread.
LEVELDB_EXPORT leveldb::Status AddListener(leveldb::DB* db,
                                           std::shared_ptr<EventListener> listener);

/// When this returns, no call of `listener` for `db` runs or will be made. (Called by the listener
/// itself, it returns at once, and this call is the last.) Events that it had not yet heard of are
/// dropped. NotFound when it is not there. Any thread.
LEVELDB_EXPORT leveldb::Status RemoveListener(leveldb::DB* db,
                                              const std::shared_ptr<EventListener>& listener);

}  // namespace lull
