// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/device_watch.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "gtest/gtest.h"
#include "scheduler/policy.h"

namespace lull {
namespace {

constexpr uint64_t kTickUs = 10'000;

/// A write is under way while memory is flushed.
Pressure WriteDuringFlush() {
  Pressure pressure;
  pressure.client_bytes_total = 1'000;
  pressure.immutables = 1;
  pressure.write_under_way = true;
  pressure.memory_budget_bytes = 64 << 20;
  pressure.memtable_bytes = 4 << 20;
  return pressure;
}

class DeviceWatchTest : public ::testing::Test {
 protected:
  /// Some ticks with the same pressure. Returns the answer after the last.
  bool IsBusyAfter(const Pressure& pressure, int ticks, bool slowed = false) {
    for (int i = 0; i < ticks; ++i) watch_.Observe(pressure, slowed, now_us_ += kTickUs);
    return watch_.IsBusy();
  }

  DeviceWatch watch_;
  uint64_t now_us_ = 1'000'000;
};

TEST_F(DeviceWatchTest, AWriteWithoutProgressDuringAFlush) {
  EXPECT_FALSE(IsBusyAfter(WriteDuringFlush(), 2)) << "one tick without progress";
  EXPECT_TRUE(IsBusyAfter(WriteDuringFlush(), 1));
}

TEST_F(DeviceWatchTest, AWriteWithoutProgressDuringACompaction) {
  Pressure pressure = WriteDuringFlush();
  pressure.immutables = 0;
  pressure.deep_running = 1;
  EXPECT_TRUE(IsBusyAfter(pressure, 3));
}

TEST_F(DeviceWatchTest, ProgressOrNoWriteOrNoBackgroundWork) {
  Pressure pressure = WriteDuringFlush();
  for (int i = 0; i < 10; ++i) {
    pressure.client_bytes_total += 100;
    EXPECT_FALSE(IsBusyAfter(pressure, 1));
  }
  pressure.write_under_way = false;
  EXPECT_FALSE(IsBusyAfter(pressure, 10));
  pressure.write_under_way = true;
  pressure.immutables = 0;
  EXPECT_FALSE(IsBusyAfter(pressure, 10));
}

TEST_F(DeviceWatchTest, WritesThatThePolicySlows) {
  EXPECT_FALSE(IsBusyAfter(WriteDuringFlush(), 10, /*slowed=*/true));
}

TEST_F(DeviceWatchTest, ForgetsAfterAMinute) {
  ASSERT_TRUE(IsBusyAfter(WriteDuringFlush(), 3));
  Pressure pressure = WriteDuringFlush();
  pressure.write_under_way = false;
  EXPECT_TRUE(IsBusyAfter(pressure, 5'990));
  EXPECT_FALSE(IsBusyAfter(pressure, 20));
}

/// The policy limits flushes only then, and not below what clients write.
TEST_F(DeviceWatchTest, LullLimitsFlushesOnABusyDevice) {
  const std::unique_ptr<Policy> policy = MakePolicy("lull", PolicyOptions());
  Pressure pressure = WriteDuringFlush();
  constexpr uint64_t kClients = 40 << 20;  // a second
  Directive wanted;
  for (int i = 0; i < 100; ++i) {
    pressure.client_bytes_total += kClients / 100;
    wanted = policy->OnEvent(EventKind::kTick, pressure, now_us_ += kTickUs);
  }
  EXPECT_EQ(wanted.flush_bytes_per_sec_max, 0u);
  for (int i = 0; i < 3; ++i)
    wanted = policy->OnEvent(EventKind::kTick, pressure, now_us_ += kTickUs);
  EXPECT_GT(wanted.flush_bytes_per_sec_max, 0u);
  for (int i = 0; i < 100; ++i) {
    pressure.client_bytes_total += kClients / 100;
    wanted = policy->OnEvent(EventKind::kTick, pressure, now_us_ += kTickUs);
  }
  EXPECT_GE(wanted.flush_bytes_per_sec_max, kClients);
  EXPECT_LE(wanted.flush_bytes_per_sec_max, 2 * kClients);
  pressure.idle_us = 1'000'000;
  pressure.write_under_way = false;
  wanted = policy->OnEvent(EventKind::kTick, pressure, now_us_ += kTickUs);
  EXPECT_EQ(wanted.flush_bytes_per_sec_max, 0u) << "in a lull nobody waits";
}

/// A rate that came from a cache limits compactions too little. On a busy device it is used all the
/// same, before any compaction ran, and one second of compactions corrects it.
TEST_F(DeviceWatchTest, LullLimitsCompactionsToWhatABusyDeviceTakes) {
  const std::unique_ptr<Policy> policy = MakePolicy("lull", PolicyOptions());
  constexpr uint64_t kCached = 150'000'000;
  constexpr uint64_t kDevice = 100'000'000;
  constexpr uint64_t kClients = 20'000'000;
  Pressure pressure = WriteDuringFlush();
  const auto second_of = [&](uint64_t clients, uint64_t background) {
    Directive wanted;
    for (int i = 0; i < 100; ++i) {
      pressure.client_bytes_total += clients / 100;
      pressure.background_bytes_total += background / 100;
      wanted = policy->OnEvent(EventKind::kTick, pressure, now_us_ += kTickUs);
    }
    return wanted.rate.bytes_per_sec;
  };
  second_of(kCached, 0);
  second_of(kCached, 0);
  second_of(0, 0);  // busy
  pressure.immutables = 0;
  pressure.l0_due = true;
  pressure.l0_tables = 4;
  pressure.l0_running = 1;
  const uint64_t first = second_of(kClients, kDevice - kClients);
  EXPECT_GT(first, 0u);
  EXPECT_LT(first, kCached);
  second_of(kClients, std::min(first, kDevice - kClients));
  const uint64_t later = second_of(kClients, kDevice / 2);
  EXPECT_LT(later, kDevice - kClients);
  EXPECT_GT(later, kDevice / 4);
}

}  // namespace
}  // namespace lull
