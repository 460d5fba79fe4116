// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Disks that are full, or fail, for a while: the store reports errors, and recovers by itself.
#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/event_count.h"
#include "tests/support/fault_env.h"
#include "tests/support/gate.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"
#include "util/thread.h"

namespace lull {
namespace {

using ::testing::AllOf;
using testing::CommitLog;
using testing::CrashOptions;
using testing::FaultKind;
using ::testing::HasSubstr;

/// Counts the lines of LOG. The store logs every job that ends, every failure, and that it accepts
/// writes again.
class LogLines final : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override { lines.Note(); }
  testing::EventCount lines;
};

class FullDiskTest : public ::testing::Test {
 protected:
  FullDiskTest() {
    env_.set_on_failed_sync([this](const std::string& path) { disk_.DropDirtyPages(path); });
    options_.env = &env_;
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    options_.info_log = &log_lines_;
    db_ = OpenOn(&env_);
  }

  std::unique_ptr<leveldb::DB> OpenOn(leveldb::Env* env,
                                      const std::string& scheduling = "retry_ms=10") const {
    leveldb::Options options = options_;
    options.env = env;
    leveldb::DB* raw = nullptr;
    EXPECT_TRUE(testing::IsOk(testing::OpenStore(options, scheduling, "/store", &raw)));
    return std::unique_ptr<leveldb::DB>(raw);
  }

  leveldb::Status Put(int key, size_t bytes, bool sync) {
    ++puts_;
    return log_.Write(db_.get(),
                      {{"k" + std::to_string(key),
                        std::to_string(puts_) + std::string(bytes, static_cast<char>(puts_))}},
                      sync);
  }
  void FillDisk(uint64_t bytes_left, const std::string& name_part = "") {
    env_.Arm({.kind = FaultKind::kNoSpace, .name_part = name_part, .bytes = bytes_left});
  }
  /// Tries whenever the store logs something, until it succeeds. Only the store's own retry can
  /// make it succeed.
  void AwaitOk(const std::function<leveldb::Status()>& attempt) {
    leveldb::Status status;
    const auto succeeds = [&] { return (status = attempt()).ok(); };
    ASSERT_TRUE(log_lines_.lines.Await("a try that succeeds", succeeds)) << status.ToString();
  }
  size_t Tables() { return testing::TableNames(&disk_, "/store").size(); }
  void AwaitWrites() {
    AwaitOk([this] { return Put(0, 10, true); });
  }
  /// All acknowledged writes are present: now, and after the process dies; synced ones also after a
  /// power loss.
  void ExpectNothingLost(const std::string& where) {
    ExpectMatch(db_.get(), CommitLog::Demand::kAckedSurvives, where);
    const auto killed = disk_.Crash(1, CrashOptions::KeepAll());
    ExpectMatch(OpenOn(killed.get()).get(), CommitLog::Demand::kAckedSurvives, where + ", killed");
    const auto cut = disk_.Crash(1, CrashOptions::LoseAllUnsynced());
    ExpectMatch(OpenOn(cut.get()).get(), CommitLog::Demand::kSyncedSurvives, where + ", cut off");
  }
  void ExpectMatch(leveldb::DB* db, CommitLog::Demand demand, const std::string& where) {
    ASSERT_NE(db, nullptr) << where;
    const CommitLog::Verdict verdict = log_.MatchesPrefix(db, demand);
    EXPECT_TRUE(verdict.ok) << where << ": " << verdict.detail;
  }

  testing::CrashEnv disk_;
  testing::FaultEnv env_{&disk_};
  LogLines log_lines_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  CommitLog log_;
  int puts_ = 0;
};

// The failed sync also loses writes that were acknowledged before. Memory still has them, but the
// first try to flush it fails too.
TEST_F(FullDiskTest, ACloseSavesWhatAFailedLogLost) {
  db_.reset();
  db_ = OpenOn(&env_, "retry_ms=1000000");  // only the close retries
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Put(i, 100, false).ok());
  env_.Arm({.kind = FaultKind::kFailedSync, .name_part = ".log"});
  env_.Arm({.ops = testing::kOpenWrite, .name_part = ".ldb"});
  EXPECT_FALSE(Put(1, 100, true).ok());
  log_lines_.lines.Await("the flush that fails", [this] { return env_.hits() == 2; });
  db_.reset();
  ExpectMatch(OpenOn(&disk_).get(), CommitLog::Demand::kAckedSurvives, "closed");
}

TEST_F(FullDiskTest, WritesGoOnWhenThereIsRoomAgain) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(Put(i, 500, i % 3 == 0).ok());
  FillDisk(1000);
  leveldb::Status status;
  for (int i = 0; status.ok(); ++i) status = Put(i % 10, 300, false);
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr(".log"), HasSubstr("No space")));
  // The table of the memtable has no room either, and the store waits for that table.
  status = Put(1, 10, true);
  EXPECT_THAT(status.ToString(), HasSubstr(".ldb"));
  std::string value;
  EXPECT_TRUE(db_->Get(leveldb::ReadOptions(), "k19", &value).ok()) << "reads still work";
  env_.Heal();
  AwaitWrites();
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(Put(i, 2000, i % 7 == 0).ok());
  ExpectNothingLost("at the end");
}

TEST_F(FullDiskTest, WhatFailedDoesNotComeBackBehindLaterWrites) {
  // The whole record is in the log; only its sync fails.
  for (int round = 0; round < 4; ++round) {
    const std::string key = "k" + std::to_string(round);
    ASSERT_TRUE(Put(round, 10, true).ok());
    if (round % 2 == 1) {
      ASSERT_TRUE(Flush(db_.get()).ok());  // the failed record is the first of its log
    }
    env_.Arm({.ops = testing::kSync, .name_part = ".log"});
    leveldb::WriteOptions synced;
    synced.sync = true;
    ASSERT_FALSE(db_->Put(synced, key, "failed").ok());
    ASSERT_TRUE(db_->Delete(synced, key).ok());  // has the sequence of the failed write
    const auto killed = disk_.Crash(1, CrashOptions::KeepAll());
    std::string value;
    EXPECT_TRUE(OpenOn(killed.get())->Get(leveldb::ReadOptions(), key, &value).IsNotFound());
  }
}

TEST_F(FullDiskTest, MemoryAbsorbsWhileTablesHaveNoRoom) {
  FillDisk(100, ".ldb");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Put(i, 2000, false).ok()) << "there is memory";
  EXPECT_FALSE(Flush(db_.get()).ok());
  env_.Heal();
  AwaitOk([this] { return Flush(db_.get()); });
  ExpectNothingLost("at the end");
}

TEST_F(FullDiskTest, WhoNeedsMemoryDoesNotWaitForWhatFails) {
  db_.reset();
  db_ = OpenOn(&env_, "own_coordinator=true;memory_budget_bytes=1M;retry_ms=10");
  FillDisk(100, ".ldb");
  leveldb::Status status;
  for (int i = 0; status.ok() && i < 10'000; ++i) status = Put(i % 100, 2000, false);
  EXPECT_THAT(status.ToString(), HasSubstr(".ldb"));
  env_.Heal();
  AwaitWrites();
  ExpectNothingLost("at the end");
}

// The store begins a new MANIFEST, and deletes the tables that the old one could not list.
TEST_F(FullDiskTest, TheMANIFESTIsReplacedWhenThereIsSpaceAgain) {
  for (int round = 0; round < 3; ++round) {
    FillDisk(10, "MANIFEST");
    ASSERT_TRUE(Put(1, 10, true).ok());
    EXPECT_FALSE(Flush(db_.get()).ok());
    EXPECT_THAT(Put(1, 10, true).ToString(), HasSubstr("MANIFEST"));
    ExpectNothingLost("refused");
    env_.Heal();
    AwaitWrites();
    AwaitOk([this] { return Flush(db_.get()); });
    ExpectNothingLost("restored");
  }
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  db_.reset();
  EXPECT_EQ(Tables(), 1u);
  db_ = OpenOn(&env_);
  ASSERT_TRUE(Put(2, 10, true).ok());
  ExpectNothingLost("after it was opened again");
}

// The output of a job that ended meanwhile belongs to no Version, and is deleted too.
TEST_F(FullDiskTest, NothingStaysOfAJobThatEndsWhileTheMANIFESTHasNoSpace) {
  db_.reset();
  std::atomic<bool> hold_next{false};
  testing::Gate gate;
  env_.set_before_operation([&](testing::IoOp op, const std::string& path) {
    const bool makes_table = op == testing::kOpenWrite && path.ends_with(".ldb");
    if (makes_table && hold_next.exchange(false)) gate.Pass();
  });
  db_ = OpenOn(&env_);
  const auto checker = std::make_shared<testing::JobSequenceChecker>();
  ASSERT_TRUE(AddListener(db_.get(), checker).ok());
  for (int table = 0; table < 2; ++table) {
    ASSERT_TRUE(Put(1, 10, true).ok());
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  hold_next.store(true);
  gate.Close();
  auto compacts = ThreadFactory::System()->Start("compacts", CpuClass::kNormal,
                                                 [this] { db_->CompactRange(nullptr, nullptr); });
  gate.AwaitBlocked();
  FillDisk(10, "MANIFEST");
  ASSERT_TRUE(Put(1, 10, true).ok());
  EXPECT_FALSE(Flush(db_.get()).ok());
  checker->Await([](const auto& counts) { return counts.failed == 1; });
  gate.Open();
  checker->Await([](const auto& counts) { return counts.failed == 2; });
  EXPECT_EQ(checker->LastEnd(JobKind::kManualCompaction).outcome, JobOutcome::kFailed);
  compacts.reset();
  env_.Heal();
  AwaitWrites();
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  db_.reset();
  EXPECT_EQ(Tables(), 1u);
}

TEST_F(FullDiskTest, AMANIFESTThatADeviceFailsIsNotReplaced) {
  env_.Arm({.ops = testing::kAppend, .name_part = "MANIFEST"});
  ASSERT_TRUE(Put(1, 10, true).ok());
  EXPECT_FALSE(Flush(db_.get()).ok());
  EXPECT_FALSE(Put(1, 10, true).ok());
  EXPECT_FALSE(Flush(db_.get()).ok());
  ExpectNothingLost("refused");
  db_.reset();
  db_ = OpenOn(&env_);
  ASSERT_TRUE(Put(2, 10, true).ok());
  ExpectNothingLost("after it was opened again");
}

// Logs fail at any operation, in any way, and work again at once.
TEST_F(FullDiskTest, AtEveryOperationOnALog) {
  for (const FaultKind kind : {FaultKind::kErrorOnce, FaultKind::kNoSpace, FaultKind::kShortWrite,
                               FaultKind::kFailedSync}) {
    for (uint64_t index = 0; index < 12; ++index) {
      env_.Arm({.kind = kind, .index = index, .name_part = ".log", .bytes = index * 7});
      for (int i = 0; i < 30; ++i) Put(i % 5, 4000, i % 4 == 0);
      env_.Heal();
      ASSERT_TRUE(Put(6, 20, true).ok()) << testing::FaultKindName(kind) << " " << index;
      if (index % 6 == 0) ExpectNothingLost(testing::FaultKindName(kind) + std::to_string(index));
    }
  }
}

TEST_F(FullDiskTest, WithoutRoomForAnythingAtAnyOperation) {
  for (const uint64_t index : {1, 6, 17, 40}) {
    env_.Arm({.kind = FaultKind::kNoSpace, .index = index, .name_part = "", .bytes = index});
    while (Put(1, 5000, index == 6).ok()) {
    }
    env_.Heal();
    AwaitWrites();
    ExpectNothingLost("operation " + std::to_string(index));
  }
}

}  // namespace
}  // namespace lull
