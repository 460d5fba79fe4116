// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Programs that open a store, write and close it, again and again: what recovery leaves in the WALs
// of earlier sessions, and that nothing grows without bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "db/base/filename.h"
#include "db/wal/log_format.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"
#include "tests/support/table_files.h"

namespace lull::testing {
namespace {

class SessionsTest : public ::testing::Test {
 protected:
  SessionsTest() : options_(SmallOptions(&disk_)) {
    options_.compression = leveldb::kNoCompression;
  }

  void Open(leveldb::Env* env = nullptr) {
    db_.reset();
    if (env != nullptr) options_.env = env;
    ASSERT_EQ(OpenAt(options_, kStoreName, &db_).ToString(), "OK");
  }
  void ExpectAll() { EXPECT_EQ(ReadAll(db_.get()), expected_); }
  /// Keys are overwritten by later sessions.
  void Write(size_t bytes, bool sync = false) {
    constexpr size_t kValueBytes = 500;
    leveldb::WriteOptions write;
    for (size_t done = 0; done < bytes; done += kValueBytes) {
      const std::string key = "key " + std::to_string(count_ % 300);
      std::string value = std::to_string(count_++);
      value.resize(kValueBytes, 'v');
      write.sync = sync && done + kValueBytes >= bytes;
      ASSERT_TRUE(db_->Put(write, key, value).ok());
      expected_[key] = value;
    }
  }
  std::set<std::string> Tables() { return TableNames(options_.env, kStoreName); }
  std::set<std::string> Logs() { return NamesEndingIn(options_.env, kStoreName, ".log"); }
  /// What an ended process leaves, after the machine also ended.
  std::unique_ptr<CrashEnv> PowerLoss() {
    auto after = disk_.Crash(1, CrashOptions::LoseAllUnsynced());
    db_.reset();
    return after;
  }

  /// The refused write of a key can be there or not.
  void ExpectAllAfterAPowerLoss(const std::string& refused_key) {
    const auto after = PowerLoss();
    Open(after.get());
    Contents contents = ReadAll(db_.get());
    contents.erase(refused_key);
    EXPECT_EQ(contents, expected_);
    db_.reset();
  }

  CrashEnv disk_;
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
  Contents expected_;
  int count_ = 0;
};

TEST_F(SessionsTest, ALittleStaysInItsLogs) {
  for (int session = 0; session < 10; ++session) {
    Open();
    ExpectAll();
    Write(1000);
  }
  Open();
  ExpectAll();
  EXPECT_TRUE(Tables().empty());
  // A flush takes the entries of all sessions, and their logs go.
  ASSERT_TRUE(Flush(db_.get()).ok());
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(Tables().size(), 1u);
  ExpectAll();
  db_.reset();
  EXPECT_EQ(Logs().size(), 1u);
}

TEST_F(SessionsTest, SessionsThatOnlyReadLeaveNothing) {
  Open();
  Write(1000);
  Open();
  for (int session = 0; session < 50; ++session) Open();
  EXPECT_LE(Logs().size(), 3u);  // the first one, the current one, an empty one
  EXPECT_TRUE(Tables().empty());
}

TEST_F(SessionsTest, NothingGrowsWithoutBound) {
  for (const size_t bytes : {size_t{1}, size_t{10'000}, size_t{20'000}}) {
    size_t logs_max = 0;
    int l0_max = 0;
    for (int session = 0; session < 300; ++session) {
      Open();
      logs_max = std::max(logs_max, Logs().size());
      l0_max = std::max(l0_max, TablesAt(db_.get(), 0));
      Write(bytes);
    }
    EXPECT_LE(logs_max, 40u) << bytes;
    EXPECT_LE(l0_max, 16) << bytes;
    Open();
    ExpectAll();
  }
}

// At the user's rate, the compaction of a long L0 takes minutes here, elsewhere hours.
TEST_F(SessionsTest, ACloseDoesNotWaitForARateLimit) {
  const auto open = [this](const std::string& scheduling) {
    leveldb::DB* db = nullptr;
    db_.reset();
    const std::string text = "own_coordinator=true;" + scheduling;
    ASSERT_EQ(OpenStore(options_, text, kStoreName, &db).ToString(), "OK");
    db_.reset(db);
  };
  constexpr int kTables = 12;
  const std::string none = "l0_trigger=40;l0_slowdown=50;l0_stop=60";
  options_.write_buffer_size = 2 << 20;
  open(none);
  for (int i = 0; i < kTables * 1000; ++i) {
    ASSERT_TRUE(
        db_->Put({}, std::to_string(i % 1000 * kTables + i / 1000), std::string(1000, 'v')).ok());
    if (i % 1000 == 999) {
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
  open("background_bytes_per_sec=64K");
  open(none);
  EXPECT_EQ(TablesAt(db_.get(), 0), kTables);
}

TEST_F(SessionsTest, WhatFillsAMemTableIsInTablesAfterTheNextSession) {
  for (const bool fails : {false, true}) {
    CrashEnv disk;
    FaultEnv env(&disk);
    if (fails) {
      env.Arm({.kind = FaultKind::kErrorSticky, .ops = kOpenWrite, .name_part = ".ldb"});
    }
    Open(&env);
    Write(200'000);
    Open(&env);
    db_.reset();
    EXPECT_EQ(Tables().empty(), fails);
    env.Heal();
    Open(&env);
    ExpectAll();
    db_.reset();
    options_.env = &disk_;
    expected_.clear();
  }
}

TEST_F(SessionsTest, MuchIsFlushedAfterTheOpen) {
  options_.write_buffer_size = 1 << 20;
  Open();
  Write(300'000);
  db_.reset();
  options_.write_buffer_size = 64 << 10;
  {
    FaultEnv no_tables(&disk_);
    no_tables.Arm({.kind = FaultKind::kErrorSticky, .ops = kOpenWrite, .name_part = ".ldb"});
    Open(&no_tables);
    EXPECT_EQ(ReadAll(db_.get()), expected_) << "no table is needed for the open";
    db_.reset();
  }
  Open(&disk_);
  Write(5'000);  // newer than what was recovered
  ExpectAll();
  ASSERT_TRUE(Flush(db_.get()).ok());
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ExpectAll();
  db_.reset();
  EXPECT_EQ(Logs().size(), 1u);
  Open();
  ExpectAll();
}

TEST_F(SessionsTest, ASyncedWriteKeepsEarlierSessions) {
  for (const size_t bytes : {size_t{1000}, size_t{300'000}}) {
    options_.write_buffer_size = 1 << 20;
    Open();
    Write(bytes);
    options_.write_buffer_size = 64 << 10;
    Open();
    Write(500, /*sync=*/true);
    const auto after = PowerLoss();
    Open(after.get());
    EXPECT_EQ(ReadAll(db_.get()), expected_) << bytes;
    Open(&disk_);
  }
}

TEST_F(SessionsTest, AfterAPowerLossThePrefixHasNoGap) {
  Open();
  Write(2000, /*sync=*/true);
  const Contents synced = expected_;
  for (int session = 0; session < 3; ++session) {
    Open();
    Write(2000);
  }
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto after = disk_.Crash(seed);
    const Contents contents = ReadStore(after.get(), kStoreName);
    // Values count the writes: a value is there only if all lower ones were written before it.
    int newest = -1;
    for (const auto& [key, value] : contents) newest = std::max(newest, std::stoi(value));
    EXPECT_GE(newest, static_cast<int>(synced.size()) - 1) << seed;
    EXPECT_EQ(contents.size(), static_cast<size_t>(newest + 1)) << seed;
  }
}

TEST_F(SessionsTest, ASyncThatFailsRefusesTheWrite) {
  Open();
  Write(1000);
  db_.reset();
  FaultEnv faults(&disk_);
  Open(&faults);
  const std::string earlier = *Logs().begin();
  faults.Arm({.kind = FaultKind::kErrorSticky, .ops = kSync, .name_part = earlier});
  leveldb::WriteOptions write;
  write.sync = true;
  EXPECT_FALSE(db_->Put(write, "key", "refused").ok());
  // What memory holds goes to a table; then nothing needs the earlier log.
  EXPECT_TRUE(db_->Put(write, "later", "accepted").ok());
  expected_["later"] = "accepted";
  ExpectAllAfterAPowerLoss("key");
}

TEST_F(SessionsTest, ASyncedWriteKeepsWhatAnEarlierProcessFailedToSync) {
  FaultEnv faults(&disk_);
  faults.set_on_failed_sync([this](const std::string& path) { disk_.DropDirtyPages(path); });
  Open(&faults);
  Write(1000);
  faults.Arm({.kind = FaultKind::kFailedSync, .name_part = ".log"});
  faults.Arm({.kind = FaultKind::kErrorSticky, .ops = kOpenWrite, .name_part = ".ldb"});
  leveldb::WriteOptions write;
  write.sync = true;
  EXPECT_FALSE(db_->Put(write, "key", "refused").ok());
  db_.reset();
  EXPECT_TRUE(Tables().empty()) << "the log still has everything";
  Open(&disk_);  // on the same machine, which still has the pages
  Write(500, /*sync=*/true);
  ExpectAllAfterAPowerLoss("key");
}

TEST_F(SessionsTest, ALogAfterTheEndOfALogHidesNoLaterOne) {
  for (const bool paranoid : {false, true}) {
    options_.paranoid_checks = paranoid;
    Open();
    Write(1000);
    Open();
    Write(1000);
    db_.reset();
    const std::set<std::string> logs = Logs();
    ASSERT_GE(logs.size(), 2u);
    // As in a recycled file whose older log has values that contain logs.
    const std::string end(log::kHeaderBytes, '\0');
    const std::string directory = std::string(kStoreName) + "/";
    const std::string newest = FileBytes(&disk_, directory + *logs.rbegin());
    for (const std::string& log : logs) {
      if (log == *logs.rbegin()) continue;
      const std::string bytes = FileBytes(&disk_, directory + log) + end + newest;
      ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, bytes, directory + log).ok());
    }
    Open();
    ExpectAll();
    ASSERT_TRUE(Flush(db_.get()).ok());
    db_.reset();
  }
}

TEST_F(SessionsTest, AnIngestionHidesNoDamageOfALog) {
  Open();
  Write(5000);
  db_.reset();
  const std::string log = std::string(kStoreName) + "/" + *Logs().begin();
  Open();
  Write(1000);
  ASSERT_TRUE(BuildTable(options_, "/table", {{"z", "ingested"}}).ok());
  ASSERT_EQ(IngestTables(db_.get(), {"/table"}).ToString(), "OK");
  Write(1000);
  db_.reset();
  ASSERT_FALSE(Logs().empty());
  ASSERT_TRUE(disk_.Corrupt(log, FileBytes(&disk_, log).size() / 2, "?"));
  options_.paranoid_checks = true;
  EXPECT_TRUE(OpenAt(options_, kStoreName, &db_).IsCorruption());
  options_.paranoid_checks = false;
  Open();
  db_.reset();
  EXPECT_TRUE(disk_.FileExists(std::string(kStoreName) + "/lost" + log.substr(log.rfind('/'))));
}

TEST_F(SessionsTest, ACopyOfALogHidesNothing) {
  options_.write_buffer_size = 1 << 20;  // nothing is flushed
  Open();
  Write(2000);
  const std::string first = *Logs().begin();
  Open();
  Write(200'000);  // also overwrites those keys
  db_.reset();
  const std::string directory = std::string(kStoreName) + "/";
  const std::string bytes = FileBytes(&disk_, directory + first);
  const std::string copy = LogFileName(kStoreName, 900);
  ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, bytes, copy).ok());
  leveldb::DB* raw = nullptr;
  ASSERT_TRUE(OpenReadOnly(options_, kStoreName, &raw).ok());
  const auto expect_all = [this](leveldb::DB* db) {
    EXPECT_EQ(ReadAll(db), expected_);
    std::string value;
    for (const auto& [key, newest] : expected_) {
      ASSERT_TRUE(db->Get({}, key, &value).ok());
      EXPECT_EQ(value, newest) << key;
    }
  };
  expect_all(raw);
  delete raw;
  EXPECT_TRUE(Tables().empty()) << "reading writes nothing";
  Open();
  expect_all(db_.get());
  db_.reset();  // deletes what no worker has deleted yet
  EXPECT_FALSE(disk_.FileExists(copy));
  EXPECT_TRUE(disk_.FileExists(directory + "lost/000900.log"));
}

TEST_F(SessionsTest, LogsOfOthersAreFlushedAtTheOpen) {
  StoreFiles files(&disk_, kStoreName);
  const uint64_t first = files.AddWal({"a@1=a1"});  // nothing shows where it begins
  files.AddWal({"b@2=b2"});
  files.WriteManifest(first);
  Open();
  EXPECT_EQ(Tables().size(), 1u);
  EXPECT_EQ(ReadAll(db_.get()), (Contents{{"a", "a1"}, {"b", "b2"}}));
}

}  // namespace
}  // namespace lull::testing
