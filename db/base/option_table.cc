// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/option_table.h"

#include <algorithm>
#include <cstddef>
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

constexpr OptionRow kRows[] = {
    // ---- common ----
    {.name = "policy",
     .field = At<&V::policy>,
     .unit = Unit::kName,
     .group = Group::kCommon,
     .meaning = "The rules that decide when background work runs."},
    {.name = "compaction_threads",
     .field = At<&V::compaction_threads>,
     .unit = Unit::kCount,
     .group = Group::kCommon,
     .min = 1,
     .max = kThreadsMax,
     .zero_means = "one more than cores, at most 4",
     .fixed_because = kThreadsRun,
     .meaning = "How many compactions can run at once, in all stores that share threads. The "
                "first store to open sets it. The policy leveldb runs one at a time."},
    {.name = "memory_budget_bytes",
     .field = At<&V::memory_budget_bytes>,
     .unit = Unit::kBytes,
     .group = Group::kCommon,
     .min = 1,
     .max = kBytesMax,
     .fixed_because = kBudgetShared,
     .meaning = "Memory for the memtables of all stores that share threads, at least two "
                "memtables a store. The first store to open sets it. Writers wait when it is "
                "used up. The block cache uses up to three quarters of it while memtables do not "
                "need them. In a benchmark with bursts of 1 KB values, 8M instead of 64M halved "
                "the memory of the process and made bursts 7 % slower."},
    {.name = "background_bytes_per_sec",
     .field = At<&V::background_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kCommon,
     .min = kBackgroundBytesPerSecMin,
     .max = kBytesMax,
     .zero_means = "no limit",
     .meaning = "Limit on what flushes and compactions write together, under any policy. Only "
                "compactions wait for it, not flushes and CompactRange. Stores that share "
                "threads share the largest of their limits."},
    {.name = "memtable_bytes",
     .field = At<&V::memtable_bytes>,
     .unit = Unit::kBytes,
     .group = Group::kCommon,
     .min = kMemTableBytesMin,
     .max = kMemTableBytesMax,
     .zero_means = "write_buffer_size",
     .fixed_because = kMemTablesSized,
     .meaning = "Size of one memtable; overrides Options::write_buffer_size."},
    {.name = "l0_trigger",
     .field = At<&V::l0_trigger>,
     .unit = Unit::kCount,
     .group = Group::kCommon,
     .min = 1,
     .max = kTablesMax,
     .zero_means = "1 with layout=vsst, otherwise 4",
     .meaning = "Number of L0 tables at which a compaction of L0 is due."},
    {.name = "l0_slowdown",
     .field = At<&V::l0_slowdown>,
     .unit = Unit::kCount,
     .group = Group::kCommon,
     .min = 1,
     .max = kTablesMax,
     .zero_means = kPolicysOwn,
     .meaning = "Number of L0 tables from which writes are slowed. The idle-* policies instead "
                "compact regardless of the load from here on; silk ignores it."},
    {.name = "l0_stop",
     .field = At<&V::l0_stop>,
     .unit = Unit::kCount,
     .group = Group::kCommon,
     .min = 1,
     .max = kTablesMax,
     .zero_means = kPolicysOwn,
     .meaning = "Number of L0 tables at which a writer waits when its memtable is full."},
    {.name = "debt_bytes_max",
     .field = At<&V::debt_bytes_max>,
     .unit = Unit::kBytes,
     .group = Group::kCommon,
     .min = 1,
     .max = kBytesMax,
     .zero_means = "1024 memtables with policy=adoc, otherwise 4G",
     .meaning = "Compaction debt from which compactions run regardless of the load, and lull and "
                "adoc slow writes. adoc also treats it as an overflow; leveldb ignores it."},
    {.name = "space_percent_max",
     .field = At<&V::space_percent_max>,
     .unit = Unit::kPercent,
     .group = Group::kCommon,
     .min = kSpacePercentMin,
     .max = kSpacePercentMax,
     .zero_means = "no bound",
     .meaning = "Bound on the disk space of the store and its logs, in percent of its live entries "
                "by estimate. A small store can get more: room for a compaction "
                "and 8 memtables. Writers wait for compactions. Iterators and snapshots can keep "
                "more."},
    {.name = "delete_persist_seconds",
     .field = At<&V::delete_persist_seconds>,
     .unit = Unit::kSeconds,
     .group = Group::kCommon,
     .min = 1,
     .max = kTenYearsSeconds,
     .zero_means = "no limit",
     .meaning = "How long a deleted value can stay in table files. From half of this age on, "
                "compactions carry its deletion down, whatever else that frees. Snapshots can "
                "keep it longer."},
    {.name = "pause_us_max",
     .field = At<&V::pause_us_max>,
     .unit = Unit::kMicros,
     .group = Group::kCommon,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "Longest time that a policy can pause due compactions. After such a pause they "
                "run until they have worked for a tenth of it."},
    {.name = "own_coordinator",
     .field = At<&V::own_coordinator>,
     .unit = Unit::kFlag,
     .group = Group::kCommon,
     .fixed_because = kCoordinatorChosen,
     .meaning = "Gives the store separate threads and a separate memory budget, which it shares "
                "with no other store."},
    {.name = "latency_histograms",
     .field = At<&V::latency_histograms>,
     .unit = Unit::kFlag,
     .group = Group::kCommon,
     .fixed_because = kHistogramsMade,
     .meaning = "Records the latencies of writes, synced writes and gets in lull.stats and "
                "lull.metrics. Costs two clock readings a call."},
    {.name = "stats_file",
     .field = At<&V::stats_file>,
     .unit = Unit::kPath,
     .group = Group::kCommon,
     .fixed_because = kFileStarted,
     .meaning = "File for `lull top` and `lull export`: the text of lull.metrics. A relative path "
                "begins in the store's directory. In a directory (`/run/app/`) the file is named "
                "after the store's path. `auto` is `/dev/shm/`, which is memory, or else the "
                "store's directory. Stores must not share a file."},
    // ---- layout ----
    {.name = "layout",
     .field = At<&V::layout>,
     .unit = Unit::kName,
     .group = Group::kLayout,
     .fixed_because = kLaidOut,
     .meaning = "The rules that decide which tables a compaction takes and where it ends its "
                "outputs. A store can be opened with a different layout each time."},
    {.name = "growth_factor",
     .field = At<&V::growth_factor>,
     .unit = Unit::kCount,
     .group = Group::kLayout,
     .min = 1,
     .max = kGrowthMax,
     .zero_means = "8 with layout=vsst, otherwise 10",
     .fixed_because = kLaidOut,
     .meaning = "Size of a level divided by that of the level above. In vsst also the number of "
                "tables in L1, and the most bytes of L2 that a good table of L1 overlaps for "
                "each of its own."},
    {.name = "vsst_phi",
     .field = At<&V::vsst_phi>,
     .unit = Unit::kCount,
     .group = Group::kLayout,
     .min = 1,
     .max = kGrowthMax,
     .fixed_because = kLaidOut,
     .meaning = "In vsst, the size of L2 divided by that of L1."},
    {.name = "vsst_l0_tables_max",
     .field = At<&V::vsst_l0_tables_max>,
     .unit = Unit::kCount,
     .group = Group::kLayout,
     .min = 1,
     .max = kL0JobTablesMax,
     .fixed_because = kLaidOut,
     .meaning = "In vsst, the most L0 tables that a compaction takes (paper: 1)."},
    {.name = "table_bytes_max",
     .field = At<&V::table_bytes_max>,
     .unit = Unit::kBytes,
     .group = Group::kLayout,
     .min = kTableBytesMin,
     .max = kTableBytesMax,
     .zero_means = "8M with layout=vsst, otherwise max_file_size; with its default, 2M in L1 and "
                   "twice as much in each deeper level, up to 64M",
     .fixed_because = kLaidOut,
     .meaning = "Size at which a compaction ends a table and starts the next."},
    {.name = "pick_by_overlap",
     .field = At<&V::pick_by_overlap>,
     .unit = Unit::kFlag,
     .group = Group::kLayout,
     .fixed_because = kLaidOut,
     .meaning = "Deep compactions take the table that causes the least rewriting for each byte "
                "moved down. With false they take the next table in key order."},
    {.name = "align_outputs",
     .field = At<&V::align_outputs>,
     .unit = Unit::kFlag,
     .group = Group::kLayout,
     .fixed_because = kLaidOut,
     .meaning = "Compactions end a table where a table of the next level ends, if possible. With "
                "false they end tables as LevelDB does."},
    // ---- constants of policies ----
    {.name = "lull_after_us",
     .field = At<&V::lull, &LullConstants::after_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .max = kHourUs,
     .meaning = "Time without a write after which a lull begins."},
    {.name = "lull_smoothing_us",
     .field = At<&V::lull, &LullConstants::smoothing_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "Time constant for smoothing the client write rate."},
    {.name = "lull_half_life_us",
     .field = At<&V::lull, &LullConstants::half_life_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "Time in which the highest observed write rate decays by half."},
    {.name = "lull_hard_percent",
     .field = At<&V::lull, &LullConstants::hard_percent>,
     .unit = Unit::kPercent,
     .group = Group::kPolicy,
     .max = 100,
     .meaning = "Writing is hard above this share of the highest observed rate, if it is also "
                "above lull_hard_flush_percent."},
    {.name = "lull_hard_flush_percent",
     .field = At<&V::lull, &LullConstants::hard_flush_percent>,
     .unit = Unit::kPercent,
     .group = Group::kPolicy,
     .max = 100,
     .meaning = "Share of the flush rate up to which writing is never hard."},
    {.name = "lull_flush_bytes_min",
     .field = At<&V::lull, &LullConstants::flush_bytes_min>,
     .unit = Unit::kBytes,
     .group = Group::kPolicy,
     .max = kBytesMax,
     .meaning = "While clients write, a flush starts once this much is sealed, or a quarter of the "
                "memory budget if that is less."},
    {.name = "lull_burst_us_max",
     .field = At<&V::lull, &LullConstants::burst_us_max>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .max = kHourUs,
     .meaning = "Compactions wait for the end of a burst for at most this long, or for twice the "
                "longest recent burst if that is longer."},
    {.name = "lull_write_bytes_per_sec_min",
     .field = At<&V::lull, &LullConstants::write_bytes_per_sec_min>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .meaning = "Writes are never slowed below this rate."},
    {.name = "lull_l0_miss_bytes",
     .field = At<&V::lull, &LullConstants::l0_miss_bytes>,
     .unit = Unit::kBytes,
     .group = Group::kPolicy,
     .min = 1,
     .max = kTableBytesMax,
     .zero_means = "reads never start a compaction",
     .meaning = "What a read loses by searching one L0 table that lacks the key, as bytes that a "
                "compaction merges in that time. Once reads have lost more than an L0 compaction "
                "costs, L0 is compacted even in a burst; 0: never."},
    {.name = "lull_bandwidth_bytes_per_sec",
     .field = At<&V::lull, &LullConstants::bandwidth_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .zero_means = "measured",
     .meaning = "Bandwidth of the device. While clients write, compactions get the part that "
                "clients leave, and more near a limit."},
    {.name = "idle_probe_us",
     .field = At<&V::idle, &IdleConstants::probe_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "idle-threshold: how often the client rate is measured (Pramanik and Venkatesh "
                "§6.3)."},
    {.name = "idle_threshold_bytes_per_sec",
     .field = At<&V::idle, &IdleConstants::threshold_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .meaning = "idle-threshold: compactions run while the client rate is below this (§6.3: 0.5 "
                "MB/s)."},
    {.name = "idle_quiet_us",
     .field = At<&V::idle, &IdleConstants::quiet_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .max = kHourUs,
     .meaning = "idle-quiet: compactions run once this time has passed since the last write "
                "(§6.3)."},
    {.name = "silk_bandwidth_bytes_per_sec",
     .field = At<&V::silk, &SilkConstants::bandwidth_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .zero_means = "measured",
     .meaning = "*T*, the bandwidth of the device (SILK §6.1: 200 MB/s). A configured value must "
                "be above the sum of the next two options."},
    {.name = "silk_reserve_bytes_per_sec",
     .field = At<&V::silk, &SilkConstants::reserve_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .max = kBytesMax,
     .meaning = "*ε*, bandwidth left unused for small changes of the load (§5.2.1, which has no "
                "number). At most a twentieth of a measured *T*."},
    {.name = "silk_urgent_bytes_per_sec_min",
     .field = At<&V::silk, &SilkConstants::urgent_bytes_per_sec_min>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .meaning = "Least bandwidth that flushes and L0 compactions get together (§6.1). At most a "
                "quarter of a measured *T*."},
    {.name = "silk_change_bytes_per_sec_min",
     .field = At<&V::silk, &SilkConstants::change_bytes_per_sec_min>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .max = kBytesMax,
     .meaning = "The rate limit changes only by steps of at least this (§5.2.1). At most a "
                "twentieth of a measured *T*."},
    {.name = "silk_tick_us",
     .field = At<&V::silk, &SilkConstants::tick_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "How often the client rate is measured (§5.2.1). Values below 10 ms do not "
                "measure more often."},
    {.name = "silk_half_life_us",
     .field = At<&V::silk, &SilkConstants::half_life_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "Time in which a measured *T* decays by half while it is not reached."},
    {.name = "silk_immutables_max",
     .field = At<&V::silk, &SilkConstants::immutables_max>,
     .unit = Unit::kCount,
     .group = Group::kPolicy,
     .min = 1,
     .max = kTablesMax,
     .meaning = "Number of immutable memtables at which a writer waits when its memtable is full "
                "(§6.1: two memory components in all)."},
    {.name = "adoc_window_us",
     .field = At<&V::adoc, &AdocConstants::window_us>,
     .unit = Unit::kMicros,
     .group = Group::kPolicy,
     .min = kPeriodUsMin,
     .max = kHourUs,
     .meaning = "How often ADOC can change the number of compactions and the batch, which is the "
                "size of memtables (ADOC §5)."},
    {.name = "adoc_threads_step",
     .field = At<&V::adoc, &AdocConstants::threads_step>,
     .unit = Unit::kCount,
     .group = Group::kPolicy,
     .min = 1,
     .max = kThreadsMax,
     .meaning = "How many compactions ADOC adds when it raises their number (§5). It lowers the "
                "number by half."},
    {.name = "adoc_batch_step_bytes",
     .field = At<&V::adoc, &AdocConstants::batch_step_bytes>,
     .unit = Unit::kBytes,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .zero_means = "one memtable",
     .meaning = "How many bytes ADOC adds when it raises the batch (§5: 64 MB, one memtable "
                "there). It lowers the batch by half."},
    {.name = "adoc_batch_factor_max",
     .field = At<&V::adoc, &AdocConstants::batch_factor_max>,
     .unit = Unit::kCount,
     .group = Group::kPolicy,
     .min = 1,
     .max = 1024,
     .meaning = "Memtables and tables grow to at most this multiple of their configured size "
                "(§6.1: 64 to 512 MB)."},
    {.name = "adoc_slowed_bytes_per_sec",
     .field = At<&V::adoc, &AdocConstants::slowed_bytes_per_sec>,
     .unit = Unit::kBytesPerSec,
     .group = Group::kPolicy,
     .min = 1,
     .max = kBytesMax,
     .meaning = "Highest write rate while L0 or debt is above its limit (RocksDB's default)."},
    {.name = "adoc_immutables_max",
     .field = At<&V::adoc, &AdocConstants::immutables_max>,
     .unit = Unit::kCount,
     .group = Group::kPolicy,
     .min = 1,
     .max = kTablesMax,
     .meaning = "Number of immutable memtables at which a writer waits when its memtable is full "
                "(RocksDB's default)."},
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
