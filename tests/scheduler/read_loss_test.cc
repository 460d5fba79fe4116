// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/read_loss.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace lull {
namespace {

constexpr uint64_t kMissBytes = 400;
constexpr uint64_t kMisses = 100'000;  // their cost equals that of Dear()

Pressure Dear() {
  Pressure pressure;
  pressure.l0_due = true;
  pressure.l0_tables = 8;
  pressure.l0_bytes = 30'000'000;
  pressure.l1_bytes = 10'000'000;
  return pressure;
}

TEST(ReadLossTest, PaysWhenReadsLostWhatTheCompactionTakes) {
  ReadLoss loss(kMissBytes);
  Pressure pressure = Dear();
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0()) << "nobody reads";
  pressure.l0_misses_total = kMisses - 1;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());
  pressure.l0_misses_total = kMisses;
  pressure.l1_bytes += 1'000'000;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0()) << "a larger L1 makes it dearer";
  pressure.l0_misses_total = kMisses + 2500;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0());
  pressure.l0_bytes *= 2;
  pressure.l0_tables = 16;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0()) << "later jobs do not delay a job that is paid for";
}

TEST(ReadLossTest, BeginsAnewWhenTablesAreTakenOut) {
  ReadLoss loss(kMissBytes);
  Pressure pressure = Dear();
  loss.Observe(pressure);
  pressure.l0_misses_total = 10 * kMisses;
  pressure.l0_tables = 9;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0()) << "a new table takes nothing off";
  pressure.l0_tables = 8;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());
  pressure.l0_misses_total += kMisses;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0());
}

TEST(ReadLossTest, NeedsSomethingToDoAndAPrice) {
  ReadLoss loss(kMissBytes);
  Pressure pressure = Dear();
  pressure.l0_misses_total = 10 * kMisses;
  pressure.l0_due = false;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());

  ReadLoss never(0);
  pressure = Dear();
  pressure.l0_bytes = pressure.l1_bytes = 0;
  pressure.l0_misses_total = 10 * kMisses;
  never.Observe(pressure);
  EXPECT_FALSE(never.PaysForL0());
}

}  // namespace
}  // namespace lull
