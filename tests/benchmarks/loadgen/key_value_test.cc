// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/key_value.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "benchmarks/db_bench/config.h"
#include "benchmarks/loadgen/rng.h"

namespace lull::bench {
namespace {

TEST(KeyTextTest, SixteenDigitsBehindThePrefix) {
  KeyText plain(0);
  EXPECT_EQ(plain.Of(0), "0000000000000000");
  EXPECT_EQ(plain.Of(1234567), "0000000001234567");
  EXPECT_EQ(plain.Of(9'999'999'999'999'999), "9999999999999999");
  EXPECT_EQ(plain.Of(7), "0000000000000007");
  KeyText prefixed(3);
  EXPECT_EQ(prefixed.Of(42), "aaa0000000000000042");
}

TEST(ValuePoolTest, ValuesHaveTheirSizeAndDifferAndRepeatWithTheSeed) {
  ValuePool pool(0.5, 100, 3);
  ValuePool again(0.5, 100, 3);
  std::set<std::string> seen;
  for (int i = 0; i < 20'000; ++i) {  // more than the pool holds
    const std::string_view value = pool.Next(100);
    ASSERT_EQ(value.size(), 100u);
    ASSERT_EQ(value, again.Next(100));
    seen.emplace(value);
  }
  EXPECT_GT(seen.size(), 10'000u);
}

TEST(ValuePoolTest, HalfOfAPieceRepeatsTheOtherHalf) {
  ValuePool pool(0.5, 100, 3);
  const std::string_view value = pool.Next(100);
  EXPECT_EQ(value.substr(0, 50), value.substr(50));
}

TEST(ValuePoolTest, LongValuesFit) {
  ValuePool pool(1, 3 << 20, 3);
  EXPECT_EQ(pool.Next(3 << 20).size(), size_t{3} << 20);
  EXPECT_EQ(pool.Next(3 << 20).size(), size_t{3} << 20);
}

TEST(RngTest, BelowStaysBelowAndReachesAll) {
  SCOPED_TRACE("seed 5");
  Rng rng(5);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1'000; ++i) seen.insert(rng.Below(10));
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
  EXPECT_EQ(rng.Below(0), 0u);
}

TEST(RngTest, ExponentialHasItsMean) {
  SCOPED_TRACE("seed 5");
  Rng rng(5);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += rng.Exponential(50);
  EXPECT_NEAR(sum / 100'000, 50, 1);
}

TEST(FlagsTest, ListsOfSeconds) {
  EXPECT_EQ(ParseSeconds("10"), std::vector<double>({10}));
  EXPECT_EQ(ParseSeconds("10,0.5,20"), std::vector<double>({10, 0.5, 20}));
  EXPECT_TRUE(ParseSeconds("").empty());
  EXPECT_TRUE(ParseSeconds("10,x").empty());
  EXPECT_TRUE(ParseSeconds("-1").empty());
  EXPECT_TRUE(ParseSeconds("inf").empty());
}

}  // namespace
}  // namespace lull::bench
