// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// When background work runs, and how fast clients may write: the pure half of the scheduler. A
// policy is a state machine that is told what happened and how the store stands, and answers with
// what it wants from now on. It has no thread, lock, clock, file or random source: time is an
// argument, so the same events give the same answers, and a recorded day replays in a test in
// moments.
//
// The answer is a level, not an edge: a Directive says the whole of what is wanted now (so many
// jobs of this class, at this CPU priority, writes paced so), and the coordinator makes it so by
// starting, pausing and resuming jobs. A pause can therefore not be forgotten, and a lost event is
// mended by the next one.
//
// A wrong answer makes a store slow, never wrong: memory budget, L0 stop and the order of installs
// are the coordinator's own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace lull {

/// How one store stands. Plain data, measured by the coordinator before each event.
struct Pressure {
  // Memory. "Used" and "budget" are the coordinator's, all stores together; the rest is this
  // store's.
  uint64_t memory_used_bytes = 0;  ///< sealed memtables, and what active ones grew beyond their
                                   ///< size, less what the running flush has written
  uint64_t memory_budget_bytes = 0;
  uint64_t immutable_bytes = 0;
  int immutables = 0;
  uint64_t flush_bytes_per_sec =
      0;  ///< memtable bytes freed a second of flushing; 0: not known yet

  // Tables.
  int l0_tables = 0;
  uint64_t l0_bytes = 0;
  uint64_t l1_bytes = 0;
  uint64_t debt_bytes = 0;  ///< see Version::DebtBytes
  bool l0_due = false;      ///< a compaction of L0 is due
  bool deep_due = false;    ///< a deep compaction is due

  // Background work of this store.
  int l0_running = 0;                   ///< jobs in workers' hands, or held up by the rate alone
  int deep_running = 0;                 ///< likewise
  int deep_paused = 0;                  ///< jobs that began and may not go on, or lack a worker
  uint64_t background_bytes_total = 0;  ///< written by flushes and compactions since open
  uint64_t l0_slices_total = 0;         ///< that jobs of L0 ran since open: up to 1 ms of work each
  uint64_t deep_slices_total = 0;       ///< likewise, deep jobs

  // Clients.
  uint64_t active_bytes = 0;             ///< of the memtable that takes writes
  uint64_t memtable_bytes = 0;           ///< at which it is full, as the store was opened
  uint64_t client_bytes_total = 0;       ///< written since open; only differences mean something
  uint64_t client_read_bytes_total = 0;  ///< likewise, returned by reads
  uint64_t l0_misses_total = 0;          ///< tables of L0 that reads searched in vain since open;
                                         ///< an iterator's count kMissesOfASeek each
  uint64_t idle_us = 0;                  ///< since a write was last seen, or was under way
  bool write_under_way = false;          ///< one that takes long, say a slow sync, is no silence
  bool drain_requested = false;  ///< a client waits for background work: work as if nobody wrote

  /// Whether background work is due, or goes on, or waits.
  bool HasWork() const {
    return immutables > 0 || l0_due || deep_due || l0_running + deep_running + deep_paused > 0;
  }
};

/// What an iterator loses by a further table of L0 (it opens it, finds and reads a block, and
/// drives others out of the cache), as a multiple of what a get loses by searching one in vain.
inline constexpr uint64_t kMissesOfASeek = 8;

enum class EventKind { kOpened, kTick, kSealed, kFlushed, kJobDone, kJobFailed };

/// The CPU class a job runs at.
enum class CpuPriority { kNormal, kIdle };

/// How many jobs of a class may run at once (0: those running are paused), and how hard.
struct Grant {
  int jobs_max = 0;
  CpuPriority cpu = CpuPriority::kNormal;
  bool operator==(const Grant&) const = default;
};

/// Bytes a second that background work may write. A flush draws from the budget and is never held
/// up by it; an L0 job gets at least the minimum, less what flushes took of it; a deep job gets
/// what is left.
struct RateBudget {
  uint64_t bytes_per_sec = 0;  ///< 0: no limit
  uint64_t urgent_bytes_per_sec_min = 0;
  bool operator==(const RateBudget&) const = default;
};

/// Why writes are slowed.
enum class StallCause { kNone, kMemory, kL0, kDebt };

/// What a policy wants for its store until it says otherwise.
struct Directive {
  Grant l0;
  Grant deep;
  int compactions_max = 1;  ///< L0 and deep together
  /// Background work offers its core to others every few ten microseconds, even at normal priority:
  /// good for a client that wakes up there, and little is done where clients want all cores.
  bool offers_core = false;
  RateBudget rate;
  uint64_t table_bytes = 0;  ///< at which compactions cut their outputs; 0: as the store was opened

  uint64_t memtable_bytes = 0;  ///< at which a memtable is full; 0: as the store was opened
  bool absorb = false;  ///< a full memtable takes more while others wait for their flush, within
                        ///< the memory budget
  uint64_t flush_bytes_min = 0;  ///< a flush begins once so much is sealed (or a client asks)
  int immutables_max = 1 << 20;  ///< sealed memtables at which a writer that fills another waits
  int l0_stop = 1 << 20;         ///< L0 tables at which a writer that fills a memtable waits

  uint64_t delay_us_per_write = 0;       ///< each write waits so long (LevelDB's slowdown)
  uint64_t write_bytes_per_sec_max = 0;  ///< writes are paced to this; 0: they are not
  StallCause cause = StallCause::kNone;  ///< of the two fields above

  bool tick = false;  ///< time matters now: call again within 10 ms
  bool operator==(const Directive&) const = default;
};

/// Something that a policy measured, learned or decided, for people to read. Its unit ends its
/// name.
struct PolicyFigure {
  const char* name;
  std::variant<uint64_t, bool, const char*> value;
};
using PolicyState = std::vector<PolicyFigure>;

/// Called by one thread at a time.
class Policy {
 public:
  virtual ~Policy() = default;
  /// `now_us` never decreases.
  virtual Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) = 0;
  /// As it stands since the last event: always the same names, in the same order.
  virtual PolicyState State() const { return {}; }
};

// The constants of single policies; db/api/option_table.cc says what each is for.

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

/// The numbers a policy may use, with the user's choices resolved; see OptionValues.
struct PolicyOptions {
  int compaction_threads = 2;
  int cores = 0;  ///< of the machine; 0: not told
  int l0_trigger = 4;
  int l0_slowdown = 8;
  int l0_stop = 12;
  uint64_t debt_bytes_max = uint64_t{4} << 30;
  uint64_t pause_us_max = 120'000'000;
  uint64_t background_bytes_per_sec = 0;  ///< see LimitedPolicy; 0: no limit
  uint64_t memtable_bytes = 4u << 20;
  uint64_t table_bytes = 2u << 20;
  uint64_t l0_job_bytes_max = 0;  ///< see LayoutOptions; 0: an L0 job takes all of L0

  LullConstants lull;
  IdleConstants idle;
  SilkConstants silk;
  AdocConstants adoc;
  bool operator==(const PolicyOptions&) const = default;
};

/// The names that MakePolicy knows, in the order in which they are listed to users.
const std::vector<std::string>& PolicyNames();

/// L0 limits that a policy uses where the user names none.
struct L0Limits {
  int trigger, slowdown, stop;
};
L0Limits DefaultL0Limits(const std::string& policy);

/// Debt at which that policy compacts regardless, where the user names none.
uint64_t DefaultDebtBytesMax(const std::string& policy, uint64_t memtable_bytes);

/// How much of L0 one job takes at least, under that policy; 0: all of it.
uint64_t DefaultL0JobBytesMax(const std::string& policy);

/// What is wrong with `options`, for any policy, or "": numbers with which a policy would divide by
/// zero, or a store would wait for what can never come.
std::string PolicyOptionsCause(const PolicyOptions& options);

/// nullptr for an unknown name, and for options with a cause not to be used.
std::unique_ptr<Policy> MakePolicy(const std::string& name, const PolicyOptions& options);

}  // namespace lull
