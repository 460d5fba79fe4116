// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"

namespace lull {
namespace {

using testing::CrashEnv;
using ::testing::HasSubstr;
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
  EXPECT_FALSE(env_.FileExists("/store/CURRENT"));
  EXPECT_FALSE(env_.FileExists("/store/000003.ldb"));
  options_.env = &env_;
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok()) << "the LOCK was released";
}

}  // namespace
}  // namespace lull
