// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/store_state.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "benchmarks/measure/read_figures.h"
#include "benchmarks/measure/stall_causes.h"

namespace lull::bench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST(StoreStateTest, ReadsLevelDbStats) {
  StoreState state;
  ASSERT_TRUE(
      ParseLevelDbStats("                               Compactions\n"
                        "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n"
                        "--------------------------------------------------\n"
                        "  0        3       12         1        0        40\n"
                        "  2       70      123        14      300       280\n",
                        &state));
  ASSERT_EQ(state.levels.size(), 3u);
  EXPECT_EQ(state.levels[0].tables, 3u);
  EXPECT_EQ(state.levels[1].tables, 0u);
  EXPECT_EQ(state.levels[2].bytes, 123 * kMiB);
  EXPECT_EQ(state.levels[0].written_bytes, 40 * kMiB);
  EXPECT_EQ(state.levels[2].written_bytes, 280 * kMiB);
  EXPECT_EQ(state.background_read_bytes, 300 * kMiB);
  EXPECT_EQ(state.background_written_bytes, 320 * kMiB);
  EXPECT_FALSE(ParseLevelDbStats("", &state));
  EXPECT_FALSE(ParseLevelDbStats("-----\nnonsense\n", &state));
}

TEST(StoreStateTest, DebtMovesDown) {
  EXPECT_EQ(DebtBytes({}, 4, 10), 0u);
  EXPECT_EQ(DebtBytes({{3, 300}}, 4, 10), 0u) << "L0 is not due";
  EXPECT_EQ(DebtBytes({{0, 0}, {1, 10}, {1, 100}, {9, 1000}}, 4, 10), 0u);
  // 4 bytes of L0 move to L1; 2 of its 12 move to L2.
  EXPECT_EQ(DebtBytes({{4, 4}, {1, 8}, {1, 50}}, 4, 10), 4u + 2u);
  // 4900 exceed the target of L2, and 3900 of them exceed that of L3.
  EXPECT_EQ(DebtBytes({{0, 0}, {0, 0}, {5, 5000}}, 4, 10), 4900u + 3900u);
  // The last level has no limit.
  EXPECT_EQ(DebtBytes({{}, {}, {}, {}, {}, {}, {9, 1 << 30}}, 4, 10), 0u);
  // L0 exceeds all levels below: 500 move to L1, 490 on to L2, 390 to L3.
  EXPECT_EQ(DebtBytes({{4, 500}}, 4, 10), 500u + 490u + 390u);
}

TEST(StallCausesTest, ReadsLogs) {
  EXPECT_EQ(StallCauseInLog("Current memtable full; waiting...\n"), "memory");
  EXPECT_EQ(StallCauseInLog("Too many L0 files; waiting...\n"), "l0");
  EXPECT_EQ(StallCauseInLog("[WARN] [default] Stopping writes because we have 20 level-0 files"),
            "l0");
  EXPECT_EQ(StallCauseInLog("[default] Stalling writes because of estimated pending compaction "
                            "bytes 68719476736 rate 16777216"),
            "debt");
  EXPECT_EQ(StallCauseInLog("Stopping writes because we have 2 immutable memtables"), "memory");
  EXPECT_EQ(StallCauseInLog("Compacting 4@0 + 1@1 files"), std::nullopt);
  EXPECT_EQ(StallCauseInLog("flushing 2 immutable memtables"), std::nullopt);
}

TEST(StallCausesTest, AStallHasTheNearestCause) {
  constexpr uint64_t kS = kNsPerSecond;
  StallCauses causes;
  causes.Note("memory", 10 * kS);
  causes.Note("l0", 12 * kS);
  causes.Note("debt", 20 * kS);
  EXPECT_EQ(causes.CauseOf({10 * kS, 11 * kS}), "memory");
  EXPECT_EQ(causes.CauseOf({10 * kS + kS / 2, 13 * kS}), "l0");
  EXPECT_EQ(causes.CauseOf({15 * kS, 16 * kS}), "unknown");
  EXPECT_EQ(causes.CauseOf({19 * kS, 19 * kS + kS / 2}), "debt") << "noted just after it";
  const TimeSpan spans[] = {{10 * kS, 11 * kS}, {12 * kS, 14 * kS}, {15 * kS, 15 * kS + kS / 20}};
  const std::map<std::string, double> expected = {{"l0", 2}, {"memory", 1}};
  EXPECT_EQ(causes.SecondsByCause(spans), expected);
}

constexpr char kStats[] = R"({"reads": {"gets_found": 6, "gets_not_found": 2, "tables_searched": 12,
    "key_filter_checks": 90, "filter_checks": 10, "filter_false_passes": 1, "cache_blocks": 5,
    "file_blocks": 7, "file_block_bytes": 28000, "seeks": 2, "steps": 30, "entries_skipped": 3,
    "gets_ended_in_level": [1, 2]}})";

TEST(ReadFiguresTest, AreReadFromStats) {
  const auto figures = ParseReads(kStats);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->gets, 8u);
  EXPECT_EQ(figures->filter_checks, 100u);
  EXPECT_EQ(figures->file_block_bytes, 28000u);
  EXPECT_EQ(figures->Text(),
            "blocks per read: 0.50 from the cache, 0.70 from files; tables per get: 1.50; false "
            "passes of filters: 1.00 %; per seek: 15.0 steps, 1.5 skipped entries");
  EXPECT_EQ(figures->ToJson()["gets_found"], 6);
}

TEST(ReadFiguresTest, OfAnotherStoreThereAreNone) {
  EXPECT_FALSE(ParseReads(""));
  EXPECT_FALSE(ParseReads("Compactions\nLevel  Files"));
  EXPECT_FALSE(ParseReads("{}"));
  EXPECT_FALSE(ParseReads("[1]"));
}

TEST(ReadFiguresTest, DifferenceOfTwoMoments) {
  ReadFigures earlier;
  earlier.gets = 5;
  earlier.gets_found = 5;
  const ReadFigures later = *ParseReads(kStats);
  const auto added = later.Since(earlier);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->gets, 3u);
  EXPECT_EQ(added->gets_found, 1u);
  EXPECT_EQ(added->cache_blocks, 5u);
  EXPECT_FALSE(earlier.Since(later)) << "the store was opened again";
  EXPECT_EQ(later.Since(later)->Text(), "");
}

}  // namespace
}  // namespace lull::bench
