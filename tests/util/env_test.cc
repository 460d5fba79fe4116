// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The parts of Env that are the same for every implementation.

#include "leveldb/env.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/util/test_dir.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace leveldb {
namespace {

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
  NewNames env;
  WritableFile* file = reinterpret_cast<WritableFile*>(&env);
  const Status s = env.NewAppendableFile("name", &file);
  EXPECT_EQ(s.ToString(), "Not implemented: NewAppendableFile: name");
  EXPECT_EQ(file, nullptr);
}

TEST(Env, WholeFilesGoOutAndComeBack) {
  const lull::TestDir dir;
  Env* const env = Env::Default();
  for (const size_t size : {0u, 1u, 8191u, 8192u, 65536u, 65537u, 1000003u}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; i++) bytes[i] = static_cast<char>(i * 31 + i / 256);
    const std::string name = dir.File("whole");
    ASSERT_TRUE(WriteStringToFile(env, bytes, name).ok());
    EXPECT_EQ(lull::TestDir::Contents(name), bytes);
    std::string read = "old";
    ASSERT_TRUE(ReadFileToString(env, name, &read).ok());
    EXPECT_EQ(read, bytes);
    ASSERT_TRUE(lull::WriteStringToFileSync(env, bytes + "!", name).ok());
    EXPECT_EQ(lull::TestDir::Contents(name), bytes + "!");
  }
  std::string read = "old";
  EXPECT_TRUE(ReadFileToString(env, dir.File("absent"), &read).IsNotFound());
  EXPECT_EQ(read, "");
}

/// Creates files whose n-th operation fails.
class FailingFiles final : public EnvWrapper {
 public:
  explicit FailingFiles(int fail_at) : EnvWrapper(Env::Default()), fail_at_(fail_at) {}

  Status NewWritableFile(const std::string& name, WritableFile** result) override {
    WritableFile* file;
    if (Status s = target()->NewWritableFile(name, &file); !s.ok()) return s;
    *result = new File(std::unique_ptr<WritableFile>(file), &fail_at_);
    return Status::OK();
  }
  bool is_used_up() const { return fail_at_ < 0; }

 private:
  class File final : public WritableFile {
   public:
    File(std::unique_ptr<WritableFile> target, int* fail_at)
        : target_(std::move(target)), fail_at_(fail_at) {}
    Status Append(const Slice& data) override { return Step("append", target_->Append(data)); }
    Status Flush() override { return Step("flush", target_->Flush()); }
    Status Sync() override { return Step("sync", target_->Sync()); }
    Status Close() override { return Step("close", target_->Close()); }

   private:
    Status Step(const char* what, Status s) {
      return (*fail_at_)-- == 0 ? Status::IOError(what, "injected") : s;
    }
    std::unique_ptr<WritableFile> target_;
    int* fail_at_;
  };
  int fail_at_;
};

TEST(Env, AFileThatCannotBeWrittenWholeIsRemoved) {
  const lull::TestDir dir;
  const std::string name = dir.File("partial");
  int failures = 0;
  for (int fail_at = 0;; fail_at++) {
    FailingFiles env(fail_at);
    const Status s = lull::WriteStringToFileSync(&env, "bytes", name);
    if (!env.is_used_up()) break;
    failures++;
    EXPECT_TRUE(s.IsIOError()) << s.ToString();
    EXPECT_FALSE(Env::Default()->FileExists(name)) << s.ToString();
  }
  EXPECT_EQ(failures, 3);  // append, sync, close
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
  OnlyDirectories extension(Env::Default());
  lull::EnvExtension& base = extension;
  WritableFile* file;
  RandomAccessFile* input;
  lull::LogFile* log;
  EXPECT_TRUE(base.NewLogFile("a", 1, lull::LogFileMode::kMapped, &log).IsNotSupportedError());
  EXPECT_EQ(log, nullptr);
  EXPECT_TRUE(base.NewTableFile("a", lull::TableWriterKind::kFlush, &file).IsNotSupportedError());
  EXPECT_EQ(file, nullptr);
  EXPECT_TRUE(base.NewManifestFile("a", &file).IsNotSupportedError());
  EXPECT_EQ(file, nullptr);
  EXPECT_TRUE(base.NewCompactionInput("a", &input).IsNotSupportedError());
  EXPECT_EQ(input, nullptr);
}

}  // namespace
}  // namespace leveldb
