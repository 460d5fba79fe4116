// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/loadgen/rng.h"

namespace lull::bench {
namespace {

TEST(HistogramTest, EmptyOneIsAllZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.MeanUs(), 0);
  EXPECT_EQ(histogram.MinUs(), 0);
  EXPECT_EQ(histogram.MaxUs(), 0);
  EXPECT_EQ(histogram.PercentileUs(99), 0);
}

TEST(HistogramTest, PercentilesAreWithinOnePercentOfTheSortedValues) {
  SCOPED_TRACE("seed 7");
  Rng rng(7);
  Histogram histogram;
  std::vector<uint64_t> values;
  for (int i = 0; i < 100'000; ++i) {
    // Log-uniform from 1 ns to about 18 minutes.
    values.push_back(rng.Next() >> (24 + rng.Below(40)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (double percent : {0.1, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    const auto rank = static_cast<size_t>(std::ceil(percent / 100 * 100'000)) - 1;
    const double exact_us = static_cast<double>(values[rank]) / 1e3;
    EXPECT_NEAR(histogram.PercentileUs(percent), exact_us, exact_us * 0.01) << percent;
  }
  EXPECT_EQ(histogram.MaxUs(), static_cast<double>(values.back()) / 1e3);
  EXPECT_EQ(histogram.MinUs(), static_cast<double>(values.front()) / 1e3);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (uint64_t ns = 0; ns < 100; ++ns) histogram.Add(ns);
  EXPECT_DOUBLE_EQ(histogram.PercentileUs(50), 0.049);
  EXPECT_DOUBLE_EQ(histogram.MeanUs(), 0.0495);
}

TEST(HistogramTest, ValuesBeyondTheRangeCountAsTheLargest) {
  Histogram histogram;
  histogram.Add(UINT64_MAX / 2);
  histogram.Add(UINT64_MAX / 2);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_GT(histogram.PercentileUs(50), 3600e6);
}

TEST(HistogramTest, MergeAddsUp) {
  Histogram left, right;
  for (int i = 0; i < 10; ++i) left.Add(1'000);
  for (int i = 0; i < 30; ++i) right.Add(9'000);
  left.Merge(right);
  EXPECT_EQ(left.count(), 40u);
  EXPECT_DOUBLE_EQ(left.MeanUs(), 7);
  EXPECT_NEAR(left.PercentileUs(25), 1, 0.01);
  EXPECT_NEAR(left.PercentileUs(26), 9, 0.09);
}

TEST(HistogramTest, SinceLeavesOutWhatCameBefore) {
  Histogram histogram;
  histogram.Add(5'000'000);
  const Histogram earlier = histogram.Snapshot();
  for (int i = 0; i < 4; ++i) histogram.Add(2'000);
  const Histogram since = histogram.Snapshot().Since(earlier);
  EXPECT_EQ(since.count(), 4u);
  EXPECT_DOUBLE_EQ(since.MeanUs(), 2);
  EXPECT_NEAR(since.MaxUs(), 2, 0.02);
  EXPECT_NEAR(since.MinUs(), 2, 0.02);
}

TEST(HistogramTest, TextHasLevelDbsLayout) {
  Histogram histogram;
  for (int i = 0; i < 3; ++i) histogram.Add(2);
  histogram.Add(1'100'000);
  const std::string text = histogram.LevelDbText();
  // The deviation comes from buckets, so only its first digits are certain.
  EXPECT_THAT(text, ::testing::StartsWith("Count: 4  Average: 275.0015  StdDev: 47"));
  EXPECT_THAT(text,
              ::testing::EndsWith("\n"
                                  "Min: 0.0020  Median: 0.0020  Max: 1100.0000\n"
                                  "------------------------------------------------------\n"
                                  "[       0,       1 )       3  75.000%  75.000% ###############\n"
                                  "[    1000,    1200 )       1  25.000% 100.000% #####\n"));
}

TEST(HistogramTest, CurveGoesAsFarAsTheCountAllows) {
  EXPECT_TRUE(Histogram().Curve().empty());
  Histogram histogram;
  for (uint64_t us = 1; us <= 1000; ++us) histogram.Add(us * 1000);
  const auto curve = histogram.Curve();
  for (size_t i = 1; i < curve.size(); ++i) {
    EXPECT_GT(curve[i].percent, curve[i - 1].percent);
    EXPECT_GE(curve[i].us, curve[i - 1].us);
  }
  EXPECT_EQ(curve.back().percent, 100);
  EXPECT_EQ(curve.back().us, 1000);
  EXPECT_NEAR(curve[curve.size() - 2].percent, 99.98, 1e-9) << "1 of 1000 lies beyond 99.9";
  EXPECT_NEAR(curve[5].us, 500, 5);
}

TEST(HistogramTest, HgrmTable) {
  Histogram histogram;
  histogram.Add(1000);
  histogram.Add(1000);
  histogram.Add(3000);
  const std::string text = histogram.HgrmText();
  EXPECT_NE(text.find("0.666666666667          2           3.00\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3.000 1.000000000000          3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Total count    =            3]"), std::string::npos) << text;
}

}  // namespace
}  // namespace lull::bench
