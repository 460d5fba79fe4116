// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Backups on disks that fail: a crash or an error at each step, a full disk, damaged files.
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/backup/backups.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/backup.h"
#include "lull/lull.h"
#include "tests/db/support/copy_failures.h"
#include "tests/db/support/table_names.h"

namespace lull::testing {
namespace {

using leveldb::Status;
using ::testing::HasSubstr;

/// A disk with a store and two backups of it.
class BackupFailureTest : public CopyFailureTest {
 protected:
  BackupFailureTest() {
    const auto db = OpenStore(&base_);
    for (int round = 0; round < 2; ++round) {
      Fill(db.get(), round);
      EXPECT_TRUE(IsOk(CreateBackup(db.get(), "/backups")));
      wanted_.push_back(ReadAll(db.get()));
    }
    wanted_.push_back(wanted_.back());
    wanted_.back()["last"] = "write";
  }

  static std::unique_ptr<leveldb::DB> OpenStore(leveldb::Env* env) {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(IsOk(OpenAt(SmallOptions(env), "/store", &db)));
    return db;
  }
  static void Fill(leveldb::DB* db, int round) {
    for (int i = 0; i < 60; ++i) {
      const std::string key = "key" + std::to_string(i * 37 % 100);
      const std::string value = std::to_string(round).append(60, 'v') + key;
      EXPECT_TRUE(db->Put({}, key, value).ok());
    }
  }

  static Operation ThirdBackup(bool stamps) {
    return [stamps](CopyDisk* disk, const auto& begin) {
      disk->stamps = stamps;
      const auto db = OpenStore(disk);
      leveldb::WriteOptions synced;
      synced.sync = true;
      EXPECT_TRUE(db->Put(synced, "last", "write").ok());
      begin();
      return CreateBackup(db.get(), "/backups");
    };
  }

  /// All backups are complete, and the first `count` of them exist.
  void ExpectBackups(leveldb::Env* env, size_t count) {
    std::vector<BackupInfo> backups;
    ASSERT_TRUE(IsOk(ListBackups(env, "/backups", &backups)));
    ASSERT_GE(backups.size(), count);
    ASSERT_LE(backups.size(), wanted_.size());
    EXPECT_TRUE(IsOk(VerifyBackup(env, "/backups", 0)));
    for (const BackupInfo& backup : backups) ExpectRestores(env, backup.id);
  }
  void ExpectRestores(leveldb::Env* env, uint64_t id) {
    const std::string target = "/restored" + std::to_string(id);
    ASSERT_TRUE(IsOk(RestoreBackup(env, "/backups", id, target)));
    EXPECT_EQ(ReadStore(env, target), wanted_[id - 1]) << "backup " << id;
  }
  /// Also: the next backup succeeds, and leaves nothing of an interrupted one but complete copies.
  const Check created_ = [this](const CopyRun& run, CrashEnv* disk) {
    ExpectBackups(disk, run.status.ok() ? 3 : 2);
    ASSERT_TRUE(IsOk(CreateBackup(OpenStore(disk).get(), "/backups")));
    EXPECT_EQ(ReadStore(disk, "/store"), wanted_[2]);
    EXPECT_TRUE(IsOk(VerifyBackup(disk, "/backups", 0)));
    ASSERT_TRUE(IsOk(RestoreBackup(disk, "/backups", 0, "/newest")));
    EXPECT_EQ(ReadStore(disk, "/newest"), wanted_[2]);
    EXPECT_FALSE(disk->FileExists("/backups/data/new.tmp"));
    EXPECT_FALSE(disk->FileExists("/backups/backups/new.tmp"));
    EXPECT_EQ(TableNames(disk, "/backups/data").size(), 3u) << "one for each table";
  };

  std::vector<Contents> wanted_;  // of each backup
};

// ---- create ----

TEST_F(BackupFailureTest, CreateWithACrashAtEachStep) {
  for (const bool stamps : {false, true}) EXPECT_GT(CrashEach(ThirdBackup(stamps), created_), 10u);
}

TEST_F(BackupFailureTest, CreateWithAnErrorOfEachOperation) {
  FaultEach(kCopyFaults, ThirdBackup(/*stamps=*/false), created_);
}

TEST_F(BackupFailureTest, TheFirstBackupSurvivesAPowerLossWithItsDirectory) {
  const auto disk = Base();
  disk->set_new_directories_may_vanish(true);
  ASSERT_TRUE(CreateBackup(OpenStore(disk.get()).get(), "/first").ok());
  const auto left = disk->Crash(0, CrashOptions::LoseAllUnsynced());
  EXPECT_TRUE(IsOk(VerifyBackup(left.get(), "/first", 1)));
  ASSERT_TRUE(RestoreBackup(left.get(), "/first", 1, "/restored").ok());
  EXPECT_EQ(ReadStore(left.get(), "/restored"), wanted_[1]);
}

TEST_F(BackupFailureTest, AFullDiskIsReportedAndTheNextBackupContinues) {
  const auto disk = Base();
  CopyDisk faulty(disk.get());
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(&faulty), "/store", &db, "l0_trigger=100").ok());
  for (int round = 2; round < 8; ++round) {
    Fill(db.get(), round);
    ASSERT_TRUE(Flush(db.get()).ok());
  }
  const Contents contents = ReadAll(db.get());
  // Each copy is two attempts to create the file, then one append: four tables fit.
  faulty.Arm(
      {.kind = FaultKind::kNoSpace, .index = 3 * 4 + 2, .name_part = "new.tmp", .bytes = 100});
  const Status status = CreateBackup(db.get(), "/fresh");
  EXPECT_TRUE(status.IsIOError());
  for (const char* part : {"/fresh", "not complete", "continues", "new.tmp", "No space left"})
    EXPECT_THAT(status.ToString(), HasSubstr(part));
  std::vector<BackupInfo> backups;
  EXPECT_TRUE(ListBackups(disk.get(), "/fresh", &backups).IsNotFound());
  EXPECT_FALSE(disk->FileExists("/fresh/data/new.tmp"));
  ExpectBackups(disk.get(), 2);

  faulty.Heal();
  BackupInfo info;
  ASSERT_TRUE(CreateBackup(db.get(), "/fresh", &info).ok());
  EXPECT_EQ(info.files, 8u);
  EXPECT_EQ(info.new_files, 4u);
  ASSERT_TRUE(RestoreBackup(disk.get(), "/fresh", 0, "/fresh-restored").ok());
  EXPECT_EQ(ReadStore(disk.get(), "/fresh-restored"), contents);
}

// ---- prune ----

/// The third backup needs no table of the first two.
class PruneFailureTest : public BackupFailureTest {
 protected:
  PruneFailureTest() {
    const auto db = OpenStore(&base_);
    EXPECT_TRUE(db->Put({}, "last", "write").ok());
    db->CompactRange(nullptr, nullptr);
    EXPECT_TRUE(CreateBackup(db.get(), "/backups").ok());
  }

  static Status Prune(CopyDisk* disk, const std::function<void()>& begin) {
    begin();
    return PruneBackups(disk, "/backups", 1);
  }
  const Check pruned_ = [this](const CopyRun& run, CrashEnv* disk) {
    EXPECT_EQ(run.status.ok(), !run.hit);
    std::vector<BackupInfo> backups;
    ASSERT_TRUE(IsOk(ListBackups(disk, "/backups", &backups)));
    ASSERT_EQ(backups.back().id, 3u);
    if (run.status.ok()) {
      EXPECT_EQ(backups.size(), 1u);
    }
    EXPECT_TRUE(IsOk(VerifyBackup(disk, "/backups", 0)));
    for (const BackupInfo& backup : backups) ExpectRestores(disk, backup.id);
    EXPECT_TRUE(IsOk(PruneBackups(disk, "/backups", 1)));
    EXPECT_EQ(TableNames(disk, "/backups/data").size(), backups.back().files);
    EXPECT_TRUE(IsOk(VerifyBackup(disk, "/backups", 0)));
  };
};

TEST_F(PruneFailureTest, ACrashAtEachStep) {
  EXPECT_GE(CrashEach(Prune, pruned_), 4u) << "two lists, a sync, and the tables";
}

TEST_F(PruneFailureTest, AnErrorOfEachOperation) {
  FaultEach(std::array{FaultKind::kErrorOnce}, Prune, pruned_);
}

// ---- restore ----

class RestoreFailureTest : public BackupFailureTest {
 protected:
  static Status Restore(CopyDisk* disk, const std::function<void()>& begin) {
    begin();
    return RestoreBackup(disk, "/backups", 2, "/copy");
  }
  /// The directory /copy must be the complete store, or no store if the restore failed.
  const Check all_or_nothing_ = [this](const CopyRun& run, CrashEnv* disk) {
    if (!run.status.ok() && !run.disk->crashed() && run.kind != FaultKind::kErrorSticky) {
      EXPECT_FALSE(run.disk->FileExists("/copy")) << "it removes what it created";
    }
    leveldb::Options options = SmallOptions(disk);
    options.create_if_missing = false;
    std::unique_ptr<leveldb::DB> db;
    const Status status = OpenAt(options, "/copy", &db);
    EXPECT_TRUE(status.ok() || !run.status.ok()) << status.ToString();
    if (status.ok()) {
      EXPECT_EQ(ReadAll(db.get()), wanted_[1]);
    }
    db.reset();
    ExpectBackups(disk, 2);
    if (status.ok()) return;
    EXPECT_TRUE(IsOk(RestoreBackup(disk, "/backups", 2, "/copy"))) << "a second attempt";
    EXPECT_EQ(ReadStore(disk, "/copy"), wanted_[1]);
  };
};

TEST_F(RestoreFailureTest, ACrashAtEachStep) { EXPECT_GE(CrashEach(Restore, all_or_nothing_), 9u); }

TEST_F(RestoreFailureTest, AnErrorOfEachOperation) {
  FaultEach(kCopyFaults, Restore, all_or_nothing_);
}

// ---- damage ----

class BackupDamageTest : public BackupFailureTest {
 protected:
  static std::vector<std::string> FilesIn(leveldb::Env* env, const std::string& directory) {
    std::vector<std::string> names;
    EXPECT_TRUE(env->GetChildren(directory, &names).ok());
    for (std::string& name : names) name.insert(0, directory + "/");
    return names;
  }
  static void FlipByte(CrashEnv* disk, const std::string& path, uint64_t offset) {
    const std::string bytes = FileBytes(disk, path);
    ASSERT_LT(offset, bytes.size());
    ASSERT_TRUE(disk->Corrupt(path, offset, std::string(1, static_cast<char>(bytes[offset] ^ 1))));
  }

  static void ExpectDamage(const Status& status, const std::string& path) {
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(path));
  }
  /// Verify names the file, and only that; a restore returns the content or names the file.
  void ExpectFound(leveldb::Env* env, const std::string& path, const std::string& how) {
    SCOPED_TRACE(path + " " + how);
    ExpectDamage(VerifyBackup(env, "/backups", 0), path);
    VerifiedBackups verified;
    ASSERT_TRUE(VerifyBackups(env, "/backups", 0, nullptr, &verified).ok());
    EXPECT_EQ(verified.damage.size(), 1u);
    int refused = 0;
    for (uint64_t id = 1; id <= 2; ++id) {
      const std::string target = "/restored" + std::to_string(id);
      const Status restored = RestoreBackup(env, "/backups", id, target);
      EXPECT_EQ(VerifyBackup(env, "/backups", id).ok(), restored.ok());
      if (restored.ok()) {
        EXPECT_EQ(ReadStore(env, target), wanted_[id - 1]);
        continue;
      }
      ++refused;
      ExpectDamage(restored, path);
      EXPECT_FALSE(env->FileExists(target));
    }
    EXPECT_GT(refused, 0);
  }
};

TEST_F(BackupDamageTest, OfEachFileIsFoundAndNamed) {
  const std::vector<std::string> lists = FilesIn(&base_, "/backups/backups");
  const std::vector<std::string> data = FilesIn(&base_, "/backups/data");
  ASSERT_EQ(lists.size(), 2u);
  ASSERT_EQ(data.size(), 2u);
  for (const std::string& path : {lists[0], lists[1], data[0], data[1]}) {
    uint64_t bytes = 0;
    ASSERT_TRUE(base_.GetFileSize(path, &bytes).ok());
    for (const uint64_t offset : {uint64_t{0}, bytes / 3, bytes / 2, bytes - 1}) {
      const auto disk = Base();
      FlipByte(disk.get(), path, offset);
      ExpectFound(disk.get(), path, "byte " + std::to_string(offset));
    }
    const auto disk = Base();
    ASSERT_TRUE(disk->Truncate(path, bytes - 1));
    ExpectFound(disk.get(), path, "is too short");
  }
  for (const std::string& path : data) {
    const auto disk = Base();
    ASSERT_TRUE(disk->RemoveFile(path).ok());
    ExpectFound(disk.get(), path, "is missing");
  }
}

TEST_F(BackupDamageTest, ADamagedListDoesNotHinderOtherBackups) {
  const auto disk = Base();
  const std::string path = "/backups/backups/000002";
  FlipByte(disk.get(), path, 30);
  std::vector<BackupInfo> backups;
  ExpectDamage(ListBackups(disk.get(), "/backups", &backups), path);
  ASSERT_EQ(backups.size(), 1u);
  EXPECT_EQ(backups[0].id, 1u);

  const std::set<std::string> copies = TableNames(disk.get(), "/backups/data");
  for (const uint64_t keep : {1, 2}) {
    PrunedBackups pruned;
    EXPECT_TRUE(PruneBackups(disk.get(), "/backups", keep, &pruned).IsCorruption());
    EXPECT_EQ(pruned.backups + pruned.files, 0u);
  }
  EXPECT_TRUE(disk->FileExists("/backups/backups/000001"));
  EXPECT_EQ(TableNames(disk.get(), "/backups/data"), copies);

  BackupInfo info;
  ASSERT_TRUE(CreateBackup(OpenStore(disk.get()).get(), "/backups", &info).ok());
  EXPECT_EQ(info.id, 3u);
  EXPECT_EQ(info.new_files, 0u);
  EXPECT_TRUE(VerifyBackup(disk.get(), "/backups", 3).ok());
  EXPECT_TRUE(PruneBackups(disk.get(), "/backups", 1).ok()) << "the damaged one is not kept";
  EXPECT_TRUE(VerifyBackup(disk.get(), "/backups", 0).ok());
}

TEST_F(BackupDamageTest, ADamagedTableOfTheStoreIsNotBackedUp) {
  const auto disk = Base();
  const std::string path = "/store/" + *TableNames(disk.get(), "/store").begin();
  const auto db = OpenStore(disk.get());
  FlipByte(disk.get(), path, 20);
  ExpectDamage(CreateBackup(db.get(), "/fresh"), path);
  std::vector<BackupInfo> backups;
  EXPECT_TRUE(ListBackups(disk.get(), "/fresh", &backups).IsNotFound());
  EXPECT_FALSE(disk->FileExists("/fresh/data/new.tmp"));
  ExpectBackups(disk.get(), 2);
}

TEST_F(BackupDamageTest, ADamagedLogIsNotBackedUp) {
  const auto disk = Base();
  Fill(OpenStore(disk.get()).get(), 5);
  std::string log;
  for (const std::string& path : FilesIn(disk.get(), "/store")) {
    if (path.ends_with(".log")) log = path;
  }
  FlipByte(disk.get(), log, 200);
  BackupInfo info;
  ExpectDamage(BackUpFiles(SmallOptions(disk.get()), "/store", "/fresh", nullptr, &info), log);
}

}  // namespace
}  // namespace lull::testing
