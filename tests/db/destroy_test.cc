// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "db/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/support/crash_env.h"

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

  void Make(const std::string& path) {
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "x", path).ok());
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
  for (const char* file : {"CURRENT", "LOCK", "LOG", "LOG.old", "000001.log", "000002.ldb",
                           "000003.sst", "MANIFEST-000004", "000005.dbtmp"}) {
    Make(std::string("/store/") + file);
  }
  EXPECT_EQ(leveldb::DestroyDB("/store", options_).ToString(), "OK");
  EXPECT_THAT(Left(), UnorderedElementsAre());
}

TEST_F(DestroyTest, LeavesWhatItDidNotMake) {
  for (const char* file : {"CURRENT", "000001.log", "notes.txt", "x000002.ldb", "MANIFEST"}) {
    Make(std::string("/store/") + file);
  }
  env_.CreateDir("/store/lost");
  Make("/store/lost/000009.ldb");
  Make("/store/lost/000010.log");
  Make("/store/lost/000010.log.replayed");
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
  Make("/store/CURRENT");
  leveldb::FileLock* lock = nullptr;
  ASSERT_TRUE(env_.LockFile(LockFileName("/store"), &lock).ok());
  EXPECT_FALSE(leveldb::DestroyDB("/store", options_).ok());
  EXPECT_TRUE(env_.FileExists("/store/CURRENT"));
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok());
}

TEST_F(DestroyTest, NamesTheFileThatStays) {
  class Stubborn final : public leveldb::EnvWrapper {
   public:
    using EnvWrapper::EnvWrapper;
    leveldb::Status RemoveFile(const std::string& path) override {
      if (path == "/store/000002.ldb") return leveldb::Status::IOError(path, "told to fail");
      return target()->RemoveFile(path);
    }
  } stubborn(&env_);
  options_.env = &stubborn;
  for (const char* file : {"CURRENT", "000001.log", "000002.ldb", "000003.ldb"}) {
    Make(std::string("/store/") + file);
  }
  const leveldb::Status status = leveldb::DestroyDB("/store", options_);
  EXPECT_THAT(status.ToString(), HasSubstr("000002.ldb"));
  EXPECT_FALSE(env_.FileExists("/store/CURRENT"));
  EXPECT_FALSE(env_.FileExists("/store/000003.ldb"));
  options_.env = &env_;
  EXPECT_TRUE(leveldb::DestroyDB("/store", options_).ok()) << "the LOCK was released";
}

}  // namespace
}  // namespace lull
