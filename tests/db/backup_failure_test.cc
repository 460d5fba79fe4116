// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Backups on disks that fail: a crash or an error at each step, a full disk, damaged files.
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/backup/backups.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/backup.h"
#include "lull/lull.h"
#include "tests/db/small_store.h"
#include "tests/db/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using leveldb::Status;
using testing::Contents;
using testing::CrashEnv;
using testing::CrashOptions;
using testing::Fault;
using testing::FaultKind;
using testing::OpenAt;
using testing::ReadAll;
using testing::ReadStore;
using testing::SmallOptions;
using testing::TableNames;

constexpr FaultKind kFaults[] = {FaultKind::kErrorOnce,  FaultKind::kErrorSticky,
                                 FaultKind::kNoSpace,    FaultKind::kShortRead,
                                 FaultKind::kShortWrite, FaultKind::kFailedSync};

/// A disk with or without stamps of files. No file here is ever written twice.
class BackupDisk : public testing::FaultEnv {
 public:
  BackupDisk(leveldb::Env* target, bool stamps) : FaultEnv(target), stamps_(stamps) {}
  Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    *stamp = {name.size(), 1};
    return stamps_ ? Status::OK() : Status::NotSupported(name);
  }

 private:
  const bool stamps_;
};

/// What a power loss leaves. `variant` selects how much.
std::unique_ptr<CrashEnv> AfterCrash(const CrashEnv& disk, uint64_t variant) {
  switch (variant % 4) {
    case 0:
      return disk.Crash(0, CrashOptions::KeepAll());
    case 1:
      return disk.Crash(0, CrashOptions::LoseAllUnsynced());
    case 2: {
      // What is done to tables survives, and what is done to lists does not.
      CrashOptions options = CrashOptions::LoseAllUnsynced();
      options.decide_entry = [](const testing::PendingEntry& entry) -> std::optional<bool> {
        return entry.path.find("/data/") != std::string::npos;
      };
      return disk.Crash(0, options);
    }
    default:
      return disk.Crash(variant);
  }
}

/// A disk with a store and two backups of it. A test adds something, on a copy of the disk.
class BackupFailureTest : public ::testing::Test {
 protected:
  BackupFailureTest() {
    EXPECT_TRUE(OpenAt(SmallOptions(&elsewhere_), "/other", &other_).ok());
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(OpenAt(SmallOptions(&base_), "/store", &db).ok());
    for (int round = 0; round < 2; ++round) {
      Fill(db.get(), round);
      const Status status = CreateBackup(db.get(), "/backups");
      EXPECT_TRUE(status.ok()) << status.ToString();
      wanted_.push_back(ReadAll(db.get()));
    }
    wanted_.push_back(wanted_.back());
    wanted_.back()["last"] = "write";
  }

  static void Fill(leveldb::DB* db, int round) {
    for (int i = 0; i < 60; ++i) {
      const std::string key = "key" + std::to_string(i * 37 % 100);
      EXPECT_TRUE(
          db->Put(leveldb::WriteOptions(), key, std::to_string(round) + std::string(60, 'v') + key)
              .ok());
    }
  }

  std::unique_ptr<CrashEnv> Base() const { return base_.Crash(0, CrashOptions::KeepAll()); }

  using Prepare = std::function<void(CrashEnv* disk, BackupDisk* faulty)>;
  using Finish = std::function<void(const CrashEnv& disk, const BackupDisk& faulty)>;

  /// Makes the third backup, after `prepare`, and returns the resulting disk.
  std::unique_ptr<CrashEnv> Run(
      const Prepare& prepare, bool stamps = false,
      const Finish& finish = [](const CrashEnv&, const BackupDisk&) {}) {
    auto disk = Base();
    BackupDisk faulty(disk.get(), stamps);
    faulty.set_on_failed_sync([&disk](const std::string& path) { disk->DropDirtyPages(path); });
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(OpenAt(SmallOptions(&faulty), "/store", &db).ok());
    leveldb::WriteOptions synced;
    synced.sync = true;
    EXPECT_TRUE(db->Put(synced, "last", "write").ok());
    faulty.ResetCount();
    prepare(disk.get(), &faulty);
    status_ = CreateBackup(db.get(), "/backups");
    finish(*disk, faulty);
    faulty.Heal();
    return disk;
  }

  /// All backups are complete, and the first `count` of them exist.
  void ExpectBackups(leveldb::Env* env, size_t count, const std::string& where) {
    std::vector<BackupInfo> backups;
    Status status = ListBackups(env, "/backups", &backups);
    ASSERT_TRUE(status.ok()) << where << ": " << status.ToString();
    ASSERT_GE(backups.size(), count) << where;
    ASSERT_LE(backups.size(), wanted_.size()) << where;
    status = VerifyBackup(env, "/backups", 0);
    EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
    for (const BackupInfo& backup : backups) ExpectRestores(env, backup.id, where);
  }
  void ExpectRestores(leveldb::Env* env, uint64_t id, const std::string& where) {
    const std::string target = "/restored" + std::to_string(id);
    const Status status = RestoreBackup(env, "/backups", id, target);
    ASSERT_TRUE(status.ok()) << where << ": " << status.ToString();
    EXPECT_EQ(ReadStore(env, target), wanted_[id - 1]) << where << ", backup " << id;
  }
  /// The next backup succeeds, and leaves nothing of an interrupted one but complete copies.
  void ExpectNextSucceeds(CrashEnv* disk, const std::string& where) {
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(OpenAt(SmallOptions(disk), "/store", &db).ok()) << where;
    Status status = CreateBackup(db.get(), "/backups");
    ASSERT_TRUE(status.ok()) << where << ": " << status.ToString();
    db.reset();
    EXPECT_EQ(ReadStore(disk, "/store"), wanted_[2]) << where;
    status = VerifyBackup(disk, "/backups", 0);
    EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
    ASSERT_TRUE(RestoreBackup(disk, "/backups", 0, "/newest").ok()) << where;
    EXPECT_EQ(ReadStore(disk, "/newest"), wanted_[2]) << where;
    EXPECT_FALSE(disk->FileExists("/backups/data/new.tmp")) << where;
    EXPECT_FALSE(disk->FileExists("/backups/backups/new.tmp")) << where;
    EXPECT_EQ(TableNames(disk, "/backups/data").size(), 3u) << where << ": one for each table";
  }

  // While this store is open, opening others starts no threads.
  CrashEnv elsewhere_;
  std::unique_ptr<leveldb::DB> other_;
  CrashEnv base_;
  std::vector<Contents> wanted_;  // of each backup
  Status status_;
};

// ---- create ----

TEST_F(BackupFailureTest, CreateWithACrashAtEachStep) {
  for (const bool stamps : {false, true}) {
    uint64_t before = 0, after = 0;
    Run([&](CrashEnv* disk, BackupDisk*) { before = disk->steps(); }, stamps,
        [&](const CrashEnv& disk, const BackupDisk&) { after = disk.steps(); });
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    const uint64_t steps = after - before;
    ASSERT_GT(steps, 10u);
    uint64_t failures = 0;
    for (uint64_t step = 0; step <= steps; ++step) {
      const auto disk = Run(
          [&](CrashEnv* at, BackupDisk*) {
            at->SetCrashPoint(step == steps ? CrashEnv::kNoCrashPoint : at->steps() + step);
          },
          stamps);
      // The store's threads take steps too, so a late one can be after the backup's last.
      EXPECT_TRUE(status_.ok() || step < steps) << status_.ToString();
      failures += status_.ok() ? 0 : 1;
      for (uint64_t variant = 0; variant < 4; ++variant) {
        const std::string where = "crash at step " + std::to_string(step) + ", variant " +
                                  std::to_string(variant) + ", " + status_.ToString();
        const auto left = AfterCrash(*disk, variant == 3 ? 4 * step + 3 : variant);
        ExpectBackups(left.get(), status_.ok() ? 3 : 2, where);
        ExpectNextSucceeds(left.get(), where);
      }
    }
    EXPECT_GT(failures, steps / 2);
  }
}

TEST_F(BackupFailureTest, CreateWithAnErrorOfEachOperation) {
  for (const FaultKind kind : kFaults) {
    uint64_t operations = 0;
    uint64_t failed = 0;
    Run([](CrashEnv*, BackupDisk*) {}, false,
        [&](const CrashEnv&, const BackupDisk& faulty) {
          operations = faulty.Count(testing::OpsOf(kind));
        });
    ASSERT_TRUE(status_.ok()) << status_.ToString();
    for (uint64_t index = 0; index < operations; ++index) {
      const auto disk = Run([&](CrashEnv*, BackupDisk* faulty) {
        Fault fault;
        fault.kind = kind;
        fault.index = index;
        fault.bytes = index * 7 % 50;
        faulty->Arm(fault);
      });
      if (!status_.ok()) ++failed;
      const std::string where = std::string(testing::FaultKindName(kind)) + " " +
                                std::to_string(index) + ", " + status_.ToString();
      const auto left = AfterCrash(*disk, index);
      ExpectBackups(left.get(), status_.ok() ? 3 : 2, where);
      ExpectNextSucceeds(left.get(), where);
    }
    const uint64_t must_fail = kind == FaultKind::kShortRead ? 0 : 3;  // a short read is retried
    EXPECT_GE(failed, must_fail) << testing::FaultKindName(kind);
  }
}

TEST_F(BackupFailureTest, TheFirstBackupSurvivesAPowerLossWithItsDirectory) {
  const auto disk = Base();
  disk->set_new_directories_may_vanish(true);
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(disk.get()), "/store", &db).ok());
  ASSERT_TRUE(CreateBackup(db.get(), "/first").ok());
  const auto left = disk->Crash(0, CrashOptions::LoseAllUnsynced());
  const Status status = VerifyBackup(left.get(), "/first", 1);
  EXPECT_TRUE(status.ok()) << status.ToString();
  ASSERT_TRUE(RestoreBackup(left.get(), "/first", 1, "/restored").ok());
  EXPECT_EQ(ReadStore(left.get(), "/restored"), wanted_[1]);
}

TEST_F(BackupFailureTest, AFullDiskIsReportedAndTheNextBackupContinues) {
  const auto disk = Base();
  BackupDisk faulty(disk.get(), false);
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(&faulty), "/store", &db, "l0_trigger=100").ok());
  for (int round = 2; round < 8; ++round) {
    Fill(db.get(), round);
    ASSERT_TRUE(Flush(db.get()).ok());
  }
  const Contents contents = ReadAll(db.get());
  // Each copy is two attempts to create the file, then one append: four tables fit.
  Fault full;
  full.kind = FaultKind::kNoSpace;
  full.name_part = "new.tmp";
  full.index = 3 * 4 + 2;
  full.bytes = 100;
  faulty.Arm(full);
  const Status status = CreateBackup(db.get(), "/fresh");
  EXPECT_TRUE(status.IsIOError());
  for (const char* part : {"/fresh", "not complete", "continues", "new.tmp", "No space left"}) {
    EXPECT_NE(status.ToString().find(part), std::string::npos) << part << ": " << status.ToString();
  }
  std::vector<BackupInfo> backups;
  EXPECT_TRUE(ListBackups(disk.get(), "/fresh", &backups).IsNotFound());
  EXPECT_FALSE(disk->FileExists("/fresh/data/new.tmp"));
  ExpectBackups(disk.get(), 2, "in another directory");

  faulty.Heal();
  BackupInfo info;
  ASSERT_TRUE(CreateBackup(db.get(), "/fresh", &info).ok());
  EXPECT_EQ(info.files, 8u);
  EXPECT_EQ(info.new_files, 4u);
  ASSERT_TRUE(RestoreBackup(disk.get(), "/fresh", 0, "/fresh-restored").ok());
  EXPECT_EQ(ReadStore(disk.get(), "/fresh-restored"), contents);
}

// ---- prune ----

class PruneFailureTest : public BackupFailureTest {
 protected:
  /// A disk whose third backup needs no table of the first two.
  PruneFailureTest() : full_(Base()) {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(OpenAt(SmallOptions(full_.get()), "/store", &db).ok());
    EXPECT_TRUE(db->Put(leveldb::WriteOptions(), "last", "write").ok());
    db->CompactRange(nullptr, nullptr);
    EXPECT_TRUE(CreateBackup(db.get(), "/backups").ok());
    db.reset();
    full_ = full_->Crash(0, CrashOptions::KeepAll());
  }

  void ExpectPruned(CrashEnv* disk, bool done, const std::string& where) {
    std::vector<BackupInfo> backups;
    Status status = ListBackups(disk, "/backups", &backups);
    ASSERT_TRUE(status.ok()) << where << ": " << status.ToString();
    ASSERT_EQ(backups.back().id, 3u) << where;
    if (done) {
      EXPECT_EQ(backups.size(), 1u) << where;
    }
    status = VerifyBackup(disk, "/backups", 0);
    EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
    for (const BackupInfo& backup : backups) ExpectRestores(disk, backup.id, where);
    status = PruneBackups(disk, "/backups", 1);
    EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
    EXPECT_EQ(TableNames(disk, "/backups/data").size(), backups.back().files) << where;
    status = VerifyBackup(disk, "/backups", 0);
    EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
  }

  std::unique_ptr<CrashEnv> full_;
};

TEST_F(PruneFailureTest, ACrashAtEachStep) {
  uint64_t failed = 0;
  do {
    const auto disk = full_->Crash(0, CrashOptions::KeepAll());
    disk->SetCrashPoint(disk->steps() + failed);
    status_ = PruneBackups(disk.get(), "/backups", 1);
    for (uint64_t variant = 0; variant < 4; ++variant) {
      const auto left = AfterCrash(*disk, variant == 3 ? 4 * failed + 3 : variant);
      ExpectPruned(left.get(), status_.ok(),
                   "crash at step " + std::to_string(failed) + ", variant " +
                       std::to_string(variant) + ", " + status_.ToString());
    }
    ++failed;
  } while (!status_.ok());
  EXPECT_GE(failed, 5u) << "two lists, a sync, and the tables";
}

TEST_F(PruneFailureTest, AnErrorOfEachOperation) {
  uint64_t index = 0;
  uint64_t hits = 1;
  for (; hits > 0; ++index) {
    const auto disk = full_->Crash(0, CrashOptions::KeepAll());
    BackupDisk faulty(disk.get(), false);
    Fault fault;
    fault.index = index;
    faulty.Arm(fault);
    status_ = PruneBackups(&faulty, "/backups", 1);
    hits = faulty.hits();
    EXPECT_EQ(status_.ok(), hits == 0) << faulty.first_hit();
    ExpectPruned(AfterCrash(*disk, index).get(), status_.ok(), faulty.first_hit());
  }
  EXPECT_GT(index, 6u);
}

// ---- restore ----

class RestoreFailureTest : public BackupFailureTest {
 protected:
  /// The directory /copy must be the complete store, or (unless `required`) no store.
  void ExpectAllOrNothing(CrashEnv* disk, bool required, const std::string& where) {
    leveldb::Options options = SmallOptions(disk);
    options.create_if_missing = false;
    std::unique_ptr<leveldb::DB> db;
    const Status status = OpenAt(options, "/copy", &db);
    if (required) {
      EXPECT_TRUE(status.ok()) << where << ": " << status.ToString();
    }
    if (status.ok()) {
      EXPECT_EQ(ReadAll(db.get()), wanted_[1]) << where;
    }
    db.reset();
    ExpectBackups(disk, 2, where);
  }
};

TEST_F(RestoreFailureTest, ACrashAtEachStep) {
  uint64_t failed = 0;
  do {
    const auto disk = Base();
    disk->SetCrashPoint(disk->steps() + failed);
    status_ = RestoreBackup(disk.get(), "/backups", 2, "/copy");
    for (uint64_t variant = 0; variant < 4; ++variant) {
      const auto left = AfterCrash(*disk, variant == 3 ? 4 * failed + 3 : variant);
      ExpectAllOrNothing(left.get(), status_.ok(),
                         "crash at step " + std::to_string(failed) + ", variant " +
                             std::to_string(variant) + ", " + status_.ToString());
    }
    ++failed;
  } while (!status_.ok());
  EXPECT_GE(failed, 10u);
}

TEST_F(RestoreFailureTest, AnErrorOfEachOperation) {
  for (const FaultKind kind : kFaults) {
    uint64_t failed = 0;
    uint64_t hits = 1;
    for (uint64_t index = 0; hits > 0; ++index) {
      const auto disk = Base();
      BackupDisk faulty(disk.get(), false);
      faulty.set_on_failed_sync([&disk](const std::string& path) { disk->DropDirtyPages(path); });
      Fault fault;
      fault.kind = kind;
      fault.index = index;
      fault.bytes = index * 7 % 50;
      faulty.Arm(fault);
      status_ = RestoreBackup(&faulty, "/backups", 2, "/copy");
      hits = faulty.hits();
      if (!status_.ok()) ++failed;
      const std::string where = faulty.first_hit() + ", " + status_.ToString();
      if (!status_.ok() && kind != FaultKind::kErrorSticky) {
        EXPECT_FALSE(disk->FileExists("/copy")) << where << ": it removes what it created";
      }
      ExpectAllOrNothing(AfterCrash(*disk, index).get(), status_.ok(), where);
    }
    EXPECT_GE(failed, kind == FaultKind::kShortRead ? 0u : 3u) << testing::FaultKindName(kind);
  }
}

// ---- damage ----

class BackupDamageTest : public BackupFailureTest {
 protected:
  static std::vector<std::string> FilesIn(leveldb::Env* env, const std::string& folder) {
    std::vector<std::string> names;
    EXPECT_TRUE(env->GetChildren(folder, &names).ok());
    for (std::string& name : names) name.insert(0, folder + "/");
    return names;
  }
  static void FlipByte(CrashEnv* disk, const std::string& path, uint64_t offset) {
    std::string bytes;
    ASSERT_TRUE(leveldb::ReadFileToString(disk, path, &bytes).ok());
    ASSERT_LT(offset, bytes.size());
    ASSERT_TRUE(disk->Corrupt(path, offset, std::string(1, static_cast<char>(bytes[offset] ^ 1))));
  }

  /// Verify names the file, and only that; a restore returns the content or names the file.
  void ExpectFound(leveldb::Env* env, const std::string& path, const std::string& how) {
    const std::string where = path + " " + how;
    const Status status = VerifyBackup(env, "/backups", 0);
    EXPECT_TRUE(status.IsCorruption()) << where;
    EXPECT_NE(status.ToString().find(path), std::string::npos) << where << status.ToString();
    VerifiedBackups verified;
    ASSERT_TRUE(VerifyBackups(env, "/backups", 0, nullptr, &verified).ok()) << where;
    EXPECT_EQ(verified.damage.size(), 1u) << where;
    int refused = 0;
    for (uint64_t id = 1; id <= 2; ++id) {
      const std::string target = "/restored" + std::to_string(id);
      const Status restored = RestoreBackup(env, "/backups", id, target);
      EXPECT_EQ(VerifyBackup(env, "/backups", id).ok(), restored.ok()) << where;
      if (restored.ok()) {
        EXPECT_EQ(ReadStore(env, target), wanted_[id - 1]) << where;
        continue;
      }
      ++refused;
      EXPECT_TRUE(restored.IsCorruption()) << where << restored.ToString();
      EXPECT_NE(restored.ToString().find(path), std::string::npos) << where << restored.ToString();
      EXPECT_FALSE(env->FileExists(target)) << where;
    }
    EXPECT_GT(refused, 0) << where;
  }
};

TEST_F(BackupDamageTest, OfEachFileIsFoundAndNamed) {
  const std::vector<std::string> lists = FilesIn(&base_, "/backups/backups");
  const std::vector<std::string> data = FilesIn(&base_, "/backups/data");
  ASSERT_EQ(lists.size(), 2u);
  ASSERT_EQ(data.size(), 2u);
  for (const auto* paths : {&lists, &data}) {
    for (const std::string& path : *paths) {
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
  const Status listed = ListBackups(disk.get(), "/backups", &backups);
  EXPECT_TRUE(listed.IsCorruption());
  EXPECT_NE(listed.ToString().find(path), std::string::npos) << listed.ToString();
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

  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(disk.get()), "/store", &db).ok());
  BackupInfo info;
  ASSERT_TRUE(CreateBackup(db.get(), "/backups", &info).ok());
  EXPECT_EQ(info.id, 3u);
  EXPECT_EQ(info.new_files, 0u);
  EXPECT_TRUE(VerifyBackup(disk.get(), "/backups", 3).ok());
  EXPECT_TRUE(PruneBackups(disk.get(), "/backups", 1).ok()) << "the damaged one is not kept";
  EXPECT_TRUE(VerifyBackup(disk.get(), "/backups", 0).ok());
}

TEST_F(BackupDamageTest, ADamagedTableOfTheStoreIsNotBackedUp) {
  const auto disk = Base();
  const std::string path = "/store/" + *TableNames(disk.get(), "/store").begin();
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(disk.get()), "/store", &db).ok());
  FlipByte(disk.get(), path, 20);
  const Status status = CreateBackup(db.get(), "/fresh");
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.ToString().find(path), std::string::npos) << status.ToString();
  std::vector<BackupInfo> backups;
  EXPECT_TRUE(ListBackups(disk.get(), "/fresh", &backups).IsNotFound());
  EXPECT_FALSE(disk->FileExists("/fresh/data/new.tmp"));
  ExpectBackups(disk.get(), 2, "of the store before the damage");
}

TEST_F(BackupDamageTest, ADamagedLogIsNotBackedUp) {
  const auto disk = Base();
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenAt(SmallOptions(disk.get()), "/store", &db).ok());
  Fill(db.get(), 5);
  db.reset();
  std::string log;
  for (const std::string& path : FilesIn(disk.get(), "/store")) {
    if (path.ends_with(".log")) log = path;
  }
  FlipByte(disk.get(), log, 200);
  BackupInfo info;
  const Status status = BackUpFiles(SmallOptions(disk.get()), "/store", "/fresh", nullptr, &info);
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.ToString().find(log), std::string::npos) << status.ToString();
}

}  // namespace
}  // namespace lull
