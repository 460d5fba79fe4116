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
/// chooses; the choices are listed in docs/options.md. A field whose name begins with a policy's is
/// used by that policy alone; see docs/research/policies.md.
struct LEVELDB_EXPORT SchedulingOptions {
  /// Which rules decide when background work runs: "lull" (flush at once, compact in lulls),
  /// "leveldb" (LevelDB's own rules, as a control), "idle-threshold" and "idle-quiet" (compact
  /// while next to nothing is written), "silk" (give compactions the bandwidth that clients leave),
  /// or "adoc" (turn the number of compactions and the size of memtables).
  std::string policy = "lull";

  /// Compactions that may run at once, of all stores that share a coordinator. 0: the number of
  /// cores, at most 4. Read when the coordinator starts.
  int compaction_threads = 0;

  /// Memory for memtables of all stores that share a coordinator, in bytes; never less than two
  /// memtables of a store. A writer waits only when it is used up. Read when the coordinator
  /// starts.
  uint64_t memory_budget_bytes = 64u << 20;

  /// Bytes of one memtable, at most 1 GiB, and where set at least 64 KiB. 0: Options::
  /// write_buffer_size. It is for programs that leave that field alone, and is read when the store
  /// opens.
  uint64_t memtable_bytes = 0;

  /// L0 tables at which a compaction of L0 is due, at which writes are slowed, and at which they
  /// wait. 0: the policy's own. REQUIRES (checked): trigger <= slowdown <= stop.
  int l0_trigger = 0;
  int l0_slowdown = 0;
  int l0_stop = 0;

  /// Bytes of debt at which compactions run whatever the clients do; "adoc" calls more of it an
  /// overflow. "leveldb" does not use it. 0: the policy's own.
  uint64_t debt_bytes_max = 0;

  /// No policy keeps due compactions paused longer than this at a stretch. What was paused so long
  /// runs for a tenth of that time.
  uint64_t pause_us_max = 120'000'000;

  /// How long clients must have been quiet for "lull" to speak of a lull.
  uint64_t lull_after_us = 20000;
  /// Time constant over which "lull" smooths the rate of the clients.
  uint64_t lull_smoothing_us = 100'000;
  /// In which the fastest rate that was seen is forgotten by half.
  uint64_t lull_half_life_us = 60'000'000;
  /// Writing is hard above this share of the fastest rate seen, and of the rate of flushing.
  int lull_hard_percent = 25;
  int lull_hard_flush_percent = 10;
  /// While clients write hard, so much is flushed at once; at most a quarter of the memory budget.
  uint64_t lull_flush_bytes_min = 16u << 20;
  /// A burst for which compactions wait lasts no longer than this, unless longer ones were seen.
  uint64_t lull_burst_us_max = 30'000'000;
  /// Pacing never goes below this rate.
  uint64_t lull_write_bytes_per_sec_min = 1u << 20;
  /// What a compaction could merge in the time that a read loses by each L0 table that it searches
  /// in vain. L0 is compacted in the middle of a burst once reads lost as much as that costs; 0:
  /// never for their sake.
  uint64_t lull_l0_miss_bytes = 400;
  /// What the device can do. While clients write, compactions get what those leave of it, and more
  /// as limits come near. 0: measured.
  uint64_t lull_bandwidth_bytes_per_sec = 0;

  /// "idle-threshold": how often the clients' rate is taken, and below which rate it is idle.
  uint64_t idle_probe_us = 500'000;
  uint64_t idle_threshold_bytes_per_sec = 512u << 10;
  /// "idle-quiet": compactions run from so long after the last write until the next one.
  uint64_t idle_quiet_us = 500'000;

  /// "silk": what the device can do, of which compactions get what the clients leave. 0: measured.
  uint64_t silk_bandwidth_bytes_per_sec = 0;
  /// Left alone for what clients do between two measurements.
  uint64_t silk_reserve_bytes_per_sec = 10u << 20;
  /// What flushes and L0 compactions get together whatever the clients do.
  uint64_t silk_urgent_bytes_per_sec_min = 50u << 20;
  /// The limit is changed only by so much at once.
  uint64_t silk_change_bytes_per_sec_min = 10u << 20;
  /// How often the clients' rate is taken.
  uint64_t silk_tick_us = 10'000;
  /// In which a measured bandwidth that is no longer reached is forgotten by half.
  uint64_t silk_half_life_us = 60'000'000;
  /// Sealed memtables at which whoever fills another waits.
  int silk_immutables_max = 1;

  /// "adoc": how often the knobs may be turned.
  uint64_t adoc_window_us = 1'000'000;
  /// By how much the two knobs are turned up; 0 bytes: one memtable. Down they are halved.
  int adoc_threads_step = 2;
  uint64_t adoc_batch_step_bytes = 0;
  /// Memtables and tables grow to at most so many times their configured size.
  int adoc_batch_factor_max = 8;
  /// Above the limits of L0 and debt, writes are paced to at most this rate.
  uint64_t adoc_slowed_bytes_per_sec = 16u << 20;
  /// Sealed memtables at which whoever fills another waits.
  int adoc_immutables_max = 1;

  /// A store with a coordinator of its own shares no threads and no memory budget with others.
  bool own_coordinator = false;

  /// Keeps histograms of how long writes, synced writes and gets take, for the properties
  /// lull.stats and lull.metrics. Costs two readings of the clock a call, and about 20 KB for each
  /// kind of call and each of up to 16 threads.
  bool latency_histograms = false;

  /// Which rules decide what a compaction takes and where it cuts its tables: "leveled" (LevelDB's)
  /// or "vsst" (short chains of compactions; see docs/research/layouts.md). A store may be opened
  /// with another one each time.
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
/// `*db` is owned by the caller. IOError if the system refuses a thread. Any thread.
///
/// In a forked child, a store that the parent opened can be read and deleted. Deleting it there
/// returns at once and touches no file. All other functions fail with NotSupported.
LEVELDB_EXPORT leveldb::Status Open(const leveldb::Options& options,
                                    const SchedulingOptions& scheduling, const std::string& name,
                                    leveldb::DB** db);

/// Opens a store to read it as it is now, without its LOCK: another process may have it open and go
/// on writing, which is not seen. Nothing in the folder is changed. What the logs hold is read into
/// memory; what another process has written but not yet handed to the operating system is missed.
/// Writes fail with NotSupported. At most max_open_files tables are kept open, and no more than a
/// fifth of the files that the process may have open; if there are more tables, and another process
/// deletes one of the others, reads that need it fail. Of `options`, those
/// count that say how to read.
LEVELDB_EXPORT leveldb::Status OpenReadOnly(const leveldb::Options& options,
                                            const std::string& name, leveldb::DB** db);

/// Returns when everything written before the call is in table files, durably. InvalidArgument for
/// a DB that is not Lull's. Any thread.
LEVELDB_EXPORT leveldb::Status Flush(leveldb::DB* db);

/// Makes a second store in `dir`: all that was written before the call, and of what is written
/// meanwhile what came before some moment, in whole batches. Writers and background work go on. The
/// tables are shared with `db` as hard links where `dir` is on the same file system and the Env can
/// link, so that next to nothing is copied; elsewhere they are copied. Memtables are flushed for it
/// first, so it fails where Flush fails.
///
/// OK: the checkpoint is on stable storage, and opens like any store, in LevelDB too, with the
/// comparator of `db`. Otherwise what was made is removed; should that fail as well, `dir` holds
/// either no store or all of the checkpoint.
///
/// InvalidArgument when `dir` exists and is not an empty folder, and for a DB that is not Lull's.
/// The folder in which `dir` is must exist. Any thread; `db` must stay open meanwhile.
LEVELDB_EXPORT leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir);

/// Changes scheduling options of an open store: the policy, and the constants that policies use.
/// `text` is read as SchedulingOptions::Parse reads it, over the present values. They change all at
/// once, between two decisions of the background: from the next one on, which is due at once. A
/// changed policy begins to learn anew. The property "lull.options" is the present string.
///
/// InvalidArgument names the pair that cannot be read, or that cannot change while the store is
/// open and why; then nothing is changed. InvalidArgument too for a DB that is not Lull's. Any
/// thread.
LEVELDB_EXPORT leveldb::Status SetOptions(leveldb::DB* db, const std::string& text);

/// Returns when the store has nothing left to flush or compact; while it waits, the store works as
/// in a lull. New writes prolong the wait. InvalidArgument for a DB that is not Lull's. Any thread.
LEVELDB_EXPORT leveldb::Status WaitForIdle(leveldb::DB* db);

}  // namespace lull
