// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/read_loss.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace lull {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kMissNs = 2'000;

/// An L0 whose compaction takes half a second: 2 * (16 + 9) MiB at 100 MiB/s.
Pressure HalfASecond() {
  Pressure pressure;
  pressure.l0_due = true;
  pressure.l0_tables = 8;
  pressure.l0_bytes = 16 * kMiB;
  pressure.l1_bytes = 9 * kMiB;
  pressure.flush_bytes_per_sec = 100 * kMiB;
  return pressure;
}
constexpr uint64_t kMissesInHalfASecond = 250'000;

TEST(ReadLossTest, PaysWhenReadsLostWhatTheCompactionTakes) {
  ReadLoss loss(kMissNs);
  Pressure pressure = HalfASecond();
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0()) << "nobody reads";
  pressure.l0_misses_total = kMissesInHalfASecond - 1;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());
  pressure.l0_misses_total = kMissesInHalfASecond;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0());
  pressure.l1_bytes += 4 * kMiB;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0()) << "a larger L1 makes it dearer";
}

TEST(ReadLossTest, BeginsAnewWhenTablesAreTakenOut) {
  ReadLoss loss(kMissNs);
  Pressure pressure = HalfASecond();
  loss.Observe(pressure);
  pressure.l0_misses_total = 10 * kMissesInHalfASecond;
  pressure.l0_tables = 9;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0()) << "a new table takes nothing off";
  pressure.l0_tables = 8;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());
  pressure.l0_misses_total += kMissesInHalfASecond;
  loss.Observe(pressure);
  EXPECT_TRUE(loss.PaysForL0());
}

TEST(ReadLossTest, NeedsAScaleAndSomethingToDo) {
  ReadLoss loss(kMissNs);
  Pressure pressure = HalfASecond();
  pressure.l0_misses_total = 100 * kMissesInHalfASecond;
  pressure.flush_bytes_per_sec = 0;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0()) << "it is not known what a compaction takes";
  pressure = HalfASecond();
  pressure.l0_misses_total = 100 * kMissesInHalfASecond;
  pressure.l0_due = false;
  loss.Observe(pressure);
  EXPECT_FALSE(loss.PaysForL0());

  ReadLoss never(0);
  pressure.l0_due = true;
  never.Observe(pressure);
  EXPECT_FALSE(never.PaysForL0());
}

}  // namespace
}  // namespace lull
