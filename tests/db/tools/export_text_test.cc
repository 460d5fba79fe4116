// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The page of `lull export`, and its address.
#include "db/tools/export_text.h"

#include <string>

#include "db/report/stats_report.h"
#include "db/tools/listen_address.h"
#include "gtest/gtest.h"

namespace lull::tools {
namespace {

ExportedFile File(const std::string& path, const std::string& store, uint64_t debt_bytes) {
  StoreReport report;
  report.name = store;
  report.debt_bytes = debt_bytes;
  ExportedFile file;
  file.path = path;
  file.was_read = true;
  file.age_seconds = 0.5;
  const leveldb::Status status = MetricsText::Parse(path, RenderPrometheus(report), &file.text);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return file;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ExportTextTest, GroupsStoresByFamily) {
  ExportedFile unread;
  unread.path = "/c.prom";
  const std::string text = ExportText({File("/a.prom", "a", 1), File("/b.prom", "b", 2), unread});
  EXPECT_TRUE(Contains(text,
                       "# TYPE lull_debt_bytes gauge\n"
                       "lull_debt_bytes{store=\"a\"} 1\n"
                       "lull_debt_bytes{store=\"b\"} 2\n"
                       "# HELP "))
      << text;
  EXPECT_TRUE(Contains(text, "lull_level_tables{store=\"b\",level=\"6\"} 0\n"));
  EXPECT_TRUE(Contains(text,
                       "# TYPE lull_stats_file_age_seconds gauge\n"
                       "lull_stats_file_age_seconds{store=\"a\"} 0.500\n"
                       "lull_stats_file_age_seconds{store=\"b\"} 0.500\n"));
  EXPECT_TRUE(
      text.ends_with("# TYPE lull_stats_file_up gauge\n"
                     "lull_stats_file_up{file=\"/a.prom\"} 1\n"
                     "lull_stats_file_up{file=\"/b.prom\"} 1\n"
                     "lull_stats_file_up{file=\"/c.prom\"} 0\n"));
  const size_t help = text.find("# HELP lull_debt_bytes ");
  EXPECT_EQ(text.find("# HELP lull_debt_bytes ", help + 1), std::string::npos);
}

// Two programs can open "store", each in its own working directory.
TEST(ExportTextTest, NoSeriesIsRepeated) {
  const std::string text =
      ExportText({File("/x/s.prom", "s", 1), File("/y/s.prom", "s", 2), File("/y/t.prom", "t", 3)});
  EXPECT_TRUE(Contains(text, "\nlull_debt_bytes{store=\"s\",file=\"/x/s.prom\"} 1\n"));
  EXPECT_TRUE(Contains(text, "\nlull_debt_bytes{store=\"s\",file=\"/y/s.prom\"} 2\n"));
  EXPECT_TRUE(Contains(text, "\nlull_debt_bytes{store=\"t\"} 3\n"));
  EXPECT_TRUE(Contains(text, "{store=\"s\",file=\"/x/s.prom\",level=\"0\"}"));
}

TEST(ExportTextTest, WithoutStoresItIsStillAPage) {
  EXPECT_EQ(ExportText({}),
            "# HELP lull_stats_file_age_seconds Time since the store wrote its stats file.\n"
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
    EXPECT_TRUE(Contains(status.ToString(), std::string("--listen=") + wrong)) << wrong;
  }
}

}  // namespace
}  // namespace lull::tools
