// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The stats file: what readers find at each moment, what is never replaced, and what a failure to
// write does not affect. Tests wait for the renames, never for the time.
#include "db/report/stats_file.h"

#include <atomic>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/lines_logger.h"
#include "tests/db/metrics_checker.h"
#include "tests/db/small_store.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"

namespace lull {
namespace {

using leveldb::Status;

constexpr char kText[] = "# HELP lull_a An example.\n";

/// Counts attempts to rename stats files, and fails them while `broken` is set.
class RenamesEnv final : public leveldb::EnvWrapper {
 public:
  RenamesEnv() : EnvWrapper(leveldb::Env::Default()) {}

  Status RenameFile(const std::string& from, const std::string& to) override {
    if (!to.ends_with(".prom")) return target()->RenameFile(from, to);
    gate.Pass();
    const Status status = broken ? Status::IOError(to, "broken") : target()->RenameFile(from, to);
    attempts.Note();
    return status;
  }
  void AwaitAttempts(uint64_t count) {
    const uint64_t before = attempts.count();
    attempts.Await("attempts to write", [&] { return attempts.count() >= before + count; });
  }

  std::atomic<bool> broken{false};
  testing::Gate gate;
  testing::EventCount attempts;
};

class StatsFileTest : public ::testing::Test {
 protected:
  StatsFileTest() : dir_(testing::FreshDirectory("stats")), path_(dir_ + "/lull.prom") {}

  StatsFile::Setup MakeSetup() {
    return {.env = &env_,
            .logger = &log_,
            .path = path_,
            .text = [this] { return kText + std::to_string(texts_++) + "\n"; },
            .interval_nanos = 1'000'000};
  }
  std::string Contents() {
    std::string text;
    const Status status = leveldb::ReadFileToString(&env_, path_, &text);
    return status.ok() ? text : status.ToString();
  }
  bool Exists(const std::string& path) { return env_.FileExists(path); }

  RenamesEnv env_;
  testing::LinesLogger log_;
  const std::string dir_;
  const std::string path_;
  std::atomic<int> texts_{0};
};

TEST_F(StatsFileTest, HoldsTheNewestTextUntilTheEnd) {
  auto file = std::make_unique<StatsFile>(MakeSetup());
  ASSERT_TRUE(file->WriteNow().ok());
  EXPECT_EQ(Contents(), std::string(kText) + "0\n");
  ASSERT_TRUE(file->WriteNow().ok());
  EXPECT_EQ(Contents(), std::string(kText) + "1\n");
  EXPECT_FALSE(Exists(path_ + ".tmp"));
  file.reset();
  EXPECT_FALSE(Exists(path_));
}

TEST_F(StatsFileTest, AReaderFindsTheOldTextUntilTheNewOneIsComplete) {
  StatsFile file(MakeSetup());
  file.Start();
  env_.AwaitAttempts(1);
  env_.gate.Close();
  env_.gate.AwaitBlocked();
  const std::string old_text = Contents();
  EXPECT_EQ(old_text, std::string(kText) + std::to_string(texts_.load() - 2) + "\n");
  env_.gate.Open();
  env_.AwaitAttempts(1);
  EXPECT_NE(Contents(), old_text);
}

TEST_F(StatsFileTest, AFailureIsLoggedOnceAndRetried) {
  env_.broken = true;
  StatsFile file(MakeSetup());
  file.Start();
  env_.AwaitAttempts(3);
  EXPECT_EQ(log_.Count("Cannot write stats_file " + path_), 1);
  EXPECT_FALSE(Exists(path_));
  env_.broken = false;
  env_.AwaitAttempts(2);
  EXPECT_TRUE(Exists(path_));
  env_.broken = true;
  env_.AwaitAttempts(3);
  EXPECT_EQ(log_.Count("Cannot write stats_file " + path_), 2);
}

TEST_F(StatsFileTest, FilesOfOthersAreNotReplaced) {
  ASSERT_TRUE(WriteStringToFile(&env_, "my notes\n", path_).ok());
  {
    StatsFile file(MakeSetup());
    const Status status = file.WriteNow();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.ToString().find("not a stats file"), std::string::npos) << status.ToString();
  }
  EXPECT_EQ(Contents(), "my notes\n");
}

TEST_F(StatsFileTest, WhatACrashLeftIsReplaced) {
  for (const char* left : {"# HELP lull_uptime_seconds cut sho", ""}) {
    ASSERT_TRUE(WriteStringToFile(&env_, left, path_).ok());
    StatsFile file(MakeSetup());
    EXPECT_TRUE(file.WriteNow().ok());
  }
  EXPECT_FALSE(Exists(path_));
}

TEST_F(StatsFileTest, APathIsRelativeToTheStore) {
  EXPECT_EQ(StatsFile::PathFor("/data/s", "lull.prom"), "/data/s/lull.prom");
#ifndef _WIN32
  EXPECT_EQ(StatsFile::PathFor("/data/s", "/run/lull/s.prom"), "/run/lull/s.prom");
#endif
}

// ---- in a store ----

class StoreStatsFileTest : public StatsFileTest {
 protected:
  std::unique_ptr<leveldb::DB> Open(const std::string& option) {
    leveldb::Options options = testing::SmallOptions(&env_);
    options.info_log = &log_;
    std::unique_ptr<leveldb::DB> db;
    EXPECT_EQ(testing::OpenAt(options, dir_, &db, "stats_file=" + option).ToString(), "OK");
    return db;
  }
};

TEST_F(StoreStatsFileTest, HasTheMetricsOfTheStoreWhileItIsOpen) {
  auto db = Open("lull.prom");
  ASSERT_TRUE(db->Put(leveldb::WriteOptions(), "key", "value").ok());
  env_.AwaitAttempts(2);
  const auto metrics = testing::ParseMetrics(Contents());
  EXPECT_EQ(metrics.at("lull_user_written_entries_total"), 1);
  EXPECT_EQ(metrics.at("lull_debt_bytes_max"), 4294967296.0);
  EXPECT_EQ(metrics.at("lull_background_error"), 0);
  EXPECT_EQ(metrics.at("lull_damage_found"), 0);
  EXPECT_GT(metrics.at("lull_written_timestamp_seconds"), 1.7e9);
  db.reset();
  EXPECT_FALSE(Exists(path_));
  EXPECT_FALSE(Exists(path_ + ".tmp"));
  db = Open("lull.prom");
  env_.AwaitAttempts(1);
  EXPECT_TRUE(Exists(path_));
}

TEST_F(StoreStatsFileTest, AStoreWorksWithoutItsStatsFile) {
  env_.broken = true;
  const auto db = Open("lull.prom");
  env_.AwaitAttempts(1);
  EXPECT_TRUE(db->Put(leveldb::WriteOptions(), "key", "value").ok());
  EXPECT_TRUE(Flush(db.get()).ok());
  // Nor does it wait for it.
  env_.broken = false;
  env_.gate.Close();
  env_.gate.AwaitBlocked();
  EXPECT_TRUE(db->Put(leveldb::WriteOptions(), "key", "value2").ok());
  EXPECT_TRUE(Flush(db.get()).ok());
  EXPECT_TRUE(WaitForIdle(db.get()).ok());
  env_.gate.Open();
}

}  // namespace
}  // namespace lull
