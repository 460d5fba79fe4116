// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using testing::CrashEnv;
using testing::CrashOptions;
using ::testing::HasSubstr;
using testing::kStoreName;
using testing::SmallOptions;

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
  std::set<std::string> Left() { return testing::NamesEndingIn(&env_, "/store", ""); }

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
  EXPECT_FALSE(env_.FileExists("/store"));
}

TEST_F(DestroyTest, LeavesWhatItDidNotMake) {
  env_.CreateDir("/store/lost");
  Make({"CURRENT", "000001.log", "notes.txt", "x000002.ldb", "MANIFEST", "lost/000009.ldb",
        "lost/000010.log", "lost/000010.log.replayed"});
  EXPECT_EQ(leveldb::DestroyDB("/store", options_).ToString(), "OK");
  EXPECT_THAT(Left(), ::testing::IsSupersetOf({"notes.txt", "x000002.ldb", "MANIFEST"}));
  for (const char* name : {"CURRENT", "000001.log", "LOCK"}) EXPECT_FALSE(Left().contains(name));
  // The next store in the directory counts from the start again, so the mark of a replay goes.
  EXPECT_THAT(testing::NamesEndingIn(&env_, "/store/lost", ""),
              ::testing::AllOf(::testing::Contains("000009.ldb"), ::testing::Contains("000010.log"),
                               ::testing::Not(::testing::Contains("000010.log.replayed"))));
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

void ExpectDestroyed(const CrashEnv& left) {
  const auto same = [&] { return left.Crash(0, CrashOptions::KeepAll()); };
  std::unique_ptr<leveldb::DB> db;
  auto disk = same();
  leveldb::RepairDB(kStoreName, SmallOptions(disk.get()));
  for (const char* const when : {"after a repair", "without one"}) {
    ASSERT_TRUE(testing::OpenAt(SmallOptions(disk.get()), kStoreName, &db).ok()) << when;
    EXPECT_EQ(testing::ReadAll(db.get()).size(), 0u) << when;
    db.reset();
    disk = same();
  }
  leveldb::Options options = SmallOptions(disk.get());
  options.create_if_missing = false;
  EXPECT_FALSE(testing::OpenAt(options, kStoreName, &db).ok());
  EXPECT_EQ(leveldb::DestroyDB(kStoreName, options).ToString(), "OK");
  EXPECT_FALSE(disk->FileExists(kStoreName));
}

// A store, or a destroyed one: nothing in between, and no way back.
TEST(DestroyCrashTest, AtEachStepItIsWholeOrDestroyed) {
  CrashEnv full;
  for (int i = 0; i < 3; ++i) {
    std::unique_ptr<leveldb::DB> db;
    ASSERT_TRUE(testing::OpenAt(SmallOptions(&full), kStoreName, &db).ok());
    ASSERT_TRUE(db->Put({}, "key" + std::to_string(i), "value").ok());
  }
  ASSERT_TRUE(full.SyncDirectory(kStoreName).ok());
  int whole = 0, destroyed = 0;
  bool done = false;
  for (uint64_t step = 0; !done; ++step) {
    const auto env = full.Crash(0, CrashOptions::KeepAll());
    env->SetCrashPoint(step);
    done = leveldb::DestroyDB(kStoreName, SmallOptions(env.get())).ok() && !env->crashed();
    for (uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE("step " + std::to_string(step) + ", seed " + std::to_string(seed));
      const auto left = seed == 0   ? env->Crash(0, CrashOptions::KeepAll())
                        : seed == 1 ? env->Crash(0, CrashOptions::LoseAllUnsynced())
                                    : env->Crash(seed);
      std::string current;
      leveldb::ReadFileToString(left.get(), CurrentFileName(kStoreName), &current);
      if (current.starts_with("MANIFEST")) {
        ++whole;
        EXPECT_EQ(testing::ReadStore(left.get(), kStoreName).size(), 3u);
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
