// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writers get the configured rate, whatever a write costs and however late sleepers wake.
#include "db/engine/admission.h"

#include <algorithm>
#include <functional>

#include "gtest/gtest.h"

namespace lull {
namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;

/// Sleepers wake late, as on a real machine.
class LateClock final : public Clock {
 public:
  uint64_t NowNanos() const override { return now_nanos_; }
  void SleepForNanos(uint64_t nanos) override {
    ++sleeps;
    longest_nanos = std::max(longest_nanos, nanos + late_nanos);
    Advance(nanos + late_nanos);
    if (at_sleep) at_sleep();
  }
  void Advance(uint64_t nanos) { now_nanos_ += nanos; }

  uint64_t late_nanos = 0;
  int sleeps = 0;
  uint64_t longest_nanos = 0;
  std::function<void()> at_sleep;

 private:
  uint64_t now_nanos_ = kNanosPerSecond;
};

class AdmissionTest : public ::testing::Test {
 protected:
  void LimitTo(uint64_t bytes_per_sec) {
    Directive directive;
    directive.write_bytes_per_sec_max = bytes_per_sec;
    admission_.Apply(directive);
    begin_ = clock_.NowNanos();
  }
  uint64_t SinceLimit() const { return clock_.NowNanos() - begin_; }

  LateClock clock_;
  Admission admission_{&clock_};
  uint64_t begin_ = 0;
};

TEST_F(AdmissionTest, TheRateIsThatOfTheDirective) {
  struct Load {
    uint64_t bytes;        // of a write
    uint64_t rate;         // allowed, bytes a second
    uint64_t write_nanos;  // duration of a write without delay
    uint64_t late_nanos;   // of a sleep
  };
  for (const Load& load : {Load{128, 20'000'000, 1'000, 60'000},
                           {128, 100'000, 1'000, 60'000},
                           {12'000, 150'000'000, 40'000, 60'000},
                           {12'000, 150'000'000, 40'000, 10'000},
                           {12'000, 150'000'000, 79'000, 150'000},
                           {1'000'000, 50'000'000, 2'000'000, 60'000}}) {
    clock_.late_nanos = load.late_nanos;
    admission_.Apply(Directive());  // forgives what is owed
    LimitTo(load.rate);
    const uint64_t total = 2 * load.rate;  // two seconds' worth
    for (uint64_t written = 0; written < total; written += load.bytes) {
      admission_.Await(load.bytes);
      clock_.Advance(load.write_nanos);
    }
    EXPECT_NEAR(static_cast<double>(SinceLimit()) / kNanosPerSecond, 2.0, 0.02)
        << load.bytes << " bytes at " << load.rate << ", sleeps late by " << load.late_nanos;
  }
}

TEST_F(AdmissionTest, WhoStaysBelowTheLimitNeverSleeps) {
  LimitTo(100'000'000);
  for (int i = 0; i < 10'000; ++i) {
    admission_.Await(1'000);
    clock_.Advance(11'000);
  }
  EXPECT_EQ(clock_.sleeps, 0);
}

TEST_F(AdmissionTest, OneWriteInAThousandSleepsForAllOthers) {
  clock_.late_nanos = 60'000;
  LimitTo(160'000'000);
  int slept = 0;
  uint64_t longest_nanos = 0;
  for (int i = 0; i < 100'000; ++i) {
    const int sleeps_before = clock_.sleeps;
    const uint64_t begin = clock_.NowNanos();
    admission_.Await(1'000);
    longest_nanos = std::max(longest_nanos, clock_.NowNanos() - begin);
    slept += clock_.sleeps > sleeps_before;
    clock_.Advance(4'500);
  }
  EXPECT_NEAR(static_cast<double>(SinceLimit()) / kNanosPerSecond, 0.625, 0.01);
  EXPECT_LE(slept, 100);
  EXPECT_LE(longest_nanos, 5'000'000u);
}

TEST_F(AdmissionTest, APauseIsNoReasonToOutrunTheLimitBehindIt) {
  LimitTo(1'000'000);
  admission_.Await(1'000);
  clock_.Advance(10 * kNanosPerSecond);
  for (int i = 0; i < 1'000; ++i) admission_.Await(1'000);
  EXPECT_GE(SinceLimit(), 1098 * kNanosPerSecond / 100);
}

TEST_F(AdmissionTest, NobodyWaitsForWhatWasOwedAtARateThatHasPassed) {
  LimitTo(1'000);
  admission_.Await(1'000'000);  // a thousand seconds' worth
  LimitTo(1'000'000'000);
  admission_.Await(1'000);
  EXPECT_LE(SinceLimit(), 20'000'000u);
  EXPECT_LE(clock_.longest_nanos, 1'000'000u);
}

TEST_F(AdmissionTest, AReleaseWakesWhoSleepsAndForgivesWhatIsOwed) {
  LimitTo(1'000'000);
  admission_.Await(15'000);  // 15 ms' worth
  const uint64_t begin = clock_.NowNanos();
  const int before = clock_.sleeps;
  clock_.at_sleep = [&] {
    if (clock_.sleeps == before + 2) admission_.Apply(Directive());
  };
  admission_.Await(15'000);
  EXPECT_LE(clock_.NowNanos() - begin, 2'000'000u);
  EXPECT_FALSE(admission_.HoldsWrites());
  LimitTo(1'000'000);
  admission_.Await(1);
  EXPECT_EQ(clock_.sleeps, before + 2);
}

TEST_F(AdmissionTest, ADelayIsForEveryWriteAndEndsAtTwentyMilliseconds) {
  Directive directive;
  directive.delay_us_per_write = 1'000;
  admission_.Apply(directive);
  const uint64_t begin = clock_.NowNanos();
  for (int i = 0; i < 3; ++i) admission_.Await(1);
  EXPECT_EQ(clock_.NowNanos() - begin, 3'000'000u);
  directive.delay_us_per_write = 3'600'000'000;
  admission_.Apply(directive);
  admission_.Await(1);
  EXPECT_EQ(clock_.NowNanos() - begin, 23'000'000u);
}

}  // namespace
}  // namespace lull
