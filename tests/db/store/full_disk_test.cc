// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Disks that are full, or fail, for a while, or lack a file: the store reports errors, works with
// less, and recovers by itself. tests/resources tests the same with real limits.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "db/base/disk_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/backup.h"
#include "lull/listener.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/job_sequence_checker.h"
#include "tests/db/support/lines_logger.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/gate.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"

namespace lull {
namespace {

using testing::CommitLog;
using testing::CrashEnv;
using testing::CrashOptions;
using testing::FaultEnv;
using testing::FaultKind;
using ::testing::HasSubstr;
using testing::kStoreName;
using testing::Synced;

/// The test sets the free space.
class ScarceEnv final : public FaultEnv {
 public:
  using FaultEnv::FaultEnv;

  std::atomic<uint64_t> free_bytes{UINT64_MAX};
  bool tells = true;
  std::optional<uint64_t> FreeBytes(const std::string&) override {
    return tells ? std::optional<uint64_t>(free_bytes) : std::nullopt;
  }
};

class FullDiskTest : public ::testing::Test {
 protected:
  FullDiskTest() {
    env_.set_on_failed_sync([this](const std::string& path) { disk_.DropDirtyPages(path); });
    options_.info_log = &log_lines_;
    db_ = OpenOn(&env_);
  }

  leveldb::Status TryOpenOn(leveldb::Env* env, const std::string& scheduling,
                            std::unique_ptr<leveldb::DB>* db) const {
    leveldb::Options options = options_;
    options.env = env;
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = testing::OpenStore(options, scheduling, kStoreName, &raw);
    db->reset(raw);
    return status;
  }
  std::unique_ptr<leveldb::DB> OpenOn(leveldb::Env* env,
                                      const std::string& scheduling = "retry_ms=10") const {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(testing::IsOk(TryOpenOn(env, scheduling, &db)));
    return db;
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
  size_t Tables() { return testing::TableNames(&disk_, kStoreName).size(); }
  void AwaitWrites() {
    AwaitOk([this] { return Put(0, 10, true); });
  }
  void MakeTables(int count) {
    for (int table = 0; table < count; ++table) {
      ASSERT_TRUE(Put(1, 10, true).ok());
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
  /// `release` ends the last use of two replaced tables, when there are `tables`.
  void ExpectNothingStays(size_t tables, const std::function<void()>& release) {
    EXPECT_EQ(Tables(), tables) << "two are in use";
    FillDisk(10, "MANIFEST");
    ASSERT_TRUE(Put(1, 10, true).ok());
    EXPECT_FALSE(Flush(db_.get()).ok());
    const size_t before = Tables();
    release();
    EXPECT_EQ(Tables(), before) << "nothing is deleted yet";
    env_.Heal();
    AwaitWrites();
    AwaitOk([this] { return Flush(db_.get()); });
    db_->CompactRange(nullptr, nullptr);
    EXPECT_EQ(Tables(), 1u);
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

  CrashEnv disk_;
  ScarceEnv env_{&disk_};
  // The store logs every job that ends, every failure, and that it accepts writes again.
  testing::LinesLogger log_lines_;
  leveldb::Options options_ = testing::SmallOptions(&env_);
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
  EXPECT_THAT(status.ToString(), ::testing::AllOf(HasSubstr(".log"), HasSubstr("No space")));
  // The table of the memtable has no room either, and the store waits for that table.
  status = Put(1, 10, true);
  EXPECT_THAT(status.ToString(), HasSubstr(".ldb"));
  std::string value;
  EXPECT_TRUE(db_->Get({}, "k19", &value).ok()) << "reads still work";
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
    ASSERT_FALSE(db_->Put(Synced(), key, "failed").ok());
    ASSERT_TRUE(db_->Delete(Synced(), key).ok());  // has the sequence of the failed write
    const auto killed = disk_.Crash(1, CrashOptions::KeepAll());
    EXPECT_EQ(testing::ReadValue(OpenOn(killed.get()).get(), key), "-");
  }
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

// Its tables were replaced before, by an edit that is durable.
TEST_F(FullDiskTest, NothingStaysOfWhatAnIteratorReleasesWhileTheMANIFESTHasNoSpace) {
  MakeTables(2);
  std::unique_ptr<leveldb::Iterator> reader(db_->NewIterator({}));
  db_->CompactRange(nullptr, nullptr);
  ExpectNothingStays(3, [&] { reader.reset(); });
}

TEST_F(FullDiskTest, NothingStaysOfWhatASnapshotReleasesWhileTheMANIFESTHasNoSpace) {
  MakeTables(2);
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  const leveldb::Slice from = "a";
  ASSERT_TRUE(DeleteRange(db_.get(), &from, nullptr).ok());
  db_->CompactRange(nullptr, nullptr);
  ExpectNothingStays(2, [&] { db_->ReleaseSnapshot(snapshot); });
}

TEST_F(FullDiskTest, NothingStaysOfWhatABackupReleasesWhileTheMANIFESTHasNoSpace) {
  db_.reset();
  std::atomic<bool> holds{true};
  testing::Gate gate;
  env_.set_before_operation([&](testing::IoOp op, const std::string& path) {
    const bool copies = (op & (testing::kOpenWrite | testing::kLink)) != 0;
    if (copies && path.starts_with("/backup") && holds.exchange(false)) gate.Pass();
  });
  db_ = OpenOn(&env_);
  MakeTables(2);
  gate.Close();
  auto backup = testing::InThread([this] { EXPECT_TRUE(CreateBackup(db_.get(), "/backup").ok()); });
  gate.AwaitBlocked();
  db_->CompactRange(nullptr, nullptr);
  ExpectNothingStays(3, [&] {
    gate.Open();
    backup.reset();
  });
  db_.reset();  // uses the gate's hook
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
  MakeTables(2);
  hold_next.store(true);
  gate.Close();
  auto compacts = testing::InThread([this] { db_->CompactRange(nullptr, nullptr); });
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

// ---- space or a file is missing

class ResourcesTest : public FullDiskTest {
 protected:
  ResourcesTest() { options_.compression = leveldb::kNoCompression; }

  void Open(const std::string& scheduling = "") {
    db_.reset();
    db_ = OpenOn(&env_, "own_coordinator=true;" + scheduling);
  }
  leveldb::Status Put(int key, size_t bytes = 1000) {
    return db_->Put({}, Key(key), std::string(bytes, 'v'));
  }
  static std::string Key(int key) { return "k" + std::to_string(10'000 + key); }
  static void ExpectFirst(leveldb::DB* db, int count) {
    std::string value;
    for (int i = 0; i < count; ++i) EXPECT_TRUE(db->Get({}, Key(i), &value).ok()) << i;
  }
  static size_t Logs(CrashEnv* disk) {
    return testing::NamesEndingIn(disk, kStoreName, ".log").size();
  }
  void FailNew(const std::string& name_part) {
    env_.Arm({.kind = FaultKind::kErrorSticky, .ops = testing::kOpenWrite, .name_part = name_part});
  }
};

// No new log can be made. A power loss could lose part of one memtable's records, so none of them
// may be flushed to a table while the log that holds the others is in use.
TEST_F(ResourcesTest, WithoutAnotherLogTheMemtableGrows) {
  Open("memory_budget_bytes=1M");
  ASSERT_TRUE(Put(0).ok());
  FailNew(".log");
  int written = 1;
  leveldb::Status status;
  for (; written < 5000 && status.ok(); ++written) status = Put(written);
  EXPECT_GT(written, 400) << "several memtables of 64 KiB, or the prepared logs";
  EXPECT_LT(written, 2000) << "the memory budget";
  EXPECT_THAT(status.ToString(), HasSubstr(".log"));
  EXPECT_FALSE(Flush(db_.get()).ok());
  env_.Heal();
  ASSERT_TRUE(Put(5000).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  ExpectFirst(db_.get(), written - 1);
}

// The policy would let 16 MiB of memtables accumulate.
TEST_F(ResourcesTest, OnADiskThatIsNearlyFullNoMemtableWaitsForAnother) {
  env_.free_bytes = 200 << 10;
  Open();
  uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Put(i).ok());
    if (i % 10 != 0) continue;
    const auto stats = testing::JsonProperty(db_.get(), "lull.stats");
    most = std::max(most, stats["queue"]["memtables"].Count());
  }
  EXPECT_LE(most, 1u);
}

// Five logs, and no space for all their tables: each log is removed before the next is read. A
// power loss at any step loses nothing.
TEST_F(ResourcesTest, AStoreThatFilledItsDiskOpensLogByLog) {
  Open();
  FailNew(".ldb");
  constexpr int kEntries = 300;
  for (int i = 0; i < kEntries; ++i) ASSERT_TRUE(Put(i).ok());
  ASSERT_TRUE(db_->Put(Synced(), Key(kEntries), "last").ok());
  const auto full = disk_.Crash(1, CrashOptions::KeepAll());

  const auto open_on = [&](CrashEnv* disk, uint64_t free_bytes, size_t* logs_at_last_table) {
    ScarceEnv env(disk);
    env.free_bytes = free_bytes;
    env.set_before_operation([&](testing::IoOp op, const std::string& path) {
      if (op == testing::kOpenWrite && path.ends_with(".ldb")) *logs_at_last_table = Logs(disk);
    });
    // Compactions make tables too.
    const std::string no_compactions =
        "own_coordinator=true;memory_budget_bytes=1;l0_trigger=1000;l0_slowdown=1000;l0_stop=1000";
    std::unique_ptr<leveldb::DB> db;
    if (!TryOpenOn(&env, no_compactions, &db).ok()) return false;
    ExpectFirst(db.get(), kEntries + 1);
    return true;
  };
  size_t logs = 0;
  const size_t before = Logs(full.get());
  ASSERT_GE(before, 5u);
  bool done = false;
  for (uint64_t step = 1; !done; ++step) {
    const auto disk = full->Crash(1, CrashOptions::KeepAll());
    disk->SetCrashPoint(disk->steps() + step);
    done = open_on(disk.get(), 0, &logs);
    const auto after = disk->Crash(step);
    ASSERT_TRUE(open_on(after.get(), step % 2 == 0 ? 0 : UINT64_MAX, &logs)) << "step " << step;
  }
  const auto disk = full->Crash(1, CrashOptions::KeepAll());
  ASSERT_TRUE(open_on(disk.get(), 0, &logs));
  EXPECT_LE(logs, 2u) << "the last, and perhaps one without a record";
  ASSERT_TRUE(open_on(full.get(), UINT64_MAX, &logs));
  EXPECT_EQ(logs, before) << "with enough space no log is removed before all are flushed";
}

// The next open needs some space, for a MANIFEST and a log. Tables can wait in memory.
TEST_F(ResourcesTest, AStoreLeavesSpaceForItsNextOpen) {
  env_.free_bytes = 200 << 10;
  Open();
  FailNew(".ldb");
  int written = 0;
  leveldb::Status status;
  for (; written < 20; ++written) ASSERT_TRUE(Put(written).ok());
  env_.free_bytes = 60 << 10;
  for (; written < 500 && status.ok(); ++written) status = Put(written);
  EXPECT_THAT(status.ToString(), HasSubstr("the next open needs it"));
  EXPECT_LT(written, 20 + 66) << "a log looks each 64 KiB";

  const auto full = disk_.Crash(1, CrashOptions::KeepAll());
  const std::string leftover = std::string(kStoreName) + "/999999.ldb";
  ASSERT_TRUE(leveldb::WriteStringToFile(full.get(), "of a killed flush", leftover).ok());
  ScarceEnv env(full.get());
  env.free_bytes = 60 << 10;
  env.Arm({.kind = FaultKind::kNoSpace, .name_part = ".ldb"});
  const auto db = OpenOn(&env, "own_coordinator=true");
  ASSERT_NE(db, nullptr);
  ExpectFirst(db.get(), written - 1);
  EXPECT_FALSE(full->FileExists(leftover));
  EXPECT_FALSE(Flush(db.get()).ok());
  env.free_bytes = UINT64_MAX;
  env.Heal();
  EXPECT_TRUE(Flush(db.get()).ok());
  ExpectFirst(db.get(), written - 1);
}

TEST(DiskSpaceTest, IsLowWhenLogsAndTablesMayNotFit) {
  CrashEnv disk;
  ScarceEnv env(&disk);
  leveldb::Options options;
  options.env = &env;
  StoreContext context(options);
  context.extension = &env;
  DiskSpace room(&context);
  uint64_t now = 1'000'000'000;
  const auto is_low = [&](uint64_t free, uint64_t unflushed) {
    env.free_bytes = free;
    room.Sample(now += 10'000'000, unflushed, 1000);
    return room.is_low();
  };
  EXPECT_FALSE(is_low(UINT64_MAX, 1 << 20));
  EXPECT_FALSE(is_low(4000, 0));
  EXPECT_TRUE(is_low(3999, 0));
  EXPECT_TRUE(is_low(4000, 1));
  env.tells = false;
  EXPECT_FALSE(is_low(0, 1)) << "unknown";
  env.tells = true;
  EXPECT_TRUE(is_low(0, 1));
  env.free_bytes = 1 << 20;
  room.Sample(now + 1, 0, 1000);
  EXPECT_TRUE(room.is_low()) << "too soon to ask again";
}

TEST_F(ResourcesTest, AfterACompactionMetDamageAParanoidStoreRefusesWrites) {
  for (const bool paranoid : {false, true}) {
    options_.paranoid_checks = paranoid;
    Open("retry_ms=10");
    for (int table = 0; table < 2; ++table) {
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(Put(i).ok());
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
    const std::string newest =
        kStoreName + ("/" + *testing::TableNames(&disk_, kStoreName).rbegin());
    std::string bytes = testing::FileBytes(&disk_, newest);
    ASSERT_GT(bytes.size(), 100u);
    bytes[100] = static_cast<char>(bytes[100] + 1);
    ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, bytes, newest).ok());
    db_->CompactRange(nullptr, nullptr);
    EXPECT_EQ(Put(1).IsCorruption(), paranoid) << "as LevelDB does";
    db_.reset();
    ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, "", newest).ok());
    leveldb::Options options;
    options.env = &env_;
    ASSERT_TRUE(leveldb::DestroyDB(kStoreName, options).ok());
  }
}

}  // namespace
}  // namespace lull
