// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening a store with logs that cannot be read: their contents are kept, whatever happens to the
// open.
#include "db/recovery/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/recovery/lost_files.h"
#include "db/wal/log_reader.h"
#include "lull/lull.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

using leveldb::Status;
using ::testing::HasSubstr;

Status OpenOn(leveldb::Env* env, std::unique_ptr<leveldb::DB>* db, bool paranoid = false) {
  leveldb::Options options;
  options.env = env;
  options.paranoid_checks = paranoid;
  return OpenAt(options, kStoreName, db);
}

std::string InLost(const std::string& path) {
  return LostDirectoryName(kStoreName) + path.substr(sizeof(kStoreName) - 1);
}

std::string KeysIn(leveldb::DB* db) {
  std::string keys;
  for (const auto& [key, value] : ReadAll(db)) keys += key;
  return keys;
}

/// Damages the last byte of the file; returns the bytes that it then has.
std::string SpoilEnd(CrashEnv* disk, const std::string& path) {
  EXPECT_TRUE(disk->Corrupt(path, FileBytes(disk, path).size() - 1, "x"));
  return FileBytes(disk, path);
}

// A store whose files a test writes one by one.
class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() { options_.env = &disk_; }

  CrashEnv disk_;
  StoreFiles files_{&disk_, kStoreName};
  leveldb::Options options_;
  std::unique_ptr<leveldb::DB> db_;
};

// Three logs; the second is damaged after its first record.
class LostLogTest : public ReplayTest {
 protected:
  LostLogTest() {
    const uint64_t first = files_.AddWal({"a@1=a1"});
    second_ = files_.AddWal({"b@2=b2", "c@3=" + std::string(300, 'c'), "d@4=d4"});
    third_ = files_.AddWal({"e@5=e5"});
    files_.WriteManifest(first);
    EXPECT_TRUE(disk_.SyncDirectory(kStoreName).ok());
    EXPECT_TRUE(disk_.Corrupt(LogFileName(kStoreName, second_), 100, "xxxx"));
    damaged_ = FileBytes(&disk_, LogFileName(kStoreName, second_));
    unread_ = FileBytes(&disk_, LogFileName(kStoreName, third_));
  }

  // Whether a file with the log's bytes exists, under its name in the directory or any name in
  // lost/.
  static bool Holds(leveldb::Env* env, uint64_t number, const std::string& bytes) {
    const std::string name = LogFileName("", number);
    if (FileBytes(env, kStoreName + name) == bytes) return true;
    const std::string lost = LostDirectoryName(kStoreName) + name;
    for (const char* suffix : {"", ".2", ".3", ".4"})
      if (FileBytes(env, lost + suffix) == bytes) return true;
    return false;
  }
  bool HoldsBoth(leveldb::Env* env) const {
    return Holds(env, second_, damaged_) && Holds(env, third_, unread_);
  }
  // Before and after an open, which shows what the logs held before the damage.
  void ExpectBothAreHeld(leveldb::Env* env) const {
    ASSERT_TRUE(HoldsBoth(env));
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenOn(env, &db).ok());
    ASSERT_EQ(KeysIn(db.get()), "ab");
    db.reset();
    ASSERT_TRUE(HoldsBoth(env));
  }

  uint64_t second_ = 0;
  uint64_t third_ = 0;
  std::string damaged_, unread_;
};

TEST_F(LostLogTest, WhatWasNotReadIsKeptUnderLost) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
    EXPECT_EQ(KeysIn(db_.get()), "ab");
    db_.reset();
    EXPECT_FALSE(disk_.FileExists(LogFileName(kStoreName, second_)));
    EXPECT_EQ(FileBytes(&disk_, InLost(LogFileName(kStoreName, second_))), damaged_);
    EXPECT_EQ(FileBytes(&disk_, InLost(LogFileName(kStoreName, third_))), unread_);
    for (const uint64_t log : {second_, third_}) {
      const std::string note = InLost(LogFileName(kStoreName, log)) + kReplayedToSuffix;
      EXPECT_EQ(FileBytes(&disk_, note), "2\n");
    }
  }
}

// A store that loses power every day must not fill the disk with what it keeps.
TEST_F(LostLogTest, TheOldestFilesAreRemovedIfThereIsTooMuch) {
  const std::string directory = LostDirectoryName(kStoreName) + "/";
  disk_.CreateDir(LostDirectoryName(kStoreName));
  const auto add = [&](const std::string& name, bool has_note) {
    const std::string bytes(kLostBytesMax / 2 - 100, 'x');
    EXPECT_TRUE(leveldb::WriteStringToFile(&disk_, bytes, directory + name).ok());
    if (!has_note) return;
    EXPECT_TRUE(
        leveldb::WriteStringToFile(&disk_, "1\n", directory + name + kReplayedToSuffix).ok());
  };
  add("000007.log", false);  // by a repair
  add("000009.log", true);
  add("000010.ldb", true);
  ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
  EXPECT_TRUE(disk_.FileExists(directory + "000007.log"));
  EXPECT_FALSE(disk_.FileExists(directory + "000009.log"));
  EXPECT_FALSE(disk_.FileExists(directory + "000009.log" + kReplayedToSuffix));
  EXPECT_TRUE(disk_.FileExists(directory + "000010.ldb"));
  EXPECT_TRUE(HoldsBoth(&disk_));
}

// lost/ outlives a destroyed store, and the next store counts from the same number.
TEST_F(LostLogTest, WhatIsThereAlreadyIsNotOverwritten) {
  disk_.CreateDir(LostDirectoryName(kStoreName));
  const std::string taken = LostDirectoryName(kStoreName) + LogFileName("", second_);
  const std::string older(damaged_.size(), 'o');
  ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, older, taken).ok());
  ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
  EXPECT_EQ(FileBytes(&disk_, taken), older);
  EXPECT_EQ(FileBytes(&disk_, taken + ".2"), damaged_);
}

TEST_F(LostLogTest, ACrashOfTheOpenAtAnyStepLosesNeither) {
  bool done = false;
  for (uint64_t step = 0; !done; step += ShortStride()) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const auto env = disk_.Crash(0, CrashOptions::KeepAll());
      env->set_new_directories_may_vanish(true);
      env->set_manifest_sync_covers_directory(seed % 2 == 0);
      env->SetCrashPoint(step);
      std::unique_ptr<leveldb::DB> db;
      done = OpenOn(env.get(), &db).ok() && !env->crashed();
      db.reset();
      auto after = seed == 0 ? env->Crash(0, CrashOptions::LoseAllUnsynced()) : env->Crash(seed);
      SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(seed));
      ASSERT_NO_FATAL_FAILURE(ExpectBothAreHeld(after.get()));
    }
  }
}

TEST_F(LostLogTest, AnErrorOfTheOpenAtAnyOperationLosesNeither) {
  bool hit = true;
  for (uint64_t index = 0; hit; ++index) {
    const auto disk = disk_.Crash(0, CrashOptions::KeepAll());
    FaultEnv env(disk.get());
    env.Arm({.kind = FaultKind::kErrorOnce, .index = index});
    std::unique_ptr<leveldb::DB> db;
    OpenOn(&env, &db);
    db.reset();
    hit = env.hits() > 0;
    env.Heal();
    SCOPED_TRACE(env.first_hit());
    ASSERT_NO_FATAL_FAILURE(ExpectBothAreHeld(disk.get()));
  }
}

TEST_F(LostLogTest, AnOpenThatFailsLeavesNothingBehind) {
  const auto tables_and_logs = [&] {
    return std::pair(NamesEndingIn(&disk_, kStoreName, ".ldb"),
                     NamesEndingIn(&disk_, kStoreName, ".log"));
  };
  const auto before = tables_and_logs();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(OpenOn(&disk_, &db_, /*paranoid=*/true).IsCorruption());
    EXPECT_EQ(tables_and_logs(), before);
  }
}

// Only a later log shows that records are missing after the first. The unreadable end of the first
// may contain them. An empty log between the two proves nothing.
TEST(RecoveryTest, ALogWithABadEndIsKeptWhereALaterOneBeginsBehindAGap) {
  struct Row {
    const char* name;
    SequenceNumber next;
    bool empty_between;
    bool unfinished_between;
  };
  for (const Row& row : std::vector<Row>{{"no gap", 2, false, false},
                                         {"a gap", 3, false, false},
                                         {"a gap after an empty log", 3, true, false},
                                         {"a gap after an unfinished log", 3, true, true}}) {
    SCOPED_TRACE(row.name);
    CrashEnv disk;
    StoreFiles files(&disk, kStoreName);
    const uint64_t first = files.AddWal({"a@1=a1", "b@2=b2"}, 1);
    if (row.empty_between) {
      const std::string empty = LogFileName(kStoreName, files.AddWal({}));
      if (row.unfinished_between) {
        ASSERT_TRUE(leveldb::WriteStringToFile(&disk, "half of a head", empty).ok());
      }
    }
    const std::string last =
        LogFileName(kStoreName, files.AddWal({"c@" + std::to_string(row.next) + "=c"}, row.next));
    files.WriteManifest(first);
    const std::string path = LogFileName(kStoreName, first);
    const std::string bad = SpoilEnd(&disk, path);
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenOn(&disk, &db).ok());
    db.reset();
    const bool gap = row.next == 3;
    EXPECT_EQ(disk.FileExists(path), !gap);
    EXPECT_EQ(FileBytes(&disk, InLost(path)), gap ? bad : "");
    EXPECT_EQ(disk.FileExists(InLost(last)), gap);
  }
}

// A log's last record is damaged, but no byte is missing. It can have been acknowledged, unless a
// later write has its sequence.
TEST(RecoveryTest, ALogWithADamagedLastRecordIsKept) {
  struct Row {
    const char* name;
    std::vector<std::string> later;        // records of a later log
    std::optional<SequenceNumber> begins;  // its preamble
    bool is_needed;
  };
  for (const Row& row : std::vector<Row>{{"it is the last log", {}, std::nullopt, true},
                                         {"an open failed", {}, 2, true},
                                         {"a gap follows", {"c@3=c"}, 3, true},
                                         {"a gap in LevelDB's logs", {"c@3=c"}, std::nullopt, true},
                                         {"a later write follows", {"c@2=c"}, 2, false},
                                         {"LevelDB's follows", {"c@2=c"}, std::nullopt, false}}) {
    SCOPED_TRACE(row.name);
    CrashEnv disk;
    StoreFiles files(&disk, kStoreName);
    const uint64_t first = files.AddWal({"a@1=a1", "b@2=b2"}, 1);
    if (!row.later.empty() || row.begins) files.AddWal(row.later, row.begins);
    files.WriteManifest(first);
    const std::string path = LogFileName(kStoreName, first);
    const std::string bad = SpoilEnd(&disk, path);
    std::unique_ptr<leveldb::DB> db;
    const Status status = OpenOn(&disk, &db, /*paranoid=*/true);
    EXPECT_EQ(status.IsCorruption(), row.is_needed) << status.ToString();
    db.reset();
    if (!row.is_needed) continue;
    EXPECT_NE(status.ToString().find(path), std::string::npos) << status.ToString();
    ASSERT_TRUE(OpenOn(&disk, &db).ok());
    std::string value;
    EXPECT_TRUE(db->Get({}, "a", &value).ok());
    EXPECT_TRUE(db->Get({}, "b", &value).IsNotFound());
    EXPECT_TRUE(db->Get({}, "c", &value).IsNotFound());
    EXPECT_EQ(FileBytes(&disk, InLost(path)), bad);
  }
}

// The last record of a MANIFEST lists a table, and the log that comes after those that the table
// replaces. It is damaged or cut short.
class BadManifestEndTest : public ReplayTest, public ::testing::WithParamInterface<bool> {
 protected:
  // With `old_log`, the log that the table replaced is still there.
  void Write(bool old_log) {
    files_.AddTable(0, "a@1=a1");
    const uint64_t old = files_.AddWal({"b@2=b2", "c@3=c3"}, 2);
    const uint64_t wal = files_.AddWal({"d@4=d4"}, 4);
    VersionEdit later;
    later.new_tables = {files_.AddUnlisted("b@2=b2 c@3=c3")};
    later.log_number = wal;
    later.last_sequence = 3;
    manifest_ = DescriptorFileName(kStoreName, files_.WriteManifest(old, later, 1));
    const std::string bytes = FileBytes(&disk_, manifest_);
    log::Reader reader(std::make_unique<MemorySequential>(bytes), manifest_);
    leveldb::Slice first;
    ASSERT_TRUE(reader.ReadRecord(&first));
    offset_ = reader.ValidBytes();
    ASSERT_TRUE(GetParam() ? disk_.Truncate(manifest_, bytes.size() - 1)
                           : disk_.Corrupt(manifest_, bytes.size() - 1, "x"));
    table_ = TableFileName(kStoreName, later.new_tables[0].number);
    log_ = LogFileName(kStoreName, old);
    if (!old_log) {
      ASSERT_TRUE(disk_.RemoveFile(log_).ok());
    }
  }
  Status Open() { return OpenAt(options_, kStoreName, &db_); }

  std::string table_, manifest_, log_;
  uint64_t offset_ = 0;  // of the bad record
};

INSTANTIATE_TEST_SUITE_P(Ends, BadManifestEndTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "CutShort" : "Damaged"; });

TEST_P(BadManifestEndTest, AnOpenThatCannotMissAnythingKeepsWhatItMayHaveNamed) {
  Write(/*old_log=*/true);
  const std::string table = FileBytes(&disk_, table_);
  const std::string manifest = FileBytes(&disk_, manifest_);
  ASSERT_EQ(Open().ToString(), "OK");
  EXPECT_EQ(KeysIn(db_.get()), "abcd");
  db_.reset();
  EXPECT_FALSE(disk_.FileExists(table_));
  EXPECT_EQ(FileBytes(&disk_, InLost(table_)), table);
  EXPECT_EQ(FileBytes(&disk_, InLost(manifest_)), manifest);
}

TEST_P(BadManifestEndTest, WithParanoidChecksOnlyACrashIsForgiven) {
  Write(/*old_log=*/true);
  options_.paranoid_checks = true;
  const Status status = Open();
  EXPECT_EQ(status.ok(), GetParam()) << status.ToString();
  if (!GetParam()) {
    EXPECT_THAT(status.ToString(), HasSubstr(manifest_));
    EXPECT_THAT(status.ToString(), HasSubstr("offset " + std::to_string(offset_)));
  }
}

TEST_P(BadManifestEndTest, IsRefusedIfWritesAreMissing) {
  Write(/*old_log=*/false);
  for (const bool paranoid : {false, true}) {
    options_.paranoid_checks = paranoid;
    leveldb::DB* reader = nullptr;
    for (const Status& status : {Open(), OpenReadOnly(options_, kStoreName, &reader)}) {
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_THAT(status.ToString(), HasSubstr(manifest_));
      EXPECT_THAT(status.ToString(), HasSubstr("offset " + std::to_string(offset_)));
    }
    EXPECT_TRUE(disk_.FileExists(table_));
    EXPECT_TRUE(disk_.FileExists(manifest_));
  }
  ASSERT_EQ(leveldb::RepairDB(kStoreName, options_).ToString(), "OK");
  ASSERT_EQ(Open().ToString(), "OK");
  EXPECT_EQ(KeysIn(db_.get()), "abcd");
}

// MANIFESTs that are read to a clean end, but are older than the directory's other files.
class OldManifestTest : public ReplayTest {
 protected:
  // Neither kind of open accepts the store or removes a file; after a repair both do.
  void ExpectRefusal(const std::string& file) {
    const std::set<std::string> before = NamesEndingIn(&disk_, kStoreName, "");
    leveldb::DB* reader = nullptr;
    for (const Status& status :
         {OpenOn(&disk_, &db_), OpenReadOnly(options_, kStoreName, &reader)}) {
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_THAT(status.ToString(), HasSubstr(file));
      EXPECT_THAT(status.ToString(), HasSubstr("RepairDB"));
    }
    EXPECT_THAT(NamesEndingIn(&disk_, kStoreName, ""), ::testing::IsSupersetOf(before));
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options_).ToString(), "OK");
    EXPECT_EQ(OpenReadOnly(options_, kStoreName, &reader).ToString(), "OK");
    delete reader;
    EXPECT_EQ(OpenOn(&disk_, &db_, /*paranoid=*/true).ToString(), "OK");
  }
};

TEST_F(OldManifestTest, TheLogThatItNamesIsMissing) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"b@2=b2"}, 2);
  files_.AddWal({"c@3=c3"}, 3);
  files_.WriteManifest(log);
  ASSERT_TRUE(disk_.RemoveFile(LogFileName(kStoreName, log)).ok());
  ExpectRefusal(LogFileName(kStoreName, log));
}

struct LogAfterAGap {
  const char* name;
  std::vector<std::string> records;
  std::optional<SequenceNumber> preamble;
};

class OldManifestGapTest : public OldManifestTest,
                           public ::testing::WithParamInterface<LogAfterAGap> {};

TEST_P(OldManifestGapTest, TheLogThatItNamesBeginsAfterAGap) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal(GetParam().records, GetParam().preamble);
  files_.WriteManifest(log);
  ExpectRefusal(LogFileName(kStoreName, log));
}

// The preamble of a log that took no write shows the gap too.
INSTANTIATE_TEST_SUITE_P(Logs, OldManifestGapTest,
                         ::testing::Values(LogAfterAGap{"OfLull", {"c@3=c3"}, 3},
                                           LogAfterAGap{"Empty", {}, 3}),
                         [](const auto& log) { return log.param.name; });

// After a failed first write, LevelDB counts its sequence as used.
TEST_F(OldManifestTest, TheLogOfLevelDBThatItNamesMayBeginAfterAGap) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"c@3=c3", "d@6=d6"});
  files_.WriteManifest(log);
  EXPECT_TRUE(OpenOn(&disk_, &db_, /*paranoid=*/true).IsCorruption());
  leveldb::DB* reader = nullptr;
  ASSERT_EQ(OpenReadOnly(options_, kStoreName, &reader).ToString(), "OK");
  EXPECT_EQ(KeysIn(reader), "acd");
  delete reader;
  ASSERT_EQ(OpenOn(&disk_, &db_).ToString(), "OK");
  EXPECT_EQ(KeysIn(db_.get()), "acd");
}

// LevelDB's logs: a power loss can cause the gap, but the writes after it can be synced.
TEST_F(OldManifestTest, ALaterLogOfLevelDBBeginsAfterAGap) {
  const uint64_t first = files_.AddWal({"a@1=a1"});
  const uint64_t second = files_.AddWal({"c@3=c3"});
  files_.WriteManifest(first);
  ExpectRefusal(LogFileName(kStoreName, second));
}

TEST_F(OldManifestTest, ItNeedsNoLogAndATableIsNewer) {
  files_.AddTable(0, "a@1=a1");
  files_.WriteManifest(0);
  ExpectRefusal(TableFileName(kStoreName, files_.AddUnlisted("b@2=b2").number));
}

// A power loss can leave the table of an unfinished flush and take its log's end. The table is
// kept; that of an unfinished compaction is not.
TEST_F(OldManifestTest, ATableThatIsNewerThanTheLogsIsKept) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"b@2=b2"}, 2);
  files_.WriteManifest(log);
  const std::string newer = TableFileName(kStoreName, files_.AddUnlisted("b@2=b2 c@3=c3").number);
  const std::string replayed = TableFileName(kStoreName, files_.AddUnlisted("b@2=b2").number);
  const std::string older = TableFileName(kStoreName, files_.AddUnlisted("a@1=a1").number);
  ASSERT_EQ(OpenOn(&disk_, &db_, /*paranoid=*/true).ToString(), "OK");
  db_.reset();
  for (const std::string& table : {newer, replayed, older}) {
    EXPECT_FALSE(disk_.FileExists(table));
    EXPECT_EQ(disk_.FileExists(InLost(table)), table == newer) << table;
  }
}

// A MANIFEST could not store such a sequence, so the store could not be opened again.
TEST_F(ReplayTest, ASequenceNearTheEndIsDamage) {
  const uint64_t wal =
      files_.AddWal({"a@1=a1", "b@" + std::to_string(kMaxStoredSequence + 1) + "=b1"});
  files_.WriteManifest(wal);
  EXPECT_TRUE(OpenOn(&disk_, &db_, /*paranoid=*/true).IsCorruption());
  for (int round = 0; round < 2; ++round) {
    db_.reset();
    ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
    std::string value;
    EXPECT_TRUE(db_->Get({}, "a", &value).ok());
    EXPECT_TRUE(db_->Get({}, "b", &value).IsNotFound());
    EXPECT_TRUE(db_->Put({}, "c", "c1").ok());
  }
  EXPECT_TRUE(disk_.FileExists(InLost(LogFileName(kStoreName, wal))));
}

// Otherwise the next files would have names that no store reads.
TEST_F(ReplayTest, ANumberNearTheEndIsRefused) {
  files_.WriteManifest(files_.AddWal({"a@1=a1"}));
  const std::string stray = LogFileName(kStoreName, kFileNumberMax);
  ASSERT_TRUE(leveldb::WriteStringToFile(&disk_, "", stray).ok());
  EXPECT_TRUE(OpenOn(&disk_, &db_).IsCorruption());
  EXPECT_TRUE(leveldb::RepairDB(kStoreName, options_).IsCorruption());
  ASSERT_TRUE(disk_.RemoveFile(stray).ok());
  ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
}

// The process that wrote the log may have used larger memtables.
TEST_F(ReplayTest, ALongLogIsReplayedInMemtablesOfTheUsualSize) {
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) {
    records.push_back("k" + std::to_string(100 + i) + "@" + std::to_string(i + 1) + "=" +
                      std::string(10'000, 'v'));
  }
  files_.WriteManifest(files_.AddWal(records));
  options_.write_buffer_size = 64 << 10;
  options_.compression = leveldb::kNoCompression;
  const auto scheduling = SchedulingOptions().SetL0Trigger(100);  // they stay there
  ASSERT_TRUE(OpenAt(options_, kStoreName, &db_, scheduling).ok());
  EXPECT_GE(TablesAt(db_.get(), 0), 5);
  std::string value;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(db_->Get({}, "k" + std::to_string(100 + i), &value).ok());
    ASSERT_EQ(value.size(), 10'000u);
  }
}

// A program that crashes at each start leaves such logs.
TEST_F(ReplayTest, ManySmallLogsShareATable) {
  constexpr int kLogs = 300;
  uint64_t first = 0;
  for (int i = 1; i <= kLogs; ++i) {
    const std::string number = std::to_string(i);
    const uint64_t log = files_.AddWal({"last@" + number + "=" + number}, i);
    if (i == 1) first = log;
  }
  files_.WriteManifest(first);
  ASSERT_TRUE(OpenOn(&disk_, &db_).ok());
  EXPECT_EQ(TablesAt(db_.get(), 0), 1);
  std::string value;
  ASSERT_TRUE(db_->Get({}, "last", &value).ok());
  EXPECT_EQ(value, std::to_string(kLogs));
}

}  // namespace
}  // namespace lull::testing
