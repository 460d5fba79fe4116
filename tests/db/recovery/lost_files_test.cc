// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What an open puts into lost/, and directories with the names of files, on a real file system.
#include "db/recovery/lost_files.h"

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
#include "tests/db/support/table_names.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

using testing::FileBytes;
using ::testing::HasSubstr;
using testing::StoreFiles;

// Logs are preallocated, and prepared ones hold nothing.
TEST(LostFilesTest, OnlyLogsWithEntriesAreKeptAndOnlyTheirUsedPart) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string store = testing::FreshDirectory("lost_logs") + "/store";
  StoreFiles files(env, store);
  const std::string value(100'000, 'v');
  const uint64_t damaged = files.AddWal({"a@1=" + value, "b@2=" + value, "c@3=c3"}, 1);
  const uint64_t later = files.AddWal({"d@4=d4"}, 4);
  const uint64_t unused = files.AddWal({}, 5);
  const uint64_t prepared = files.AddWal({});
  files.WriteManifest(damaged);
  const uint64_t used_bytes = FileBytes(env, LogFileName(store, damaged)).size();
  const std::string whole = FileBytes(env, LogFileName(store, later));
  for (const uint64_t log : {damaged, later, unused, prepared}) {
    std::string bytes = FileBytes(env, LogFileName(store, log)) + std::string(4 << 20, '\0');
    if (log == damaged) bytes[150'000] ^= 1;
    ASSERT_TRUE(leveldb::WriteStringToFile(env, bytes, LogFileName(store, log)).ok());
  }
  std::unique_ptr<leveldb::DB> db;
  leveldb::Options options;
  ASSERT_EQ(testing::OpenAt(options, store, &db).ToString(), "OK");
  const std::string lost = LostDirectoryName(store);
  uint64_t kept_bytes = 0;
  ASSERT_TRUE(env->GetFileSize(lost + LogFileName("", damaged), &kept_bytes).ok());
  EXPECT_GE(kept_bytes, used_bytes);
  EXPECT_LE(kept_bytes, used_bytes + (32 << 10));
  EXPECT_EQ(FileBytes(env, lost + LogFileName("", later)), whole);
  EXPECT_FALSE(env->FileExists(lost + LogFileName("", unused)));
  EXPECT_FALSE(env->FileExists(lost + LogFileName("", prepared)));
  EXPECT_EQ(LostTotals(env, store), (FileTotals{2, kept_bytes + whole.size()}));
}

TEST(LostFilesTest, AFileNamedLostIsNamed) {
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string store = testing::FreshDirectory("file_lost") + "/store";
  StoreFiles files(env, store);
  const uint64_t log = files.AddWal({"a@1=a1", "b@2=b2"}, 1);
  files.WriteManifest(log);
  std::string bytes = FileBytes(env, LogFileName(store, log));
  bytes.back() ^= 1;
  ASSERT_TRUE(leveldb::WriteStringToFile(env, bytes, LogFileName(store, log)).ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(env, "mine", LostDirectoryName(store)).ok());
  std::unique_ptr<leveldb::DB> db;
  for (const leveldb::Status& status : {testing::OpenAt(leveldb::Options(), store, &db),
                                        leveldb::RepairDB(store, leveldb::Options())}) {
    EXPECT_THAT(status.ToString(), HasSubstr("store/lost: the store needs a directory"));
  }
  EXPECT_EQ(FileBytes(env, LostDirectoryName(store)), "mine");
}

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
  const leveldb::Status status = testing::OpenAt(leveldb::Options(), store, &db);
  EXPECT_THAT(status.ToString(), HasSubstr("store/000002.log: is a directory"));
}

}  // namespace
}  // namespace lull
