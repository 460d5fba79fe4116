// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/bandwidth.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::kSecondUs;

constexpr uint64_t kHalfLifeUs = 10 * kSecondUs;

class BandwidthTest : public ::testing::Test {
 protected:
  BandwidthTest() { bandwidth_.Observe(pressure_, now_us_); }

  /// One second in which these bytes were written, and compactions ran or did not.
  void Pass(uint64_t client_bytes, uint64_t background_bytes, bool compactions_run,
            bool device_is_busy = false) {
    pressure_.client_bytes_total += client_bytes;
    pressure_.background_bytes_total += background_bytes;
    pressure_.deep_running = compactions_run ? 1 : 0;
    now_us_ += kSecondUs;
    bandwidth_.Observe(pressure_, now_us_, device_is_busy);
  }

  uint64_t now_us_ = 5 * kSecondUs;
  Pressure pressure_;
  Bandwidth bandwidth_{0, kSecondUs, kHalfLifeUs};
};

TEST_F(BandwidthTest, IsUnknownUntilASpanHasEnded) {
  EXPECT_FALSE(bandwidth_.is_given());
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 0);
  pressure_.client_bytes_total = 1000;
  bandwidth_.Observe(pressure_, now_us_ + kSecondUs - 1);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 0);
}

TEST_F(BandwidthTest, IsTheMostThatClientsAndBackgroundWorkWroteTogether) {
  Pass(10'000, 20'000, true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 30'000);
  Pass(40'000, 0, false);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 40'000);
}

TEST_F(BandwidthTest, FadesWhileCompactionsRunAndDoNotReachIt) {
  Pass(100'000, 0, false);
  for (int i = 0; i < 10; ++i) Pass(0, 1000, true);
  EXPECT_NEAR(bandwidth_.bytes_per_sec(), 50'000, 1);
}

TEST_F(BandwidthTest, TimeWithoutCompactionsIsNoEvidence) {
  Pass(100'000, 0, false);
  for (int i = 0; i < 1000; ++i) Pass(10, 0, false);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 100'000);
}

TEST_F(BandwidthTest, NorIsTimeAtALimit) {
  Pass(100'000, 0, false);
  for (int i = 0; i < 1000; ++i) {
    bandwidth_.NoteLimit(30'000);
    bandwidth_.NoteLimit(60'000);
    Pass(10, 27'000, true);
  }
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 100'000);
  // A limit that is far from reached does not explain the low rate.
  bandwidth_.NoteLimit(30'000);
  Pass(10, 26'000, true);
  EXPECT_LT(bandwidth_.bytes_per_sec(), 100'000);
}

TEST_F(BandwidthTest, OnABusyDeviceOneSecondOfCompactionsIsProof) {
  Pass(150'000, 0, false);
  Pass(20'000, 0, false, /*device_is_busy=*/true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 150'000) << "no compaction ran";
  Pass(20'000, 80'000, true, /*device_is_busy=*/true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 100'000);
  bandwidth_.NoteLimit(30'000);
  Pass(20'000, 30'000, true, /*device_is_busy=*/true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 100'000) << "held by a limit";
}

TEST_F(BandwidthTest, ALimitCountsForItsSpanAlone) {
  Pass(100'000, 0, false);
  bandwidth_.NoteLimit(20'000);
  Pass(0, 20'000, true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 100'000);
  Pass(0, 20'000, true);
  EXPECT_LT(bandwidth_.bytes_per_sec(), 100'000);
}

TEST_F(BandwidthTest, WasTriedWhenCompactionsRanAllTheTimeBelowTheirLimit) {
  Pass(100'000, 0, false);
  EXPECT_FALSE(bandwidth_.was_tried());
  pressure_.deep_running = 1;
  bandwidth_.Observe(pressure_, now_us_ + kSecondUs / 2);
  Pass(100'000, 5'000, false);  // half of the time
  EXPECT_FALSE(bandwidth_.was_tried());
  bandwidth_.NoteLimit(5'000);
  Pass(100'000, 5'000, true);
  EXPECT_FALSE(bandwidth_.was_tried());
  bandwidth_.NoteLimit(10'000);
  Pass(100'000, 5'000, true);
  EXPECT_TRUE(bandwidth_.was_tried());
}

TEST_F(BandwidthTest, OneThatIsGivenStands) {
  bandwidth_ = Bandwidth(70'000, kSecondUs, kHalfLifeUs);
  EXPECT_TRUE(bandwidth_.is_given());
  Pass(1'000'000, 0, false);
  Pass(0, 1000, true);
  EXPECT_EQ(bandwidth_.bytes_per_sec(), 70'000);
}

}  // namespace
}  // namespace lull
