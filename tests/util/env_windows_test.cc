// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What is particular about files on Windows. env_test.cc has what all systems share.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "tests/util/test_dir.h"
#include "util/env_extension.h"

namespace lull {
namespace {

using leveldb::Env;
using leveldb::Status;

class WindowsEnvTest : public ::testing::Test {
 protected:
  /// Creates a store with one entry in `directory`, opens it again and reads the entry.
  void UseStore(const std::string& directory) {
    leveldb::Options options;
    options.create_if_missing = true;
    for (int open = 0; open < 2; ++open) {
      leveldb::DB* opened = nullptr;
      const Status s = leveldb::DB::Open(options, directory, &opened);
      ASSERT_TRUE(s.ok()) << s.ToString();
      const std::unique_ptr<leveldb::DB> db(opened);
      if (open == 0) {
        ASSERT_TRUE(db->Put({}, "key", "value").ok());
      }
      std::string value;
      ASSERT_TRUE(db->Get({}, "key", &value).ok());
      EXPECT_EQ(value, "value");
    }
    EXPECT_TRUE(leveldb::DestroyDB(directory, options).ok());
  }

  const TestDir dir_;
  Env* const env_ = Env::Default();
};

TEST_F(WindowsEnvTest, NamesCanHaveAnyCharacter) {
  UseStore(dir_.File("\u0421\u043a\u043b\u0430\u0434-\u5009\u5eab-\U0001f5c4"));
}

TEST_F(WindowsEnvTest, NamesCanBeLong) {
  std::string directory = dir_.path();
  while (directory.size() < 600) {
    directory += "/a-folder-with-a-name-of-some-length";
    ASSERT_TRUE(env_->CreateDir(directory).ok()) << directory.size();
  }
  UseStore(directory + "/store");
  for (; directory != dir_.path(); directory.resize(directory.rfind('/')))
    EXPECT_TRUE(env_->RemoveDir(directory).ok());
}

TEST_F(WindowsEnvTest, BothSlashesSeparateDirectories) {
  ASSERT_TRUE(env_->CreateDir(dir_.path() + "\\a").ok());
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, "x", dir_.path() + "/a\\b").ok());
  EXPECT_TRUE(env_->FileExists(dir_.path() + "\\a/b"));
}

TEST_F(WindowsEnvTest, TruncatesAndLinks) {
  EnvExtension* const extension = ExtensionOf(env_);
  ASSERT_NE(extension, nullptr);
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, "contents", dir_.File("a")).ok());
  ASSERT_TRUE(extension->LinkFile(dir_.File("a"), dir_.File("b")).ok());
  ASSERT_TRUE(extension->TruncateFile(dir_.File("a"), 3).ok());
  EXPECT_EQ(TestDir::Contents(dir_.File("b")), "con");
  EXPECT_GT(extension->FreeBytes(dir_.path()).value_or(0), 0u);
}

// An Env without open directories gives a store absolute names.
TEST_F(WindowsEnvTest, AStoreStaysWhenTheWorkingDirectoryChanges) {
  const std::filesystem::path before = std::filesystem::current_path();
  ASSERT_TRUE(env_->CreateDir(dir_.File("other")).ok());
  std::filesystem::current_path(dir_.path());
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, "store", &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  std::filesystem::current_path(dir_.File("other"));
  ASSERT_TRUE(db->Put({}, "key", "value").ok());
  db->CompactRange(nullptr, nullptr);
  std::string value;
  EXPECT_TRUE(db->Get({}, "key", &value).ok());
  EXPECT_FALSE(env_->FileExists("store"));
  std::filesystem::current_path(before);
}

TEST_F(WindowsEnvTest, ALockIsCheckedUnderItsName) {
  EnvExtension* const extension = ExtensionOf(env_);
  leveldb::FileLock* lock = nullptr;
  ASSERT_TRUE(env_->LockFile(dir_.File("LOCK"), &lock).ok());
  EXPECT_TRUE(extension->CheckLock(lock).ok());
  ASSERT_TRUE(env_->RenameFile(dir_.File("LOCK"), dir_.File("moved")).ok());
  EXPECT_TRUE(extension->CheckLock(lock).IsIOError());
  TestDir::SetContents(dir_.File("LOCK"), "");
  EXPECT_TRUE(extension->CheckLock(lock).IsIOError()) << "another file has its name";
  EXPECT_TRUE(env_->UnlockFile(lock).ok());
}

TEST_F(WindowsEnvTest, ErrorsNameTheFileAndTheCause) {
  const Status s = Refused(env_, &Env::NewSequentialFile, dir_.File("absent"));
  EXPECT_TRUE(s.IsNotFound()) << s.ToString();
  EXPECT_NE(s.ToString().find("absent"), std::string::npos);
}

}  // namespace
}  // namespace lull
