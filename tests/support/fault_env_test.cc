// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/fault_env.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "leveldb/slice.h"
#include "tests/support/crash_env.h"
#include "tests/util/test_dir.h"

namespace lull::testing {
namespace {

class FaultEnvTest : public ::testing::Test {
 protected:
  FaultEnvTest() { disk_.CreateDir("/d"); }

  void Arm(FaultKind kind, uint64_t index = 0) { env_.Arm({.kind = kind, .index = index}); }

  std::unique_ptr<leveldb::WritableFile> Create(const std::string& path) {
    return Opened(&env_, &FaultEnv::NewWritableFile, path);
  }

  std::string OnDisk(const std::string& path) {
    std::string bytes;
    return ReadFileToString(&disk_, path, &bytes).ok() ? bytes : "(none)";
  }

  CrashEnv disk_;
  FaultEnv env_{&disk_};
};

TEST_F(FaultEnvTest, CountsAndPassesThrough) {
  auto file = Create("/d/f");
  EXPECT_TRUE(file->Append("abc").ok());
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Close().ok());
  std::string bytes;
  EXPECT_TRUE(ReadFileToString(&env_, "/d/f", &bytes).ok());
  EXPECT_EQ(bytes, "abc");
  EXPECT_EQ(env_.Count(kAppend), 1u);
  EXPECT_EQ(env_.Count(kOpenRead | kOpenWrite | kSync | kClose), 4u);
  EXPECT_GE(env_.Count(kRead), 1u);
  EXPECT_EQ(env_.hits(), 0u);
}

TEST_F(FaultEnvTest, ErrorOnceHitsExactlyTheIndexedOperation) {
  auto file = Create("/d/f");
  Arm(FaultKind::kErrorOnce, 1);
  EXPECT_TRUE(file->Append("a").ok());
  EXPECT_TRUE(file->Append("b").IsIOError());
  EXPECT_TRUE(file->Append("c").ok());
  EXPECT_EQ(OnDisk("/d/f"), "ac");
  EXPECT_EQ(env_.first_hit(), "error-once append /d/f");
}

TEST_F(FaultEnvTest, StickyErrorLastsUntilHealed) {
  auto file = Create("/d/f");
  Arm(FaultKind::kErrorSticky);
  EXPECT_TRUE(file->Append("a").IsIOError());
  EXPECT_TRUE(file->Sync().IsIOError());
  EXPECT_TRUE(env_.RenameFile("/d/f", "/d/g").IsIOError());
  std::vector<std::string> names;
  EXPECT_TRUE(env_.GetChildren("/d", &names).IsIOError());
  uint64_t size;
  EXPECT_TRUE(env_.GetFileSize("/d/f", &size).IsIOError());
  env_.Heal();
  EXPECT_TRUE(file->Append("a").ok());
}

TEST_F(FaultEnvTest, FiltersByNameAndOperation) {
  auto log = Create("/d/1.log");
  auto table = Create("/d/2.ldb");
  env_.Arm({.kind = FaultKind::kErrorSticky, .ops = kSync, .name_part = ".log"});
  EXPECT_TRUE(table->Sync().ok());
  EXPECT_TRUE(log->Append("x").ok());
  EXPECT_TRUE(log->Sync().IsIOError());
}

TEST_F(FaultEnvTest, NoSpaceWritesWhatFits) {
  auto file = Create("/d/f");
  env_.Arm({.kind = FaultKind::kNoSpace, .bytes = 5});
  EXPECT_TRUE(file->Append("abc").ok());
  EXPECT_TRUE(file->Append("defg").IsIOError());
  EXPECT_EQ(OnDisk("/d/f"), "abcde");
  EXPECT_TRUE(file->Append("h").IsIOError());
  EXPECT_TRUE(file->Sync().ok());
  leveldb::WritableFile* raw = nullptr;
  EXPECT_TRUE(env_.NewWritableFile("/d/g", &raw).IsIOError());
  env_.Heal();
  EXPECT_TRUE(file->Append("!").ok());
  EXPECT_EQ(OnDisk("/d/f"), "abcde!");
}

TEST_F(FaultEnvTest, ShortWriteWritesHalf) {
  auto file = Create("/d/f");
  Arm(FaultKind::kShortWrite);
  EXPECT_TRUE(file->Append("abcd").IsIOError());
  EXPECT_EQ(OnDisk("/d/f"), "ab");
}

TEST_F(FaultEnvTest, ShortReadGivesHalfAndTheNextTheRest) {
  Create("/d/f")->Append("abcdef");
  const auto file = Opened(&env_, &FaultEnv::NewSequentialFile, "/d/f");
  Arm(FaultKind::kShortRead);
  char scratch[100];
  leveldb::Slice result;
  EXPECT_TRUE(file->Read(100, &result, scratch).ok());
  EXPECT_EQ(result.ToString(), "abc");
  EXPECT_TRUE(file->Read(100, &result, scratch).ok());
  EXPECT_EQ(result.ToString(), "def");

  const auto at = Opened(&env_, &FaultEnv::NewRandomAccessFile, "/d/f");
  Arm(FaultKind::kShortRead);
  EXPECT_TRUE(at->Read(2, 4, &result, scratch).ok());
  EXPECT_EQ(result.ToString(), "cd");
}

TEST_F(FaultEnvTest, FailedSyncTellsAndLiesLie) {
  auto file = Create("/d/f");
  disk_.SyncDirectory("/d");
  std::string told;
  env_.set_on_failed_sync([&](const std::string& path) {
    told = path;
    disk_.DropDirtyPages(path);
  });
  file->Append("abc");
  Arm(FaultKind::kFailedSync);
  EXPECT_TRUE(file->Sync().IsIOError());
  EXPECT_EQ(told, "/d/f");
  EXPECT_TRUE(file->Sync().ok());
  std::string bytes;
  const CrashOptions lose{.data_survival = 0, .entry_survival = 0, .garbage = 0};
  ReadFileToString(disk_.Crash(1, lose).get(), "/d/f", &bytes);
  EXPECT_EQ(bytes, std::string(3, '\0'));

  auto second = Create("/d/g");
  disk_.SyncDirectory("/d");
  second->Append("abc");
  Arm(FaultKind::kSyncLie);
  EXPECT_TRUE(second->Sync().ok());
  ReadFileToString(disk_.Crash(1, lose).get(), "/d/g", &bytes);
  EXPECT_EQ(bytes, "");
}

}  // namespace
}  // namespace lull::testing
