// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/manual_clock.h"
#include "tests/util/threads.h"
#include "util/random.h"

namespace lull {
namespace {

using Buckets = LatencyBuckets;
using Histogram = LatencyHistogram;

TEST(LatencyBuckets, FollowOnEachOtherAndAreNarrow) {
  for (size_t bucket = 0; bucket < Buckets::kCount; ++bucket) {
    const uint64_t lowest = Buckets::LowestOf(bucket);
    ASSERT_EQ(Buckets::Of(lowest), bucket);
    if (bucket == 0) continue;
    ASSERT_EQ(Buckets::Of(lowest - 1), bucket - 1);
    const auto least = static_cast<double>(lowest);
    EXPECT_LE(std::abs(Buckets::MiddleOf(bucket) - least), 0.01 * least) << bucket;
  }
  // An implausibly long latency counts as the longest.
  EXPECT_EQ(Buckets::Of(UINT64_MAX), Buckets::kCount - 1);
}

TEST(LatencyHistogram, PercentilesAgreeWithTheSortedValues) {
  Random random(11);
  Histogram histogram;
  std::vector<uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back((random.Next() >> random.Uniform(64)) % (uint64_t{1} << 40));
    histogram.Record(values.back());
  }
  std::sort(values.begin(), values.end());
  const LatencySnapshot snapshot = histogram.Snapshot();
  EXPECT_EQ(snapshot.count(), values.size());
  double sum = 0;
  for (uint64_t value : values) sum += static_cast<double>(value);
  EXPECT_NEAR(snapshot.sum_nanos(), sum, 0.01 * sum);
  for (double share : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(share * 20000));
    const auto exact = static_cast<double>(values[rank == 0 ? 0 : rank - 1]);
    EXPECT_NEAR(snapshot.PercentileNanos(share), exact, 0.01 * exact) << share;
  }
  for (int exponent : {0, 1, 6, 7, 20, 39, 40, 63}) {
    const auto below = static_cast<uint64_t>(
        std::lower_bound(values.begin(), values.end(), uint64_t{1} << exponent) - values.begin());
    EXPECT_EQ(snapshot.CountBelowPowerOfTwo(exponent), below) << exponent;
  }
}

TEST(LatencyHistogram, NothingRecorded) {
  const LatencySnapshot snapshot = Histogram().Snapshot();
  EXPECT_EQ(snapshot.count(), 0u);
  EXPECT_EQ(snapshot.PercentileNanos(0.99), 0);
  EXPECT_EQ(snapshot.mean_nanos(), 0);
  EXPECT_EQ(LatencySnapshot().CountBelowPowerOfTwo(20), 0u);
}

TEST(LatencyHistogram, ManyThreadsLoseNothing) {
  constexpr int kThreads = 20;  // more than there are stripes
  constexpr uint64_t kRecords = 5000;
  Histogram histogram;
  RunThreads(kThreads, [&](int) {
    for (uint64_t i = 0; i < kRecords; ++i) histogram.Record(i);
  });
  EXPECT_EQ(histogram.Snapshot().count(), kThreads * kRecords);
}

TEST(LatencyTimer, RecordsItsLife) {
  ManualClock clock;
  Histogram histogram;
  {
    const LatencyTimer timer(&histogram, &clock);
    const LatencyTimer none(nullptr, nullptr);
    clock.Advance(1000);
  }
  EXPECT_NEAR(histogram.Snapshot().PercentileNanos(0.5), 1000, 10);
}

}  // namespace
}  // namespace lull
