// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/metric_table.h"

#include <algorithm>
#include <array>

#include "lull/version.h"
#include "util/build_info.h"

namespace lull {
namespace {

using R = const StoreReport&;
using I = const size_t*;
using V = MetricValue;

constexpr MetricLabel kLevel = {"level", {"0", "1", "2", "3", "4", "5", "6"}};
constexpr MetricLabel kPurpose = {"purpose",
                                  {"memtables", "pooled_blocks", "mapped_wals", "job_buffers",
                                   "key_filters", "open_tables", "block_cache", "event_queue"},
                                  {"memtable", "pooled_block", "mapped_wal", "job_buffer",
                                   "key_filter", "open_table", "block_cache", "event_queue"}};
constexpr MetricLabel kQueue = {
    "queue", {"writers", "memtables", "installs", "manual_compactions", "obsolete_files"}};
constexpr MetricLabel kJobClass = {"class", {"flush", "l0", "deep", "manual"}};
constexpr MetricLabel kJobState = {"state", {"running", "paused"}};
constexpr MetricLabel kOutcome = {"outcome", {"done", "failed", "abandoned"}};
constexpr MetricLabel kStallKind = {"kind", {"slowdown", "stop"}};
constexpr MetricLabel kCause = {"cause", {"memory", "l0", "debt", "other"}};
constexpr MetricLabel kGetResult = {"result", {"found", "not_found"}};
constexpr MetricLabel kEndedIn = {"in", {"memory", "0", "1", "2", "3", "4", "5", "6", "nothing"}};
constexpr MetricLabel kFilter = {"filter", {"keys", "policy"}};
constexpr MetricLabel kCheck = {"result", {"pass", "reject"}};
constexpr MetricLabel kSource = {"from", {"cache", "file"}};
constexpr MetricLabel kPolicy = {"policy", {}, {}, [](R r) { return r.activity.policy; }};
constexpr MetricLabel kVersion = {
    "version", {}, {}, [](R) -> std::string { return LULL_VERSION_STRING; }};
constexpr MetricLabel kCommit = {"commit", {}, {}, [](R) -> std::string { return BuildCommit(); }};
constexpr MetricLabel kCompiler = {"compiler", {}, {}, [](R) { return BuildCompiler(); }};
constexpr MetricLabel kMountPoint = {"mountpoint", {}, {}, [](R r) { return r.mount.path; }};
constexpr MetricLabel kDevice = {"device", {}, {}, [](R r) { return r.mount.device; }};
constexpr MetricLabel kGrant = {"class", {"l0", "deep"}};
constexpr MetricLabel kFiles = {
    "kind", {"tables", "logs", "prepared_logs", "pinned_tables", "obsolete_files"}};
constexpr MetricLabel kPinnedBy = {"by", {"readers", "snapshots"}};
constexpr MetricLabel kOperation = {"operation", {"write", "sync_write", "get"}};
static_assert(kLevels == 7 && kJobKinds == 4 && kStallKinds == 2 && kStallCauses == 4);

V Seconds(uint64_t nanos) { return static_cast<double>(nanos) / 1e9; }

V Jobs(R report, I index) {
  return std::ranges::count_if(report.activity.jobs, [&](const RunningJobReport& job) {
    return static_cast<size_t>(job.info.kind) == index[0] && job.paused == (index[1] == 1);
  });
}

V StallActive(R report, I index) {
  return std::ranges::any_of(report.activity.stalls, [&](const StallInfo& stall) {
    return static_cast<size_t>(stall.kind) == index[0];
  });
}

V FilterChecks(R report, I index) {
  constexpr size_t kChecks[] = {kKeyFilterChecks, kFilterChecks};
  constexpr size_t kPasses[] = {kKeyFilterPasses, kFilterPasses};
  const size_t passes = kPasses[index[0]];
  return index[1] == 0 ? report.reads.counts[passes]
                       : report.reads.Difference(kChecks[index[0]], passes);
}

// In the order of the labels' values.
constexpr std::array kPurposes = {&MemoryReport::memtables,   &MemoryReport::pooled_blocks,
                                  &MemoryReport::mapped_wals, &MemoryReport::job_buffers,
                                  &MemoryReport::key_filters, &MemoryReport::open_tables,
                                  &MemoryReport::block_cache, &MemoryReport::event_queue};
constexpr std::array kQueues = {&StoreReport::waiting_writers, &StoreReport::immutables,
                                &StoreReport::waiting_installs, &StoreReport::waiting_manual,
                                &StoreReport::obsolete_files};
constexpr std::array kOutcomes = {&JobTotals::done, &JobTotals::failed, &JobTotals::abandoned};
constexpr std::array kGrants = {&Directive::l0, &Directive::deep};
constexpr std::array kFileKinds = {&SpaceReport::tables, &SpaceReport::logs,
                                   &SpaceReport::prepared_logs, &SpaceReport::pinned_tables,
                                   &SpaceReport::obsolete_files};
constexpr std::array kPins = {&SpaceReport::readers, &SpaceReport::snapshots};

constexpr MetricRow kRows[] = {
    {"uptime_seconds", "Time since the store was opened.", "stats.uptime_seconds",
     [](R r, I) -> V { return Seconds(r.activity.uptime_nanos); }},
    {"written_timestamp_seconds", "Calendar time of this text, since 1970.", "",
     [](R r, I) -> V { return r.wall_seconds; }},
    {"build_info", "1, with the library's version, commit and compiler.", "",
     [](R, I) -> V { return true; }, &kVersion, &kCommit, &kCompiler},
    {"disk_info", "1, with the mount point and the device number of the store's file system.", "",
     [](R, I) -> V { return true; }, &kMountPoint, &kDevice},

    // ---- levels and debt
    {"level_tables", "Tables of a level.", "stats.levels.*.tables",
     [](R r, I i) -> V { return r.levels[i[0]].tables; }, &kLevel},
    {"level_bytes", "Bytes of a level's tables.", "stats.levels.*.bytes",
     [](R r, I i) -> V { return r.levels[i[0]].bytes; }, &kLevel},
    {"level_target_bytes", "Bytes a level can hold before its compaction is due; 0: no limit.",
     "stats.levels.*.target_bytes", [](R r, I i) -> V { return r.levels[i[0]].target_bytes; },
     &kLevel},
    {"level_score", "Urgency of a level's compaction; due at 1 or more.", "stats.levels.*.score",
     [](R r, I i) -> V { return r.levels[i[0]].score; }, &kLevel},
    {"level_read_bytes_total", "Bytes read by compactions into a level.",
     "stats.levels.*.read_bytes",
     [](R r, I i) -> V { return r.levels[i[0]].compactions.bytes_read; }, &kLevel},
    {"level_written_bytes_total", "Bytes written to a level by compactions, and to L0 by flushes.",
     "stats.levels.*.written_bytes",
     [](R r, I i) -> V { return r.levels[i[0]].compactions.bytes_written; }, &kLevel},
    {"debt_bytes", "Bytes to compact until every level is within its target.", "stats.debt_bytes",
     [](R r, I) -> V { return r.debt_bytes; }},
    {"debt_max_bytes", "The option debt_bytes_max, or the policy's value.", "",
     [](R r, I) -> V { return r.debt_bytes_max; }},

    // ---- memory and queues
    {"memtable_active_bytes", "Memory of the memtable that takes writes.",
     "stats.memory.active_bytes", [](R r, I) -> V { return r.active_bytes; }},
    {"memtable_immutable_bytes", "Memory of memtables that wait for their flush.",
     "stats.memory.immutable_bytes", [](R r, I) -> V { return r.immutable_bytes; }},
    {"key_filter_bytes", "Memory of key filters of tables.", "",
     [](R r, I) -> V { return r.memory.key_filters; }},
    {"memory_bytes", "Memory of the store, by purpose.", "stats.memory.*_bytes",
     [](R r, I i) -> V { return r.memory.*kPurposes[i[0]]; }, &kPurpose},
    {"memory_used_bytes", "Memory of sealed memtables of all stores that share the budget.",
     "stats.memory.used_bytes", [](R r, I) -> V { return r.memory_used_bytes; }},
    {"memory_budget_bytes", "Limit of lull_memory_used_bytes.", "stats.memory.budget_bytes",
     [](R r, I) -> V { return r.memory_budget_bytes; }},
    {"open_descriptors", "Descriptors held by the files of all stores of the process.",
     "stats.open_descriptors", [](R r, I) -> V { return r.open_descriptors; }},
    {"disk_is_low", "1 while the disk is nearly full, so no work is deferred.", "stats.disk_is_low",
     [](R r, I) -> V { return r.disk_is_low; }},
    {"queue_length", "Length of each queue.", "stats.queue.*",
     [](R r, I i) -> V { return r.*kQueues[i[0]]; }, &kQueue},

    // ---- jobs and stalls
    {"jobs", "Jobs that run or are paused.", "", Jobs, &kJobClass, &kJobState},
    {"jobs_ended_total", "Jobs that have ended.", "stats.job_totals.*.*",
     [](R r, I i) -> V { return r.activity.job_totals[i[0]].*kOutcomes[i[1]]; }, &kJobClass,
     &kOutcome},
    {"job_pauses_total", "Pauses of jobs.", "stats.job_totals.*.pauses",
     [](R r, I i) -> V { return r.activity.job_totals[i[0]].pauses; }, &kJobClass},
    {"job_paused_seconds_total", "Time that jobs were paused.", "stats.job_totals.*.paused_seconds",
     [](R r, I i) -> V { return Seconds(r.activity.job_totals[i[0]].paused_nanos); }, &kJobClass},
    {"job_read_bytes_total", "Bytes of tables read by compactions, of memtables by flushes.",
     "stats.job_totals.*.read_bytes",
     [](R r, I i) -> V { return r.activity.job_totals[i[0]].read_bytes; }, &kJobClass},
    {"job_written_bytes_total", "Bytes of tables written.", "stats.job_totals.*.written_bytes",
     [](R r, I i) -> V { return r.activity.job_totals[i[0]].written_bytes; }, &kJobClass},
    {"stalls_total", "Stalls of writes that waited for background work.", "stats.stalls.*.*.count",
     [](R r, I i) -> V { return r.activity.stall_totals[i[0]][i[1]].count; }, &kStallKind, &kCause},
    {"stall_held_seconds_total",
     "Time in which at least one write was held, including a current stall.",
     "stats.stalls.*.*.held_seconds",
     [](R r, I i) -> V { return Seconds(r.activity.stall_totals[i[0]][i[1]].held_nanos); },
     &kStallKind, &kCause},
    {"stall_held_writes_total", "Writes that were held.", "stats.stalls.*.*.held_writes",
     [](R r, I i) -> V { return r.activity.stall_totals[i[0]][i[1]].held_writes; }, &kStallKind,
     &kCause},
    {"stall_active", "1 during a stall of that kind.", "", StallActive, &kStallKind},

    // ---- what was written
    {"user_written_bytes_total", "Bytes of batches that clients wrote.", "stats.bytes.user",
     [](R r, I) -> V { return r.user_bytes; }},
    {"user_written_entries_total", "Entries and deletions that clients wrote.",
     "stats.user_entries", [](R r, I) -> V { return r.user_entries; }},
    {"dropped_events_total", "Events that listeners missed because their queue was full.",
     "stats.dropped_events", [](R r, I) -> V { return r.dropped_events; }},
    {"wal_written_bytes_total", "Bytes appended to write-ahead logs.", "stats.bytes.wal",
     [](R r, I) -> V { return r.wal_bytes; }},
    {"write_amplification_ratio",
     "Bytes written to write-ahead logs and tables per byte that clients wrote.",
     "stats.write_amplification", [](R r, I) -> V { return r.WriteAmplification(); }},
    {"filter_dropped_entries_total", "Entries that compaction filters dropped.",
     "stats.filter.dropped_entries", [](R r, I) -> V { return r.filtered.entries; }},
    {"filter_dropped_bytes_total", "Bytes of the keys and values that compaction filters dropped.",
     "stats.filter.dropped_bytes", [](R r, I) -> V { return r.filtered.bytes; }},

    // ---- reads
    {"gets_total", "Gets, by result.", "stats.reads.gets_*",
     [](R r, I i) -> V { return i[0] == 0 ? r.reads.GetsFound() : r.reads.GetsNotFound(); },
     &kGetResult},
    {"gets_ended_total",
     "Gets by where they met an entry of their key: memory, a level, or nothing.", "",
     [](R r, I i) -> V { return r.reads.counts[kGetsEndedInMemory + i[0]]; }, &kEndedIn},
    {"get_tables_searched_total", "Tables of which gets searched a block.",
     "stats.reads.tables_searched", [](R r, I) -> V { return r.reads.counts[kTablesSearched]; }},
    {"filter_checks_total",
     "Checks of filters by gets: of Lull's filters of keys, and of the client's policy.", "",
     FilterChecks, &kFilter, &kCheck},
    {"filter_false_passes_total",
     "Tables without the key that gets searched after a filter passed.",
     "stats.reads.filter_false_passes",
     [](R r, I) -> V { return r.reads.counts[kFilterFalsePasses]; }},
    {"blocks_read_total", "Blocks that clients' reads used, by source.", "stats.reads.*_blocks",
     [](R r, I i) -> V { return r.reads.counts[i[0] == 0 ? kBlocksFromCache : kBlocksFromFile]; },
     &kSource},
    {"block_read_bytes_total", "Bytes of the blocks from files, as stored.",
     "stats.reads.file_block_bytes",
     [](R r, I) -> V { return r.reads.counts[kBlockBytesFromFile]; }},
    {"iterator_seeks_total", "Seeks of iterators.", "stats.reads.seeks",
     [](R r, I) -> V { return r.reads.counts[kSeeks]; }},
    {"iterator_steps_total", "Calls of Next and Prev.", "stats.reads.steps",
     [](R r, I) -> V { return r.reads.counts[kSteps]; }},
    {"iterator_skipped_entries_total", "Deleted, older or too new entries that iterators passed.",
     "stats.reads.entries_skipped", [](R r, I) -> V { return r.reads.counts[kEntriesSkipped]; }},
    {"iterators", "Iterators that exist.", "stats.reads.open_iterators",
     [](R r, I) -> V { return r.reads.OpenIterators(); }},
    {"returned_bytes_total",
     "Bytes of keys and values that iterators returned, and of values that gets did.",
     "stats.reads.returned_bytes", [](R r, I) -> V { return r.reads.counts[kBytesReturned]; }},
    {"open_tables", "Tables in the table cache.", "stats.reads.open_tables",
     [](R r, I) -> V { return r.reads.open_tables; }},
    {"tables_opened_total", "Tables that were opened.", "stats.reads.tables_opened",
     [](R r, I) -> V { return r.reads.tables_opened; }},
    {"tables_evicted_total", "Open tables that made room for others.", "stats.reads.tables_evicted",
     [](R r, I) -> V { return r.reads.tables_evicted; }},

    // ---- the policy's directive, and errors
    {"policy_info", "1, with the policy's name.", "", [](R, I) -> V { return true; }, &kPolicy},
    {"directive_max_jobs", "Compactions that the policy allows at once.",
     "stats.policy.directive.*.jobs_max",
     [](R r, I i) -> V { return (r.activity.directive.*kGrants[i[0]]).jobs_max; }, &kGrant},
    {"directive_write_max_bytes_per_second", "Rate to which the policy limits writes; 0: no limit.",
     "stats.policy.directive.write_bytes_per_sec_max",
     [](R r, I) -> V { return r.activity.directive.write_bytes_per_sec_max; }},
    {"directive_write_delay_seconds", "Delay that the policy adds to each write.", "",
     [](R r, I) -> V {
       return static_cast<double>(r.activity.directive.delay_us_per_write) / 1e6;
     }},
    {"writes_refused", "1 while every write fails.", "",
     [](R r, I) -> V { return !r.write_error.empty(); }},
    {"background_error", "1 while the last flush or compaction has failed.", "",
     [](R r, I) -> V { return !r.background_error.empty(); }},
    {"damage_found", "1 while a range is not compacted because a table in it could not be read.",
     "", [](R r, I) -> V { return r.found_damage; }},

    // ---- space
    {"live_bytes", "Bytes of tables that nothing hides, by estimate.", "space.live_bytes",
     [](R r, I) -> V { return r.space.LiveBytes(); }},
    {"hidden_bytes",
     "Bytes of tables that deletions hide but no compaction has freed, by estimate.",
     "space.hidden_bytes", [](R r, I) -> V { return r.space.hidden_bytes; }},
    {"overwritten_bytes",
     "Bytes of tables that newer values hide but no compaction has freed, by estimate.",
     "space.overwritten_bytes", [](R r, I) -> V { return r.space.overwritten_bytes; }},
    {"files", "Files by kind.", "space.*.count",
     [](R r, I i) -> V { return (r.space.*kFileKinds[i[0]]).count; }, &kFiles},
    {"file_bytes", "Bytes of files by kind.", "space.*.bytes",
     [](R r, I i) -> V { return (r.space.*kFileKinds[i[0]]).bytes; }, &kFiles},
    {"level_values", "Entries of a level that are not deletions, by estimate.",
     "space.levels.*.values", [](R r, I i) -> V { return r.space.levels[i[0]].values; }, &kLevel},
    {"level_deletions", "Deletions of a level, by estimate.", "space.levels.*.deletions",
     [](R r, I i) -> V { return r.space.levels[i[0]].deletions; }, &kLevel},
    {"level_unknown_bytes", "Bytes of a level's tables whose contents are unknown.",
     "space.levels.*.unknown_bytes",
     [](R r, I i) -> V { return r.space.levels[i[0]].unknown_bytes; }, &kLevel},
    {"oldest_deletion_seconds",
     "Upper bound on the age of the oldest deletion in tables; 0 without any.",
     "space.oldest_deletion_seconds", [](R r, I) -> V { return r.space.oldest_deletion_seconds; }},
    {"reclaim_compactions_total", "Compactions that only freed space.", "space.reclaim.compactions",
     [](R r, I) -> V { return r.space.reclaim_compactions; }},
    {"reclaim_freed_bytes_total", "Bytes that these compactions freed.",
     "space.reclaim.freed_bytes", [](R r, I) -> V { return r.space.reclaim_freed_bytes; }},
    {"pins", "Old Versions that iterators and reads use, and snapshots.", "space.pins.*.count",
     [](R r, I i) -> V { return (r.space.*kPins[i[0]]).count; }, &kPinnedBy},
    {"pin_oldest_seconds", "Age of the oldest of them.", "space.pins.*.oldest_seconds",
     [](R r, I i) -> V { return Seconds((r.space.*kPins[i[0]]).oldest_nanos); }, &kPinnedBy},
    {"pinned_bytes", "Bytes of obsolete tables, or of deleted entries, that they keep.",
     "space.pins.*.bytes", [](R r, I i) -> V { return (r.space.*kPins[i[0]]).bytes; }, &kPinnedBy},
    {"disk_free_bytes", "Free bytes of the file system; 0: unknown, 1: none.",
     "space.disk_free_bytes", [](R r, I) -> V { return r.space.disk_free_bytes; }},
    {"compaction_awaited_bytes",
     "Output of the largest compaction that waits for disk space; 0: none waits.",
     "space.awaited_bytes", [](R r, I) -> V { return r.space.awaited_bytes; }},

    {"latency_seconds", "How long calls took.", "", nullptr, &kOperation},
};

struct ScopedMetric {
  std::string_view name;
  MetricScope scope;
};
constexpr ScopedMetric kScoped[] = {
    {"uptime_seconds", MetricScope::kClock},
    {"written_timestamp_seconds", MetricScope::kClock},
    {"oldest_deletion_seconds", MetricScope::kClock},
    {"pin_oldest_seconds", MetricScope::kClock},
    {"memory_bytes", MetricScope::kProcess},  // stores can share a block cache
    {"memory_used_bytes", MetricScope::kProcess},
    {"memory_budget_bytes", MetricScope::kProcess},
    {"open_descriptors", MetricScope::kProcess},
    {"disk_is_low", MetricScope::kDisk},
    {"disk_free_bytes", MetricScope::kDisk},
};

}  // namespace

MetricScope MetricRow::scope() const {
  const auto found = std::ranges::find(kScoped, name, &ScopedMetric::name);
  return found == std::end(kScoped) ? MetricScope::kStore : found->scope;
}

std::span<const MetricRow> MetricTable() { return kRows; }

const MetricRow* FindMetric(std::string_view name) {
  if (!name.starts_with(kMetricPrefix)) return nullptr;
  const auto row = std::ranges::find(kRows, name.substr(kMetricPrefix.size()), &MetricRow::name);
  return row == std::end(kRows) ? nullptr : &*row;
}

}  // namespace lull
