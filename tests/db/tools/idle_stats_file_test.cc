// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The stats file of an idle store: when it is written and touched, and what its readers make of
// that.
#include <functional>
#include <string>

#include "db/report/stats_file.h"
#include "db/report/stats_report.h"
#include "db/tools/stats_sources.h"
#include "gtest/gtest.h"
#include "leveldb/env.h"
#include "tests/db/support/stats_file_env.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"

namespace lull::tools {
namespace {

/// The file of a store whose stats a test changes by hand.
class IdleStatsFileTest : public ::testing::Test {
 protected:
  IdleStatsFileTest()
      : dir_(lull::testing::FreshDirectory("idle_stats")), path_(dir_ + "/lull.prom") {
    report_.name = dir_;
    report_.wall_seconds = 1'700'000'000;
    Pass(5.25);
  }
  void Pass(double seconds) {
    report_.activity.uptime_nanos += static_cast<uint64_t>(seconds * 1e9);
    wall_ += seconds;
    report_.wall_seconds = 1'700'000'000 + static_cast<uint64_t>(wall_);
  }
  StatsFile::Setup MakeSetup() {
    return {.env = &env_, .store = dir_, .path = path_, .read = [this] {
              return StatsFile::Stats{RenderPrometheus(report_), report_.activity.uptime_nanos,
                                      report_.wall_seconds};
            }};
  }
  /// Updates the file after some time; returns whether it was written.
  bool WritesAfter(double seconds, StatsFile* file) {
    Pass(seconds + 1e-6);  // a time in whole seconds is no stamp
    const uint64_t before = env_.attempts.count();
    EXPECT_EQ(file->Update().ToString(), "OK");
    return env_.attempts.count() > before;
  }
  /// The file, as a reader sees it.
  MetricsText Read() {
    MetricsText text;
    EXPECT_EQ(ReadStatsFile(&env_, path_, &text).ToString(), "OK");
    return text;
  }

  lull::testing::StatsFileEnv env_;
  const std::string dir_;
  const std::string path_;
  StoreReport report_;
  double wall_ = 0;
};

TEST_F(IdleStatsFileTest, IsNotWrittenAgainButShowsThatTheStoreIsAlive) {
  report_.space.oldest_deletion_seconds = 50;
  StatsFile file(MakeSetup());
  EXPECT_TRUE(WritesAfter(0, &file));
  for (int second = 1; second <= 200; ++second) {
    report_.space.oldest_deletion_seconds += 1;
    EXPECT_FALSE(WritesAfter(1, &file)) << second;
  }
  const MetricsText text = Read();
  EXPECT_NEAR(text.Get("lull_uptime_seconds"), 205.25, 0.01);
  EXPECT_NEAR(text.Get("lull_written_timestamp_seconds"), 1'700'000'205, 0.01);
  EXPECT_NEAR(text.Get("lull_oldest_deletion_seconds"), 250, 0.01);
  EXPECT_EQ(text.Get("lull_pin_oldest_seconds", {{"by", "readers"}}), 0);
}

TEST_F(IdleStatsFileTest, AnyChangeOfTheStoreIsWritten) {
  StatsFile file(MakeSetup());
  EXPECT_TRUE(WritesAfter(0, &file));
  const std::function<void()> changes[] = {
      [&] { report_.user_bytes += 1; },
      [&] { report_.activity.policy = "silk"; },
      [&] { report_.latencies.emplace(); },
      [&] { report_.latencies.reset(); },
      [&] {
        report_.space.readers = {1, 9'000'000'000, 0};
      },
      [&] { report_.space.readers.oldest_nanos = 0; },  // another reader
      [&] { wall_ += 3600; },
      [&] { wall_ -= 3600; }};
  for (size_t i = 0; i < std::size(changes); ++i) {
    EXPECT_FALSE(WritesAfter(1, &file)) << i;
    changes[i]();
    EXPECT_TRUE(WritesAfter(1, &file)) << i;
    if (report_.space.readers.count > 0) report_.space.readers.oldest_nanos += 1'000'000'000;
  }
}

// A store that fills the disk must not make all others write each second.
TEST_F(IdleStatsFileTest, WhatOthersChangeIsWrittenAfterAMinute) {
  StatsFile file(MakeSetup());
  EXPECT_TRUE(WritesAfter(0, &file));
  for (int second = 1; second < 60; ++second) {
    report_.space.disk_free_bytes += 1;
    report_.open_descriptors += 1;
    report_.memory_used_bytes += 1;
    EXPECT_FALSE(WritesAfter(1, &file)) << second;
  }
  EXPECT_TRUE(WritesAfter(1, &file));
  EXPECT_EQ(Read().Get("lull_disk_free_bytes"), 59);
}

// Removed, replaced, or on a file system that cannot store the time.
TEST_F(IdleStatsFileTest, AFileThatCannotBeTouchedIsWritten) {
  StatsFile file(MakeSetup());
  EXPECT_TRUE(WritesAfter(0, &file));
  EXPECT_FALSE(WritesAfter(3, &file));
  ASSERT_TRUE(env_.RemoveFile(path_).ok());
  EXPECT_TRUE(WritesAfter(3, &file));
  env_.touches = false;
  EXPECT_TRUE(WritesAfter(3, &file));
  ASSERT_TRUE(WriteStringToFile(&env_, "my notes\n", path_).ok());
  env_.touches = true;
  Pass(3);
  EXPECT_TRUE(file.Update().IsInvalidArgument());
  EXPECT_EQ(lull::testing::FileBytes(&env_, path_), "my notes\n");
}

}  // namespace
}  // namespace lull::tools
