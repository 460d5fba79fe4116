// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The kernel reports an error of the device once. Writing back ahead of a sync must not swallow the
// error: the sync would succeed, and a table or log would count as durable although it is not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "tests/util/test_dir.h"
#include "util/env_extension.h"

namespace {

int failing_flag = 0;  // flag of sync_file_range; calls with it fail
int failing_with = EIO;

}  // namespace

extern "C" int sync_file_range(int fd, off64_t begin, off64_t bytes, unsigned flags) {
  if ((flags & static_cast<unsigned>(failing_flag)) != 0) {
    errno = failing_with;
    return -1;
  }
  return static_cast<int>(syscall(SYS_sync_file_range, fd, begin, bytes, flags));
}

namespace lull {
namespace {

using leveldb::Status;
using leveldb::WritableFile;

class WriteBackTest : public ::testing::Test {
 protected:
  ~WriteBackTest() override {
    failing_flag = 0;
    failing_with = EIO;
  }

  Status WriteTable() {
    WritableFile* raw = nullptr;
    Status s = extension_->NewTableFile(dir_.File("000007.ldb"), TableWriterKind::kFlush, &raw);
    const std::unique_ptr<WritableFile> file(raw);
    for (int i = 0; i < 64 && s.ok(); ++i) s = file->Append(std::string(64 << 10, 't'));
    if (s.ok()) s = file->Sync();
    if (s.ok()) s = file->Close();
    return s;
  }

  TestDir dir_;
  EnvExtension* const extension_ = ExtensionOf(leveldb::Env::Default());
};

TEST_F(WriteBackTest, AnErrorFailsATable) {
  EXPECT_TRUE(WriteTable().ok());
  for (const int flag : {SYNC_FILE_RANGE_WRITE, SYNC_FILE_RANGE_WAIT_BEFORE}) {
    failing_flag = flag;
    EXPECT_TRUE(WriteTable().IsIOError()) << flag;
  }
  failing_with = ENOSYS;
  EXPECT_TRUE(WriteTable().ok());
}

TEST_F(WriteBackTest, AnErrorFailsALogMadeAhead) {
  LogFile* file = nullptr;
  failing_flag = SYNC_FILE_RANGE_WAIT_AFTER;
  EXPECT_TRUE(extension_->NewLogFile(dir_.File("000008.log"), 1 << 20, LogFileMode::kWrite, &file)
                  .IsIOError());
  EXPECT_EQ(file, nullptr);
}

TEST_F(WriteBackTest, AnErrorKeepsALogFromBeingRecycled) {
  const std::string old_name = dir_.File("000008.log");
  ASSERT_TRUE(WriteStringToFile(leveldb::Env::Default(), std::string(2 << 20, 'o'), old_name).ok());
  LogFile* file = nullptr;
  failing_flag = SYNC_FILE_RANGE_WAIT_AFTER;
  const Status s =
      extension_->ReuseLogFile(old_name, dir_.File("000009.log"), {32768, "mark"}, &file);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_EQ(file, nullptr);
  EXPECT_FALSE(std::filesystem::exists(dir_.File("000009.log")));
}

}  // namespace
}  // namespace lull
