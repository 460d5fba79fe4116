// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The parts of Env that are the same for every implementation.

#include "leveldb/env.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leveldb/helpers/memenv.h"
#include "tests/support/fault_env.h"
#include "tests/util/test_dir.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace leveldb {
namespace {

using lull::RandomBytes;

/// Overrides the older or the newer names of the two removal functions.
class OldNames final : public EnvWrapper {
 public:
  OldNames() : EnvWrapper(Env::Default()) {}
  Status RemoveFile(const std::string& name) override { return Env::RemoveFile(name); }
  Status RemoveDir(const std::string& name) override { return Env::RemoveDir(name); }
  Status DeleteFile(const std::string& name) override { return Status::IOError("file", name); }
  Status DeleteDir(const std::string& name) override { return Status::IOError("dir", name); }
};

class NewNames final : public EnvWrapper {
 public:
  NewNames() : EnvWrapper(Env::Default()) {}
  Status RemoveFile(const std::string& name) override { return Status::IOError("file", name); }
  Status RemoveDir(const std::string& name) override { return Status::IOError("dir", name); }
  Status NewAppendableFile(const std::string& name, WritableFile** file) override {
    return Env::NewAppendableFile(name, file);
  }
};

TEST(Env, OldAndNewNamesOfRemovalReachEachOther) {
  OldNames old_names;
  NewNames new_names;
  for (Env* const env : std::vector<Env*>{&old_names, &new_names}) {
    EXPECT_EQ(env->RemoveFile("a").ToString(), "IO error: file: a");
    EXPECT_EQ(env->DeleteFile("a").ToString(), "IO error: file: a");
    EXPECT_EQ(env->RemoveDir("a").ToString(), "IO error: dir: a");
    EXPECT_EQ(env->DeleteDir("a").ToString(), "IO error: dir: a");
  }
}

TEST(Env, AppendableFilesAreOptional) {
  NewNames names;
  Env* const env = &names;
  EXPECT_EQ(lull::Refused(env, &Env::NewAppendableFile, "name").ToString(),
            "Not implemented: NewAppendableFile: name");
}

/// Of the system and in memory.
class AnyEnvTest : public ::testing::TestWithParam<bool> {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(WriteStringToFile(env_, bytes, name).ok());
  }
  std::string Contents(const std::string& name) {
    std::string bytes = "old";
    const Status s = ReadFileToString(env_, name, &bytes);
    return s.ok() ? bytes : s.ToString();
  }

  const lull::TestDir dir_;
  const std::string name_ = dir_.File("file");
  const std::unique_ptr<Env> memory_{NewMemEnv(Env::Default())};
  Env* const env_ = GetParam() ? memory_.get() : Env::Default();
};

INSTANTIATE_TEST_SUITE_P(Envs, AnyEnvTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Memory" : "System"; });

TEST_P(AnyEnvTest, WholeFilesGoOutAndComeBack) {
  for (const size_t size : {0u, 1u, 8191u, 8192u, 8193u, 65536u, 65537u, 1000003u}) {
    const std::string bytes = RandomBytes(size);
    Write(name_, bytes);
    EXPECT_TRUE(Contents(name_) == bytes) << size;
    uint64_t found = 99;
    ASSERT_TRUE(env_->GetFileSize(name_, &found).ok());
    EXPECT_EQ(found, size);
    ASSERT_TRUE(lull::WriteStringToFileSync(env_, bytes + "!", name_).ok());
    EXPECT_TRUE(Contents(name_) == bytes + "!") << size;
  }
  EXPECT_EQ(env_->FileExists(dir_.File("absent")), false);
  std::string read = "old";
  EXPECT_TRUE(ReadFileToString(env_, dir_.File("absent"), &read).IsNotFound());
  EXPECT_EQ(read, "");
}

TEST_P(AnyEnvTest, CreatingAndRenamingReplaceAndAppendingContinues) {
  Write(name_, "something older");
  Write(name_, "new");
  for (const char* const expected : {"new+", "new++"}) {
    const auto file = lull::Opened(env_, &Env::NewAppendableFile, name_);
    ASSERT_TRUE(file->Append("+").ok());
    ASSERT_TRUE(file->Close().ok());
    EXPECT_EQ(Contents(name_), expected);
  }
  const std::string other = dir_.File("b");
  ASSERT_TRUE(lull::Opened(env_, &Env::NewAppendableFile, other)->Append("first").ok());
  EXPECT_EQ(Contents(other), "first");
  ASSERT_TRUE(env_->RenameFile(name_, other).ok());
  EXPECT_EQ(Contents(other), "new++");
  EXPECT_FALSE(env_->FileExists(name_));
}

TEST_P(AnyEnvTest, SequentialReadsAndSkips) {
  const std::string bytes = RandomBytes(100000);
  Write(name_, bytes);
  const auto file = lull::Opened(env_, &Env::NewSequentialFile, name_);
  std::vector<char> scratch(60000);
  Slice read;
  ASSERT_TRUE(file->Read(60000, &read, scratch.data()).ok());
  EXPECT_EQ(read, Slice(bytes.data(), 60000));
  ASSERT_TRUE(file->Skip(30000).ok());
  // One read may return less than there is.
  std::string rest;
  do {
    ASSERT_TRUE(file->Read(60000, &read, scratch.data()).ok());
    rest += read.ToString();
  } while (!read.empty());
  EXPECT_TRUE(rest == bytes.substr(90000));
  ASSERT_TRUE(file->Skip(1000).ok());
  ASSERT_TRUE(file->Read(10, &read, scratch.data()).ok());
  EXPECT_TRUE(read.empty());
}

TEST_P(AnyEnvTest, AnOpenFileCanBeRemovedAndStillRead) {
  Write(name_, "contents");
  auto file = lull::Opened(env_, &Env::NewRandomAccessFile, name_);
  const Status removed = env_->RemoveFile(name_);
  EXPECT_TRUE(removed.ok()) << removed.ToString();
  if (GetParam()) Write(name_, "another");
  char scratch[8];
  Slice read;
  EXPECT_TRUE(file->Read(1, sizeof(scratch), &read, scratch).ok());
  EXPECT_EQ(read.ToString(), "ontents");
  if (!GetParam()) {
    EXPECT_TRUE(file->Read(9, sizeof(scratch), &read, scratch).ok());
    EXPECT_EQ(read.ToString(), "");
  }
  file.reset();
  EXPECT_EQ(env_->FileExists(name_), GetParam());
}

TEST_P(AnyEnvTest, OneLockAtATime) {
  for (int round = 0; round < 2; ++round) {
    FileLock* lock = nullptr;
    ASSERT_TRUE(env_->LockFile(name_, &lock).ok());
    const Status s = lull::Refused(env_, &Env::LockFile, name_);
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    ASSERT_TRUE(env_->UnlockFile(lock).ok());
  }
}

TEST(Env, AFileThatCannotBeWrittenWholeIsRemoved) {
  const lull::TestDir dir;
  const std::string name = dir.File("partial");
  for (uint64_t operation = 0; operation <= 3; ++operation) {  // append, sync, close
    lull::testing::FaultEnv env(Env::Default());
    env.Arm({lull::testing::FaultKind::kErrorOnce, operation,
             lull::testing::kAppend | lull::testing::kSync | lull::testing::kClose});
    const Status s = lull::WriteStringToFileSync(&env, "bytes", name);
    EXPECT_EQ(s.IsIOError(), operation < 3) << s.ToString();
    EXPECT_EQ(Env::Default()->FileExists(name), s.ok()) << operation;
  }
  EXPECT_EQ(lull::TestDir::Contents(name), "bytes");
}

class OnlyDirectories final : public EnvWrapper, public lull::EnvExtension {
 public:
  explicit OnlyDirectories(Env* base) : EnvWrapper(base), EnvExtension(this) {}
  Status SyncDirectory(const std::string&) override { return Status::OK(); }
};

TEST(EnvExtension, IsFoundWhereAnEnvHasIt) {
  NewNames plain;
  EXPECT_NE(lull::ExtensionOf(Env::Default()), nullptr);
  EXPECT_EQ(lull::ExtensionOf(&plain), nullptr);
  EXPECT_EQ(lull::ExtensionOf(nullptr), nullptr);
  EnvWrapper wrapper(Env::Default());
  EXPECT_EQ(lull::ExtensionOf(&wrapper), nullptr) << "a wrapper may change what its target does";
}

TEST(EnvExtension, IsNotFoundAfterItsEnvIsGone) {
  std::optional<OnlyDirectories> env(std::in_place, Env::Default());
  Env* const address = &*env;
  EXPECT_EQ(lull::ExtensionOf(address), &*env);
  env.reset();
  EXPECT_EQ(lull::ExtensionOf(address), nullptr);
}

TEST(EnvExtension, FilesAreOptional) {
  using lull::EnvExtension;
  OnlyDirectories only(Env::Default());
  EnvExtension* const base = &only;
  WritableFile* file;
  lull::LogFile* log;
  EXPECT_TRUE(base->NewLogFile("a", 1, lull::LogFileMode::kMapped, &log).IsNotSupportedError());
  EXPECT_EQ(log, nullptr);
  EXPECT_TRUE(base->NewTableFile("a", lull::TableWriterKind::kFlush, &file).IsNotSupportedError());
  EXPECT_EQ(file, nullptr);
  for (const Status& s : {lull::Refused(base, &EnvExtension::NewManifestFile, "a"),
                          lull::Refused(base, &EnvExtension::NewCompactionInput, "a"),
                          lull::Refused(base, &EnvExtension::NewExclusiveFile, "a"),
                          lull::Refused(base, &EnvExtension::OpenRegularFile, "a")}) {
    EXPECT_TRUE(s.IsNotSupportedError());
  }
  EXPECT_EQ(base->FreeBytes("a"), std::nullopt);
  EXPECT_TRUE(base->SetModifiedNanos("a", 1).IsNotSupportedError());
  EXPECT_EQ(base->MountOf("/").device, "");
}

TEST(EnvExtension, FreeBytesThatCannotBeTrueAreUnknown) {
  EXPECT_EQ(lull::PlausibleFreeBytes(10, 4, 512), 2048u);
  EXPECT_EQ(lull::PlausibleFreeBytes(10, 0, 512), 0u);
  EXPECT_EQ(lull::PlausibleFreeBytes(0, 0, 512), std::nullopt);
  EXPECT_EQ(lull::PlausibleFreeBytes(10, 11, 512), std::nullopt);
  EXPECT_EQ(lull::PlausibleFreeBytes(10, 4, 0), std::nullopt);
  EXPECT_EQ(lull::PlausibleFreeBytes(UINT64_MAX, UINT64_MAX / 2, 512), std::nullopt);
}

}  // namespace
}  // namespace leveldb
