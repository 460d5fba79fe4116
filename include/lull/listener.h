// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Events of a store: jobs that begin, pause, resume and end; write stalls and their causes; changes
// of options; and the start of a period in which writes fail.
//
// THREADS. A thread of the store, "lull-events", calls its listeners, one function at a time; not
// always the same one. No lock of the store is held during a call. A listener of only one store
// needs no lock, since its calls never overlap. Events wait in a queue, each with the time at which
// it happened, so listeners never delay readers, writers or background work. A slow listener delays
// the later events and the LOG of its store.
//
// QUEUE. Each store queues at most 4096 events. A full queue drops its oldest event; the property
// lull.stats counts these as dropped_events. Closing a store first delivers its queued events. If a
// listener never returns, RemoveListener for it and closing its stores block forever. A listener of
// another store cannot delay these two calls.
//
// ORDER. From AddListener on, a listener receives every event that was not dropped, in order. It
// first receives a begin event for everything in progress: running and paused jobs, a stall. Their
// at_us is the time of AddListener, and their elapsed_us counts from the real beginning. Each job
// has one begin, then pause and resume alternately, then one end, which JobInfo::outcome describes.
// An abandoned job can end while paused. Each stall has one begin and one end. No event arrives
// after RemoveListener has returned or the store is closed.
//
// ALLOWED CALLS. A listener can read the store: Get, iterators, snapshots, GetProperty,
// GetApproximateSizes. It must not write, wait (Flush, WaitForIdle, CompactRange), close the store
// or throw: an exception ends the process. It can call RemoveListener for itself.
//
// COMPATIBILITY. Later versions can add fields at the end of an info struct. They add new kinds of
// events in a class derived from EventListener, so listeners compiled today continue to work.
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
  kManualCompaction = 3,  ///< requested by CompactRange
};

enum class JobOutcome {
  kRunning = 0,  ///< not ended yet
  kDone = 1,     ///< its result is durable and part of the store
  kFailed = 2,   ///< `status` says why; its output is deleted, and it will be retried
  /// The store is closing, or the job blocked an L0 compaction. Its output is deleted.
  kAbandoned = 3,
};

/// The state of a job at the time of the event.
struct JobInfo {
  uint64_t id = 0;  ///< counts from 1 at each open of a store
  JobKind kind = JobKind::kFlush;
  int input_level = -1;  ///< -1: memory
  int output_level = 0;  ///< input_level, if CompactRange rewrites tables for a compaction filter
  bool idle_priority = false;  ///< at idle CPU priority: runs only on otherwise idle cores
  bool trivial_move = false;   ///< the tables move to the next level without being copied

  uint64_t input_files = 0;       ///< tables; for a flush, memtables
  uint64_t input_bytes = 0;       ///< bytes of these; a part of a compaction: its estimated share
  uint64_t input_bytes_done = 0;  ///< of these, bytes merged so far
  uint64_t output_files = 0;      ///< tables; set at the end
  uint64_t output_bytes = 0;      ///< bytes of these tables; set at the end

  uint64_t at_us = 0;       ///< time of the event, in microseconds since 1970
  uint64_t elapsed_us = 0;  ///< since the job began, pauses included
  uint64_t paused_us = 0;   ///< time spent paused, the current pause included
  uint32_t pauses = 0;      ///< number of pauses, the current one included

  JobOutcome outcome = JobOutcome::kRunning;
  leveldb::Status status;  ///< the error if the job failed, otherwise OK
};

/// Why a write stalls.
enum class WriteStallCause {
  kMemory = 0,  ///< memtables wait for their flush
  kL0 = 1,      ///< too many tables in L0
  kDebt = 2,    ///< too many bytes to compact, or too much disk space to free
  kOther = 3,   ///< the policy gave no cause
};

enum class StallKind {
  kSlowdown = 0,  ///< the policy slows writes: each is delayed
  kStop = 1,      ///< hard limit: no write proceeds until background work makes room
};

/// A period in which background work held up writes. A store has at most one stall of each kind at
/// a time. A slowdown begins with the first delayed write. It ends when the policy stops slowing
/// writes, or slows them for another cause.
struct StallInfo {
  uint64_t id = 0;  ///< counts from 1 at each open; the same at begin and end
  StallKind kind = StallKind::kSlowdown;
  WriteStallCause cause = WriteStallCause::kMemory;
  uint64_t at_us = 0;        ///< time of the event, in microseconds since 1970
  uint64_t elapsed_us = 0;   ///< since the stall began
  uint64_t held_us = 0;      ///< part of elapsed_us in which at least one write was held up
  uint64_t held_writes = 0;  ///< number of writes held up so far
};

/// The options after lull::SetOptions has changed them.
struct OptionsInfo {
  uint64_t at_us = 0;   ///< time of the event, in microseconds since 1970
  std::string policy;   ///< name of the policy
  std::string options;  ///< all options, as in the property lull.options
};

/// Writes fail from this event on. `what` is the part that failed, and says until when:
///
///   "the write-ahead log": until the store has flushed all memtables and started a new log.
///   "the MANIFEST": until the store has written a new MANIFEST, if disk space, descriptors or
///     memory ran out. After any other failure, until the store is opened again.
///   "a compaction", "a write": until the store is opened again.
///
/// The store keeps trying to recover. No event reports that it did: a successful write shows it.
struct WritesRefusedInfo {
  uint64_t at_us = 0;      ///< time of the event, in microseconds since 1970
  std::string what;        ///< one of the texts above
  leveldb::Status status;  ///< its error
};

/// Base class of listeners. Override the functions for the events you need; the defaults do
/// nothing. The top of this file has the rules.
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

/// Registers `listener` with `db`, until RemoveListener or until `db` is closed; the store shares
/// ownership until then. One listener can serve several stores. It then needs a lock: a store that
/// is closing calls it on the closing thread, possibly while another store calls it too.
/// InvalidArgument if `listener` is null or `db` already has it. IOError if the event thread cannot
/// start.
LEVELDB_EXPORT leveldb::Status AddListener(leveldb::DB* db,
                                           std::shared_ptr<EventListener> listener);

/// Unregisters `listener` from `db`, and drops its undelivered events. After the return, no call
/// for `db` runs or starts. If the listener itself calls this function, it returns at once, and the
/// current call is the last. NotFound if `listener` is not registered.
LEVELDB_EXPORT leveldb::Status RemoveListener(leveldb::DB* db,
                                              const std::shared_ptr<EventListener>& listener);

}  // namespace lull
