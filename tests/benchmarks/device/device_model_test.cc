// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The arithmetic of the device model: rates, fairness, the page cache. No clock and no thread.
#include "benchmarks/device/device_model.h"

#include <gtest/gtest.h>

#include "tests/support/units.h"

namespace lull::bench {
namespace {

using testing::kMsNanos;

constexpr uint64_t kMB = 1'000'000;

// 1 MB takes 10 ms; nothing else takes time.
DeviceSpec Plain() { return {"plain", 100e6, 0, 0, 0, 1000 * kMB}; }

// Advances to the end of a sync and returns its time.
uint64_t EndOf(DeviceModel& device, DeviceModel::Ticket ticket) {
  const uint64_t end_ns = device.EndsAtNs(ticket);
  device.Advance(end_ns - 1);
  EXPECT_FALSE(device.TakeEnded(ticket));
  device.Advance(end_ns);
  EXPECT_TRUE(device.TakeEnded(ticket));
  return end_ns;
}

TEST(DeviceModelTest, ASyncTakesItsBytesRequestFlushAndLatency) {
  DeviceModel device({"all", 100e6, 2.0 * kMsNanos, 3.0 * kMsNanos, 4.0 * kMsNanos, 1000 * kMB});
  device.Append("a", kMB);
  EXPECT_EQ(EndOf(device, device.Sync("a")), (10 + 2 + 3 + 4) * kMsNanos);
  EXPECT_EQ(device.written_bytes(), kMB);
  EXPECT_EQ(device.dirty_bytes(), 0u);
  // No bytes to write, only the flush.
  EXPECT_EQ(EndOf(device, device.Sync("a")), (19 + 2 + 3 + 4) * kMsNanos);
}

TEST(DeviceModelTest, LatencyDelaysOneSyncAndOccupiesNoDevice) {
  DeviceModel device({"far", 100e6, 0, 0, 50.0 * kMsNanos, 1000 * kMB});
  device.Append("a", kMB);
  device.Append("b", kMB);
  const auto a = device.Sync("a");
  const auto b = device.Sync("b");
  EXPECT_EQ(device.EndsAtNs(a), 70 * kMsNanos);
  EXPECT_EQ(device.EndsAtNs(b), 70 * kMsNanos);
}

TEST(DeviceModelTest, TwoFilesShareAndTheLongerOneGoesOnAlone) {
  DeviceModel device(Plain());
  device.Append("short", kMB);
  device.Append("long", 3 * kMB);
  const auto of_long = device.Sync("long");
  const auto of_short = device.Sync("short");
  EXPECT_EQ(device.EndsAtNs(of_short), 20 * kMsNanos);
  EXPECT_EQ(device.EndsAtNs(of_long), 40 * kMsNanos);
}

TEST(DeviceModelTest, ASmallSyncIsNotBehindALargeOne) {
  DeviceModel device(Plain());
  device.Append("table", 100 * kMB);  // takes a second
  const auto table = device.Sync("table");
  device.Advance(100 * kMsNanos);
  device.Append("log", kMB / 10);
  EXPECT_EQ(EndOf(device, device.Sync("log")), 102 * kMsNanos);  // at half the speed
  EXPECT_EQ(EndOf(device, table), 1001 * kMsNanos);
}

TEST(DeviceModelTest, ManyRequestsOfAFileGetNoMoreThanOne) {
  DeviceModel device(Plain());
  DeviceModel::Ticket last = 0;
  for (int i = 0; i < 4; ++i) {
    device.Append("many", kMB);
    last = device.Sync("many");
  }
  device.Append("one", 4 * kMB);
  const auto one = device.Sync("one");
  EXPECT_EQ(device.EndsAtNs(last), 80 * kMsNanos);
  EXPECT_EQ(device.EndsAtNs(one), 80 * kMsNanos);
}

TEST(DeviceModelTest, WhatComesLaterPutsAnEndOff) {
  DeviceModel device(Plain());
  device.Append("a", 2 * kMB);
  const auto a = device.Sync("a");
  EXPECT_EQ(device.EndsAtNs(a), 20 * kMsNanos);
  device.Advance(10 * kMsNanos);
  device.Append("b", kMB);
  device.Sync("b");
  EXPECT_EQ(device.EndsAtNs(a), 30 * kMsNanos);
}

TEST(DeviceModelTest, ASteadyWriterGetsTheBandwidth) {
  DeviceModel device({"small cache", 100e6, 0, 0, 0, 10 * kMB});
  uint64_t now_ns = 0;
  for (int i = 0; i < 200; ++i) {  // 1 MB at a time, as fast as there is room
    device.Append("a", kMB);
    if (device.full()) {
      now_ns = device.RoomAtNs();
      device.Advance(now_ns);
      EXPECT_FALSE(device.full());
    }
  }
  // The device writes 190 of 200 MB; the cache holds the rest.
  EXPECT_NEAR(static_cast<double>(now_ns), 1.9e9, 0.03e9);
  EXPECT_LE(device.dirty_bytes(), 10 * kMB);
  EXPECT_EQ(device.written_bytes() + device.dirty_bytes(), 200 * kMB);
}

TEST(DeviceModelTest, BelowHalfNothingIsWrittenBack) {
  DeviceModel device({"cache", 100e6, 0, 0, 0, 10 * kMB});
  device.Append("a", 5 * kMB);
  device.Advance(1000 * kMsNanos);
  EXPECT_EQ(device.dirty_bytes(), 5 * kMB);
  device.Append("a", 1);
  device.Advance(2000 * kMsNanos);
  EXPECT_LT(device.dirty_bytes(), 5 * kMB) << "a piece of it";
  EXPECT_GT(device.dirty_bytes(), 3 * kMB);
}

TEST(DeviceModelTest, WhatIsRemovedNeedNotBeWritten) {
  DeviceModel device({"cache", 100e6, 0, 0, 0, 10 * kMB});
  device.Append("a", 20 * kMB);
  EXPECT_TRUE(device.full());
  device.Remove("a");
  EXPECT_FALSE(device.full());
  device.Advance(1000 * kMsNanos);
  EXPECT_EQ(device.written_bytes(), 0u);
  const auto sync = device.Sync("b");
  device.Remove("b");
  EXPECT_TRUE(device.TakeEnded(sync)) << "nobody waits for a file that is gone";
}

TEST(DeviceModelTest, ARenamedFileKeepsItsBytesAndReplacesTheOther) {
  DeviceModel device(Plain());
  device.Append("new", kMB);
  device.Append("old", 5 * kMB);
  device.Rename("new", "old");
  EXPECT_EQ(device.dirty_bytes(), kMB);
  EXPECT_EQ(device.EndsAtNs(device.Sync("old")), 10 * kMsNanos);
}

TEST(DeviceModelTest, Presets) {
  EXPECT_EQ(DeviceModel::FindPreset("floppy"), nullptr);
  // A synced append of 4 KB: only the disk has a rotation delay.
  const auto sync_us = [](const char* name) {
    DeviceModel device(*DeviceModel::FindPreset(name));
    device.Append("log", 4096);
    return device.EndsAtNs(device.Sync("log")) / 1000;
  };
  EXPECT_NEAR(sync_us("hdd"), 12'000, 100);
  EXPECT_NEAR(sync_us("sata"), 669, 2);
  EXPECT_NEAR(sync_us("nvme"), 42, 1);
  EXPECT_NEAR(sync_us("100mb"), 141, 1);
}

}  // namespace
}  // namespace lull::bench
