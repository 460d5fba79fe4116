// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/helpers/memenv.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/env.h"
#include "tests/util/test_dir.h"
#include "tests/util/threads.h"

namespace leveldb {
namespace {

using lull::RandomBytes;
using ::testing::ElementsAre;

class MemEnvTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(WriteStringToFile(env_.get(), bytes, name).ok());
  }
  std::string Contents(const std::string& name) {
    std::string bytes;
    const Status status = ReadFileToString(env_.get(), name, &bytes);
    return status.ok() ? bytes : status.ToString();
  }
  std::vector<std::string> Children(const std::string& dir) {
    std::vector<std::string> names{"untouched"};
    EXPECT_TRUE(env_->GetChildren(dir, &names).ok());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::unique_ptr<WritableFile> Appendable(const std::string& name) {
    return lull::Opened(env_.get(), &Env::NewAppendableFile, name);
  }

  const std::unique_ptr<Env> env_{NewMemEnv(Env::Default())};
};

TEST_F(MemEnvTest, ReadsAtAnyPosition) {
  const std::string bytes = RandomBytes(50'000);
  Write("/file", bytes);
  const auto file = lull::Opened(env_.get(), &Env::NewRandomAccessFile, "/file");
  std::string scratch(60'000, '\0');
  for (const size_t offset : {0, 1, 8191, 8192, 40'000, 49'999, 50'000, 50'001}) {
    for (const size_t n : {0, 1, 8192, 60'000}) {
      Slice read;
      const Status status = file->Read(offset, n, &read, scratch.data());
      EXPECT_EQ(status.ok(), offset <= bytes.size()) << status.ToString();
      EXPECT_EQ(status.IsIOError(), offset > bytes.size()) << "as in LevelDB";
      EXPECT_EQ(read.ToString(), offset < bytes.size() ? bytes.substr(offset, n) : "")
          << offset << " " << n;
    }
  }
}

TEST_F(MemEnvTest, AReaderAtTheEndSeesLaterAppends) {
  Write("/file", RandomBytes(20'000));
  const auto file = lull::Opened(env_.get(), &Env::NewSequentialFile, "/file");
  char scratch[16];
  Slice read;
  ASSERT_TRUE(file->Skip(UINT64_MAX).ok());
  ASSERT_TRUE(file->Read(4, &read, scratch).ok());
  EXPECT_EQ(read.ToString(), "");
  Appendable("/file")->Append("more");
  ASSERT_TRUE(file->Read(16, &read, scratch).ok());
  EXPECT_EQ(read.ToString(), "more");
}

TEST_F(MemEnvTest, WhatIsNotThereIsNotFound) {
  uint64_t size = 99;
  std::vector<std::string> names;
  EXPECT_TRUE(lull::Refused(env_.get(), &Env::NewSequentialFile, "/none").IsNotFound());
  EXPECT_TRUE(lull::Refused(env_.get(), &Env::NewRandomAccessFile, "/none").IsNotFound());
  EXPECT_TRUE(env_->GetFileSize("/none", &size).IsNotFound());
  EXPECT_EQ(size, 0u);
  EXPECT_TRUE(env_->RemoveFile("/none").IsNotFound());
  EXPECT_TRUE(env_->RenameFile("/none", "/other").IsNotFound());
  EXPECT_TRUE(env_->RemoveDir("/none").IsNotFound());
  EXPECT_TRUE(env_->GetChildren("/none", &names).IsNotFound());
  EXPECT_FALSE(env_->FileExists("/none"));
}

TEST_F(MemEnvTest, DirectoriesHoldFilesAndDirectories) {
  ASSERT_TRUE(env_->CreateDir("/dir").ok());
  EXPECT_TRUE(env_->FileExists("/dir"));
  EXPECT_THAT(Children("/dir"), ElementsAre());
  Write("/dir/b", "");
  Write("/dir/a", "");
  Write("/dir/inner/deep/c", "");
  Write("/dirt", "");
  EXPECT_THAT(Children("/dir"), ElementsAre("a", "b", "inner"));
  EXPECT_THAT(Children("/dir/"), ElementsAre("a", "b", "inner"));
  EXPECT_THAT(Children("/dir/inner"), ElementsAre("deep"));
  EXPECT_THAT(Children("/"), ElementsAre("dir", "dirt"));
  EXPECT_TRUE(env_->RemoveDir("/dir").IsIOError()) << "it is not empty";
  EXPECT_TRUE(lull::Refused(env_.get(), &Env::NewWritableFile, "/dir/inner").IsIOError());
  EXPECT_TRUE(env_->RenameFile("/dirt", "/dir/inner").IsIOError());
  EXPECT_TRUE(env_->RenameFile("/dirt", "/dirt").ok());
  EXPECT_TRUE(env_->CreateDir("/dirt").IsIOError()) << "it is a file";
  for (const char* name : {"/dir/a", "/dir//b", "/dir/inner/deep/c"}) {
    EXPECT_TRUE(env_->RemoveFile(name).ok()) << name;
  }
  EXPECT_TRUE(env_->RemoveDir("/dir/").ok());
  EXPECT_FALSE(env_->FileExists("/dir"));
}

TEST_F(MemEnvTest, LogsAreFilesOfLines) {
  const auto logger = lull::Opened(env_.get(), &Env::NewLogger, "/dir/LOG");
  Log(logger.get(), "%d and %s", 1, std::string(1000, 'x').c_str());
  Log(logger.get(), "a line\n");
  EXPECT_EQ(Contents("/dir/LOG"), "1 and " + std::string(1000, 'x') + "\na line\n");
}

TEST_F(MemEnvTest, TimeAndThreadsAreTheOtherEnvs) {
  class FixedTime final : public EnvWrapper {
   public:
    FixedTime() : EnvWrapper(Env::Default()) {}
    uint64_t NowMicros() override { return 4711; }
  };
  FixedTime base;
  const std::unique_ptr<Env> env(NewMemEnv(&base));
  EXPECT_EQ(env->NowMicros(), 4711u);
  std::string path;
  EXPECT_TRUE(env->GetTestDirectory(&path).ok());
  EXPECT_FALSE(Env::Default()->FileExists(path + "/memenv"));
  ASSERT_TRUE(WriteStringToFile(env.get(), "x", path + "/memenv").ok());
  EXPECT_FALSE(Env::Default()->FileExists(path + "/memenv"));
}

TEST_F(MemEnvTest, ManyThreadsShareIt) {
  constexpr int kThreads = 4, kFiles = 50;
  lull::RunThreads(kThreads, [&](int t) {
    const std::string dir = "/dir" + std::to_string(t);
    for (int i = 0; i < kFiles; ++i) {
      const std::string name = dir + "/" + std::to_string(i);
      EXPECT_TRUE(WriteStringToFile(env_.get(), RandomBytes(10'000), name).ok());
      EXPECT_TRUE(env_->RenameFile(name, "/contested").ok());
      Contents("/contested");
      std::vector<std::string> names;
      EXPECT_TRUE(env_->GetChildren("/", &names).ok());
      EXPECT_TRUE(Appendable("/counted")->Append("x").ok());
    }
  });
  EXPECT_EQ(Contents("/counted"), std::string(kThreads * kFiles, 'x'));
  EXPECT_EQ(Contents("/contested"), RandomBytes(10'000));
}

}  // namespace
}  // namespace leveldb
