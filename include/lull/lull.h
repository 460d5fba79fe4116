// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What LevelDB's API has no place for: how a store schedules its background work, and ways to wait
// for it. A program that cannot be changed sets the environment variable LULL_OPTIONS to an option
// string instead; leveldb::DB::Open reads it.
#pragma once

#include <cstdint>
#include <string>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull {

/// Every knob of the scheduler. Where a field says "0: the policy's own", the policy named below
/// chooses; the choices are listed in docs/options.md.
struct LEVELDB_EXPORT SchedulingOptions {
  /// Which rules decide when background work runs: "lull" (flush at once, compact in lulls) or
  /// "leveldb" (LevelDB's own rules, as a control).
  std::string policy = "lull";

  /// Compactions that may run at once, of all stores that share a coordinator. 0: the number of
  /// cores, at most 4. Read when the coordinator starts.
  int compaction_threads = 0;

  /// Memory for memtables of all stores that share a coordinator, in bytes; never less than two
  /// memtables of a store. A writer waits only when it is used up. Read when the coordinator
  /// starts.
  uint64_t memory_budget_bytes = 64u << 20;

  /// L0 tables at which a compaction of L0 is due, at which writes are slowed, and at which they
  /// wait. 0: the policy's own. REQUIRES (checked): trigger <= slowdown <= stop.
  int l0_trigger = 0;
  int l0_slowdown = 0;
  int l0_stop = 0;

  /// Bytes of debt at which "lull" compacts whatever the clients do. 0: 4 GiB.
  uint64_t debt_bytes_max = 0;

  /// How long clients must have been quiet for "lull" to speak of a lull, in microseconds.
  uint64_t lull_after_us = 20000;

  /// A store with a coordinator of its own shares no threads and no memory budget with others.
  bool own_coordinator = false;

  /// Which rules decide what a compaction takes and where it cuts its tables: "leveled" (LevelDB's)
  /// or "vsst" (short chains of compactions; see docs/layouts.md). A store may be opened with
  /// another one each time.
  std::string layout = "leveled";

  /// How many times larger a level is than the one above; in vsst also the tables that L1 holds,
  /// and the overlap up to which a table of L1 is good. 0: leveled 10, vsst 8.
  int growth_factor = 0;

  /// vsst: how many times larger L2 is than L1.
  int vsst_phi = 32;

  /// Bytes at which a compaction ends a table. 0: leveled Options::max_file_size, vsst 8 MiB.
  uint64_t table_bytes_max = 0;

  /// Deep compactions take the table that rewrites least for what it brings down, where false takes
  /// one after the other in the order of keys. (From L1, vsst always does the former.)
  bool pick_by_overlap = false;

  /// Compactions prefer to end a table where one of the next level ends. False: LevelDB's cuts.
  bool align_outputs = true;

  /// Reads "name=value;name=value" over the present values; names are the fields'. InvalidArgument
  /// names the pair that cannot be read, why, and the nearest known name; then nothing is changed.
  static leveldb::Status Parse(const std::string& text, SchedulingOptions* options);

  /// The string that Parse reads back to these values.
  std::string ToString() const;
};

/// As leveldb::DB::Open, with scheduling chosen by the caller; LULL_OPTIONS is not read. On success
/// `*db` is owned by the caller. Any thread.
LEVELDB_EXPORT leveldb::Status Open(const leveldb::Options& options,
                                    const SchedulingOptions& scheduling, const std::string& name,
                                    leveldb::DB** db);

/// Returns when everything written before the call is in table files, durably. InvalidArgument for
/// a DB that is not Lull's. Any thread.
LEVELDB_EXPORT leveldb::Status Flush(leveldb::DB* db);

/// Returns when the store has nothing left to flush or compact; while it waits, the store works as
/// in a lull. New writes prolong the wait. InvalidArgument for a DB that is not Lull's. Any thread.
LEVELDB_EXPORT leveldb::Status WaitForIdle(leveldb::DB* db);

}  // namespace lull
