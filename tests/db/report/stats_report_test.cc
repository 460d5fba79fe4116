// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The two texts, made from a report that was filled in by hand.
#include "db/report/stats_report.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "lull/version.h"
#include "tests/db/support/metrics_checker.h"
#include "tests/support/json_value.h"
#include "util/build_info.h"

namespace lull::testing {
namespace {

StoreReport SampleReport() {
  StoreReport report;
  report.name = "/data/\"a\\b\"\n";
  report.activity.policy = "lull";
  report.activity.uptime_nanos = 2'500'000'000;
  report.levels[0] = {3, 3000, 0, 0.75, {10, 0, 5000}};
  report.levels[1] = {2, 2000, 10'000, 0.2, {20, 700, 600}};
  report.debt_bytes = 123;
  report.debt_bytes_max = 4'000'000'000;
  report.wall_seconds = 1'700'000'001;
  report.background_error = "a table was lost";
  report.user_bytes = 1000;
  report.user_entries = 10;
  report.dropped_events = 6;
  report.filter = "expiry";
  report.filter_error = "it threw";
  report.filtered = {7, 700};
  report.wal_bytes = 1100;
  report.memory = {.memtables = 1,
                   .pooled_blocks = 20,
                   .mapped_wals = 300,
                   .job_buffers = 4000,
                   .key_filters = 640,
                   .open_tables = 50'000,
                   .block_cache = 600'000,
                   .event_queue = 7'000'000};
  report.memory_budget_bytes = (uint64_t{1} << 53) - 1;
  report.waiting_writers = 4;

  ActivityReport& activity = report.activity;
  activity.job_totals[static_cast<size_t>(JobKind::kFlush)] = {5, 1, 0, 0, 0, 900, 500};
  activity.job_totals[static_cast<size_t>(JobKind::kL0Compaction)] = {2,   0,  1, 3, 1'500'000'000,
                                                                      800, 400};
  activity.stall_totals[1][0] = {2, 250'000'000, 3};
  StallInfo stall;
  stall.kind = StallKind::kStop;
  stall.held_us = 50'000;
  activity.stalls = {stall};
  RunningJobReport job;
  job.info.id = 9;
  job.info.kind = JobKind::kDeepCompaction;
  job.info.input_level = 1;
  job.info.output_level = 2;
  job.info.idle_priority = true;
  job.info.input_bytes = 100;
  job.info.input_bytes_done = 40;
  job.paused = true;
  activity.jobs = {job};
  activity.rates.user_bytes_per_sec = 12.5;
  activity.directive.write_bytes_per_sec_max = 77;
  activity.directive.l0 = {2, CpuPriority::kIdle};
  activity.policy_state = {{"phase", "hard"}, {"burst_us", uint64_t{7'000'000}}, {"capped", true}};
  return report;
}

TEST(StatsReport, JsonSaysWhatTheReportSays) {
  const Json json = Json::Parse(RenderJson(SampleReport()));
  EXPECT_EQ(json["name"], "/data/\"a\\b\"\n");
  EXPECT_EQ(json["uptime_seconds"], 2.5);
  EXPECT_EQ(json["version"], LULL_VERSION_STRING);
  EXPECT_EQ(json["commit"], BuildCommit());
  EXPECT_EQ(json["compiler"], BuildCompiler());
  ASSERT_EQ(json["levels"].size(), size_t{kLevels});
  EXPECT_EQ(json["levels"][1]["target_bytes"], 10'000);
  EXPECT_EQ(json["levels"][0]["written_bytes"], 5000);
  EXPECT_EQ(json["l0_tables"], 3);
  EXPECT_EQ(json["debt_bytes"], 123);
  EXPECT_EQ(json["dropped_events"], 6);
  EXPECT_EQ(json["filter"]["name"], "expiry");
  EXPECT_EQ(json["filter"]["error"], "it threw");
  EXPECT_EQ(json["filter"]["dropped_entries"], 7);
  EXPECT_EQ(json["filter"]["dropped_bytes"], 700);
  EXPECT_EQ(json["queue"]["writers"], 4);
  EXPECT_EQ(json["memory"]["key_filter_bytes"], 640);
  EXPECT_EQ(json["memory"]["memtable_bytes"], 1);
  EXPECT_EQ(json["memory"]["mapped_wal_bytes"], 300);
  EXPECT_EQ(json["memory"]["event_queue_bytes"], 7'000'000);
  EXPECT_EQ(json["memory"]["total_bytes"], 7'654'961);
  EXPECT_EQ(json["memory"]["budget_bytes"], (uint64_t{1} << 53) - 1);
  EXPECT_EQ(json["jobs"][0]["class"], "deep");
  EXPECT_EQ(json["jobs"][0]["state"], "paused");
  EXPECT_EQ(json["jobs"][0]["cpu"], "idle");
  EXPECT_EQ(json["jobs"][0]["input_bytes_done"], 40);
  EXPECT_EQ(json["job_totals"]["l0"]["paused_seconds"], 1.5);
  EXPECT_EQ(json["stalls"]["stop"]["memory"]["count"], 2);
  EXPECT_EQ(json["stalls"]["stop"]["memory"]["held_seconds"], 0.25);
  EXPECT_EQ(json["stalls"]["now"][0]["held_seconds"], 0.05);
  EXPECT_EQ(json["bytes"]["flush"], 500);
  EXPECT_EQ(json["bytes"]["compaction_read"], 800);
  EXPECT_EQ(json["bytes"]["compaction_written"], 400);
  EXPECT_EQ(json["write_amplification"], 2.0);  // (1100 + 500 + 400) / 1000
  EXPECT_EQ(json["policy"]["name"], "lull");
  EXPECT_EQ(json["policy"]["directive"]["l0"]["jobs_max"], 2);
  EXPECT_EQ(json["policy"]["directive"]["write_bytes_per_sec_max"], 77);
  EXPECT_EQ(json["policy"]["state"],
            Json::Parse(R"({"phase":"hard","burst_us":7000000,"capped":true})"));
  EXPECT_EQ(json["rates"]["user_bytes_per_sec"], 12.5);
  EXPECT_EQ(json["write_error"], "");
  EXPECT_FALSE(json.contains("latency"));
}

TEST(StatsReport, MetricsSayTheSame) {
  const auto metrics = ParseMetrics(RenderPrometheus(SampleReport()));
  EXPECT_EQ(metrics.at("lull_level_tables{level=\"0\"}"), 3);
  EXPECT_EQ(metrics.at("lull_level_score{level=\"0\"}"), 0.75);
  EXPECT_EQ(metrics.at("lull_debt_bytes"), 123);
  EXPECT_EQ(metrics.at("lull_debt_max_bytes"), 4'000'000'000);
  EXPECT_EQ(metrics.at("lull_written_timestamp_seconds"), 1'700'000'001);
  EXPECT_EQ(metrics.at("lull_background_error"), 1);
  EXPECT_EQ(metrics.at("lull_damage_found"), 0);
  EXPECT_EQ(metrics.at("lull_dropped_events_total"), 6);
  EXPECT_EQ(metrics.at("lull_filter_dropped_entries_total"), 7);
  EXPECT_EQ(metrics.at("lull_filter_dropped_bytes_total"), 700);
  EXPECT_EQ(metrics.at("lull_memory_budget_bytes"), 9007199254740991.0);
  EXPECT_EQ(metrics.at("lull_key_filter_bytes"), 640);
  EXPECT_EQ(metrics.at("lull_memory_bytes{purpose=\"memtables\"}"), 1);
  EXPECT_EQ(metrics.at("lull_memory_bytes{purpose=\"key_filters\"}"), 640);
  double total = 0;
  for (const auto& [name, value] : metrics)
    if (name.starts_with("lull_memory_bytes{")) total += value;
  EXPECT_EQ(total, 7'654'961);
  EXPECT_EQ(metrics.at("lull_jobs{class=\"deep\",state=\"paused\"}"), 1);
  EXPECT_EQ(metrics.at("lull_jobs{class=\"deep\",state=\"running\"}"), 0);
  EXPECT_EQ(metrics.at("lull_jobs_ended_total{class=\"flush\",outcome=\"failed\"}"), 1);
  EXPECT_EQ(metrics.at("lull_stalls_total{kind=\"stop\",cause=\"memory\"}"), 2);
  EXPECT_EQ(metrics.at("lull_stall_held_seconds_total{kind=\"stop\",cause=\"memory\"}"), 0.25);
  EXPECT_EQ(metrics.at("lull_stall_active{kind=\"stop\"}"), 1);
  EXPECT_EQ(metrics.at("lull_stall_active{kind=\"slowdown\"}"), 0);
  EXPECT_EQ(metrics.at("lull_write_amplification_ratio"), 2);
  EXPECT_EQ(metrics.at("lull_policy_info{policy=\"lull\"}"), 1);
  EXPECT_EQ(metrics.at("lull_writes_refused"), 0);
  EXPECT_EQ(
      metrics.at(std::string("lull_build_info{version=\"" LULL_VERSION_STRING "\",commit=\"") +
                 BuildCommit() + "\",compiler=\"" + BuildCompiler() + "\"}"),
      1);
}

TEST(StatsReport, LabelsAreTheNamesThatEventsHave) {
  StoreReport report;
  std::map<std::string, double> expected;
  for (size_t kind = 0; kind < kJobKinds; ++kind) {
    report.activity.job_totals[kind].pauses = kind + 1;
    const std::string name = JobKindName(static_cast<JobKind>(kind));
    expected["lull_job_pauses_total{class=\"" + name + "\"}"] = static_cast<double>(kind + 1);
  }
  for (size_t kind = 0; kind < kStallKinds; ++kind) {
    for (size_t cause = 0; cause < kStallCauses; ++cause) {
      report.activity.stall_totals[kind][cause].count = 10 * kind + cause + 1;
      const std::string kind_name = StallKindName(static_cast<StallKind>(kind));
      const std::string cause_name = StallCauseName(static_cast<WriteStallCause>(cause));
      expected["lull_stalls_total{kind=\"" + kind_name + "\",cause=\"" + cause_name + "\"}"] =
          static_cast<double>(10 * kind + cause + 1);
    }
  }
  const auto metrics = ParseMetrics(RenderPrometheus(report));
  for (const auto& [name, value] : expected) EXPECT_EQ(metrics.at(name), value) << name;
}

TEST(StatsReport, LatenciesAreHistograms) {
  LatencyHistogram writes;
  for (uint64_t nanos : {500u, 5'000u, 5'000u, 2'000'000u}) writes.Record(nanos);
  StoreReport report = SampleReport();
  report.latencies.emplace();
  report.latencies->write = writes.Snapshot();
  const Json json = Json::Parse(RenderJson(report));
  EXPECT_EQ(json["latency"]["write"]["count"], 4);
  EXPECT_NEAR(json["latency"]["write"]["p50_us"].Number(), 5, 0.05);
  EXPECT_NEAR(json["latency"]["write"]["max_us"].Number(), 2000, 20);
  EXPECT_EQ(json["latency"]["get"]["count"], 0);

  const std::string text = RenderPrometheus(report);
  const auto metrics = ParseMetrics(text);
  const auto write = [&](const std::string& name, const std::string& rest) {
    return metrics.at("lull_latency_seconds_" + name + "{operation=\"write\"" + rest + "}");
  };
  EXPECT_EQ(write("bucket", ",le=\"1.024e-06\""), 1);
  EXPECT_EQ(write("bucket", ",le=\"8.192e-06\""), 3);
  EXPECT_EQ(write("bucket", ",le=\"+Inf\""), 4);
  EXPECT_EQ(write("count", ""), 4);
  EXPECT_NEAR(write("sum", ""), 0.0020105, 0.00002);
}

TEST(StatsReport, AnEmptyStore) {
  const Json json = Json::Parse(RenderJson(StoreReport()));
  EXPECT_EQ(json["write_amplification"], 0);
  EXPECT_FALSE(ParseMetrics(RenderPrometheus(StoreReport())).empty());
}

}  // namespace
}  // namespace lull::testing
