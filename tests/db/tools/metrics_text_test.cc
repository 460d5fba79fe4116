// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The parser of stats files: reads all that a store writes, and nothing else.
#include "db/tools/metrics_text.h"

#include <sstream>
#include <string>
#include <vector>

#include "db/report/stats_report.h"
#include "db/tools/export_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/setting.h"
#include "util/latency_histogram.h"

namespace lull::tools {
namespace {

using ::testing::HasSubstr;

MetricsText Parsed(const std::string& text) {
  MetricsText result;
  EXPECT_EQ(MetricsText::Parse("a.prom", text, &result).ToString(), "OK");
  return result;
}

/// Expects that the text is refused with a message that contains `part`.
void ExpectRefused(const std::string& text, const std::string& part) {
  MetricsText result;
  const leveldb::Status status = MetricsText::Parse("a.prom", text, &result);
  EXPECT_THAT(status.ToString(), ::testing::AllOf(HasSubstr(part), HasSubstr("a.prom")));
}

constexpr char kUptime[] =
    "# HELP lull_uptime_seconds Time.\n# TYPE lull_uptime_seconds gauge\n"
    "lull_uptime_seconds{store=\"s\"} 2.5\n";

TEST(MetricsTextTest, ReadsWhatAStoreWrites) {
  StoreReport report;
  report.name = "/data/\"a\\b\"\n";
  report.activity.uptime_nanos = 2'500'000'000;
  report.debt_bytes = 123;
  report.levels[3].tables = 7;
  report.activity.stall_totals[1][0] = {2, 250'000'000, 3};
  LatencyHistogram writes;
  writes.Record(5000);
  report.latencies.emplace();
  report.latencies->write = writes.Snapshot();
  const MetricsText text = Parsed(RenderPrometheus(report));
  EXPECT_EQ(text.Store(), report.name);
  EXPECT_EQ(text.Get("lull_uptime_seconds"), 2.5);
  EXPECT_EQ(text.Get("lull_debt_bytes"), 123);
  EXPECT_EQ(text.Get("lull_level_tables", {{"level", "3"}}), 7);
  EXPECT_EQ(text.Get("lull_stall_held_seconds_total", {{"kind", "stop"}, {"cause", "memory"}}),
            0.25);
  EXPECT_EQ(text.Get("lull_latency_seconds_count", {{"operation", "write"}}), 1);
  EXPECT_EQ(text.Get("lull_latency_seconds_bucket", {{"operation", "write"}, {"le", "8.192e-06"}}),
            1);
  EXPECT_FALSE(text.Find("lull_level_tables"));
  EXPECT_FALSE(text.Find("lull_level_tables", {{"level", "9"}}));
  EXPECT_FALSE(text.Find("lull_none"));
  EXPECT_TRUE(text.Samples("lull_none").empty());
  const MetricSample& stall = text.Samples("lull_stalls_total").front();
  EXPECT_EQ(stall.Label("kind"), "slowdown");
  EXPECT_EQ(stall.Label("cause"), "memory");
  EXPECT_EQ(stall.Label("level"), "");
}

TEST(MetricsTextTest, RefusesOtherTexts) {
  ExpectRefused("", "is empty");
  ExpectRefused("hello\n", "is not a stats file");
  ExpectRefused("# HELP node_load1 1m load average.\n", "is not a stats file");
  ExpectRefused("# HELP lull_a A.\n# TYPE lull_a gauge\nlull_a{store=\"s\"} 1\n",
                "has no lull_uptime_seconds");
  const std::string good = kUptime;
  ExpectRefused(good + "node_load1 0.5\n", "line 4: not a line of Lull");
  ExpectRefused(good + "# comment\n", "line 4: not a line of Lull");
  ExpectRefused(good + "\n", "line 4: not a line of Lull");
  ExpectRefused(good + "lull_uptime_seconds{store=\"t\"} 1\n", "line 4: a second store");
  ExpectRefused(good + "lull_debt_bytes{store=\"s\"} 1\n", "line 4: a sample without its TYPE");
  ExpectRefused(good + "# TYPE lull_debt_bytes gauge\n", "line 4: a TYPE line without its HELP");
  ExpectRefused(good + "# HELP lull_debt_bytes D.\n# TYPE lull_debt_bytes summary\n",
                "line 5: an unknown type");
}

TEST(MetricsTextTest, RefusesIncompleteSamples) {
  const std::string good = kUptime;
  for (const char* rest :
       {"", "{", "{level=\"0\"} 1", "{store=\"s}", "{store=\"s\\", "{store=\"s\"", "{store=\"s\"}",
        "{store=\"s\"} ", "{store=\"s\"} x", "{store=\"s\"} 1 2", "{store=\"s\"} NaN",
        "{store=\"s\"} 1e999", "{store=\"s\",} 1", "{store=\"s\",level} 1",
        "{store=\"s\",level=\"0} 1", "{store=\"s\"}1"}) {
    ExpectRefused(good + "lull_uptime_seconds" + rest + "\n", "line 4: not a");
  }
}

// What a reader finds while a program writes the file in place.
TEST(MetricsTextTest, RefusesEveryCutText) {
  const std::string text = RenderPrometheus(StoreReport());
  MetricsText result;
  ASSERT_TRUE(MetricsText::Parse("a.prom", text, &result).ok());
  for (size_t size = 0; size < text.size(); size += 7 * testing::ShortStride()) {
    if (size > 0 && text[size - 1] == '\n') continue;  // whole lines: only figures are missing
    EXPECT_FALSE(MetricsText::Parse("a.prom", text.substr(0, size), &result).ok()) << size;
  }
}

// ---- the page of `lull export`, and its address

ExportedFile File(const std::string& path, const std::string& store, uint64_t debt_bytes) {
  StoreReport report;
  report.name = store;
  report.debt_bytes = debt_bytes;
  return {path, true, 0.5, Parsed(RenderPrometheus(report))};
}

// Two programs can open "store", each in its own working directory.
TEST(ExportTextTest, NoSeriesIsRepeated) {
  const std::string text = ExportText(
      {File("/x/s.prom", "s", 1), File("/y/s.prom", "s", 2), File("/y/t.prom", "t", 3)}, {});
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"s\",file=\"/x/s.prom\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"s\",file=\"/y/s.prom\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"t\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("{store=\"s\",file=\"/x/s.prom\",level=\"0\"}"));
  EXPECT_THAT(text, HasSubstr("\nlull_stats_file_age_seconds{store=\"t\"} 0.500\n"));
}

// The worst of the stores that are alive, whatever the file of a crashed one says.
TEST(ExportTextTest, TheSpaceOfADiskIsShownOnce) {
  const auto on = [](const std::string& device, const std::string& store, uint64_t free_bytes,
                     bool is_low, double age_seconds) {
    StoreReport report;
    report.name = store;
    report.mount = {device.empty() ? "" : "/mnt/" + device, device};
    report.space.disk_free_bytes = free_bytes;
    report.disk_is_low = is_low;
    return ExportedFile{"/" + store, true, age_seconds, Parsed(RenderPrometheus(report))};
  };
  const std::string text = ExportText(
      {on("8", "crashed", 1, true, 61), on("8", "a", 70, false, 1), on("8", "b", 60, true, 1),
       on("8", "c", 0, false, 1), on("9", "d", 5, true, 90), on("", "unknown", 4, false, 1)},
      {});
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("lull_disk_free_bytes") || line.starts_with("lull_disk_is_low"))
      lines.push_back(line);
  }
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre(
                         "lull_disk_free_bytes{store=\"unknown\"} 4",
                         "lull_disk_is_low{store=\"unknown\"} 0",
                         "lull_disk_free_bytes{mountpoint=\"/mnt/8\",device=\"8\"} 60",
                         "lull_disk_is_low{mountpoint=\"/mnt/8\",device=\"8\"} 1",
                         "lull_disk_free_bytes{mountpoint=\"/mnt/9\",device=\"9\"} 5",
                         "lull_disk_is_low{mountpoint=\"/mnt/9\",device=\"9\"} 1"));
}

TEST(ExportTextTest, BackupsHaveTheTimeOfTheNewest) {
  EXPECT_THAT(ExportText({}, {{"/b/\"a\"", 1'700'000'000}}),
              HasSubstr("# TYPE lull_last_backup_timestamp_seconds gauge\n"
                        "lull_last_backup_timestamp_seconds{directory=\"/b/\\\"a\\\"\"} "
                        "1700000000\n"));
}

TEST(ExportTextTest, WithoutStoresItIsStillAPage) {
  EXPECT_EQ(ExportText({}, {}),
            "# HELP lull_stats_file_age_seconds Time since the stats file was current.\n"
            "# TYPE lull_stats_file_age_seconds gauge\n"
            "# HELP lull_stats_file_up 1 if the stats file was read.\n"
            "# TYPE lull_stats_file_up gauge\n");
}

TEST(ListenAddressTest, HasAnAddressAndAPort) {
  ListenAddress address;
  ASSERT_TRUE(ParseListenAddress("127.0.0.1:9464", &address).ok());
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 9464);
  EXPECT_TRUE(address.IsLoopback());
  ASSERT_TRUE(ParseListenAddress("[::1]:0", &address).ok());
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.Text(), "[::1]:0");
  EXPECT_TRUE(address.IsLoopback());
  ASSERT_TRUE(ParseListenAddress("0.0.0.0:80", &address).ok());
  EXPECT_FALSE(address.IsLoopback());
  for (const char* wrong : {"", "9464", ":9464", "localhost", "localhost:", "localhost:x",
                            "localhost:65536", "::1:9464", "[]:1", "localhost:1x"}) {
    const leveldb::Status status = ParseListenAddress(wrong, &address);
    EXPECT_THAT(status.ToString(), HasSubstr(std::string("--listen=") + wrong)) << wrong;
  }
}

}  // namespace
}  // namespace lull::tools
