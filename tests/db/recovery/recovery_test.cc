// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Opening a store with logs that cannot be read: their contents are kept, whatever happens to the
// open.
#include "db/recovery/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/recovery/lost_files.h"
#include "db/wal/log_reader.h"
#include "lull/lull.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using leveldb::Status;
using testing::CrashEnv;
using testing::CrashOptions;
using ::testing::HasSubstr;
using testing::kStoreName;
using testing::StoreFiles;

std::string LogContents(leveldb::Env* env, const std::string& path) {
  std::string bytes;
  leveldb::ReadFileToString(env, path, &bytes);
  return bytes;
}

Status OpenOn(leveldb::Env* env, std::unique_ptr<leveldb::DB>* db, bool paranoid = false) {
  leveldb::Options options;
  options.env = env;
  options.paranoid_checks = paranoid;
  return testing::OpenAt(options, kStoreName, db);
}

std::string InLost(const std::string& path) {
  return LostDirectoryName(kStoreName) + path.substr(sizeof(kStoreName) - 1);
}

// Three logs; the second is damaged after its first record.
class LostLogTest : public ::testing::Test {
 protected:
  LostLogTest() {
    StoreFiles files(&disk_, kStoreName);
    const uint64_t first = files.AddWal({"a@1=a1"});
    second_ = files.AddWal({"b@2=b2", "c@3=" + std::string(300, 'c'), "d@4=d4"});
    third_ = files.AddWal({"e@5=e5"});
    files.WriteManifest(first);
    EXPECT_TRUE(disk_.SyncDirectory(kStoreName).ok());
    EXPECT_TRUE(disk_.Corrupt(LogFileName(kStoreName, second_), 100, "xxxx"));
    damaged_ = LogContents(&disk_, LogFileName(kStoreName, second_));
    unread_ = LogContents(&disk_, LogFileName(kStoreName, third_));
  }

  static std::string Found(leveldb::DB* db) {
    std::string found;
    for (const auto& [key, value] : testing::ReadAll(db)) found += key;
    return found;
  }

  // Whether a file with the log's bytes exists, under its name in the directory or any name in
  // lost/.
  static bool Holds(leveldb::Env* env, uint64_t number, const std::string& bytes) {
    const std::string name = LogFileName("", number);
    if (LogContents(env, kStoreName + name) == bytes) return true;
    const std::string lost = LostDirectoryName(kStoreName) + name;
    for (const char* suffix : {"", ".2", ".3", ".4"})
      if (LogContents(env, lost + suffix) == bytes) return true;
    return false;
  }
  bool HoldsBoth(leveldb::Env* env) const {
    return Holds(env, second_, damaged_) && Holds(env, third_, unread_);
  }

  CrashEnv disk_;
  uint64_t second_ = 0;
  uint64_t third_ = 0;
  std::string damaged_, unread_;
};

TEST_F(LostLogTest, WhatWasNotReadIsKeptUnderLost) {
  for (int round = 0; round < 3; ++round) {
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenOn(&disk_, &db).ok());
    EXPECT_EQ(Found(db.get()), "ab");
    db.reset();
    EXPECT_FALSE(disk_.FileExists(LogFileName(kStoreName, second_)));
    EXPECT_EQ(LogContents(&disk_, InLost(LogFileName(kStoreName, second_))), damaged_);
    EXPECT_EQ(LogContents(&disk_, InLost(LogFileName(kStoreName, third_))), unread_);
    for (const uint64_t log : {second_, third_}) {
      const std::string note = InLost(LogFileName(kStoreName, log)) + kReplayedToSuffix;
      EXPECT_EQ(LogContents(&disk_, note), "2\n");
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
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenOn(&disk_, &db).ok());
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
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenOn(&disk_, &db).ok());
  EXPECT_EQ(LogContents(&disk_, taken), older);
  EXPECT_EQ(LogContents(&disk_, taken + ".2"), damaged_);
}

TEST_F(LostLogTest, ACrashOfTheOpenAtAnyStepLosesNeither) {
  bool done = false;
  for (uint64_t step = 0; !done; ++step) {
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const auto env = disk_.Crash(0, CrashOptions::KeepAll());
      env->set_new_directories_may_vanish(true);
      env->set_manifest_sync_covers_directory(seed % 2 == 0);
      env->SetCrashPoint(step);
      std::unique_ptr<leveldb::DB> db;
      done = OpenOn(env.get(), &db).ok() && !env->crashed();
      db.reset();
      auto after = seed == 0 ? env->Crash(0, CrashOptions::LoseAllUnsynced()) : env->Crash(seed);
      ASSERT_TRUE(HoldsBoth(after.get())) << "step " << step << ", seed " << seed;
      ASSERT_TRUE(OpenOn(after.get(), &db).ok());
      ASSERT_EQ(Found(db.get()), "ab") << "step " << step << ", seed " << seed;
      db.reset();
      ASSERT_TRUE(HoldsBoth(after.get())) << "step " << step << ", seed " << seed;
    }
  }
}

TEST_F(LostLogTest, AnErrorOfTheOpenAtAnyOperationLosesNeither) {
  using testing::Fault;
  using testing::FaultEnv;
  using testing::FaultKind;
  bool hit = true;
  for (uint64_t index = 0; hit; ++index) {
    const auto disk = disk_.Crash(0, CrashOptions::KeepAll());
    FaultEnv env(disk.get());
    Fault fault;
    fault.kind = FaultKind::kErrorOnce;
    fault.index = index;
    env.Arm(fault);
    std::unique_ptr<leveldb::DB> db;
    OpenOn(&env, &db);
    db.reset();
    hit = env.hits() > 0;
    env.Heal();
    ASSERT_TRUE(HoldsBoth(disk.get())) << env.first_hit();
    ASSERT_TRUE(OpenOn(disk.get(), &db).ok()) << env.first_hit();
    ASSERT_EQ(Found(db.get()), "ab") << env.first_hit();
    db.reset();
    ASSERT_TRUE(HoldsBoth(disk.get())) << env.first_hit();
  }
}

TEST_F(LostLogTest, AnOpenThatFailsLeavesNothingBehind) {
  const auto tables_and_logs = [&] {
    std::vector<std::string> names;
    EXPECT_TRUE(disk_.GetChildren(kStoreName, &names).ok());
    std::erase_if(names, [](const std::string& name) {
      const std::optional<ParsedFileName> parsed = ParseFileName(name);
      return !parsed || (parsed->kind != FileKind::kTable && parsed->kind != FileKind::kLog);
    });
    return names;
  };
  const std::vector<std::string> before = tables_and_logs();
  for (int round = 0; round < 3; ++round) {
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenOn(&disk_, &db, /*paranoid=*/true).IsCorruption());
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
    ASSERT_TRUE(disk.Corrupt(path, LogContents(&disk, path).size() - 1, "x"));
    const std::string bad = LogContents(&disk, path);
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenOn(&disk, &db).ok());
    db.reset();
    const bool gap = row.next == 3;
    EXPECT_EQ(disk.FileExists(path), !gap);
    EXPECT_EQ(LogContents(&disk, InLost(path)), gap ? bad : "");
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
    ASSERT_TRUE(disk.Corrupt(path, LogContents(&disk, path).size() - 1, "x"));
    const std::string bad = LogContents(&disk, path);
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
    EXPECT_EQ(LogContents(&disk, InLost(path)), bad);
  }
}

// The last record of a MANIFEST lists a table, and the log that comes after those that the table
// replaces. It is damaged or cut short.
class BadManifestEndTest : public ::testing::TestWithParam<bool> {
 protected:
  // With `old_log`, the log that the table replaced is still there.
  void Write(bool old_log) {
    StoreFiles files(&disk_, kStoreName);
    files.AddTable(0, "a@1=a1");
    const uint64_t old = files.AddWal({"b@2=b2", "c@3=c3"}, 2);
    const uint64_t wal = files.AddWal({"d@4=d4"}, 4);
    VersionEdit later;
    later.new_tables = {files.AddUnlisted("b@2=b2 c@3=c3")};
    later.log_number = wal;
    later.last_sequence = 3;
    manifest_ = DescriptorFileName(kStoreName, files.WriteManifest(old, later, 1));
    std::string bytes = LogContents(&disk_, manifest_);
    log::Reader reader(std::make_unique<testing::MemorySequential>(bytes), manifest_);
    leveldb::Slice first;
    ASSERT_TRUE(reader.ReadRecord(&first));
    offset_ = reader.ValidBytes();
    if (GetParam()) {
      ASSERT_TRUE(disk_.Truncate(manifest_, bytes.size() - 1));
    } else {
      ASSERT_TRUE(disk_.Corrupt(manifest_, bytes.size() - 1, "x"));
    }
    table_ = TableFileName(kStoreName, later.new_tables[0].number);
    log_ = LogFileName(kStoreName, old);
    if (!old_log) {
      ASSERT_TRUE(disk_.RemoveFile(log_).ok());
    }
    options_.env = &disk_;
  }
  Status Open() { return testing::OpenAt(options_, kStoreName, &db_); }
  std::string Found() {
    std::string found;
    for (const auto& [key, value] : testing::ReadAll(db_.get())) found += key;
    return found;
  }

  CrashEnv disk_;
  leveldb::Options options_;
  std::string table_, manifest_, log_;
  uint64_t offset_ = 0;  // of the bad record
  std::unique_ptr<leveldb::DB> db_;
};

INSTANTIATE_TEST_SUITE_P(Ends, BadManifestEndTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "CutShort" : "Damaged"; });

TEST_P(BadManifestEndTest, AnOpenThatCannotMissAnythingKeepsWhatItMayHaveNamed) {
  Write(/*old_log=*/true);
  const std::string table = LogContents(&disk_, table_);
  const std::string manifest = LogContents(&disk_, manifest_);
  ASSERT_EQ(Open().ToString(), "OK");
  EXPECT_EQ(Found(), "abcd");
  db_.reset();
  EXPECT_FALSE(disk_.FileExists(table_));
  EXPECT_EQ(LogContents(&disk_, InLost(table_)), table);
  EXPECT_EQ(LogContents(&disk_, InLost(manifest_)), manifest);
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
  EXPECT_EQ(Found(), "abcd");
}

// MANIFESTs that are read to a clean end, but are older than the directory's other files.
class OldManifestTest : public ::testing::Test {
 protected:
  OldManifestTest() : files_(&disk_, kStoreName) { options_.env = &disk_; }

  // Neither kind of open accepts the store or removes a file; after a repair both do.
  void ExpectRefusal(const std::string& file) {
    std::vector<std::string> before, after;
    ASSERT_TRUE(disk_.GetChildren(kStoreName, &before).ok());
    std::unique_ptr<leveldb::DB> db;
    leveldb::DB* reader = nullptr;
    for (const Status& status :
         {OpenOn(&disk_, &db), OpenReadOnly(options_, kStoreName, &reader)}) {
      EXPECT_TRUE(status.IsCorruption()) << status.ToString();
      EXPECT_THAT(status.ToString(), HasSubstr(file));
      EXPECT_THAT(status.ToString(), HasSubstr("RepairDB"));
    }
    ASSERT_TRUE(disk_.GetChildren(kStoreName, &after).ok());
    std::erase_if(after, [](const std::string& name) { return name == "LOG" || name == "LOCK"; });
    EXPECT_THAT(after, ::testing::IsSupersetOf(before));
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options_).ToString(), "OK");
    EXPECT_EQ(OpenReadOnly(options_, kStoreName, &reader).ToString(), "OK");
    delete reader;
    EXPECT_EQ(OpenOn(&disk_, &db, /*paranoid=*/true).ToString(), "OK");
  }

  CrashEnv disk_;
  StoreFiles files_;
  leveldb::Options options_;
};

TEST_F(OldManifestTest, TheLogThatItNamesIsMissing) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"b@2=b2"}, 2);
  files_.AddWal({"c@3=c3"}, 3);
  files_.WriteManifest(log);
  ASSERT_TRUE(disk_.RemoveFile(LogFileName(kStoreName, log)).ok());
  ExpectRefusal(LogFileName(kStoreName, log));
}

TEST_F(OldManifestTest, TheLogThatItNamesBeginsAfterAGap) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"c@3=c3"}, 3);
  files_.WriteManifest(log);
  ExpectRefusal(LogFileName(kStoreName, log));
}

TEST_F(OldManifestTest, TheLogOfLevelDBThatItNamesBeginsAfterAGap) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({"c@3=c3"});
  files_.WriteManifest(log);
  ExpectRefusal(LogFileName(kStoreName, log));
}

// The preamble of a log that took no write shows the gap too.
TEST_F(OldManifestTest, TheEmptyLogThatItNamesBeginsAfterAGap) {
  files_.AddTable(0, "a@1=a1");
  const uint64_t log = files_.AddWal({}, 3);
  files_.WriteManifest(log);
  ExpectRefusal(LogFileName(kStoreName, log));
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
  std::unique_ptr<leveldb::DB> db;
  ASSERT_EQ(OpenOn(&disk_, &db, /*paranoid=*/true).ToString(), "OK");
  db.reset();
  for (const std::string& table : {newer, replayed, older}) {
    EXPECT_FALSE(disk_.FileExists(table));
    EXPECT_EQ(disk_.FileExists(InLost(table)), table == newer) << table;
  }
}

// A MANIFEST could not store such a sequence, so the store could not be opened again.
TEST(RecoveryTest, ASequenceNearTheEndIsDamage) {
  CrashEnv disk;
  StoreFiles files(&disk, kStoreName);
  const uint64_t wal =
      files.AddWal({"a@1=a1", "b@" + std::to_string(kMaxStoredSequence + 1) + "=b1"});
  files.WriteManifest(wal);
  std::unique_ptr<leveldb::DB> db;
  EXPECT_TRUE(OpenOn(&disk, &db, /*paranoid=*/true).IsCorruption());
  for (int round = 0; round < 2; ++round) {
    db.reset();
    ASSERT_TRUE(OpenOn(&disk, &db).ok());
    std::string value;
    EXPECT_TRUE(db->Get({}, "a", &value).ok());
    EXPECT_TRUE(db->Get({}, "b", &value).IsNotFound());
    EXPECT_TRUE(db->Put({}, "c", "c1").ok());
  }
  EXPECT_TRUE(disk.FileExists(InLost(LogFileName(kStoreName, wal))));
}

// Otherwise the next files would have names that no store reads.
TEST(RecoveryTest, ANumberNearTheEndIsRefused) {
  CrashEnv disk;
  StoreFiles files(&disk, kStoreName);
  files.WriteManifest(files.AddWal({"a@1=a1"}));
  const std::string stray = LogFileName(kStoreName, kFileNumberMax);
  ASSERT_TRUE(leveldb::WriteStringToFile(&disk, "", stray).ok());
  leveldb::Options options;
  options.env = &disk;
  std::unique_ptr<leveldb::DB> db;
  EXPECT_TRUE(OpenOn(&disk, &db).IsCorruption());
  EXPECT_TRUE(leveldb::RepairDB(kStoreName, options).IsCorruption());
  ASSERT_TRUE(disk.RemoveFile(stray).ok());
  ASSERT_TRUE(OpenOn(&disk, &db).ok());
}

// The process that wrote the log may have used larger memtables.
TEST(RecoveryTest, ALongLogIsReplayedInMemtablesOfTheUsualSize) {
  CrashEnv disk;
  StoreFiles files(&disk, kStoreName);
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) {
    records.push_back("k" + std::to_string(100 + i) + "@" + std::to_string(i + 1) + "=" +
                      std::string(10'000, 'v'));
  }
  files.WriteManifest(files.AddWal(records));
  leveldb::Options options;
  options.env = &disk;
  options.write_buffer_size = 64 << 10;
  options.compression = leveldb::kNoCompression;
  const auto scheduling = SchedulingOptions().SetL0Trigger(100);  // they stay there
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(testing::OpenAt(options, kStoreName, &db, scheduling).ok());
  std::string value;
  ASSERT_TRUE(db->GetProperty("leveldb.num-files-at-level0", &value));
  EXPECT_GE(std::stoi(value), 5);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(db->Get(leveldb::ReadOptions(), "k" + std::to_string(100 + i), &value).ok());
    ASSERT_EQ(value.size(), 10'000u);
  }
}

// A program that crashes at each start leaves such logs.
TEST(RecoveryTest, ManySmallLogsShareATable) {
  constexpr int kLogs = 300;
  CrashEnv disk;
  StoreFiles files(&disk, kStoreName);
  uint64_t first = 0;
  for (int i = 1; i <= kLogs; ++i) {
    const std::string number = std::to_string(i);
    const uint64_t log = files.AddWal({"last@" + number + "=" + number}, i);
    if (i == 1) first = log;
  }
  files.WriteManifest(first);
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenOn(&disk, &db).ok());
  std::string value;
  ASSERT_TRUE(db->GetProperty("leveldb.num-files-at-level0", &value));
  EXPECT_EQ(value, "1");
  ASSERT_TRUE(db->Get(leveldb::ReadOptions(), "last", &value).ok());
  EXPECT_EQ(value, std::to_string(kLogs));
}

}  // namespace
}  // namespace lull
