// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/read_figures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lull::bench {
namespace {

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
