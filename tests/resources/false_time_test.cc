// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A process with a false time, as libfaketime gives it: the clocks stand still, run slowly or fast,
// or go back. A store must write, flush, compact and close nevertheless, and must not spin.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <ostream>
#include <string>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr double kYearPerSecond = 365.0 * 24 * 3600;

/// False time = start + speed * (real time - start).
struct FalseTime {
  const char* name;
  double calendar_speed;
  double monotonic_speed;
};
std::ostream& operator<<(std::ostream& out, const FalseTime& time) { return out << time.name; }

std::atomic<const FalseTime*> false_time{nullptr};
std::array<std::atomic<int64_t>, 2> began_nanos;  // calendar, monotonic
std::atomic<uint64_t> readings{0};

int64_t RealNanos(clockid_t clock) {
  timespec now = {};
  syscall(SYS_clock_gettime, clock, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

int64_t Nanos(clockid_t clock) {
  readings.fetch_add(1, std::memory_order_relaxed);
  const FalseTime* const time = false_time.load();
  const int64_t real = RealNanos(clock);
  if (time == nullptr || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return real;
  const int64_t began = began_nanos[clock == CLOCK_MONOTONIC];
  const double speed = clock == CLOCK_MONOTONIC ? time->monotonic_speed : time->calendar_speed;
  return began + static_cast<int64_t>(speed * static_cast<double>(real - began));
}

}  // namespace
}  // namespace lull

// The standard library calls these instead of libc's.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int64_t nanos = lull::Nanos(clock);
  now->tv_sec = nanos / lull::kNanosPerSecond;
  now->tv_nsec = nanos % lull::kNanosPerSecond;
  return 0;
}

namespace lull {
namespace {

class FalseTimeTest : public ::testing::TestWithParam<FalseTime> {
 protected:
  static constexpr int kKeys = 1500;
  static constexpr unsigned kHangSeconds = 120;

  FalseTimeTest() {
    alarm(kHangSeconds);
    began_nanos[0] = RealNanos(CLOCK_REALTIME);
    began_nanos[1] = RealNanos(CLOCK_MONOTONIC);
    false_time = &GetParam();
    readings = 0;
  }
  ~FalseTimeTest() override {
    db_.reset();
    false_time = nullptr;
    alarm(0);
  }
  void Open(const std::string& scheduling) {
    const auto options = testing::SmallOptions(leveldb::Env::Default());
    ASSERT_EQ(testing::OpenAt(options, name_, &db_, scheduling).ToString(), "OK");
  }
  void Fill(const std::string& value) {
    leveldb::WriteOptions options;
    for (int i = 0; i < kKeys; ++i) {
      options.sync = i % 500 == 0;
      ASSERT_TRUE(db_->Put(options, std::to_string(i * 7919 % kKeys), value).ok());
    }
  }

  const std::string name_ = testing::FreshDirectory("false_time");
  std::unique_ptr<leveldb::DB> db_;
};

// The limits let background work and writes wait for time to pass.
TEST_P(FalseTimeTest, ASessionEnds) {
  for (const char* scheduling :
       {"", "background_bytes_per_sec=10M", "policy=leveldb;l0_trigger=1;l0_slowdown=1;l0_stop=2",
        "policy=silk;latency_histograms=true", "policy=adoc", "policy=idle-quiet",
        "stats_file=lull.prom"}) {
    SCOPED_TRACE(scheduling);
    ASSERT_NO_FATAL_FAILURE(Open(scheduling));
    ASSERT_NO_FATAL_FAILURE(Fill(std::string(500, 'a')));
    ASSERT_TRUE(Flush(db_.get()).ok());
    db_->CompactRange(nullptr, nullptr);
    ASSERT_NO_FATAL_FAILURE(Fill(std::string(500, 'b')));
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
    db_.reset();
    ASSERT_NO_FATAL_FAILURE(Open(scheduling));
    const testing::Contents found = testing::ReadAll(db_.get());
    EXPECT_EQ(found.size(), size_t{kKeys});
    for (const auto& [key, value] : found) EXPECT_EQ(value, std::string(500, 'b')) << key;
    db_.reset();
  }
  if (GetParam().monotonic_speed == kYearPerSecond) return;  // no wait is short enough
  EXPECT_LT(readings.load(), 2'000'000u) << "a wait that returns at once makes its loop spin";
}

INSTANTIATE_TEST_SUITE_P(
    Clocks, FalseTimeTest,
    ::testing::Values(FalseTime{"Real", 1, 1}, FalseTime{"Frozen", 0, 0},
                      FalseTime{"Slow", 1e-3, 1e-3}, FalseTime{"Fast", 1e3, 1e3},
                      FalseTime{"YearEachSecond", kYearPerSecond, kYearPerSecond},
                      FalseTime{"Back", -1, -1}, FalseTime{"CalendarBack", -100, 1},
                      FalseTime{"CalendarFrozen", 0, 1}, FalseTime{"MonotonicFrozen", 1, 0}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lull
