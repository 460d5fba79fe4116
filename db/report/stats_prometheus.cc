// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Renders the property lull.metrics in Prometheus' text exposition format, version 0.0.4. Every
// series is labeled with the store's name, so the texts of several stores can be concatenated.
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "db/report/stats_report.h"

namespace lull {
namespace {

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Histogram buckets for Prometheus end at 2^10 ns (1 us) to 2^34 ns (17 s).
constexpr int kFirstExponent = 10;
constexpr int kLastExponent = 34;

std::string Number(double value) {
  // Whole numbers in full: a counter of bytes must not lose its last digits.
  char digits[40];
  constexpr double kExactMax = 9007199254740992;  // 2^53
  const bool whole = std::abs(value) <= kExactMax && value == std::floor(value);
  std::snprintf(digits, sizeof(digits), whole ? "%.0f" : "%.9g", value);
  for (char* c = digits; *c != '\0'; ++c) {
    if (*c == ',') *c = '.';  // whatever the program's locale
  }
  return digits;
}

class MetricsWriter {
 public:
  explicit MetricsWriter(std::string_view store) { store_ = Escaped(store); }

  /// Begins a metric. `type`: gauge, counter or histogram.
  void Family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = "lull_" + std::string(name);
    text_ += "# HELP " + name_ + " " + std::string(help) + "\n";
    text_ += "# TYPE " + name_ + " " + std::string(type) + "\n";
  }

  void Sample(double value, Labels labels = {}, std::string_view suffix = "") {
    text_ += name_ + std::string(suffix) + "{store=\"" + store_ + "\"";
    for (const auto& [name, text] : labels) {
      text_ += "," + std::string(name) + "=\"" + Escaped(text) + "\"";
    }
    text_ += "} " + Number(value) + "\n";
  }
  void Sample(uint64_t value, Labels labels = {}, std::string_view suffix = "") {
    Sample(static_cast<double>(value), labels, suffix);
  }
  void Sample(int value, Labels labels = {}) { Sample(static_cast<double>(value), labels); }

  template <class Value>
  void Single(std::string_view name, std::string_view type, std::string_view help, Value value) {
    Family(name, type, help);
    Sample(value);
  }

  std::string Take() { return std::move(text_); }

 private:
  static std::string Escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '\n') {
        escaped += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') escaped += '\\';
      escaped += c;
    }
    return escaped;
  }

  std::string store_;
  std::string name_;
  std::string text_;
};

template <class Value>
void ForLevels(const StoreReport& report, std::string_view name, std::string_view type,
               std::string_view help, Value value_of, MetricsWriter* out) {
  out->Family(name, type, help);
  for (int level = 0; level < kLevels; ++level) {
    out->Sample(value_of(report.levels[level]), {{"level", std::to_string(level)}});
  }
}

void WriteLevels(const StoreReport& report, MetricsWriter* out) {
  using Level = const LevelReport&;
  ForLevels(
      report, "level_tables", "gauge", "Tables of a level.",
      [](Level level) { return level.tables; }, out);
  ForLevels(
      report, "level_bytes", "gauge", "Bytes of a level's tables.",
      [](Level level) { return level.bytes; }, out);
  ForLevels(
      report, "level_target_bytes", "gauge",
      "Bytes a level can hold before its compaction is due; 0: no limit.",
      [](Level level) { return level.target_bytes; }, out);
  ForLevels(
      report, "level_score", "gauge", "Urgency of a level's compaction; due at 1 or more.",
      [](Level level) { return level.score; }, out);
  ForLevels(
      report, "level_read_bytes_total", "counter", "Bytes read by compactions into a level.",
      [](Level level) { return level.compactions.bytes_read; }, out);
  ForLevels(
      report, "level_written_bytes_total", "counter",
      "Bytes written to a level by compactions, and to L0 by flushes.",
      [](Level level) { return level.compactions.bytes_written; }, out);
  out->Single("debt_bytes", "gauge", "Bytes to compact until every level is within its target.",
              report.debt_bytes);
  out->Single("debt_bytes_max", "gauge", "The option debt_bytes_max, or the policy's value.",
              report.debt_bytes_max);
}

void WriteMemoryAndQueues(const StoreReport& report, MetricsWriter* out) {
  out->Single("memtable_active_bytes", "gauge", "Memory of the memtable that takes writes.",
              report.active_bytes);
  out->Single("memtable_immutable_bytes", "gauge", "Memory of memtables that wait for their flush.",
              report.immutable_bytes);
  out->Single("key_filter_bytes", "gauge", "Memory of key filters of tables.",
              report.memory.key_filters);
  out->Family("memory_bytes", "gauge", "Memory of the store, by purpose.");
  for (const MemoryReport::Purpose& purpose : MemoryReport::Purposes())
    out->Sample(report.memory.*purpose.bytes, {{"purpose", purpose.label}});
  out->Single("memory_used_bytes", "gauge",
              "Memory of sealed memtables of all stores that share the budget.",
              report.memory_used_bytes);
  out->Single("memory_budget_bytes", "gauge", "Limit of lull_memory_used_bytes.",
              report.memory_budget_bytes);
  out->Single("open_descriptors", "gauge",
              "Descriptors held by the files of all stores of the process.",
              report.open_descriptors);
  out->Single("disk_is_low", "gauge", "1 while the disk is nearly full, so no work is deferred.",
              report.disk_is_low ? 1 : 0);
  out->Family("queue_length", "gauge", "Length of each queue.");
  out->Sample(report.waiting_writers, {{"queue", "writers"}});
  out->Sample(report.immutables, {{"queue", "memtables"}});
  out->Sample(report.waiting_installs, {{"queue", "installs"}});
  out->Sample(report.waiting_manual, {{"queue", "manual_compactions"}});
  out->Sample(report.obsolete_files, {{"queue", "obsolete_files"}});
}

template <class Value>
void ForJobKinds(const ActivityReport& activity, std::string_view name, std::string_view help,
                 Value value_of, MetricsWriter* out) {
  out->Family(name, "counter", help);
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    out->Sample(value_of(activity.job_totals[kind]),
                {{"class", JobKindName(static_cast<JobKind>(kind))}});
  }
}

void WriteJobs(const ActivityReport& activity, MetricsWriter* out) {
  out->Family("jobs", "gauge", "Jobs that run or are paused.");
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    int states[2] = {0, 0};
    for (const RunningJobReport& job : activity.jobs) {
      if (static_cast<size_t>(job.info.kind) == kind) ++states[job.paused ? 1 : 0];
    }
    const std::string_view name = JobKindName(static_cast<JobKind>(kind));
    out->Sample(states[0], {{"class", name}, {"state", "running"}});
    out->Sample(states[1], {{"class", name}, {"state", "paused"}});
  }
  out->Family("jobs_total", "counter", "Jobs that have ended.");
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    const JobTotals& totals = activity.job_totals[kind];
    const std::string_view name = JobKindName(static_cast<JobKind>(kind));
    out->Sample(totals.done, {{"class", name}, {"outcome", "done"}});
    out->Sample(totals.failed, {{"class", name}, {"outcome", "failed"}});
    out->Sample(totals.abandoned, {{"class", name}, {"outcome", "abandoned"}});
  }
  using Totals = const JobTotals&;
  ForJobKinds(
      activity, "job_pauses_total", "Pauses of jobs.", [](Totals totals) { return totals.pauses; },
      out);
  ForJobKinds(
      activity, "job_paused_seconds_total", "Time that jobs were paused.",
      [](Totals totals) { return static_cast<double>(totals.paused_nanos) / 1e9; }, out);
  ForJobKinds(
      activity, "job_read_bytes_total",
      "Bytes of tables read by compactions, of memtables by flushes.",
      [](Totals totals) { return totals.read_bytes; }, out);
  ForJobKinds(
      activity, "job_written_bytes_total", "Bytes of tables written.",
      [](Totals totals) { return totals.written_bytes; }, out);
}

template <class Value>
void ForStalls(const ActivityReport& activity, std::string_view name, std::string_view help,
               Value value_of, MetricsWriter* out) {
  out->Family(name, "counter", help);
  for (size_t kind = 0; kind < kStallKinds; ++kind) {
    for (size_t cause = 0; cause < kStallCauses; ++cause) {
      out->Sample(value_of(activity.stall_totals[kind][cause]),
                  {{"kind", StallKindName(static_cast<StallKind>(kind))},
                   {"cause", StallCauseName(static_cast<WriteStallCause>(cause))}});
    }
  }
}

void WriteStalls(const ActivityReport& activity, MetricsWriter* out) {
  using Totals = const StallTotals&;
  ForStalls(
      activity, "stalls_total", "Stalls of writes that waited for background work.",
      [](Totals totals) { return totals.count; }, out);
  ForStalls(
      activity, "stall_held_seconds_total",
      "Time in which at least one write was held, including a current stall.",
      [](Totals totals) { return static_cast<double>(totals.held_nanos) / 1e9; }, out);
  ForStalls(
      activity, "stall_held_writes_total", "Writes that were held.",
      [](Totals totals) { return totals.held_writes; }, out);
  out->Family("stall_active", "gauge", "1 during a stall of that kind.");
  for (size_t kind = 0; kind < kStallKinds; ++kind) {
    int active = 0;
    for (const StallInfo& stall : activity.stalls) {
      if (static_cast<size_t>(stall.kind) == kind) active = 1;
    }
    out->Sample(active, {{"kind", StallKindName(static_cast<StallKind>(kind))}});
  }
}

void WriteBytes(const StoreReport& report, MetricsWriter* out) {
  out->Single("user_written_bytes_total", "counter", "Bytes of batches that clients wrote.",
              report.user_bytes);
  out->Single("user_written_entries_total", "counter", "Entries and deletions that clients wrote.",
              report.user_entries);
  out->Single("dropped_events_total", "counter",
              "Events that listeners missed because their queue was full.", report.dropped_events);
  out->Single("wal_written_bytes_total", "counter", "Bytes appended to write-ahead logs.",
              report.wal_bytes);
  out->Single("write_amplification_ratio", "gauge",
              "Bytes written to write-ahead logs and tables per byte that clients wrote.",
              report.WriteAmplification());
  out->Single("filter_dropped_entries_total", "counter", "Entries that compaction filters dropped.",
              report.filtered.entries);
  out->Single("filter_dropped_bytes_total", "counter",
              "Bytes of the keys and values that compaction filters dropped.",
              report.filtered.bytes);
  const Rates& rates = report.activity.rates;
  out->Family("bytes_per_second", "gauge",
              "Bytes per second, over about the last second: written by clients, merged by flushes "
              "(memory) and by compactions (tables).");
  out->Sample(rates.user_bytes_per_sec, {{"class", "user"}});
  out->Sample(rates.flush_bytes_per_sec, {{"class", "flush"}});
  out->Sample(rates.compaction_bytes_per_sec, {{"class", "compaction"}});
}

void WriteGets(const ReadReport& reads, MetricsWriter* out) {
  const ReadCounts::Sums& counts = reads.counts;
  out->Family("gets_total", "counter", "Gets, by result.");
  out->Sample(reads.GetsFound(), {{"result", "found"}});
  out->Sample(reads.GetsNotFound(), {{"result", "not_found"}});
  out->Family("gets_ended_total", "counter",
              "Gets by where they met an entry of their key: memory, a level, or nothing.");
  out->Sample(counts[kGetsEndedInMemory], {{"in", "memory"}});
  for (size_t level = 0; level < kLevels; ++level)
    out->Sample(counts[kGetsEndedInLevel + level], {{"in", std::to_string(level)}});
  out->Sample(counts[kGetsOfAbsentKeys], {{"in", "nothing"}});
  out->Single("get_tables_searched_total", "counter", "Tables of which gets searched a block.",
              counts[kTablesSearched]);
  out->Family("filter_checks_total", "counter",
              "Checks of filters by gets: of Lull's filters of keys, and of the client's policy.");
  const auto checks = [&](const char* filter, size_t passes, size_t all) {
    out->Sample(counts[passes], {{"filter", filter}, {"result", "pass"}});
    out->Sample(reads.Difference(all, passes), {{"filter", filter}, {"result", "reject"}});
  };
  checks("keys", kKeyFilterPasses, kKeyFilterChecks);
  checks("policy", kFilterPasses, kFilterChecks);
  out->Single("filter_false_passes_total", "counter",
              "Tables without the key that gets searched after a filter passed.",
              counts[kFilterFalsePasses]);
}

void WriteReads(const ReadReport& reads, MetricsWriter* out) {
  const ReadCounts::Sums& counts = reads.counts;
  WriteGets(reads, out);
  out->Family("blocks_read_total", "counter", "Blocks that clients' reads used, by source.");
  out->Sample(counts[kBlocksFromCache], {{"from", "cache"}});
  out->Sample(counts[kBlocksFromFile], {{"from", "file"}});
  out->Single("block_read_bytes_total", "counter", "Bytes of the blocks from files, as stored.",
              counts[kBlockBytesFromFile]);
  out->Single("iterator_seeks_total", "counter", "Seeks of iterators.", counts[kSeeks]);
  out->Single("iterator_steps_total", "counter", "Calls of Next and Prev.", counts[kSteps]);
  out->Single("iterator_skipped_entries_total", "counter",
              "Deleted, older or too new entries that iterators passed.", counts[kEntriesSkipped]);
  out->Single("iterators", "gauge", "Iterators that exist.", reads.OpenIterators());
  out->Single("returned_bytes_total", "counter",
              "Bytes of keys and values that iterators returned, and of values that gets did.",
              counts[kBytesReturned]);
  out->Single("open_tables", "gauge", "Tables in the table cache.", reads.open_tables);
  out->Single("tables_opened_total", "counter", "Tables that were opened.", reads.tables_opened);
  out->Single("tables_evicted_total", "counter", "Open tables that made room for others.",
              reads.tables_evicted);
}

void WriteDirective(const StoreReport& report, MetricsWriter* out) {
  const Directive& directive = report.activity.directive;
  out->Family("policy_info", "gauge", "1, with the policy's name.");
  out->Sample(1, {{"policy", report.activity.policy}});
  out->Family("directive_jobs_max", "gauge", "Compactions that the policy allows at once.");
  out->Sample(directive.l0.jobs_max, {{"class", "l0"}});
  out->Sample(directive.deep.jobs_max, {{"class", "deep"}});
  out->Single("directive_write_bytes_per_second_max", "gauge",
              "Rate to which the policy limits writes; 0: no limit.",
              directive.write_bytes_per_sec_max);
  out->Single("directive_write_delay_seconds", "gauge", "Delay that the policy adds to each write.",
              static_cast<double>(directive.delay_us_per_write) / 1e6);
  out->Single("writes_refused", "gauge", "1 while every write fails.",
              report.write_error.empty() ? 0 : 1);
  out->Single("background_error", "gauge", "1 while the last flush or compaction has failed.",
              report.background_error.empty() ? 0 : 1);
  out->Single("damage_found", "gauge",
              "1 while a range is not compacted because a table in it could not be read.",
              report.found_damage ? 1 : 0);
}

void WriteLatency(std::string_view operation, const LatencySnapshot& latency, MetricsWriter* out) {
  for (int exponent = kFirstExponent; exponent <= kLastExponent; ++exponent) {
    const std::string limit = Number(std::ldexp(1e-9, exponent));
    out->Sample(latency.CountBelowPowerOfTwo(exponent), {{"operation", operation}, {"le", limit}},
                "_bucket");
  }
  out->Sample(latency.count(), {{"operation", operation}, {"le", "+Inf"}}, "_bucket");
  out->Sample(latency.sum_nanos() / 1e9, {{"operation", operation}}, "_sum");
  out->Sample(latency.count(), {{"operation", operation}}, "_count");
}

void WritePins(const SpaceReport& space, MetricsWriter* out) {
  out->Family("pins", "gauge", "Old Versions that iterators and reads use, and snapshots.");
  out->Sample(space.readers.count, {{"by", "readers"}});
  out->Sample(space.snapshots.count, {{"by", "snapshots"}});
  out->Family("pin_oldest_seconds", "gauge", "Age of the oldest of them.");
  out->Sample(static_cast<double>(space.readers.oldest_nanos) / 1e9, {{"by", "readers"}});
  out->Sample(static_cast<double>(space.snapshots.oldest_nanos) / 1e9, {{"by", "snapshots"}});
  out->Family("pinned_bytes", "gauge",
              "Bytes of obsolete tables, or of deleted entries, that they keep.");
  out->Sample(space.readers.bytes, {{"by", "readers"}});
  out->Sample(space.snapshots.bytes, {{"by", "snapshots"}});
}

void WriteSpace(const SpaceReport& space, MetricsWriter* out) {
  out->Single("live_bytes", "gauge", "Bytes of tables that nothing hides, by estimate.",
              space.LiveBytes());
  out->Single("hidden_bytes", "gauge",
              "Bytes of tables that deletions hide but no compaction has freed, by estimate.",
              space.hidden_bytes);
  out->Single("overwritten_bytes", "gauge",
              "Bytes of tables that newer values hide but no compaction has freed, by estimate.",
              space.overwritten_bytes);
  out->Family("files", "gauge", "Files by kind.");
  for (const SpaceReport::Kind& kind : SpaceReport::Kinds())
    out->Sample((space.*kind.totals).count, {{"kind", kind.name}});
  out->Family("file_bytes", "gauge", "Bytes of files by kind.");
  for (const SpaceReport::Kind& kind : SpaceReport::Kinds())
    out->Sample((space.*kind.totals).bytes, {{"kind", kind.name}});
  const auto for_levels = [&](std::string_view name, std::string_view help,
                              uint64_t SpaceReport::Level::*member) {
    out->Family(name, "gauge", help);
    for (int level = 0; level < kLevels; ++level)
      out->Sample(space.levels[level].*member, {{"level", std::to_string(level)}});
  };
  for_levels("level_values", "Entries of a level that are not deletions, by estimate.",
             &SpaceReport::Level::values);
  for_levels("level_deletions", "Deletions of a level, by estimate.",
             &SpaceReport::Level::deletions);
  for_levels("level_unknown_bytes", "Bytes of a level's tables whose contents are unknown.",
             &SpaceReport::Level::unknown_bytes);
  out->Single("oldest_deletion_seconds", "gauge",
              "Upper bound on the age of the oldest deletion in tables; 0 without any.",
              space.oldest_deletion_seconds);
  out->Single("reclaim_compactions_total", "counter", "Compactions that only freed space.",
              space.reclaim_compactions);
  out->Single("reclaim_freed_bytes_total", "counter", "Bytes that these compactions freed.",
              space.reclaim_freed_bytes);
  WritePins(space, out);
  out->Single("disk_free_bytes", "gauge", "Free bytes of the file system; 0: unknown, 1: none.",
              space.disk_free_bytes);
  out->Single("compaction_awaited_bytes", "gauge",
              "Output of the largest compaction that waits for disk space; 0: none waits.",
              space.awaited_bytes);
}

}  // namespace

std::string RenderPrometheus(const StoreReport& report) {
  MetricsWriter out(report.name);
  out.Single("uptime_seconds", "gauge", "Time since the store was opened.",
             static_cast<double>(report.activity.uptime_nanos) / 1e9);
  out.Single("written_timestamp_seconds", "gauge", "Calendar time of this text, since 1970.",
             report.wall_seconds);
  WriteLevels(report, &out);
  WriteMemoryAndQueues(report, &out);
  WriteJobs(report.activity, &out);
  WriteStalls(report.activity, &out);
  WriteBytes(report, &out);
  WriteReads(report.reads, &out);
  WriteDirective(report, &out);
  WriteSpace(report.space, &out);
  if (report.latencies) {
    out.Family("latency_seconds", "histogram", "How long calls took.");
    WriteLatency("write", report.latencies->write, &out);
    WriteLatency("sync_write", report.latencies->sync_write, &out);
    WriteLatency("get", report.latencies->get, &out);
  }
  return out.Take();
}

}  // namespace lull
