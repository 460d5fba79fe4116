// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Directories with the names of a store's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

using leveldb::Status;
using ::testing::HasSubstr;
using testing::StoreFiles;

// A directory with the name of a file is left alone.
TEST(DirectoryNameTest, ADirectoryNamedLikeAFileIsIgnored) {
  leveldb::Env* const env = leveldb::Env::Default();
  for (const bool repairs : {false, true}) {
    const std::string store = testing::FreshDirectory("directories") + "/store";
    StoreFiles files(env, store);
    files.AddTable(0, "a@1=a1");
    files.WriteManifest(files.AddWal({"b@2=b2"}, 2));
    const std::vector<std::string> directories = {
        LogFileName(store, 900), TableFileName(store, 901), DescriptorFileName(store, 902),
        TempFileName(store, 903)};
    for (const std::string& directory : directories) ASSERT_TRUE(env->CreateDir(directory).ok());
    leveldb::Options options;
    if (repairs) {
      ASSERT_TRUE(env->RemoveFile(CurrentFileName(store)).ok());
      ASSERT_EQ(leveldb::RepairDB(store, options).ToString(), "OK");
    }
    std::unique_ptr<leveldb::DB> db;
    ASSERT_EQ(testing::OpenAt(options, store, &db).ToString(), "OK");
    EXPECT_EQ(testing::ReadAll(db.get()).size(), 2u);
    db.reset();
    for (const std::string& directory : directories) EXPECT_TRUE(env->FileExists(directory));
    ASSERT_EQ(leveldb::DestroyDB(store, options).ToString(), "OK");
    for (const std::string& directory : directories) EXPECT_TRUE(env->RemoveDir(directory).ok());
    if (!repairs) {
      EXPECT_TRUE(env->RemoveDir(store).ok()) << "nothing else is left";
    }
  }
}

TEST(DirectoryNameTest, ALogThatIsADirectoryIsNamed) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string store = testing::FreshDirectory("log_directory") + "/store";
  StoreFiles files(env, store);
  const uint64_t number = files.AddWal({"a@1=a1"}, 1);
  const std::string log = LogFileName(store, number);
  files.WriteManifest(number);
  ASSERT_TRUE(env->RemoveFile(log).ok());
  ASSERT_TRUE(env->CreateDir(log).ok());
  std::unique_ptr<leveldb::DB> db;
  const Status status = testing::OpenAt(leveldb::Options(), store, &db);
  EXPECT_THAT(status.ToString(), HasSubstr(log + ": is a directory"));
}

}  // namespace
}  // namespace lull
