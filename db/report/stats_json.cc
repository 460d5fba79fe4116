// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Renders the property lull.stats.
#include <numeric>
#include <variant>

#include "db/report/stats_report.h"
#include "util/json_writer.h"

namespace lull {
namespace {

constexpr double kNanosPerSecond = 1e9;

double Seconds(uint64_t nanos) { return static_cast<double>(nanos) / kNanosPerSecond; }

void WriteLevels(const StoreReport& report, JsonWriter* json) {
  json->Member("levels").BeginArray();
  for (int level = 0; level < kLevels; ++level) {
    const LevelReport& about = report.levels[level];
    json->BeginObject();
    json->Field("level", level);
    json->Field("tables", about.tables);
    json->Field("bytes", about.bytes);
    json->Field("target_bytes", about.target_bytes);
    json->Field("score", about.score);
    json->Field("busy_seconds", static_cast<double>(about.compactions.micros) / 1e6);
    json->Field("read_bytes", about.compactions.bytes_read);
    json->Field("written_bytes", about.compactions.bytes_written);
    json->EndObject();
  }
  json->EndArray();
  json->Field("l0_tables", report.levels[0].tables);
  json->Field("debt_bytes", report.debt_bytes);
}

void WriteMemoryAndQueues(const StoreReport& report, JsonWriter* json) {
  json->Member("memory").BeginObject();
  json->Field("active_bytes", report.active_bytes);
  json->Field("immutable_bytes", report.immutable_bytes);
  json->Field("used_bytes", report.memory_used_bytes);
  json->Field("budget_bytes", report.memory_budget_bytes);
  for (const MemoryReport::Purpose& purpose : MemoryReport::Purposes())
    json->Field(purpose.json_name, report.memory.*purpose.bytes);
  json->Field("total_bytes", report.memory.Total());
  json->EndObject();
  json->Member("queue").BeginObject();
  json->Field("writers", report.waiting_writers);
  json->Field("memtables", report.immutables);
  json->Field("installs", report.waiting_installs);
  json->Field("manual_compactions", report.waiting_manual);
  json->Field("obsolete_files", report.obsolete_files);
  json->EndObject();
  json->Field("open_descriptors", report.open_descriptors);
  json->Field("disk_is_low", report.disk_is_low);
}

void WriteRunningJob(const RunningJobReport& job, JsonWriter* json) {
  const JobInfo& info = job.info;
  json->BeginObject();
  json->Field("id", info.id);
  json->Field("class", JobKindName(info.kind));
  json->Field("state", job.paused ? "paused" : "running");
  json->Field("input_level", info.input_level);
  json->Field("output_level", info.output_level);
  json->Field("cpu", info.idle_priority ? "idle" : "normal");
  json->Field("input_files", info.input_files);
  json->Field("input_bytes", info.input_bytes);
  json->Field("input_bytes_done", info.input_bytes_done);
  json->Field("elapsed_seconds", static_cast<double>(info.elapsed_us) / 1e6);
  json->Field("paused_seconds", static_cast<double>(info.paused_us) / 1e6);
  json->Field("pauses", info.pauses);
  json->EndObject();
}

void WriteJobs(const ActivityReport& activity, JsonWriter* json) {
  json->Member("jobs").BeginArray();
  for (const RunningJobReport& job : activity.jobs) WriteRunningJob(job, json);
  json->EndArray();
  json->Member("job_totals").BeginObject();
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    const JobTotals& totals = activity.job_totals[kind];
    json->Member(JobKindName(static_cast<JobKind>(kind))).BeginObject();
    json->Field("done", totals.done);
    json->Field("failed", totals.failed);
    json->Field("abandoned", totals.abandoned);
    json->Field("pauses", totals.pauses);
    json->Field("paused_seconds", Seconds(totals.paused_nanos));
    json->Field("read_bytes", totals.read_bytes);
    json->Field("written_bytes", totals.written_bytes);
    json->EndObject();
  }
  json->EndObject();
}

void WriteStalls(const ActivityReport& activity, JsonWriter* json) {
  json->Member("stalls").BeginObject();
  for (size_t kind = 0; kind < kStallKinds; ++kind) {
    json->Member(StallKindName(static_cast<StallKind>(kind))).BeginObject();
    for (size_t cause = 0; cause < kStallCauses; ++cause) {
      const StallTotals& totals = activity.stall_totals[kind][cause];
      json->Member(StallCauseName(static_cast<WriteStallCause>(cause))).BeginObject();
      json->Field("count", totals.count);
      json->Field("held_seconds", Seconds(totals.held_nanos));
      json->Field("held_writes", totals.held_writes);
      json->EndObject();
    }
    json->EndObject();
  }
  json->Member("now").BeginArray();
  for (const StallInfo& stall : activity.stalls) {
    json->BeginObject();
    json->Field("id", stall.id);
    json->Field("kind", StallKindName(stall.kind));
    json->Field("cause", StallCauseName(stall.cause));
    json->Field("elapsed_seconds", static_cast<double>(stall.elapsed_us) / 1e6);
    json->Field("held_seconds", static_cast<double>(stall.held_us) / 1e6);
    json->Field("held_writes", stall.held_writes);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void WriteBytes(const StoreReport& report, JsonWriter* json) {
  json->Member("bytes").BeginObject();
  json->Field("user", report.user_bytes);
  json->Field("wal", report.wal_bytes);
  json->Field("flush", report.JobBytes(&JobTotals::written_bytes, true, false));
  json->Field("compaction_read", report.JobBytes(&JobTotals::read_bytes, false, true));
  json->Field("compaction_written", report.JobBytes(&JobTotals::written_bytes, false, true));
  json->EndObject();
  json->Field("user_entries", report.user_entries);
  json->Field("dropped_events", report.dropped_events);
  json->Field("write_amplification", report.WriteAmplification());
  const Rates& rates = report.activity.rates;
  json->Member("rates").BeginObject();
  json->Field("user_bytes_per_sec", rates.user_bytes_per_sec);
  json->Field("flush_bytes_per_sec", rates.flush_bytes_per_sec);
  json->Field("compaction_bytes_per_sec", rates.compaction_bytes_per_sec);
  json->EndObject();
}

void WriteReads(const ReadReport& reads, JsonWriter* json) {
  const ReadCounts::Sums& counts = reads.counts;
  json->Member("reads").BeginObject();
  json->Field("gets_found", reads.GetsFound());
  json->Field("gets_not_found", reads.GetsNotFound());
  json->Field("gets_ended_in_memory", counts[kGetsEndedInMemory]);
  json->Member("gets_ended_in_level").BeginArray();
  for (size_t level = 0; level < kLevels; ++level) json->Value(counts[kGetsEndedInLevel + level]);
  json->EndArray();
  json->Field("tables_searched", counts[kTablesSearched]);
  json->Field("key_filter_checks", counts[kKeyFilterChecks]);
  json->Field("key_filter_passes", counts[kKeyFilterPasses]);
  json->Field("filter_checks", counts[kFilterChecks]);
  json->Field("filter_passes", counts[kFilterPasses]);
  json->Field("filter_false_passes", counts[kFilterFalsePasses]);
  json->Field("cache_blocks", counts[kBlocksFromCache]);
  json->Field("file_blocks", counts[kBlocksFromFile]);
  json->Field("file_block_bytes", counts[kBlockBytesFromFile]);
  json->Field("seeks", counts[kSeeks]);
  json->Field("steps", counts[kSteps]);
  json->Field("entries_skipped", counts[kEntriesSkipped]);
  json->Field("open_iterators", reads.OpenIterators());
  json->Field("returned_bytes", counts[kBytesReturned]);
  json->Field("open_tables", reads.open_tables);
  json->Field("tables_opened", reads.tables_opened);
  json->Field("tables_evicted", reads.tables_evicted);
  json->EndObject();
}

void WriteFilter(const StoreReport& report, JsonWriter* json) {
  json->Member("filter").BeginObject();
  json->Field("name", report.filter);
  json->Field("error", report.filter_error);
  json->Field("dropped_entries", report.filtered.entries);
  json->Field("dropped_bytes", report.filtered.bytes);
  json->EndObject();
}

void WriteGrant(const char* name, const Grant& grant, JsonWriter* json) {
  json->Member(name).BeginObject();
  json->Field("jobs_max", grant.jobs_max);
  json->Field("cpu", grant.cpu == CpuPriority::kIdle ? "idle" : "normal");
  json->EndObject();
}

void WritePolicy(const StoreReport& report, JsonWriter* json) {
  const Directive& directive = report.activity.directive;
  json->Member("policy").BeginObject();
  json->Field("name", report.activity.policy);
  json->Field("options", report.activity.options);
  json->Member("directive").BeginObject();
  WriteGrant("l0", directive.l0, json);
  WriteGrant("deep", directive.deep, json);
  json->Field("compactions_max", directive.compactions_max);
  json->Field("rate_bytes_per_sec", directive.rate.bytes_per_sec);
  json->Field("memtable_bytes", directive.memtable_bytes);
  json->Field("table_bytes", directive.table_bytes);
  json->Field("flush_bytes_min", directive.flush_bytes_min);
  json->Field("flush_bytes_per_sec_max", directive.flush_bytes_per_sec_max);
  json->Field("immutables_max", directive.immutables_max);
  json->Field("l0_stop", directive.l0_stop);
  json->Field("delay_us_per_write", directive.delay_us_per_write);
  json->Field("write_bytes_per_sec_max", directive.write_bytes_per_sec_max);
  json->EndObject();
  json->Member("state").BeginObject();
  for (const PolicyFigure& figure : report.activity.policy_state) {
    std::visit([&](auto value) { json->Field(figure.name, value); }, figure.value);
  }
  json->EndObject();
  json->EndObject();
}

void WriteLatency(const char* name, const LatencySnapshot& latency, JsonWriter* json) {
  constexpr double kNanosPerUs = 1000;
  json->Member(name).BeginObject();
  json->Field("count", latency.count());
  json->Field("mean_us", latency.mean_nanos() / kNanosPerUs);
  json->Field("p50_us", latency.PercentileNanos(0.5) / kNanosPerUs);
  json->Field("p90_us", latency.PercentileNanos(0.9) / kNanosPerUs);
  json->Field("p99_us", latency.PercentileNanos(0.99) / kNanosPerUs);
  json->Field("p999_us", latency.PercentileNanos(0.999) / kNanosPerUs);
  json->Field("p9999_us", latency.PercentileNanos(0.9999) / kNanosPerUs);
  json->Field("max_us", latency.MaxNanos() / kNanosPerUs);
  json->EndObject();
}

}  // namespace

std::span<const MemoryReport::Purpose> MemoryReport::Purposes() {
  static constexpr Purpose kPurposes[] = {
      {"memtable_bytes", "memtables", &MemoryReport::memtables},
      {"pooled_block_bytes", "pooled_blocks", &MemoryReport::pooled_blocks},
      {"mapped_wal_bytes", "mapped_wals", &MemoryReport::mapped_wals},
      {"job_buffer_bytes", "job_buffers", &MemoryReport::job_buffers},
      {"key_filter_bytes", "key_filters", &MemoryReport::key_filters},
      {"open_table_bytes", "open_tables", &MemoryReport::open_tables},
      {"block_cache_bytes", "block_cache", &MemoryReport::block_cache},
      {"event_queue_bytes", "event_queue", &MemoryReport::event_queue},
  };
  return kPurposes;
}

uint64_t ReadReport::GetsFound() const {
  const auto begin = counts.begin() + kGetsEndedInMemory;
  const uint64_t ended = std::accumulate(begin, counts.begin() + kGetsOfAbsentKeys, uint64_t{0});
  return ended - std::min(ended, counts[kGetsEndedWithoutValue]);
}

uint64_t MemoryReport::Total() const {
  uint64_t bytes = 0;
  for (const Purpose& purpose : Purposes()) bytes += this->*purpose.bytes;
  return bytes;
}

uint64_t StoreReport::JobBytes(uint64_t JobTotals::*member, bool flushes, bool compactions) const {
  uint64_t bytes = 0;
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    const bool is_flush = static_cast<JobKind>(kind) == JobKind::kFlush;
    if (is_flush ? flushes : compactions) bytes += activity.job_totals[kind].*member;
  }
  return bytes;
}

double StoreReport::WriteAmplification() const {
  if (user_bytes == 0) return 0;
  const uint64_t written = wal_bytes + JobBytes(&JobTotals::written_bytes, true, true);
  return static_cast<double>(written) / static_cast<double>(user_bytes);
}

std::string RenderJson(const StoreReport& report) {
  JsonWriter json;
  json.BeginObject();
  json.Field("name", report.name);
  json.Field("uptime_seconds", Seconds(report.activity.uptime_nanos));
  json.Field("write_error", report.write_error);
  json.Field("background_error", report.background_error);
  WritePolicy(report, &json);
  WriteLevels(report, &json);
  WriteMemoryAndQueues(report, &json);
  WriteJobs(report.activity, &json);
  WriteStalls(report.activity, &json);
  WriteBytes(report, &json);
  WriteReads(report.reads, &json);
  WriteFilter(report, &json);
  if (report.latencies) {
    json.Member("latency").BeginObject();
    WriteLatency("write", report.latencies->write, &json);
    WriteLatency("sync_write", report.latencies->sync_write, &json);
    WriteLatency("get", report.latencies->get, &json);
    json.EndObject();
  }
  json.EndObject();
  return json.Take();
}

}  // namespace lull
