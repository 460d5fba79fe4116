// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writers get the configured rate, whatever a write costs and however late sleepers wake.
#include "db/write/admission.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"

namespace lull {
namespace {

constexpr uint64_t kNanosPerSecond = 1'000'000'000;

/// Sleepers wake late, as on a real machine.
class LateClock final : public Clock {
 public:
  explicit LateClock(uint64_t late_nanos) : late_nanos_(late_nanos) {}
  uint64_t NowNanos() const override { return now_nanos_; }
  void SleepForNanos(uint64_t nanos) override {
    ++sleeps_;
    longest_nanos_ = std::max(longest_nanos_, nanos + late_nanos_);
    Advance(nanos + late_nanos_);
    if (admission_ != nullptr && sleeps_ == release_after_) admission_->Apply(Directive());
  }
  void Advance(uint64_t nanos) { now_nanos_ += nanos; }
  /// The monitor lifts the limit during the `sleeps`th sleep.
  void ReleaseIn(Admission* admission, int sleeps) {
    admission_ = admission;
    release_after_ = sleeps_ + sleeps;
  }
  int sleeps() const { return sleeps_; }
  uint64_t longest_nanos() const { return longest_nanos_; }

 private:
  const uint64_t late_nanos_;
  uint64_t now_nanos_ = kNanosPerSecond;
  int sleeps_ = 0;
  uint64_t longest_nanos_ = 0;
  Admission* admission_ = nullptr;
  int release_after_ = 0;
};

Directive LimitTo(uint64_t bytes_per_sec) {
  Directive directive;
  directive.write_bytes_per_sec_max = bytes_per_sec;
  return directive;
}

struct Load {
  uint64_t bytes;        // of a write
  uint64_t rate;         // allowed, bytes a second
  uint64_t write_nanos;  // duration of a write without delay
  uint64_t late_nanos;   // of a sleep
};

class AdmissionRateTest : public ::testing::TestWithParam<Load> {};

TEST_P(AdmissionRateTest, IsThatOfTheDirective) {
  const Load load = GetParam();
  LateClock clock(load.late_nanos);
  Admission admission(&clock);
  admission.Apply(LimitTo(load.rate));
  const uint64_t begin = clock.NowNanos();
  const uint64_t total = 2 * load.rate;  // two seconds' worth
  for (uint64_t written = 0; written < total; written += load.bytes) {
    admission.Await(load.bytes);
    clock.Advance(load.write_nanos);
  }
  const double seconds = static_cast<double>(clock.NowNanos() - begin) / kNanosPerSecond;
  EXPECT_NEAR(seconds, 2.0, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Loads, AdmissionRateTest,
                         ::testing::Values(Load{128, 20'000'000, 1'000, 60'000},
                                           Load{128, 100'000, 1'000, 60'000},
                                           Load{12'000, 150'000'000, 40'000, 60'000},
                                           Load{12'000, 150'000'000, 40'000, 10'000},
                                           Load{12'000, 150'000'000, 79'000, 150'000},
                                           Load{1'000'000, 50'000'000, 2'000'000, 60'000}),
                         [](const auto& info) {
                           return std::to_string(info.param.bytes) + "At" +
                                  std::to_string(info.param.rate) + "Late" +
                                  std::to_string(info.param.late_nanos / 1000);
                         });

TEST(AdmissionTest, WhoStaysBelowTheLimitNeverSleeps) {
  LateClock clock(60'000);
  Admission admission(&clock);
  admission.Apply(LimitTo(100'000'000));
  for (int i = 0; i < 10'000; ++i) {
    admission.Await(1'000);
    clock.Advance(11'000);
  }
  EXPECT_EQ(clock.sleeps(), 0);
}

TEST(AdmissionTest, APauseIsNoReasonToOutrunTheLimitBehindIt) {
  LateClock clock(0);
  Admission admission(&clock);
  admission.Apply(LimitTo(1'000'000));
  admission.Await(1'000);
  clock.Advance(10 * kNanosPerSecond);
  const uint64_t begin = clock.NowNanos();
  for (int i = 0; i < 1'000; ++i) admission.Await(1'000);
  EXPECT_GE(clock.NowNanos() - begin, 98 * kNanosPerSecond / 100);
}

TEST(AdmissionTest, NobodyWaitsForWhatWasOwedAtARateThatHasPassed) {
  LateClock clock(0);
  Admission admission(&clock);
  admission.Apply(LimitTo(1'000));
  admission.Await(1'000'000);  // a thousand seconds' worth
  admission.Apply(LimitTo(1'000'000'000));
  const uint64_t begin = clock.NowNanos();
  admission.Await(1'000);
  EXPECT_LE(clock.NowNanos() - begin, 20'000'000u);
  EXPECT_LE(clock.longest_nanos(), 1'000'000u);
}

TEST(AdmissionTest, AReleaseWakesWhoSleepsAndForgivesWhatIsOwed) {
  LateClock clock(0);
  Admission admission(&clock);
  admission.Apply(LimitTo(1'000'000));
  admission.Await(15'000);  // 15 ms' worth
  clock.ReleaseIn(&admission, 2);
  const uint64_t begin = clock.NowNanos();
  admission.Await(15'000);
  EXPECT_LE(clock.NowNanos() - begin, 2'000'000u);
  EXPECT_FALSE(admission.HoldsWrites());
  admission.Apply(LimitTo(1'000'000));
  const int before = clock.sleeps();
  admission.Await(1);
  EXPECT_EQ(clock.sleeps(), before);
}

TEST(AdmissionTest, ADelayIsForEveryWriteAndEndsAtTwentyMilliseconds) {
  LateClock clock(0);
  Admission admission(&clock);
  Directive directive;
  directive.delay_us_per_write = 1'000;
  admission.Apply(directive);
  const uint64_t begin = clock.NowNanos();
  for (int i = 0; i < 3; ++i) admission.Await(1);
  EXPECT_EQ(clock.NowNanos() - begin, 3'000'000u);
  directive.delay_us_per_write = 3'600'000'000;
  admission.Apply(directive);
  admission.Await(1);
  EXPECT_EQ(clock.NowNanos() - begin, 23'000'000u);
}

}  // namespace
}  // namespace lull
