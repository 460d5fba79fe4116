// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_sizes.h"

#include <gtest/gtest.h>

namespace lull {
namespace {

constexpr uint64_t kKilobyte = 1 << 10;
constexpr uint64_t kMegabyte = 1 << 20;

/// A store with small memtables, whose WALs take 320 KiB.
WalSizes SmallStore() { return {.memtable_bytes = 64 * kKilobyte}; }

TEST(WalSizesTest, CapacityIsThatOfAMemtableUpToALimit) {
  EXPECT_EQ(SmallStore().Capacity(LogFileMode::kMapped), 320 * kKilobyte);
  EXPECT_EQ(WalSizes{.memtable_bytes = 1 << 30}.Capacity(LogFileMode::kMapped), 64 * kMegabyte);
}

TEST(WalSizesTest, ZerosAreWrittenForLittleMoreThanTheLastWal) {
  WalSizes sizes = SmallStore();
  EXPECT_EQ(sizes.Capacity(LogFileMode::kWrite), 320 * kKilobyte) << "there is no last one";
  sizes.last_wal_bytes = 64 * kKilobyte;
  EXPECT_EQ(sizes.Capacity(LogFileMode::kWrite), 81 * kKilobyte);
  EXPECT_EQ(sizes.Capacity(LogFileMode::kMapped), 320 * kKilobyte);
  sizes.last_wal_bytes = 400 * kKilobyte;
  EXPECT_EQ(sizes.Capacity(LogFileMode::kWrite), 320 * kKilobyte);
}

TEST(WalSizesTest, AWalThatAClientWaitsForBeginsSmall) {
  WalSizes sizes = SmallStore();
  EXPECT_EQ(sizes.FirstCapacity(LogFileMode::kMapped), 32 * kKilobyte);
  EXPECT_EQ(sizes.FirstCapacity(LogFileMode::kWrite), 0u);
  sizes.disk_low = true;
  EXPECT_EQ(sizes.FirstCapacity(LogFileMode::kMapped), 0u);
}

TEST(WalSizesTest, PreparedWalsTakeAShareOfTheTables) {
  struct Row {
    uint64_t table_bytes;
    bool were_used_up, clients_rest, disk_low;
    size_t count;
  };
  for (const Row& row : {Row{UINT64_MAX, false, false, false, 2},
                         {UINT64_MAX, true, false, false, 6},
                         {0, true, false, false, 2},
                         {4 * kMegabyte, true, false, false, 3},
                         {1 << 30, true, true, false, 6},
                         {20 * kMegabyte, true, true, false, 4},
                         {20 * kMegabyte, false, true, false, 2},
                         {0, true, true, false, 0},
                         {UINT64_MAX, true, false, true, 1},
                         {0, true, true, true, 1}}) {
    WalSizes sizes = SmallStore();
    sizes.table_bytes = row.table_bytes;
    sizes.prepared_were_used_up = row.were_used_up;
    sizes.clients_rest = row.clients_rest;
    sizes.disk_low = row.disk_low;
    EXPECT_EQ(sizes.PreparedCount(), row.count)
        << row.table_bytes << row.were_used_up << row.clients_rest << row.disk_low;
  }
}

TEST(WalSizesTest, TheCurrentWalOfARestingStoreTakesAnEighth) {
  WalSizes sizes = SmallStore();
  EXPECT_FALSE(sizes.IsTooLargeForRest(1 << 30)) << "the size of the tables is unknown";
  sizes.table_bytes = 0;
  EXPECT_FALSE(sizes.IsTooLargeForRest(256 * kKilobyte));
  EXPECT_TRUE(sizes.IsTooLargeForRest(256 * kKilobyte + 1));
  sizes.table_bytes = 80 * kMegabyte;
  EXPECT_FALSE(sizes.IsTooLargeForRest(10 * kMegabyte));
  EXPECT_TRUE(sizes.IsTooLargeForRest(10 * kMegabyte + 1));
}

TEST(WalSizesTest, AFileFitsIfItIsNeitherTooSmallNorTooLarge) {
  WalSizes sizes = SmallStore();
  sizes.last_wal_bytes = 64 * kKilobyte;  // so new ones have 81 KiB
  const uint64_t least = 64 * kKilobyte + 17 * kKilobyte / 2;
  EXPECT_FALSE(sizes.FitsReuse(least - 1));
  EXPECT_TRUE(sizes.FitsReuse(least));
  EXPECT_TRUE(sizes.FitsReuse(2 * 81 * kKilobyte));
  EXPECT_FALSE(sizes.FitsReuse(2 * 81 * kKilobyte + 1));
  sizes.last_wal_bytes = 400 * kKilobyte;  // more than is ever preallocated
  EXPECT_TRUE(sizes.FitsReuse(320 * kKilobyte));
}

TEST(WalSizesTest, WalsLeaveSpaceForTheNextOpen) {
  EXPECT_EQ(SmallStore().KeptFreeBytes(), 64 * kKilobyte);
  EXPECT_EQ(WalSizes{.memtable_bytes = 4 * kMegabyte}.KeptFreeBytes(), 256 * kKilobyte);
}

TEST(WalSizesTest, TheInputsAreWhatThreadsPublished) {
  WalSizeInputs inputs{.memtable_bytes = 64 * kKilobyte};
  EXPECT_EQ(inputs.Sizes(), SmallStore());
  inputs.clients_sync = inputs.clients_rest = inputs.disk_low = true;
  inputs.prepared_were_used_up = true;
  inputs.table_bytes = 1;
  inputs.last_wal_bytes = 2;
  EXPECT_EQ(inputs.Sizes(), (WalSizes{64 * kKilobyte, 1, 2, true, true, true, true}));
}

TEST(WalExtentTest, TheWriterAsksEarlyButNotForFewRecords) {
  const WalExtent fresh{.bytes = 32 * kKilobyte, .bytes_max = 64 * kMegabyte};
  EXPECT_EQ(fresh.FirstLook(), 16 * kKilobyte);
  EXPECT_EQ(fresh.NextLook(15 * kKilobyte), (WalExtent::Look{16 * kKilobyte, false}));
  EXPECT_EQ(fresh.NextLook(16 * kKilobyte), (WalExtent::Look{20 * kKilobyte, true}));
  const WalExtent large{.bytes = 8 * kMegabyte, .bytes_max = 64 * kMegabyte};
  EXPECT_EQ(large.NextLook(kMegabyte), (WalExtent::Look{2 * kMegabyte, false}));
  EXPECT_EQ(large.BytesSoon(), 16 * kMegabyte);
}

TEST(WalExtentTest, ALargeRecordIsMadeRoomForAtOnce) {
  const WalExtent extent{.bytes = 32 * kKilobyte, .bytes_max = 320 * kKilobyte};
  EXPECT_EQ(extent.NeededFor(31 * kKilobyte), 0u);
  EXPECT_EQ(extent.NeededFor(32 * kKilobyte), 64 * kKilobyte) << "for the headers too";
  EXPECT_GT(extent.NeededFor(200 * kKilobyte), 200 * kKilobyte);
  EXPECT_EQ((WalExtent{.bytes = 32 * kKilobyte}.NeededFor(200 * kKilobyte)), 0u)
      << "it cannot grow";
}

TEST(WalExtentTest, AFileIsEstimatedByItsMemtableIfNothingIsPreallocated) {
  EXPECT_EQ((WalExtent{.bytes = kKilobyte}.FileBytes(kMegabyte)), kKilobyte);
  EXPECT_EQ(WalExtent{}.FileBytes(kMegabyte), kMegabyte);
}

}  // namespace
}  // namespace lull
