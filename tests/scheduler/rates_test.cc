// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/rates.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace lull {
namespace {

TEST(ProgressTest, IsAPlaceOnARamp) {
  EXPECT_EQ(Progress(5, 10, 20), 0.0);
  EXPECT_EQ(Progress(10, 10, 20), 0.0);
  EXPECT_EQ(Progress(15, 10, 20), 0.5);
  EXPECT_EQ(Progress(20, 10, 20), 1.0);
  EXPECT_EQ(Progress(99, 10, 20), 1.0);
}

TEST(ProgressTest, ARampWithoutLengthIsAStep) {
  EXPECT_EQ(Progress(9, 10, 10), 0.0);
  EXPECT_EQ(Progress(10, 10, 10), 1.0);
}

TEST(RatioTest, OfNothingIsNothing) {
  EXPECT_EQ(Ratio(1, 4), 0.25);
  EXPECT_EQ(Ratio(1, 0), 0.0);
}

TEST(RateMeterTest, MeasuresSpansOfALeastLength) {
  RateMeter meter(1000);
  EXPECT_FALSE(meter.Sample(500, 10'000));  // starts a span
  EXPECT_FALSE(meter.Sample(900, 10'999));  // too short
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
  EXPECT_TRUE(meter.Sample(1500, 11'000));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
  EXPECT_EQ(meter.span_us(), 1000u);
  // A span can be longer; the rate is kept until the next span ends.
  EXPECT_FALSE(meter.Sample(9999, 11'500));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
  EXPECT_TRUE(meter.Sample(3500, 15'000));
  EXPECT_EQ(meter.bytes_per_sec(), 5e5);
  EXPECT_EQ(meter.span_us(), 4000u);
}

TEST(RateMeterTest, SilenceIsARateToo) {
  RateMeter meter(10);
  meter.Sample(7, 0);
  EXPECT_TRUE(meter.Sample(7, 10));
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
}

TEST(RateMeterTest, ATotalThatShrinksHasNotGrown) {
  RateMeter meter(10);
  meter.Sample(1000, 0);
  EXPECT_TRUE(meter.Sample(0, 10));
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
  EXPECT_TRUE(meter.Sample(10, 20));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
}

TEST(SmoothedValueTest, FollowsAStepByItsTimeConstant) {
  SmoothedValue value(100'000);
  EXPECT_EQ(value.value(), 0.0);
  value.Follow(100, 100'000);
  EXPECT_NEAR(value.value(), 63.2, 0.1);
  value.Follow(100, 1'000'000);
  EXPECT_NEAR(value.value(), 100, 0.1);
  value.Follow(0, 0);
  EXPECT_NEAR(value.value(), 100, 0.1);
}

TEST(SmoothedValueTest, ManyShortStepsAreOneLongOne) {
  SmoothedValue once(100'000);
  SmoothedValue often(100'000);
  once.Follow(50, 70'000);
  for (int i = 0; i < 70; ++i) often.Follow(50, 1'000);
  EXPECT_NEAR(once.value(), often.value(), 1e-9);
}

TEST(FadingMaximumTest, HalvesInItsHalfLife) {
  FadingMaximum maximum(1000);
  EXPECT_EQ(maximum.value(), 0.0);
  maximum.Raise(80);
  maximum.Raise(8);
  EXPECT_EQ(maximum.value(), 80.0);
  maximum.Fade(1000);
  EXPECT_NEAR(maximum.value(), 40, 1e-9);
  maximum.Fade(2000);
  EXPECT_NEAR(maximum.value(), 10, 1e-9);
  maximum.Raise(12);
  EXPECT_EQ(maximum.value(), 12.0);
}

}  // namespace
}  // namespace lull
