// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/units.h"

namespace lull::bench {
namespace {

using testing::kMsNanos;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Spans = std::vector<TimeSpan>;

TEST(MeterTest, UntimedCountsButKeepsNoLatency) {
  Meter meter(false);
  meter.Begin();
  EXPECT_EQ(meter.Done(OpKind::kWrite, 10, 1160), 0u);
  meter.End();
  EXPECT_EQ(meter.ops(), 10u);
  EXPECT_EQ(meter.written_bytes(), 1160u);
  EXPECT_EQ(meter.Latencies(OpKind::kWrite).count(), 0u);
}

TEST(MeterTest, RestIsNoPartOfTheNextLatency) {
  Meter meter(true);
  meter.Begin();
  meter.Resume(NowNs() - 7 * kNsPerSecond);
  meter.Resume(NowNs());
  meter.Done(OpKind::kWrite, 1, 1);
  EXPECT_LT(meter.Latencies(OpKind::kWrite).MaxUs(), 5e6);
  EXPECT_EQ(meter.Latencies(OpKind::kRead).count(), 0u);
}

TEST(MeterTest, WaitsOfOverdueRequestsAreNotCountedTwice) {
  Meter meter(true);
  const uint64_t base = 1'000 * kMsNanos;
  meter.DoneSince(OpKind::kWrite, base, base + 300 * kMsNanos, 1, 1);
  // Due during the first one's wait and done right after it: late, but not an additional wait.
  meter.DoneSince(OpKind::kWrite, base + 50 * kMsNanos, base + 301 * kMsNanos, 1, 1);
  // 150 ms late, including 120 ms after the last write.
  meter.DoneSince(OpKind::kWrite, base + 271 * kMsNanos, base + 421 * kMsNanos, 1, 1);
  meter.DoneSince(OpKind::kRead, base + 421 * kMsNanos, base + 921 * kMsNanos, 1, 0);
  EXPECT_THAT(meter.waits(), ElementsAre(TimeSpan{base, base + 300 * kMsNanos},
                                         TimeSpan{base + 301 * kMsNanos, base + 421 * kMsNanos}));
  EXPECT_NEAR(meter.Latencies(OpKind::kWrite).MaxUs(), 300'000, 1);
  EXPECT_EQ(meter.Latencies(OpKind::kRead).count(), 1u);
}

TEST(StallTest, OneThreadsWaitsAreStalls) {
  const Spans lists[] = {{{0, 200 * kMsNanos}, {500 * kMsNanos, 900 * kMsNanos}}};
  const Spans common = CommonSpans(lists);
  EXPECT_EQ(common, lists[0]);
  const StallTotal total = SumStalls(common);
  EXPECT_EQ(total.count, 2);
  EXPECT_DOUBLE_EQ(total.seconds, 0.6);
}

TEST(StallTest, OnlyWhatAllThreadsWaitedForCounts) {
  const Spans lists[] = {{{0, 300 * kMsNanos}, {500 * kMsNanos, 900 * kMsNanos}},
                         {{250 * kMsNanos, 620 * kMsNanos}, {700 * kMsNanos, 2'000 * kMsNanos}}};
  const Spans common = CommonSpans(lists);
  EXPECT_THAT(common, ElementsAre(TimeSpan{250 * kMsNanos, 300 * kMsNanos},
                                  TimeSpan{500 * kMsNanos, 620 * kMsNanos},
                                  TimeSpan{700 * kMsNanos, 900 * kMsNanos}));
  const StallTotal total = SumStalls(common);
  EXPECT_EQ(total.count, 2);  // 50 ms is too short for a stall
  EXPECT_DOUBLE_EQ(total.seconds, 0.32);
}

TEST(StallTest, AThreadThatNeverWaitedMeansNoStall) {
  const Spans lists[] = {{{0, 300 * kMsNanos}}, {}};
  EXPECT_THAT(CommonSpans(lists), IsEmpty());
  EXPECT_THAT(CommonSpans({}), IsEmpty());
}

}  // namespace
}  // namespace lull::bench
