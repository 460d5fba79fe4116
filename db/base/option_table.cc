// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/option_table.h"

#include <algorithm>
#include <vector>

#include "util/logging.h"

namespace lull {
namespace {

using V = OptionValues;
using Unit = OptionUnit;
using Group = OptionGroup;

/// The member of an OptionValues that the path of `Members` leads to.
template <auto... Members>
OptionField At(OptionValues& values) {
  return &(values.*....*Members);
}

// Far beyond any machine, and small enough that no sum or product of a policy overflows.
constexpr uint64_t kThreadsMax = 256;
constexpr uint64_t kTablesMax = 1 << 20;
constexpr uint64_t kBytesMax = uint64_t{1} << 50;
constexpr uint64_t kGrowthMax = 1000;             // beyond it, L2 holds every store
constexpr uint64_t kL0JobTablesMax = 256;         // as in the layout leveled
constexpr uint64_t kMemTableBytesMin = 64 << 10;  // both as Options::write_buffer_size
constexpr uint64_t kMemTableBytesMax = 1 << 30;
constexpr uint64_t kTableBytesMin = 4 << 10;  // one block
constexpr uint64_t kTableBytesMax = 1 << 30;  // as Options::max_file_size
// Below it, a compaction of a whole store would have no room for its output.
constexpr uint64_t kSpacePercentMin = 200;
constexpr uint64_t kSpacePercentMax = 1'000'000;
constexpr uint64_t kHourUs = 3'600'000'000;
constexpr uint64_t kTenYearsSeconds = 315'360'000;

// A rate measured over a shorter time describes single writes, not the load.
constexpr uint64_t kPeriodUsMin = 1'000;

// A limit on background writes below this would keep one slice of a compaction waiting for seconds.
constexpr uint64_t kBackgroundBytesPerSecMin = 64 << 10;

constexpr std::string_view kThreadsRun =
    "cannot change while a store is open: the threads were started with it";
constexpr std::string_view kBudgetShared =
    "cannot change while a store is open: all stores that share threads share the budget";
constexpr std::string_view kMemTablesSized =
    "cannot change while a store is open: its memtables and logs were sized with it";
constexpr std::string_view kCoordinatorChosen =
    "cannot change while a store is open: its threads were chosen at open";
constexpr std::string_view kLaidOut =
    "cannot change while a store is open: close it and open it with the new value";
constexpr std::string_view kHistogramsMade =
    "cannot change while a store is open: histograms are allocated at open";

constexpr std::string_view kFileStarted =
    "cannot change while a store is open: close it and open it with the new path";

constexpr std::string_view kPolicysOwn = "the policy's value, see below";

/// Bounds of a number; see OptionRow.
struct Bounds {
  uint64_t min = 0;
  uint64_t max = 0;
  std::string_view zero_means = {};
};
constexpr Bounds kPeriod = {kPeriodUsMin, kHourUs};
constexpr Bounds kUpToAnHour = {0, kHourUs};
constexpr Bounds kTableCount = {1, kTablesMax};
constexpr Bounds kAnyBytes = {1, kBytesMax};

constexpr OptionRow CommonRow(std::string_view name, OptionField (*field)(OptionValues&), Unit unit,
                              const Bounds& bounds, std::string_view meaning,
                              std::string_view fixed_because = {}) {
  return {name,          field,  unit, Group::kCommon, bounds.min, bounds.max, bounds.zero_means,
          fixed_because, meaning};
}

constexpr OptionRow LayoutRow(std::string_view name, OptionField (*field)(OptionValues&), Unit unit,
                              const Bounds& bounds, std::string_view meaning) {
  OptionRow row = CommonRow(name, field, unit, bounds, meaning, kLaidOut);
  row.group = Group::kLayout;
  return row;
}

/// A constant of a policy.
constexpr OptionRow PolicyRow(std::string_view name, OptionField (*field)(OptionValues&), Unit unit,
                              const Bounds& bounds, std::string_view meaning) {
  OptionRow row = CommonRow(name, field, unit, bounds, meaning);
  row.group = Group::kPolicy;
  return row;
}

constexpr OptionRow kRows[] = {
    // ---- common ----
    CommonRow("policy", At<&V::policy>, Unit::kName, {},
              "The rules that decide when background work runs."),
    CommonRow("compaction_threads", At<&V::compaction_threads>, Unit::kCount,
              {1, kThreadsMax, "one more than cores, at most 4"},
              "How many compactions can run at once, in all stores that share threads. The "
              "first store to open sets it. The policy leveldb runs one at a time.",
              kThreadsRun),
    CommonRow("memory_budget_bytes", At<&V::memory_budget_bytes>, Unit::kBytes, kAnyBytes,
              "Memory for the memtables of all stores that share threads, at least two "
              "memtables a store. The first store to open sets it. Writers wait when it is "
              "used up. The block cache uses up to three quarters of it while memtables do not "
              "need them.",
              kBudgetShared),
    CommonRow("background_bytes_per_sec", At<&V::background_bytes_per_sec>, Unit::kBytesPerSec,
              {kBackgroundBytesPerSecMin, kBytesMax, "no limit"},
              "Limit on what flushes and compactions write together, under any policy. Only "
              "compactions wait for it, not flushes and CompactRange. Stores that share "
              "threads share the largest of their limits."),
    CommonRow("memtable_bytes", At<&V::memtable_bytes>, Unit::kBytes,
              {kMemTableBytesMin, kMemTableBytesMax, "write_buffer_size"},
              "Size of one memtable; overrides Options::write_buffer_size.", kMemTablesSized),
    CommonRow("l0_trigger", At<&V::l0_trigger>, Unit::kCount,
              {1, kTablesMax, "1 with layout=vsst, otherwise 4"},
              "Number of L0 tables at which a compaction of L0 is due."),
    CommonRow("l0_slowdown", At<&V::l0_slowdown>, Unit::kCount, {1, kTablesMax, kPolicysOwn},
              "Number of L0 tables from which writes are slowed. The idle-* policies instead "
              "compact regardless of the load from here on; silk ignores it."),
    CommonRow("l0_stop", At<&V::l0_stop>, Unit::kCount, {1, kTablesMax, kPolicysOwn},
              "Number of L0 tables at which a writer waits when its memtable is full."),
    CommonRow("debt_bytes_max", At<&V::debt_bytes_max>, Unit::kBytes,
              {1, kBytesMax, "1024 memtables with policy=adoc, otherwise 4G"},
              "Compaction debt from which compactions run regardless of the load, and lull and "
              "adoc slow writes. adoc also treats it as an overflow; leveldb ignores it."),
    CommonRow("space_percent_max", At<&V::space_percent_max>, Unit::kPercent,
              {kSpacePercentMin, kSpacePercentMax, "no bound"},
              "Bound on the disk space of the store and its logs, in percent of its live entries "
              "by estimate. A small store can get more: room for a compaction "
              "and 8 memtables. Writers wait for compactions. Iterators and snapshots can keep "
              "more."),
    CommonRow("delete_persist_seconds", At<&V::delete_persist_seconds>, Unit::kSeconds,
              {1, kTenYearsSeconds, "no limit"},
              "How long a deleted value can stay in table files. From half of this age on, "
              "compactions carry its deletion down, whatever else that frees. Snapshots can "
              "keep it longer."),
    CommonRow("pause_us_max", At<&V::pause_us_max>, Unit::kMicros, kPeriod,
              "Longest time that a policy can pause due compactions. After such a pause they "
              "run until they have worked for a tenth of it."),
    CommonRow("own_coordinator", At<&V::own_coordinator>, Unit::kFlag, {},
              "Gives the store separate threads and a separate memory budget, which it shares "
              "with no other store.",
              kCoordinatorChosen),
    CommonRow("latency_histograms", At<&V::latency_histograms>, Unit::kFlag, {},
              "Records the latencies of writes, synced writes and gets in lull.stats and "
              "lull.metrics. Costs two clock readings a call.",
              kHistogramsMade),
    CommonRow("stats_file", At<&V::stats_file>, Unit::kPath, {},
              "File for `lull top` and `lull export`: the text of lull.metrics. A relative path "
              "begins in the store's directory. In a directory (`/run/app/`) the file is named "
              "after the store's path. `auto` is `/dev/shm/`, which is memory, or else the "
              "store's directory. Stores must not share a file.",
              kFileStarted),
    // ---- layout ----
    LayoutRow("layout", At<&V::layout>, Unit::kName, {},
              "The rules that decide which tables a compaction takes and where it ends its "
              "outputs. A store can be opened with a different layout each time."),
    LayoutRow("growth_factor", At<&V::growth_factor>, Unit::kCount,
              {1, kGrowthMax, "8 with layout=vsst, otherwise 10"},
              "Size of a level divided by that of the level above. In vsst also the number of "
              "tables in L1, and the most bytes of L2 that a good table of L1 overlaps for "
              "each of its own."),
    LayoutRow("vsst_phi", At<&V::vsst_phi>, Unit::kCount, {1, kGrowthMax},
              "In vsst, the size of L2 divided by that of L1."),
    LayoutRow("vsst_l0_tables_max", At<&V::vsst_l0_tables_max>, Unit::kCount, {1, kL0JobTablesMax},
              "In vsst, the most L0 tables that a compaction takes (paper: 1)."),
    LayoutRow("table_bytes_max", At<&V::table_bytes_max>, Unit::kBytes,
              {kTableBytesMin, kTableBytesMax,
               "8M with layout=vsst, otherwise max_file_size; with its default, 2M in L1 and "
               "twice as much in each deeper level, up to 64M"},
              "Size at which a compaction ends a table and starts the next."),
    LayoutRow("pick_by_overlap", At<&V::pick_by_overlap>, Unit::kFlag, {},
              "Deep compactions take the table that causes the least rewriting for each byte "
              "moved down. With false they take the next table in key order."),
    LayoutRow("align_outputs", At<&V::align_outputs>, Unit::kFlag, {},
              "Compactions end a table where a table of the next level ends, if possible. With "
              "false they end tables as LevelDB does."),
    // ---- constants of policies ----
    PolicyRow("lull_after_us", At<&V::lull, &LullConstants::after_us>, Unit::kMicros, kUpToAnHour,
              "Time without a write after which a lull begins."),
    PolicyRow("lull_smoothing_us", At<&V::lull, &LullConstants::smoothing_us>, Unit::kMicros,
              kPeriod, "Time constant for smoothing the client write rate."),
    PolicyRow("lull_half_life_us", At<&V::lull, &LullConstants::half_life_us>, Unit::kMicros,
              kPeriod, "Time in which the highest observed write rate decays by half."),
    PolicyRow("lull_hard_percent", At<&V::lull, &LullConstants::hard_percent>, Unit::kPercent,
              {0, 100},
              "Writing is hard above this share of the highest observed rate, if it is also "
              "above lull_hard_flush_percent."),
    PolicyRow("lull_hard_flush_percent", At<&V::lull, &LullConstants::hard_flush_percent>,
              Unit::kPercent, {0, 100},
              "Share of the flush rate up to which writing is never hard."),
    PolicyRow("lull_flush_bytes_min", At<&V::lull, &LullConstants::flush_bytes_min>, Unit::kBytes,
              {0, kBytesMax},
              "While clients write, a flush starts once this much is sealed, or a quarter of the "
              "memory budget if that is less."),
    PolicyRow("lull_burst_us_max", At<&V::lull, &LullConstants::burst_us_max>, Unit::kMicros,
              kUpToAnHour,
              "Compactions wait for the end of a burst for at most this long, or for twice the "
              "longest recent burst if that is longer."),
    PolicyRow("lull_write_bytes_per_sec_min", At<&V::lull, &LullConstants::write_bytes_per_sec_min>,
              Unit::kBytesPerSec, kAnyBytes, "Writes are never slowed below this rate."),
    PolicyRow("lull_l0_miss_bytes", At<&V::lull, &LullConstants::l0_miss_bytes>, Unit::kBytes,
              {1, kTableBytesMax, "reads never start a compaction"},
              "What a read loses by searching one L0 table that lacks the key, as bytes that a "
              "compaction merges in that time. Once reads have lost more than an L0 compaction "
              "costs, L0 is compacted even in a burst; 0: never."),
    PolicyRow("lull_bandwidth_bytes_per_sec", At<&V::lull, &LullConstants::bandwidth_bytes_per_sec>,
              Unit::kBytesPerSec, {1, kBytesMax, "measured"},
              "Bandwidth of the device. While clients write, compactions get the part that "
              "clients leave, and more near a limit."),
    PolicyRow("idle_probe_us", At<&V::idle, &IdleConstants::probe_us>, Unit::kMicros, kPeriod,
              "idle-threshold: how often the client rate is measured (Pramanik and Venkatesh "
              "§6.3)."),
    PolicyRow("idle_threshold_bytes_per_sec", At<&V::idle, &IdleConstants::threshold_bytes_per_sec>,
              Unit::kBytesPerSec, kAnyBytes,
              "idle-threshold: compactions run while the client rate is below this (§6.3: 0.5 "
              "MB/s)."),
    PolicyRow("idle_quiet_us", At<&V::idle, &IdleConstants::quiet_us>, Unit::kMicros, kUpToAnHour,
              "idle-quiet: compactions run once this time has passed since the last write "
              "(§6.3)."),
    PolicyRow("silk_bandwidth_bytes_per_sec", At<&V::silk, &SilkConstants::bandwidth_bytes_per_sec>,
              Unit::kBytesPerSec, {1, kBytesMax, "measured"},
              "*T*, the bandwidth of the device (SILK §6.1: 200 MB/s). A configured value must "
              "be above the sum of the next two options."),
    PolicyRow("silk_reserve_bytes_per_sec", At<&V::silk, &SilkConstants::reserve_bytes_per_sec>,
              Unit::kBytesPerSec, {0, kBytesMax},
              "*ε*, bandwidth left unused for small changes of the load (§5.2.1, which has no "
              "number). At most a twentieth of a measured *T*."),
    PolicyRow("silk_urgent_bytes_per_sec_min",
              At<&V::silk, &SilkConstants::urgent_bytes_per_sec_min>, Unit::kBytesPerSec, kAnyBytes,
              "Least bandwidth that flushes and L0 compactions get together (§6.1). At most a "
              "quarter of a measured *T*."),
    PolicyRow("silk_change_bytes_per_sec_min",
              At<&V::silk, &SilkConstants::change_bytes_per_sec_min>, Unit::kBytesPerSec,
              {0, kBytesMax},
              "The rate limit changes only by steps of at least this (§5.2.1). At most a "
              "twentieth of a measured *T*."),
    PolicyRow("silk_tick_us", At<&V::silk, &SilkConstants::tick_us>, Unit::kMicros, kPeriod,
              "How often the client rate is measured (§5.2.1). Values below 10 ms do not "
              "measure more often."),
    PolicyRow("silk_half_life_us", At<&V::silk, &SilkConstants::half_life_us>, Unit::kMicros,
              kPeriod, "Time in which a measured *T* decays by half while it is not reached."),
    PolicyRow("silk_immutables_max", At<&V::silk, &SilkConstants::immutables_max>, Unit::kCount,
              kTableCount,
              "Number of immutable memtables at which a writer waits when its memtable is full "
              "(§6.1: two memory components in all)."),
    PolicyRow("adoc_window_us", At<&V::adoc, &AdocConstants::window_us>, Unit::kMicros, kPeriod,
              "How often ADOC can change the number of compactions and the batch, which is the "
              "size of memtables (ADOC §5)."),
    PolicyRow("adoc_threads_step", At<&V::adoc, &AdocConstants::threads_step>, Unit::kCount,
              {1, kThreadsMax},
              "How many compactions ADOC adds when it raises their number (§5). It lowers the "
              "number by half."),
    PolicyRow("adoc_batch_step_bytes", At<&V::adoc, &AdocConstants::batch_step_bytes>, Unit::kBytes,
              {1, kBytesMax, "one memtable"},
              "How many bytes ADOC adds when it raises the batch (§5: 64 MB, one memtable "
              "there). It lowers the batch by half."),
    PolicyRow("adoc_batch_factor_max", At<&V::adoc, &AdocConstants::batch_factor_max>, Unit::kCount,
              {1, 1024},
              "Memtables and tables grow to at most this multiple of their configured size "
              "(§6.1: 64 to 512 MB)."),
    PolicyRow("adoc_slowed_bytes_per_sec", At<&V::adoc, &AdocConstants::slowed_bytes_per_sec>,
              Unit::kBytesPerSec, kAnyBytes,
              "Highest write rate while L0 or debt is above its limit (RocksDB's default)."),
    PolicyRow("adoc_immutables_max", At<&V::adoc, &AdocConstants::immutables_max>, Unit::kCount,
              kTableCount,
              "Number of immutable memtables at which a writer waits when its memtable is full "
              "(RocksDB's default)."),
};

}  // namespace

std::span<const OptionRow> OptionTable() { return kRows; }

const OptionRow* FindOption(std::string_view name) {
  const auto* const found = std::ranges::find(kRows, name, &OptionRow::name);
  return found == std::end(kRows) ? nullptr : found;
}

const OptionRow& NearestOption(std::string_view name) {
  std::vector<std::string_view> names;
  for (const OptionRow& row : kRows) names.push_back(row.name);
  return *FindOption(NearestWord(name, names));
}

}  // namespace lull
