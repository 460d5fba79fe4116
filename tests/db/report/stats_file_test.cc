// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The stats file: what readers find at each moment, what is never replaced, and what a failure to
// write does not affect. Tests wait for the renames, never for the time.
#include "db/report/stats_file.h"

#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "db/report/stats_report.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/metrics_checker.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/stats_file_env.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"

namespace lull::testing {
namespace {

using leveldb::Status;

constexpr char kText[] = "# HELP lull_a An example.\n";

class StatsFileTest : public ::testing::Test {
 protected:
  StatsFileTest() : dir_(FreshDirectory("stats")), path_(dir_ + "/lull.prom") {}

  StatsFile::Setup MakeSetup() {
    return {.env = &env_,
            .logger = &log_,
            .store = dir_,
            .path = path_,
            .read = [this] { return StatsFile::Stats{kText + std::to_string(texts_++) + "\n"}; },
            .interval_nanos = 1'000'000};
  }
  std::string Contents() {
    std::string text;
    const Status status = leveldb::ReadFileToString(&env_, path_, &text);
    return status.ok() ? text : status.ToString();
  }
  bool Exists(const std::string& path) { return env_.FileExists(path); }
  std::set<std::string> Names() {
    std::set<std::string> names = NamesEndingIn(&env_, dir_, "");
    names.erase(".");
    names.erase("..");
    return names;
  }

  StatsFileEnv env_;
  LinesLogger log_;
  const std::string dir_;
  const std::string path_;
  std::atomic<int> texts_{0};
};

TEST_F(StatsFileTest, HoldsTheNewestTextUntilTheEnd) {
  auto file = std::make_unique<StatsFile>(MakeSetup());
  ASSERT_TRUE(file->Update().ok());
  EXPECT_EQ(Contents(), std::string(kText) + "0\n");
  ASSERT_TRUE(file->Update().ok());
  EXPECT_EQ(Contents(), std::string(kText) + "1\n");
  EXPECT_EQ(Names(), std::set<std::string>{"lull.prom"});
  file.reset();
  EXPECT_EQ(Names(), std::set<std::string>());
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
    const Status status = file.Update();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.ToString().find("not a stats file"), std::string::npos) << status.ToString();
  }
  EXPECT_EQ(Contents(), "my notes\n");
}

// At the next write, and at the end.
TEST_F(StatsFileTest, AFileThatReplacesItStays) {
  for (const bool writes_again : {true, false}) {
    {
      StatsFile file(MakeSetup());
      ASSERT_TRUE(file.Update().ok());
      ASSERT_TRUE(WriteStringToFile(&env_, "my notes\n", path_).ok());
      EXPECT_TRUE(!writes_again || file.Update().IsInvalidArgument());
    }
    EXPECT_EQ(Contents(), "my notes\n") << writes_again;
    ASSERT_TRUE(env_.RemoveFile(path_).ok());
  }
}

TEST_F(StatsFileTest, FilesWithNamesLikeItsOwnStay) {
  env_.micros = 7;
  for (const std::string& name : {path_ + ".tmp", path_ + ".7.tmp"})
    ASSERT_TRUE(WriteStringToFile(&env_, std::string(kText) + "mine", name).ok());
  StatsFile file(MakeSetup());
  EXPECT_TRUE(file.Update().IsIOError());
  EXPECT_TRUE(file.Update().ok()) << "another name, so a file left by a crash stops nothing";
  EXPECT_EQ(Names(), (std::set<std::string>{"lull.prom", "lull.prom.tmp", "lull.prom.7.tmp"}));
  EXPECT_EQ(FileBytes(&env_, path_ + ".7.tmp"), std::string(kText) + "mine");
}

#ifndef _WIN32
// Links to a stats file, to another file and to none; a FIFO, which nobody opens; a directory.
TEST_F(StatsFileTest, WhatIsNoFileIsNeitherFollowedNorReplacedNorWaitedFor) {
  namespace fs = std::filesystem;
  const std::string other = dir_ + "/other";
  env_.micros = 7;
  for (const std::string& path : {path_, path_ + ".7.tmp"}) {
    for (const char* text : {kText, "my notes\n", static_cast<const char*>(nullptr)}) {
      fs::remove(other);
      if (text != nullptr) {
        ASSERT_TRUE(WriteStringToFile(&env_, text, other).ok());
      }
      fs::create_symlink(other, path);
      EXPECT_FALSE(StatsFile(MakeSetup()).Update().ok());
      EXPECT_TRUE(fs::is_symlink(path));
      EXPECT_EQ(fs::exists(other), text != nullptr);
      EXPECT_EQ(FileBytes(&env_, other), text == nullptr ? "" : text);
      fs::remove(path);
    }
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_FALSE(StatsFile(MakeSetup()).Update().ok());
    EXPECT_TRUE(fs::is_fifo(path));
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_FALSE(StatsFile(MakeSetup()).Update().ok());
    EXPECT_TRUE(fs::is_directory(path));
    fs::remove(path);
  }
}
#endif

TEST_F(StatsFileTest, WhatACrashLeftIsReplaced) {
  for (const char* left : {"# HELP lull_uptime_seconds cut sho", ""}) {
    ASSERT_TRUE(WriteStringToFile(&env_, left, path_).ok());
    StatsFile file(MakeSetup());
    EXPECT_TRUE(file.Update().ok());
  }
  EXPECT_FALSE(Exists(path_));
}

TEST_F(StatsFileTest, APathIsRelativeToTheStore) {
  EXPECT_EQ(StatsFile::PathFor("/data/s", "lull.prom"), "/data/s/lull.prom");
  EXPECT_EQ(StatsFile::PathFor("/data/s", "a/b.prom"), "/data/s/a/b.prom");
#ifndef _WIN32
  EXPECT_EQ(StatsFile::PathFor("/data/s", "/run/lull/s.prom"), "/run/lull/s.prom");
#endif
}

#ifndef _WIN32
// The name differs for each store, whatever its path.
TEST_F(StatsFileTest, InADirectoryTheFileIsNamedAfterTheStore) {
  const auto in_run = [](const std::string& store) {
    return StatsFile::PathFor(store, "/run/app/");
  };
  EXPECT_EQ(in_run("/data/s"), "/run/app/lull-data-s.prom");
  EXPECT_EQ(in_run("/data/./s//"), "/run/app/lull-data-s.prom");
  EXPECT_EQ(in_run("/data-s"), "/run/app/lull-data%2Ds.prom");
  EXPECT_EQ(in_run("/a%2Db c\n"), "/run/app/lull-a%252Db%20c%0A.prom");
  EXPECT_EQ(in_run("s"), in_run(std::filesystem::current_path().string() + "/s"));
  const std::string long_path = "/" + std::string(300, 'a');
  EXPECT_LT(in_run(long_path + "/x").size(), 9 + 250u);
  EXPECT_NE(in_run(long_path + "/x"), in_run("/b" + long_path + "/x"));
  EXPECT_EQ(StatsFile::PathFor("/data/s", "stats/"), "/data/s/stats/lull-data-s.prom");
  const std::string in_memory = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/data/s";
  EXPECT_EQ(StatsFile::PathFor("/data/s", "auto"), in_memory + "/lull-data-s.prom");
}
#endif

// ---- one thread for many files ----

TEST_F(StatsFileTest, FilesOfAFileSystemShareAThread) {
  std::shared_ptr<StatsThread> a, b, other;
  ASSERT_TRUE(StatsThread::Get("1 1", 1'000'000, &a).ok());
  ASSERT_TRUE(StatsThread::Get("1 1", 1'000'000, &b).ok());
  ASSERT_TRUE(StatsThread::Get("1 2", 1'000'000, &other).ok());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
}

// The disk of one store hangs: the others on it are not updated but can close, and those on another
// disk are updated.
TEST_F(StatsFileTest, AHangingDiskStopsOnlyItsOwnFiles) {
  std::shared_ptr<StatsThread> thread, other_thread;
  ASSERT_TRUE(StatsThread::Get("1 1", 1'000'000, &thread).ok());
  ASSERT_TRUE(StatsThread::Get("2 2", 1'000'000, &other_thread).ok());
  StatsFile hanging(MakeSetup());
  env_.gate.Close();
  thread->Add(&hanging);
  env_.gate.AwaitBlocked();
  StatsFileEnv other_env;
  StatsFile::Setup setup = MakeSetup();
  setup.env = &other_env;
  setup.path = dir_ + "/other.prom";
  StatsFile other(setup);
  thread->Add(&other);
  thread->Remove(&other);
  other_thread->Add(&other);
  other_env.AwaitAttempts(2);
  other_thread->Remove(&other);
  env_.gate.Open();
  thread->Remove(&hanging);
}

// ---- in a store ----

class StoreStatsFileTest : public StatsFileTest {
 protected:
  std::unique_ptr<leveldb::DB> Open(const std::string& option) {
    leveldb::Options options = SmallOptions(&env_);
    options.info_log = &log_;
    std::unique_ptr<leveldb::DB> db;
    EXPECT_EQ(OpenAt(options, dir_, &db, "stats_file=" + option).ToString(), "OK");
    return db;
  }
};

TEST_F(StoreStatsFileTest, HasTheMetricsOfTheStoreWhileItIsOpen) {
  auto db = Open("lull.prom");
  ASSERT_TRUE(db->Put({}, "key", "value").ok());
  env_.attempts.Await("the entry", [&] {
    return Contents().find("\nlull_user_written_entries_total{store=\"" + EscapedLabel(dir_) +
                           "\"} 1\n") != std::string::npos;
  });
  const auto metrics = ParseMetrics(Contents());
  EXPECT_EQ(metrics.at("lull_debt_max_bytes"), 4294967296.0);
  EXPECT_EQ(metrics.at("lull_background_error"), 0);
  EXPECT_EQ(metrics.at("lull_damage_found"), 0);
  EXPECT_GT(metrics.at("lull_written_timestamp_seconds"), 1.7e9);
  const Mount mount = ExtensionOf(leveldb::Env::Default())->MountOf(dir_);
  EXPECT_EQ(metrics.at("lull_disk_info{mountpoint=\"" + EscapedLabel(mount.path) + "\",device=\"" +
                       EscapedLabel(mount.device) + "\"}"),
            1);
  db.reset();
  EXPECT_FALSE(Exists(path_));
  for (const std::string& name : Names()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
  db = Open("lull.prom");
  env_.AwaitAttempts(1);
  EXPECT_TRUE(Exists(path_));
}

TEST_F(StoreStatsFileTest, AStoreWorksWithoutItsStatsFile) {
  env_.broken = true;
  const auto db = Open("lull.prom");
  env_.AwaitAttempts(1);
  EXPECT_TRUE(db->Put({}, "key", "value").ok());
  EXPECT_TRUE(Flush(db.get()).ok());
  // Nor does it wait for it.
  env_.broken = false;
  env_.gate.Close();
  env_.gate.AwaitBlocked();
  EXPECT_TRUE(db->Put({}, "key", "value2").ok());
  EXPECT_TRUE(Flush(db.get()).ok());
  EXPECT_TRUE(WaitForIdle(db.get()).ok());
  env_.gate.Open();
}

}  // namespace
}  // namespace lull::testing
