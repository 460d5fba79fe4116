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

TEST(RateMeterTest, ATotalThatShrinksHasNotGrown) {
  RateMeter meter(10);
  meter.Sample(1000, 0);
  EXPECT_TRUE(meter.Sample(0, 10));
  EXPECT_EQ(meter.bytes_per_sec(), 0.0);
  EXPECT_TRUE(meter.Sample(10, 20));
  EXPECT_EQ(meter.bytes_per_sec(), 1e6);
}

}  // namespace
}  // namespace lull
