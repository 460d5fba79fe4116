// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The figures of `lull top`, from texts that were rendered from hand-made reports, and its view.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "db/report/stats_report.h"
#include "db/tools/freshness.h"
#include "db/tools/top_model.h"
#include "db/tools/top_view.h"
#include "gtest/gtest.h"
#include "util/latency_histogram.h"

namespace lull::tools {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

MetricsText Text(const StoreReport& report) {
  MetricsText text;
  EXPECT_EQ(MetricsText::Parse("a.prom", RenderPrometheus(report), &text).ToString(), "OK");
  return text;
}

StoreReport At(uint64_t uptime_seconds) {
  StoreReport report;
  report.name = "/data/s";
  report.activity.policy = "lull";
  report.activity.uptime_nanos = uptime_seconds * kSecond;
  return report;
}

/// A store after ten seconds, and two seconds later.
struct TwoReports {
  TwoReports() {
    before.user_entries = 1000;
    before.user_bytes = 100'000;
    after.user_entries = 3000;
    after.user_bytes = 500'000;
    after.reads.counts[kGetsEndedInMemory] = 10;
    after.reads.counts[kBlocksFromCache] = 3;
    after.reads.counts[kBlocksFromFile] = 1;
    after.debt_bytes = 77;
    after.debt_bytes_max = 100;
    after.levels[0] = {3, 3000, 0, 0.75, {10, 0, 5000}};
    after.levels[1] = {2, 2000, 10'000, 0.2, {20, 700, 600}};
    RunningJobReport job;
    job.info.kind = JobKind::kDeepCompaction;
    job.paused = true;
    after.activity.jobs = {job};
    after.activity.job_totals[0].failed = 1;
    before.activity.stall_totals[1][1] = {2, kSecond, 3};
    after.activity.stall_totals[1][1] = {3, 2 * kSecond, 9};
  }
  StoreReport before = At(10);
  StoreReport after = At(12);
};

TEST(TopModelTest, RatesAreOfTheTimeBetweenTheTexts) {
  const TwoReports reports;
  const MetricsText before = Text(reports.before);
  const StoreFigures figures = MakeFigures(&before, Text(reports.after));
  const Json& json = figures.json;
  EXPECT_EQ(json["has_rates"], true);
  EXPECT_EQ(json["store"], "/data/s");
  EXPECT_EQ(json["policy"], "lull");
  EXPECT_EQ(json["uptime_seconds"], 12);
  EXPECT_EQ(json["writes_per_sec"], 1000);
  EXPECT_EQ(json["written_bytes_per_sec"], 200'000);
  EXPECT_EQ(json["gets_per_sec"], 5);
  EXPECT_EQ(json["cache_hit_share"], 0.75);
  EXPECT_EQ(json["debt_bytes"], 77);
  EXPECT_EQ(json["debt_bytes_max"], 100);
  EXPECT_EQ(json["table_bytes"], 5000);
  ASSERT_EQ(json["levels"].size(), size_t{kLevels});
  EXPECT_EQ(json["levels"][1]["target_bytes"], 10'000);
  EXPECT_EQ(json["levels"][0]["written_bytes_per_sec"], 2500);
  ASSERT_EQ(json["jobs"].size(), kJobKinds);
  EXPECT_EQ(json["jobs"]["flush"]["failed"], 1);
  EXPECT_EQ(json["jobs"]["deep"]["paused"], 1);
  EXPECT_EQ(json["jobs"]["deep"]["running"], 0);
  ASSERT_EQ(json["stalls"].size(), kStallKinds);
  ASSERT_EQ(json["stalls"]["stop"].size(), kStallCauses);
  EXPECT_EQ(figures.StallShare(), 0.5);
  EXPECT_EQ(json["stalls"]["stop"]["l0"]["held_share"], 0.5);
  EXPECT_EQ(json["stalls"]["stop"]["l0"]["count"], 3);
  EXPECT_TRUE(json["latency"].empty());
}

TEST(TopModelTest, AReopenedStoreCountsFromItsOpen) {
  TwoReports reports;
  reports.after.activity.uptime_nanos = 4 * kSecond;
  const MetricsText before = Text(reports.before);
  EXPECT_EQ(MakeFigures(&before, Text(reports.after))["writes_per_sec"], 750);
  // So does another store at the same path.
  reports.after.activity.uptime_nanos = 30 * kSecond;
  reports.after.name = "/data/t";
  EXPECT_EQ(MakeFigures(&before, Text(reports.after))["writes_per_sec"], 100);
}

TEST(TopModelTest, LatenciesAreOfTheTimeBetweenTheTexts) {
  TwoReports reports;
  LatencyHistogram histogram;
  for (int i = 0; i < 1000; ++i) histogram.Record(100'000'000);
  reports.before.latencies.emplace();
  reports.before.latencies->write = histogram.Snapshot();
  for (int i = 0; i < 1000; ++i) histogram.Record(5000);
  reports.after.latencies.emplace();
  reports.after.latencies->write = histogram.Snapshot();
  const MetricsText before = Text(reports.before);
  const StoreFigures figures = MakeFigures(&before, Text(reports.after));
  const Json& latency = figures.json["latency"];
  ASSERT_EQ(latency.size(), 3u);
  EXPECT_EQ(latency["write"]["per_sec"], 500);
  for (const char* quantile : {"p50_us", "p99_us", "p999_us"}) {
    EXPECT_GE(latency["write"][quantile], 4.096);
    EXPECT_LE(latency["write"][quantile], 8.192);
  }
  EXPECT_EQ(latency["get"]["p99_us"], 0);
}

TEST(TopModelTest, QuantilesLieInsideTheirBucket) {
  const std::vector<double> limits = {1, 2, 4, INFINITY};
  EXPECT_EQ(BucketQuantile(limits, {0, 10, 10, 10}, 0.5), 1.5);
  EXPECT_EQ(BucketQuantile(limits, {5, 10, 10, 10}, 0.5), 1);
  EXPECT_EQ(BucketQuantile(limits, {0, 0, 0, 10}, 0.5), 4) << "at least the last limit";
  EXPECT_EQ(BucketQuantile(limits, {0, 0, 0, 0}, 0.5), 0);
  EXPECT_EQ(BucketQuantile({}, {}, 0.5), 0);
}

TEST(TopModelTest, TheWorstStateIsShown) {
  StoreReport report = At(1);
  const auto state = [&] { return MakeFigures(nullptr, Text(report)).State(); };
  EXPECT_EQ(state(), "ok");
  report.activity.stalls = {StallInfo()};
  report.activity.stalls[0].kind = StallKind::kSlowdown;
  EXPECT_EQ(state(), "slowed");
  report.disk_is_low = true;
  EXPECT_EQ(state(), "disk low");
  report.activity.stalls[0].kind = StallKind::kStop;
  EXPECT_EQ(state(), "STOPPED");
  report.background_error = "disk full";
  EXPECT_EQ(state(), "JOBS FAIL");
  report.found_damage = true;
  EXPECT_EQ(state(), "DAMAGED");
  report.write_error = "disk full";
  EXPECT_EQ(state(), "WRITES FAIL");
}

TEST(TopModelTest, SortsTheLargestFirstAndProblemsLast) {
  std::vector<StoreFigures> stores(3);
  stores[0].json["store"] = "b";
  stores[0].json["written_bytes_per_sec"] = 5;
  stores[1].file = "a";
  stores[1].problem = "cannot read it";
  stores[2].json["store"] = "c";
  stores[2].json["debt_bytes"] = 5;
  const auto order = [&](TopSort sort) {
    SortStores(sort, &stores);
    std::string names;
    for (const StoreFigures& store : stores) names += store.Name();
    return names;
  };
  EXPECT_EQ(order(TopSort::kName), "bca");
  EXPECT_EQ(order(TopSort::kDebt), "cba");
  EXPECT_EQ(order(TopSort::kWrites), "bca");
  EXPECT_EQ(order(TopSort::kStalls), "bca");
  EXPECT_STREQ(TopSortName(TopSort::kStalls), "stalls");
}

TEST(StoreWatchTest, KeepsTheLastTwoTexts) {
  StoreWatch watch("a.prom");
  EXPECT_EQ(watch.Figures().State(), "not yet read");
  watch.Observe(Text(At(10)), 0, kSecond);
  EXPECT_FALSE(watch.was_updated());
  EXPECT_FALSE(watch.Figures().json["has_rates"].get<bool>());
  StoreReport later = At(12);
  later.user_entries = 2000;
  watch.Observe(Text(later), 0, 3 * kSecond);
  EXPECT_TRUE(watch.was_updated());
  watch.Observe(Text(later), 0, 4 * kSecond);
  EXPECT_EQ(watch.Figures()["writes_per_sec"], 1000);
  watch.Fail(leveldb::Status::IOError("a.prom", "no permission"));
  EXPECT_FALSE(watch.was_read());
  EXPECT_EQ(watch.Figures().State(), "IO error: a.prom: no permission");
  watch.Fail(leveldb::Status::NotFound("a.prom"));
  EXPECT_EQ(watch.Figures().State(), "closed: its stats file was removed");
}

TEST(StoreWatchTest, TheLineHasFiguresUnlessThereIsAProblem) {
  StoreWatch watch("a.prom");
  EXPECT_EQ(watch.Figures().Line(), Json({{"file", "a.prom"}, {"state", "not yet read"}}));
  watch.Observe(Text(At(10)), 0, kSecond);
  const Json line = watch.Figures().Line();
  EXPECT_EQ(line["file"], "a.prom");
  EXPECT_EQ(line["state"], "ok");
  EXPECT_EQ(line["store"], "/data/s");
  EXPECT_EQ(line["age_seconds"], 0);
  EXPECT_EQ(line["levels"].size(), size_t{kLevels});
}

// ---- the age of a file

TEST(FreshnessTest, GrowsWhileTheFileDoesNotChange) {
  Freshness freshness;
  EXPECT_EQ(freshness.Observe(10, 1000, 1000.5, 5 * kSecond), 0.5);
  EXPECT_EQ(freshness.Observe(10, 1000, 1001.5, 6 * kSecond), 1.5);
  EXPECT_EQ(freshness.Observe(11, 1001, 1002.25, 8 * kSecond), 1.25);
  EXPECT_EQ(freshness.Observe(11, 1001, 1003.25, 9 * kSecond), 2.25);
}

TEST(FreshnessTest, AJumpOfTheCalendarDoesNotMakeAFileOld) {
  Freshness freshness;
  freshness.Observe(10, 1000, 1000, kSecond);
  EXPECT_EQ(freshness.Observe(11, 1001, 90'000, 2 * kSecond), 1) << "at most since the last look";
  EXPECT_EQ(freshness.Observe(12, 1002, 500, 3 * kSecond), 0);
  EXPECT_EQ(freshness.Observe(12, 1002, 90'000, 4 * kSecond), 1);
}

TEST(FreshnessTest, ACrashedStoreAgesThoughTheCalendarWasSetBack) {
  Freshness freshness;
  EXPECT_EQ(freshness.Observe(10, 1000, 500, kSecond), 0);
  EXPECT_EQ(freshness.Observe(10, 1000, 500, 4 * kSecond), 3);
}

// ---- what is drawn fits the screen, whatever the figures are

constexpr double kHuge = 123'456'789'012'345;

/// A store with the longest figures everywhere.
StoreFigures Longest() {
  StoreFigures store;
  store.file = "/srv/" + std::string(200, 'x') + "/\xc3\xa4\n";
  store.worst = "WRITES FAIL";
  store.json = {{"store", store.file},      {"policy", "idle-threshold"}, {"uptime_seconds", 0},
                {"age_seconds", 0},         {"has_rates", true},          {"cache_hit_share", 1},
                {"write_amplification", 99}};
  for (const char* name :
       {"writes_per_sec", "written_bytes_per_sec", "gets_per_sec", "iterator_steps_per_sec",
        "returned_bytes_per_sec", "debt_bytes", "debt_bytes_max", "memory_used_bytes",
        "memory_budget_bytes", "disk_free_bytes", "table_bytes"})
    store.json[name] = kHuge;
  for (int level = 0; level < 7; ++level) {
    store.json["levels"].push_back({{"tables", 12345},
                                    {"bytes", kHuge},
                                    {"target_bytes", kHuge},
                                    {"score", 999.99},
                                    {"read_bytes_per_sec", kHuge},
                                    {"written_bytes_per_sec", kHuge}});
  }
  for (const char* job : {"flush", "l0", "deep", "manual"}) {
    store.json["jobs"][job] = {{"running", 64},
                               {"paused", 64},
                               {"failed", kHuge},
                               {"read_bytes_per_sec", kHuge},
                               {"written_bytes_per_sec", kHuge}};
  }
  for (const char* kind : {"slowdown", "stop"}) {
    for (const char* cause : {"memory", "l0", "debt", "other"})
      store.json["stalls"][kind][cause] = {{"held_share", 1}, {"count", 99'999}};
  }
  for (const char* operation : {"write", "sync_write", "get"}) {
    store.json["latency"][operation] = {
        {"per_sec", kHuge}, {"p50_us", 17e6}, {"p99_us", 17e6}, {"p999_us", 17e6}};
  }
  return store;
}

void ExpectFits(const std::vector<ViewLine>& lines, const ViewSize& size) {
  EXPECT_LE(lines.size(), size.height);
  for (const ViewLine& line : lines) {
    EXPECT_LE(line.text.size(), size.width) << line.text;
    EXPECT_TRUE(std::ranges::all_of(line.text, [](char c) { return c >= ' ' && c <= '~'; }))
        << line.text;
  }
}

TEST(TopViewTest, NumbersAreShort) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(7), "7");
  EXPECT_EQ(ShortNumber(1.25), "1.2");
  EXPECT_EQ(ShortNumber(999.4), "999");
  EXPECT_EQ(ShortNumber(999.6), "1.0k");
  EXPECT_EQ(ShortNumber(12'345), "12k");
  EXPECT_EQ(ShortNumber(1e6), "1M");
  EXPECT_EQ(ShortBytes(1024), "1k");
  EXPECT_EQ(ShortBytes(1000), "1.0k");
  EXPECT_EQ(ShortBytes(64 << 20), "64M");
  EXPECT_EQ(ShortBytes(1536.0 * (1 << 20)), "1.5G");
  EXPECT_EQ(ShortTime(5e-6), "5 us");
  EXPECT_EQ(ShortTime(0.0123), "12.3 ms");
  EXPECT_EQ(ShortTime(2.5), "2.5 s");
}

TEST(TopViewTest, FitsAnyScreen) {
  const std::vector<StoreFigures> stores(30, Longest());
  for (const ViewSize& size :
       {ViewSize{80, 23}, ViewSize{20, 5}, ViewSize{1, 1}, ViewSize{200, 60}}) {
    ExpectFits(StoreList(stores, 29, size), size);
    std::vector<ViewLine> detail = StoreDetail(stores[0], size);
    detail.resize(std::min(detail.size(), size.height));
    ExpectFits(detail, size);
  }
  const ViewSize uncut = {.width = 80, .height = 23, .cuts_lines = false};
  for (const ViewLine& line : StoreList(stores, 29, uncut)) EXPECT_LE(line.text.size(), 80u);
  ExpectFits(StoreDetail(stores[0], uncut), uncut);
}

TEST(TopViewTest, ShowsTheSelectedRow) {
  std::vector<StoreFigures> stores(30, Longest());
  for (int i = 0; i < 30; ++i) stores[i].json["store"] = "store" + std::to_string(i);
  for (const size_t selected : {size_t{0}, size_t{15}, size_t{29}}) {
    const auto lines = StoreList(stores, selected, {80, 10});
    EXPECT_EQ(lines.size(), 10u);
    const auto found = std::ranges::find(lines, LineStyle::kSelected, &ViewLine::style);
    ASSERT_NE(found, lines.end());
    EXPECT_TRUE(found->text.starts_with("store" + std::to_string(selected) + " "));
  }
}

TEST(TopViewTest, ARowWithAProblemSaysIt) {
  StoreFigures stale = Longest(), unread, fresh = Longest();
  stale.json["store"] = "s";
  stale.json["age_seconds"] = 12;
  unread.file = "/u.prom";
  unread.problem = "IO error: no permission";
  fresh.json["has_rates"] = false;
  const auto lines = StoreList({stale, unread, fresh}, 3, {80, 24});
  EXPECT_TRUE(lines[1].text.ends_with(" not updated for 12 s")) << lines[1].text;
  EXPECT_EQ(lines[1].style, LineStyle::kWarning);
  EXPECT_TRUE(lines[2].text.starts_with("/u.prom ")) << lines[2].text;
  EXPECT_TRUE(lines[2].text.ends_with(" IO error: no permission")) << lines[2].text;
  EXPECT_TRUE(lines[3].text.ends_with("   -  WRITES FAIL")) << lines[3].text;
  EXPECT_EQ(StoreDetail(unread, {80, 24})[1].text, "IO error: no permission");
}

}  // namespace
}  // namespace lull::tools
