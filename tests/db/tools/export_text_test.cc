// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The page of `lull export`, and its address.
#include "db/tools/export_text.h"

#include <string>

#include "db/report/stats_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lull::tools {
namespace {

using ::testing::HasSubstr;

ExportedFile File(const std::string& path, const std::string& store, uint64_t debt_bytes) {
  StoreReport report;
  report.name = store;
  report.debt_bytes = debt_bytes;
  ExportedFile file;
  file.path = path;
  file.was_read = true;
  file.age_seconds = 0.5;
  EXPECT_EQ(MetricsText::Parse(path, RenderPrometheus(report), &file.text).ToString(), "OK");
  return file;
}

// Two programs can open "store", each in its own working directory.
TEST(ExportTextTest, NoSeriesIsRepeated) {
  const std::string text =
      ExportText({File("/x/s.prom", "s", 1), File("/y/s.prom", "s", 2), File("/y/t.prom", "t", 3)});
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"s\",file=\"/x/s.prom\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"s\",file=\"/y/s.prom\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\nlull_debt_bytes{store=\"t\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("{store=\"s\",file=\"/x/s.prom\",level=\"0\"}"));
  EXPECT_THAT(text, HasSubstr("\nlull_stats_file_age_seconds{store=\"t\"} 0.500\n"));
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
    EXPECT_THAT(status.ToString(), HasSubstr(std::string("--listen=") + wrong)) << wrong;
  }
}

}  // namespace
}  // namespace lull::tools
