// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What Lull adds to LevelDB's API: how a store schedules its background work, waiting for that
// work, checkpoints and read-only stores. A program that cannot be changed sets the environment
// variable LULL_OPTIONS to an option string instead; leveldb::DB::Open reads it.
//
// Functions that take a leveldb::DB* return InvalidArgument if it is not a Lull store. Any thread
// can call every function here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "lull/version.h"

namespace lull {

/// The version of the library, as LULL_VERSION_STRING. The string lives forever.
LEVELDB_EXPORT const char* VersionString();

/// Options of one store, by name: "policy=silk;compaction_threads=2". An option that is not named
/// keeps its default. docs/options.md and the program `lull options` list all names, with their
/// bounds and defaults.
///
/// The setters below are for the options that most programs need; all others, among them the
/// constants of the papers' policies, are set by name. A setter does not check its value: Open,
/// SetOptions and CheckOptions do. If an option is set twice, the later value counts.
///
/// The class is only a string, and all its members are inline. A later version can therefore add
/// options and setters while compiled programs keep running. A library that does not know an option
/// refuses it with InvalidArgument.
class SchedulingOptions {
 public:
  SchedulingOptions() = default;
  /// Options as a string: "name=value;name=value". Implicit, so that a string can be passed
  /// instead.
  SchedulingOptions(std::string text) : text_(std::move(text)) {}  // NOLINT
  SchedulingOptions(const char* text) : text_(text) {}             // NOLINT

  /// Sets an option by name. `value` is what the option string has after the "=".
  SchedulingOptions& Set(const std::string& name, const std::string& value) {
    if (!text_.empty()) text_ += ';';
    text_ += name + '=' + value;
    return *this;
  }

  /// When background work runs: "lull" (the default), "leveldb", "idle-threshold", "idle-quiet",
  /// "silk" or "adoc".
  SchedulingOptions& SetPolicy(const std::string& name) { return Set("policy", name); }
  /// How tables are compacted: "leveled" (the default) or "vsst".
  SchedulingOptions& SetLayout(const std::string& name) { return Set("layout", name); }
  /// Compactions that can run at once. 0, the default: the number of cores, at most 4.
  SchedulingOptions& SetCompactionThreads(int count) {
    return Set("compaction_threads", std::to_string(count));
  }
  /// Memory for the memtables of all stores that share threads. Default: 64 MiB.
  SchedulingOptions& SetMemoryBudgetBytes(uint64_t bytes) {
    return Set("memory_budget_bytes", std::to_string(bytes));
  }
  /// Limit on what flushes and compactions write, in bytes per second: compactions get what flushes
  /// leave of it. 0, the default: no limit.
  SchedulingOptions& SetBackgroundBytesPerSec(uint64_t bytes) {
    return Set("background_bytes_per_sec", std::to_string(bytes));
  }
  /// Size of a memtable. 0, the default: leveldb::Options::write_buffer_size.
  SchedulingOptions& SetMemtableBytes(uint64_t bytes) {
    return Set("memtable_bytes", std::to_string(bytes));
  }
  /// L0 tables at which a compaction is due, at which writes are slowed, and at which they wait:
  /// trigger <= slowdown <= stop. 0, the default: the policy's own.
  SchedulingOptions& SetL0Trigger(int tables) { return Set("l0_trigger", std::to_string(tables)); }
  SchedulingOptions& SetL0Slowdown(int tables) {
    return Set("l0_slowdown", std::to_string(tables));
  }
  SchedulingOptions& SetL0Stop(int tables) { return Set("l0_stop", std::to_string(tables)); }
  /// Compaction debt at which compactions run regardless of the load. 0, the default: the policy's.
  SchedulingOptions& SetDebtBytesMax(uint64_t bytes) {
    return Set("debt_bytes_max", std::to_string(bytes));
  }
  /// Whether the store has threads and a memory budget of its own. Default: false, stores of a
  /// process share them.
  SchedulingOptions& SetOwnCoordinator(bool own) {
    return Set("own_coordinator", own ? "true" : "false");
  }
  /// Whether to record latencies of calls. Default: false. Costs two clock readings a call, and
  /// about 20 KB for each kind of call and each of up to 16 threads.
  SchedulingOptions& SetLatencyHistograms(bool record) {
    return Set("latency_histograms", record ? "true" : "false");
  }

  /// The option string.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// OK if Open would accept the options. InvalidArgument names the pair that is wrong, why, and for
/// an unknown name the nearest known one.
LEVELDB_EXPORT leveldb::Status CheckOptions(const SchedulingOptions& scheduling);

/// Like leveldb::DB::Open, with these scheduling options; LULL_OPTIONS is not read. On success the
/// caller owns `*db`. InvalidArgument as CheckOptions. IOError if the system refuses a thread.
///
/// In a forked child, a store that the parent opened can be read and deleted. Deleting it there
/// returns at once and changes no file. All other functions fail with NotSupported.
LEVELDB_EXPORT leveldb::Status Open(const leveldb::Options& options,
                                    const SchedulingOptions& scheduling, const std::string& name,
                                    leveldb::DB** db);

/// Opens a store for reading, in its present state and without its LOCK. Another process can have
/// it open and continue to write; later writes are not seen, nor are writes that the other process
/// has not yet passed to the operating system. Nothing in the directory changes. The logs are read
/// into memory.
///
/// Writes fail with NotSupported. At most max_open_files tables are kept open, and at most a fifth
/// of the files that the process is allowed to open. If the store has more tables than that, and
/// another process deletes one that is not open, reads that need it fail. Only the read options in
/// `options` have an effect. On success the caller owns `*db`.
LEVELDB_EXPORT leveldb::Status OpenReadOnly(const leveldb::Options& options,
                                            const std::string& name, leveldb::DB** db);

/// Blocks until everything written before the call is durable in table files.
LEVELDB_EXPORT leveldb::Status Flush(leveldb::DB* db);

/// Makes a copy of the store in `dir`, while writers and background work continue. The copy has
/// everything written before the call, and each batch written during the call up to some moment.
/// Tables are hard links where `dir` is on the same file system and the Env can link; elsewhere
/// they are copied. The call flushes memtables first, so it fails where Flush fails.
///
/// `dir` must be an empty directory, or not exist in a parent that does; otherwise InvalidArgument.
/// `db` must stay open during the call.
///
/// On OK the checkpoint is on stable storage and opens like any store, in LevelDB too, with the
/// comparator of `db`. On an error the call removes what it made; if that fails as well, `dir`
/// holds either no store or the whole checkpoint.
LEVELDB_EXPORT leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir);

/// Changes options of an open store: those that docs/options.md lists as live. Options that are not
/// named keep their present values. All changes take effect together, before the next scheduling
/// decision. A changed policy starts without what it has learned. The property "lull.options" is
/// the string in force.
///
/// InvalidArgument names the pair that is wrong, or that cannot change while a store is open; then
/// nothing changes.
LEVELDB_EXPORT leveldb::Status SetOptions(leveldb::DB* db, const SchedulingOptions& scheduling);

/// Blocks until the store has nothing left to flush or compact. Until then background work runs as
/// in a lull. New writes prolong the wait.
LEVELDB_EXPORT leveldb::Status WaitForIdle(leveldb::DB* db);

}  // namespace lull
