// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Lull's additions to LevelDB's API: scheduling options, waits for background work, checkpoints and
// read-only stores. A program that cannot be changed can set the environment variable LULL_OPTIONS
// to an option string; leveldb::DB::Open reads it.
//
// Every function is thread-safe. A function that takes a leveldb::DB* returns InvalidArgument
// unless the DB is from leveldb::DB::Open or lull::Open of this library; a store from OpenReadOnly
// is refused too, except by Refresh.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "lull/version.h"

namespace lull {

/// The version of the library, equal to its LULL_VERSION_STRING. The string is static.
LEVELDB_EXPORT const char* VersionString();

/// The scheduling options of a store, as a string: "policy=silk;compaction_threads=2". An option
/// that is not named keeps its default. docs/options.md and the command `lull options` list all
/// names, units, bounds and defaults.
///
/// The setters below cover the options that most programs need. Set all others by name, among them
/// the constants of the policies. A setter does not check its value: Open, SetOptions and
/// CheckOptions do. If an option is set twice, the later value counts.
///
/// Stores of one process share background threads and a memory budget, except those opened with
/// SetOwnCoordinator. The first store to open sets compaction_threads and memory_budget_bytes for
/// all that share them, until the last one closes.
///
/// The class contains only a string, and all its members are inline. A later version can therefore
/// add options and setters without breaking compiled programs. A library that does not know an
/// option refuses it with InvalidArgument. Like std::string, an object is not synchronized.
class SchedulingOptions {
 public:
  SchedulingOptions() = default;
  /// Takes an option string: "name=value;name=value". Implicit, so that a string can be passed as
  /// an argument. `text` must not be null.
  SchedulingOptions(std::string text) : text_(std::move(text)) {}  // NOLINT
  SchedulingOptions(const char* text) : text_(text) {}             // NOLINT

  /// Sets an option by name. `value` is the text after the "=", such as "20M", "true" or "silk".
  /// REQUIRES: neither contains ";".
  SchedulingOptions& Set(const std::string& name, const std::string& value) {
    if (!text_.empty()) text_ += ';';
    text_ += name + '=' + value;
    return *this;
  }

  /// The policy, which decides when background work runs: "lull" (the default), "leveldb",
  /// "idle-threshold", "idle-quiet", "silk" or "adoc".
  SchedulingOptions& SetPolicy(const std::string& name) { return Set("policy", name); }
  /// The layout, which decides how compactions arrange tables: "leveled" (the default) or "vsst".
  SchedulingOptions& SetLayout(const std::string& name) { return Set("layout", name); }
  /// The maximum number of compactions that run at once, of all stores that share threads. 0, the
  /// default: one more than the machine has cores, at most 4.
  SchedulingOptions& SetCompactionThreads(int count) {
    return Set("compaction_threads", std::to_string(count));
  }
  /// The memory budget for the memtables of all stores that share threads, in bytes; at least two
  /// memtables per store. Writers wait when it is used up. Default: 60 MiB.
  SchedulingOptions& SetMemoryBudgetBytes(uint64_t bytes) {
    return Set("memory_budget_bytes", std::to_string(bytes));
  }
  /// A limit on background writes, in bytes per second. Flushes and CompactRange count toward it
  /// but never wait; other compactions wait, and get what those leave. 0, the default: no limit.
  SchedulingOptions& SetBackgroundBytesPerSec(uint64_t bytes) {
    return Set("background_bytes_per_sec", std::to_string(bytes));
  }
  /// The size at which a memtable is full, in bytes: 64 KiB to 1 GiB. 0, the default:
  /// leveldb::Options::write_buffer_size.
  SchedulingOptions& SetMemtableBytes(uint64_t bytes) {
    return Set("memtable_bytes", std::to_string(bytes));
  }
  /// The number of L0 tables at which a compaction of L0 is due. At most l0_slowdown. 0, the
  /// default: 4, or 1 if the layout is "vsst".
  SchedulingOptions& SetL0Trigger(int tables) { return Set("l0_trigger", std::to_string(tables)); }
  /// The number of L0 tables at which writes are slowed. At most l0_stop. 0, the default: the
  /// policy's value (docs/options.md).
  SchedulingOptions& SetL0Slowdown(int tables) {
    return Set("l0_slowdown", std::to_string(tables));
  }
  /// The number of L0 tables at which a writer that fills a memtable waits for a compaction. 0, the
  /// default: the policy's value.
  SchedulingOptions& SetL0Stop(int tables) { return Set("l0_stop", std::to_string(tables)); }
  /// The compaction debt from which compactions run regardless of the client load, in bytes; the
  /// policies lull and adoc then also slow writes. Debt is the number of bytes to compact until
  /// every level is within its target size. 0, the default: the policy's value.
  SchedulingOptions& SetDebtBytesMax(uint64_t bytes) {
    return Set("debt_bytes_max", std::to_string(bytes));
  }
  /// Whether the store has its own threads and memory budget. Default: false; stores of one process
  /// share them.
  SchedulingOptions& SetOwnCoordinator(bool own) {
    return Set("own_coordinator", own ? "true" : "false");
  }
  /// Whether to record the latencies of writes, synced writes and gets, for the properties
  /// lull.stats and lull.metrics. Default: false. Costs two clock readings per call, and about 20
  /// KB for each kind of call and each of up to 16 threads.
  SchedulingOptions& SetLatencyHistograms(bool record) {
    return Set("latency_histograms", record ? "true" : "false");
  }

  /// The option string.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Returns OK if Open would accept the options. Otherwise InvalidArgument names the pair that is
/// wrong, the cause, and for an unknown name the nearest known one.
LEVELDB_EXPORT leveldb::Status CheckOptions(const SchedulingOptions& scheduling);

/// Opens a store as leveldb::DB::Open does, but with these scheduling options; ignores
/// LULL_OPTIONS. On success the caller owns `*db`; on failure `*db` is null. Returns the errors of
/// leveldb::DB::Open, InvalidArgument if CheckOptions refuses `scheduling`, and IOError if the
/// system cannot start a thread.
///
/// After fork(), the child can read a store that the parent opened. It can also `delete` the DB,
/// which returns at once and changes no file. All other functions return NotSupported in the child.
LEVELDB_EXPORT leveldb::Status Open(const leveldb::Options& options,
                                    const SchedulingOptions& scheduling, const std::string& name,
                                    leveldb::DB** db);

/// Opens a store for reading, in its present state and without its LOCK. Another process can have
/// the store open and continue to write. Refresh makes later writes visible, except those that the
/// other process has not yet passed to the operating system. Nothing in the directory changes. The
/// entries in the logs are read into memory.
///
/// Of `options`, these fields have an effect: comparator, env, info_log, paranoid_checks,
/// max_open_files, block_cache and filter_policy. On success the caller owns `*db`; on failure
/// `*db` is null. InvalidArgument if `name` contains no store.
///
/// Writes return NotSupported, and CompactRange does nothing. The store keeps at most
/// max_open_files tables open, and at most a fifth of the files that the process is allowed to
/// open. If another process deletes a table that is not open, reads that need it fail with IOError
/// until Refresh.
LEVELDB_EXPORT leveldb::Status OpenReadOnly(const leveldb::Options& options,
                                            const std::string& name, leveldb::DB** db);

/// Makes a store from OpenReadOnly show the present state, as if it were opened again, but reads
/// only what is new: the ends of the MANIFEST and the logs, and new tables. Then reads see all that
/// the writer had passed to the operating system before the call. All logs are read again if the
/// writer has replaced the MANIFEST, as it does when it opens the store, and always with an Env
/// other than Env::Default() or without exact file times.
///
/// Reads can run meanwhile, and do not wait. Iterators and snapshots keep the state in which they
/// began; they keep its memory, and the disk space of its open tables. One call runs at a time,
/// others wait for it. After an error reads see the old state, and a later call can succeed.
/// Returns the errors of OpenReadOnly, and IOError if the store was destroyed or replaced since it
/// was opened: then open it again. A store that is open for writing always shows its present state;
/// the call does nothing and returns OK.
LEVELDB_EXPORT leveldb::Status Refresh(leveldb::DB* db);

/// Blocks until every write acknowledged before the call is durable in table files. If a flush
/// fails, returns its error; the store retries the flush later.
LEVELDB_EXPORT leveldb::Status Flush(leveldb::DB* db);

/// Copies the store to the directory `dir`, while writers and background work continue. The copy
/// contains every batch acknowledged before the call. Of the batches written during the call it
/// contains the first ones, possibly none, each completely. Tables are hard links if `dir` is on
/// the same file system and the Env can link; otherwise they are copied. The call flushes memtables
/// first, so it fails where Flush fails.
///
/// `dir` must be an empty directory, or what an interrupted call left, or must not exist while its
/// parent does; otherwise InvalidArgument. `db` must stay open during the call.
///
/// On OK the checkpoint is on stable storage. It opens like any store, with the comparator of `db`:
/// in Lull, and if no table uses zstd, in LevelDB. On an error the call removes what it created; if
/// that fails too, `dir` contains either no store or the complete checkpoint.
LEVELDB_EXPORT leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir);

/// Changes options of an open store: those that docs/options.md lists as live. Options that are not
/// named keep their values. All changes take effect together, at the next scheduling decision; the
/// call does not wait for it. A changed policy, or a changed number that it uses, discards what the
/// policy has learned. The property "lull.options" has the current values.
///
/// InvalidArgument names the pair that is wrong, or that cannot change while a store is open; then
/// nothing changes.
LEVELDB_EXPORT leveldb::Status SetOptions(leveldb::DB* db, const SchedulingOptions& scheduling);

/// Blocks until no immutable memtable waits for its flush, no compaction is due or runs, and all
/// obsolete files are deleted, except those that iterators or snapshots need. Does not flush the
/// active memtable; call Flush first for that. Meanwhile background work runs as if no client
/// wrote. New writes prolong the wait. Returns an error if background work fails during the wait,
/// or if a damaged table prevents a compaction.
LEVELDB_EXPORT leveldb::Status WaitForIdle(leveldb::DB* db);

/// Deletes all keys from `begin` to just before `end`, in the comparator's order; a null pointer
/// means no bound. Whole tables inside the range are removed without being read, so a large range
/// takes little more time than a small one; single deletions are written only for the tables at its
/// ends, the tables of L0 and what is in memory.
///
/// On OK no entry of the range that was written before the call is visible, and both the deletion
/// and all earlier writes are on stable storage. Writes to the range during the call may be deleted
/// too. Iterators and snapshots that exist keep what they see. They also keep the removed tables on
/// disk, and the memtables of that moment in memory, until they are deleted or released.
///
/// After an error or a crash during the call, the range can be partly deleted. No key then has an
/// older value than before.
///
/// Waits for running compactions in the range. Calls of this function, DeleteFilesInRange and
/// CreateCheckpoint run one after another.
LEVELDB_EXPORT leveldb::Status DeleteRange(leveldb::DB* db, const leveldb::Slice* begin,
                                           const leveldb::Slice* end);

/// What DeleteFilesInRange did.
struct DeletedFiles {
  uint64_t files = 0;       ///< tables removed
  uint64_t bytes = 0;       ///< their size
  uint64_t files_left = 0;  ///< tables that stay and can have keys of the range
  uint64_t bytes_left = 0;  ///< their size
};

/// Frees disk space at once: removes the tables that contain only keys from `begin` to just before
/// `end`; a null pointer means no bound. Other entries of the range stay: those in memory, in
/// tables that reach beyond the range, in tables that a compaction uses, and in tables that hide
/// older entries in one of those. `*deleted`, which can be null, tells how much was removed. Does
/// not wait for compactions. On OK the removal is on stable storage. Snapshots and iterators: as
/// for DeleteRange.
LEVELDB_EXPORT leveldb::Status DeleteFilesInRange(leveldb::DB* db, const leveldb::Slice* begin,
                                                  const leveldb::Slice* end,
                                                  DeletedFiles* deleted = nullptr);

/// Adds the entries of table files to the store, as one write of all of them at one moment: they
/// replace older values of their keys, and readers see all or none. `paths`: of files in the
/// store's Env, made with leveldb::TableBuilder of Lull or LevelDB. They have the keys and values
/// that clients would write, in the order of the store's comparator, each key once, and their
/// ranges do not overlap. Files of a store are refused if they are recognized: their keys have
/// another form.
///
/// The entries are copied, since a store's tables have other keys and the store's compression and
/// filters. So the call costs one reading and one writing of all entries, while clients and
/// compactions go on. Each copy goes to the deepest level whose tables, and those above, do not
/// overlap it: into an empty range, compactions need not write it again. Compaction filters do not
/// see the entries. The files stay as they are, and are not needed after the call. Calls run one
/// after another.
///
/// Writers wait for the last step, which syncs the log and the MANIFEST. If clients write keys of
/// the tables' ranges during the call, writers also wait for a flush of the newest of them.
///
/// On OK the entries and all earlier writes are on stable storage. After a crash during the call,
/// the store has all of the entries or none. On an error it has none; if the MANIFEST could not be
/// written, it can have all of them after the next open.
///
/// InvalidArgument: a file has no entries, is of a store, has keys out of order, or overlaps
/// another one. Corruption: a file is no table or is damaged. IOError: a file cannot be read, the
/// store cannot be written, or the copies do not fit the disk.
LEVELDB_EXPORT leveldb::Status IngestTables(leveldb::DB* db, const std::vector<std::string>& paths);

}  // namespace lull
