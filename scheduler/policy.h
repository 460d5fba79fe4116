// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Policies decide when background work runs and how fast clients can write. A policy is a state
// machine: it receives events and the pressure of its store, and returns a directive. It has no
// thread, lock, clock, file or random source; time is an argument. So the same events give the same
// directives, and a test can replay a recorded day in moments.
//
// A directive describes all that should run from now on, not a change: how many jobs of each class,
// at which CPU priority, and the write rate. The coordinator starts, pauses and resumes jobs to
// match it. So no pause can be forgotten, and the next event corrects for a lost one.
//
// A bad policy makes a store slow, never incorrect: the coordinator and the store themselves
// enforce the memory budget, the L0 stop and the order of installs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lull {

/// The default of the option `memory_budget_bytes`.
constexpr uint64_t kDefaultMemoryBudgetBytes = 60u << 20;

/// The state of one store that policies see. The coordinator measures it before each event.
struct Pressure {
  // Memory. memory_used_bytes and memory_budget_bytes cover all stores of the coordinator; the
  // other fields cover only this store.
  uint64_t memory_used_bytes = 0;  ///< sealed memtables, and growth of active ones past their
                                   ///< size; minus what the running flush has written
  uint64_t memory_budget_bytes = 0;
  uint64_t immutable_bytes = 0;
  int immutables = 0;
  uint64_t flush_bytes_per_sec = 0;  ///< memtable bytes freed per second of flushing; 0: unknown

  // Tables.
  int l0_tables = 0;
  uint64_t l0_bytes = 0;
  uint64_t l1_bytes = 0;
  uint64_t debt_bytes = 0;    ///< Version::DebtBytes, minus what compactions have merged so far
  uint64_t hidden_bytes = 0;  ///< entries in tables that deletions hide, by estimate, except those
                              ///< that a snapshot keeps
  uint64_t live_bytes = 0;    ///< the tables without hidden and overwritten entries
  uint64_t file_bytes = 0;  ///< of tables, logs and the outputs of compactions, except tables that
                            ///< only readers keep; 0: without a bound
  uint64_t file_bytes_max = 0;  ///< the user's bound on file_bytes; 0: none
  bool manual_due = false;      ///< a client waits for a manual compaction, or one is paused;
                                ///< policies ignore it
  uint64_t offers_version = 0;  ///< changes when a job that was refused can become available;
                                ///< policies ignore it
  bool l0_due = false;          ///< a compaction of L0 is due
  bool deep_due = false;  ///< a deep compaction is due, or while no client writes, one that only
                          ///< frees space

  // Background work of this store.
  int l0_running = 0;                   ///< jobs on workers, or waiting only for the rate limit
  int deep_running = 0;                 ///< the same
  int deep_paused = 0;                  ///< jobs that began and are paused, or lack a worker
  uint64_t background_bytes_total = 0;  ///< written by flushes and compactions since open
  uint64_t l0_slices_total = 0;         ///< slices of L0 jobs since open; at most about 1 ms each
  uint64_t deep_slices_total = 0;       ///< the same for deep jobs

  // Clients.
  uint64_t active_bytes = 0;             ///< size of the active memtable
  uint64_t memtable_bytes = 0;           ///< size at which it is full, as set at open
  uint64_t client_bytes_total = 0;       ///< written since open; only differences are meaningful
  uint64_t client_read_bytes_total = 0;  ///< the same, returned by reads
  uint64_t l0_misses_total = 0;          ///< L0 tables that reads searched without finding the key,
                                         ///< since open; an iterator adds kMissesOfASeek for each
                                         ///< L0 table but one
  uint64_t idle_us = 0;                  ///< time since a write was last in progress
  bool write_under_way = false;          ///< true during a long write (such as a slow sync)
  bool write_waits = false;              ///< a write waits at a hard limit, which is not under way
  bool drain_requested = false;          ///< a client waits for background work
  bool space_is_low = false;             ///< disk space is short

  /// True if background work must run as if no client wrote.
  bool GoesFirst() const { return drain_requested || space_is_low; }
  /// From so many hidden bytes on, compactions free them although clients write.
  uint64_t HiddenBytesMax() const { return (uint64_t{64} << 20) + live_bytes; }
  /// True if background work is due, running or waiting.
  bool HasWork() const {
    return immutables > 0 || l0_due || deep_due || l0_running + deep_running + deep_paused > 0;
  }
};

/// Cost of one more L0 table for an iterator, in table searches of a get that do not find the key.
/// The iterator opens the table, finds and reads a block, and evicts other blocks from the cache.
inline constexpr uint64_t kMissesOfASeek = 8;

/// What happened since the last event. kOpened: the policy was just given to the store. kSealed,
/// kFlushed: the number of sealed memtables rose or fell. kTick: none of the others.
enum class EventKind { kOpened, kTick, kSealed, kFlushed, kJobDone, kJobFailed };

/// The CPU class of a job.
enum class CpuPriority { kNormal, kIdle };

/// How many jobs of a class can run at once, and at which CPU priority. 0 jobs: running ones are
/// paused.
struct Grant {
  int jobs_max = 0;
  CpuPriority cpu = CpuPriority::kNormal;
  bool operator==(const Grant&) const = default;
};

/// A limit on what background work writes, in bytes per second. Flushes draw from it but do not
/// wait for it (see Directive::flush_bytes_per_sec_max). L0 jobs get at least
/// urgent_bytes_per_sec_min, minus what flushes drew. Deep jobs get the rest.
struct RateBudget {
  uint64_t bytes_per_sec = 0;  ///< 0: no limit
  uint64_t urgent_bytes_per_sec_min = 0;
  /// The user's limit, not a policy's: it also holds for L0 at its stop and while a client waits.
  bool is_users = false;
  bool operator==(const RateBudget&) const = default;
};

/// Why writes are slowed. kDebt: also for space that compactions must free.
enum class StallCause { kNone, kMemory, kL0, kDebt };

/// What a policy wants for its store until its next directive.
struct Directive {
  Grant l0;
  Grant deep;
  int compactions_max = 1;  ///< L0 and deep together
  /// Running deep jobs that block a due L0 job are asked to pause. How much they have done then
  /// decides whether they are abandoned. Otherwise L0 waits for them, and only paused ones are
  /// abandoned.
  bool l0_stops_blockers = false;
  /// Background work yields its core every few tens of microseconds, even at normal priority. A
  /// client that wakes up on that core then runs sooner. But background work gets slower if clients
  /// want all cores.
  bool offers_core = false;
  RateBudget rate;
  uint64_t table_bytes = 0;  ///< size at which compactions end an output; 0: as set at open

  uint64_t memtable_bytes = 0;   ///< size at which a memtable is full; 0: as set at open
  bool absorb = false;           ///< a full memtable takes more writes while others wait for their
                                 ///< flush, within the memory budget
  uint64_t flush_bytes_min = 0;  ///< sealed bytes at which a flush begins, if no client waits
  uint64_t flush_bytes_per_sec_max = 0;  ///< a flush pauses to stay below, if no client waits; 0:
                                         ///< no limit
  int immutables_max = 1 << 20;  ///< sealed memtables at which a writer that fills another waits
  int l0_stop = 1 << 20;         ///< L0 tables at which a writer that fills a memtable waits

  uint64_t delay_us_per_write = 0;       ///< each write is delayed by this (LevelDB's slowdown)
  uint64_t write_bytes_per_sec_max = 0;  ///< write rate limit; 0: none
  StallCause cause = StallCause::kNone;  ///< why the two fields above are set

  bool tick = false;  ///< the directive depends on time: call again within 10 ms
  bool operator==(const Directive&) const = default;
};

/// A value that a policy measured, learned or decided, for people to read. Its name ends with its
/// unit.
struct PolicyFigure {
  const char* name;
  std::variant<uint64_t, bool, const char*> value;
};
using PolicyState = std::vector<PolicyFigure>;

/// One object per store; the monitor calls it. One thread at a time.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Returns the directive from now on. `now_us` never decreases.
  virtual Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) = 0;
  /// State after the last event: always the same names, in the same order.
  virtual PolicyState State() const { return {}; }
};

// Constants of single policies; db/base/option_table.cc documents them.

struct LullConstants {
  uint64_t after_us = 20'000;
  uint64_t smoothing_us = 100'000;
  uint64_t half_life_us = 60'000'000;
  int hard_percent = 25;
  int hard_flush_percent = 10;
  uint64_t flush_bytes_min = uint64_t{16} << 20;
  uint64_t burst_us_max = 30'000'000;
  uint64_t write_bytes_per_sec_min = uint64_t{1} << 20;
  uint64_t l0_miss_bytes = 400;
  uint64_t bandwidth_bytes_per_sec = 0;  ///< 0: measured
  bool operator==(const LullConstants&) const = default;
};

struct IdleConstants {
  uint64_t probe_us = 500'000;
  uint64_t threshold_bytes_per_sec = uint64_t{512} << 10;
  uint64_t quiet_us = 500'000;
  bool operator==(const IdleConstants&) const = default;
};

struct SilkConstants {
  uint64_t bandwidth_bytes_per_sec = 0;  ///< 0: measured
  uint64_t reserve_bytes_per_sec = uint64_t{10} << 20;
  uint64_t urgent_bytes_per_sec_min = uint64_t{50} << 20;
  uint64_t change_bytes_per_sec_min = uint64_t{10} << 20;
  uint64_t tick_us = 10'000;
  uint64_t half_life_us = 60'000'000;
  int immutables_max = 1;
  bool operator==(const SilkConstants&) const = default;
};

struct AdocConstants {
  uint64_t window_us = 1'000'000;
  int threads_step = 2;
  uint64_t batch_step_bytes = 0;  ///< 0: one memtable
  int batch_factor_max = 8;
  uint64_t slowed_bytes_per_sec = uint64_t{16} << 20;
  int immutables_max = 1;
  bool operator==(const AdocConstants&) const = default;
};

/// The numbers that policies use: the user's options, with defaults in place of 0 (see
/// OptionValues).
struct PolicyOptions {
  int compaction_threads = 2;
  int l0_trigger = 4;
  int l0_slowdown = 8;
  int l0_stop = 12;
  uint64_t debt_bytes_max = uint64_t{4} << 30;
  uint64_t pause_us_max = 120'000'000;
  uint64_t background_bytes_per_sec = 0;  ///< holds under any policy; 0: none
  uint64_t memtable_bytes = 4u << 20;
  uint64_t table_bytes = 2u << 20;
  uint64_t l0_job_bytes_max = 0;  ///< see LayoutOptions; 0: an L0 job takes all of L0

  LullConstants lull;
  IdleConstants idle;
  SilkConstants silk;
  AdocConstants adoc;
  bool operator==(const PolicyOptions&) const = default;
};

/// Names that MakePolicy accepts, in the order in which the documentation lists them.
const std::vector<std::string>& PolicyNames();

/// Default L0 limits of a policy, in tables.
struct L0Limits {
  int trigger, slowdown, stop;
};
L0Limits DefaultL0Limits(const std::string& policy);

/// Default debt limit of a policy, in bytes: above it, compactions run whatever the clients do.
uint64_t DefaultDebtBytesMax(const std::string& policy, uint64_t memtable_bytes);

/// Size of an L0 job of a policy, in bytes (see LayoutOptions::l0_job_bytes_max), under this debt
/// limit; 0: a job takes all of L0.
uint64_t L0JobBytesMax(const std::string& policy, uint64_t debt_bytes_max);

/// `options`, with the defaults in place of the constants of other policies.
PolicyOptions OptionsOf(const std::string& policy, const PolicyOptions& options);

/// Returns why no policy can use `options`, or "". Rejects numbers that would make a policy divide
/// by zero, or a store wait forever.
std::string PolicyOptionsCause(const PolicyOptions& options);

/// Returns nullptr for an unknown name or invalid options (see PolicyOptionsCause).
std::unique_ptr<Policy> MakePolicy(const std::string& name, const PolicyOptions& options);

}  // namespace lull
