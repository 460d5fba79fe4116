// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/db/support/small_store.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using testing::CrashEnv;
using testing::CrashOptions;
using ::testing::HasSubstr;
using testing::kStoreName;
using ::testing::UnorderedElementsAre;

class DestroyTest : public ::testing::Test {
 protected:
  DestroyTest() {
    options_.env = &env_;
    env_.CreateDir("/store");
  }

  void Make(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "x", "/store/" + name).ok());
  }
  std::vector<std::string> Left() {
    std::vector<std::string> names, left;
    env_.GetChildren("/store", &names);
    for (const std::string& name : names) {
      if (name != "." && name != "..") left.push_back(name);
    }
    return left;
  }

  CrashEnv env_;
  leveldb::Options options_;
};

TEST_F(DestroyTest, IsFineWhereNothingIs) {
  EXPECT_TRUE(leveldb::DestroyDB("/nowhere", options_).ok());
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok());
}

TEST_F(DestroyTest, RemovesEveryKindOfFile) {
  Make({"CURRENT", "LOCK", "LOG", "LOG.old", "000001.log", "000002.ldb", "000003.sst",
        "MANIFEST-000004", "000005.dbtmp"});
  EXPECT_EQ(leveldb::DestroyDB("/store", options_).ToString(), "OK");
  EXPECT_THAT(Left(), UnorderedElementsAre());
}

TEST_F(DestroyTest, LeavesWhatItDidNotMake) {
  env_.CreateDir("/store/lost");
  Make({"CURRENT", "000001.log", "notes.txt", "x000002.ldb", "MANIFEST", "lost/000009.ldb",
        "lost/000010.log", "lost/000010.log.replayed"});
  EXPECT_EQ(leveldb::DestroyDB("/store", options_).ToString(), "OK");
  EXPECT_THAT(Left(), ::testing::IsSupersetOf({"notes.txt", "x000002.ldb", "MANIFEST"}));
  EXPECT_FALSE(env_.FileExists("/store/CURRENT"));
  EXPECT_FALSE(env_.FileExists("/store/000001.log"));
  EXPECT_FALSE(env_.FileExists("/store/LOCK"));
  EXPECT_TRUE(env_.FileExists("/store/lost/000009.ldb"));
  EXPECT_TRUE(env_.FileExists("/store/lost/000010.log"));
  // The next store in the directory counts from the start again.
  EXPECT_FALSE(env_.FileExists("/store/lost/000010.log.replayed"));
}

TEST_F(DestroyTest, FailsWhileTheStoreIsOpen) {
  Make({"CURRENT"});
  leveldb::FileLock* lock = nullptr;
  ASSERT_TRUE(env_.LockFile(LockFileName("/store"), &lock).ok());
  EXPECT_FALSE(leveldb::DestroyDB("/store", options_).ok());
  EXPECT_TRUE(env_.FileExists("/store/CURRENT"));
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok());
}

TEST_F(DestroyTest, NamesTheFileThatStays) {
  testing::FaultEnv stubborn(&env_);
  stubborn.Arm({.ops = testing::kRemove, .name_part = "000002.ldb"});
  options_.env = &stubborn;
  Make({"CURRENT", "000001.log", "000002.ldb", "000003.ldb"});
  EXPECT_THAT(leveldb::DestroyDB("/store", options_).ToString(), HasSubstr("000002.ldb"));
  EXPECT_FALSE(env_.FileExists("/store/000003.ldb"));
  options_.env = &env_;
  EXPECT_TRUE(leveldb::RepairDB("/store", options_).IsInvalidArgument());
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok()) << "the LOCK was released";
}

// A store, or a destroyed one: nothing in between, and no way back.
class DestroyCrashTest : public ::testing::Test {
 protected:
  DestroyCrashTest() {
    std::unique_ptr<leveldb::DB> db;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(testing::OpenAt(OptionsOn(&disk_), kStoreName, &db).ok());
      EXPECT_TRUE(db->Put(leveldb::WriteOptions(), "key" + std::to_string(i), "value").ok());
      db.reset();
    }
    EXPECT_TRUE(disk_.SyncDirectory(kStoreName).ok());
  }
  static leveldb::Options OptionsOn(leveldb::Env* env) {
    leveldb::Options options;
    options.env = env;
    options.create_if_missing = true;
    return options;
  }
  static size_t Entries(leveldb::Env* env) {
    std::unique_ptr<leveldb::DB> db;
    const leveldb::Status status = testing::OpenAt(OptionsOn(env), kStoreName, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? testing::ReadAll(db.get()).size() : 0;
  }
  static void ExpectDestroyed(const CrashEnv& left) {
    const auto same = [&] { return left.Crash(0, CrashOptions::KeepAll()); };
    auto disk = same();
    leveldb::Options options = OptionsOn(disk.get());
    leveldb::RepairDB(kStoreName, options);
    EXPECT_EQ(Entries(disk.get()), 0u) << "after a repair";
    disk = same();
    EXPECT_EQ(Entries(disk.get()), 0u);
    disk = same();
    options = OptionsOn(disk.get());
    options.create_if_missing = false;
    std::unique_ptr<leveldb::DB> db;
    EXPECT_FALSE(testing::OpenAt(options, kStoreName, &db).ok());
    EXPECT_EQ(leveldb::DestroyDB(kStoreName, options).ToString(), "OK");
    EXPECT_FALSE(disk->FileExists(kStoreName));
  }

  CrashEnv disk_;
};

TEST_F(DestroyCrashTest, AtEachStepItIsWholeOrDestroyed) {
  int whole = 0, destroyed = 0;
  bool done = false;
  for (uint64_t step = 0; !done; ++step) {
    const auto env = disk_.Crash(0, CrashOptions::KeepAll());
    env->SetCrashPoint(step);
    done = leveldb::DestroyDB(kStoreName, OptionsOn(env.get())).ok() && !env->crashed();
    for (uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(seed));
      const auto left = seed == 0   ? env->Crash(0, CrashOptions::KeepAll())
                        : seed == 1 ? env->Crash(0, CrashOptions::LoseAllUnsynced())
                                    : env->Crash(seed);
      std::string current;
      leveldb::ReadFileToString(left.get(), CurrentFileName(kStoreName), &current);
      if (current.starts_with("MANIFEST")) {
        ++whole;
        EXPECT_EQ(Entries(left.get()), 3u);
      } else {
        ++destroyed;
        ExpectDestroyed(*left);
      }
    }
  }
  EXPECT_GE(whole, 8);
  EXPECT_GE(destroyed, 8);
}

// The directory of a checkpoint that was interrupted.
TEST_F(DestroyTest, AnUnfinishedStoreIsNeitherOpenedNorRepaired) {
  Make({"000001.log", "000002.ldb"});
  ASSERT_TRUE(WriteMark(&env_, "/store", StoreMark::kUnfinished).ok());
  for (const bool create : {false, true}) {
    options_.create_if_missing = create;
    std::unique_ptr<leveldb::DB> db;
    const leveldb::Status status = testing::OpenAt(options_, "/store", &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr("DestroyDB"));
  }
  EXPECT_TRUE(leveldb::RepairDB("/store", options_).IsInvalidArgument());
  EXPECT_TRUE(env_.FileExists("/store/000002.ldb"));
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok());
  EXPECT_FALSE(env_.FileExists("/store"));
}

}  // namespace
}  // namespace lull
