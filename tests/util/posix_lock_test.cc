// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "leveldb/env.h"
#include "tests/util/child.h"
#include "tests/util/test_dir.h"
#include "util/env_extension.h"
#include "util/posix/file_os.h"

namespace lull {
namespace {

using leveldb::Env;
using leveldb::FileLock;
using leveldb::Status;

/// Locks as LevelDB does, until the process ends.
bool LevelDBLocks(const std::string& name) {
  const int fd = open(name.c_str(), O_RDWR | O_CREAT, 0644);
  struct flock request = {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  return fd >= 0 && fcntl(fd, F_SETLK, &request) == 0;
}

/// Whether another process could take the lock now.
bool OthersCanLock(const std::string& name) {
  return ExitOfChild([&] { return LevelDBLocks(name) ? 0 : 1; }) == 0;
}

class LockTest : public ::testing::Test {
 protected:
  Status Refusal(const std::string& name) { return Refused(env_, &Env::LockFile, name); }
  FileLock* Lock(const std::string& name) {
    FileLock* lock = nullptr;
    const Status s = env_->LockFile(name, &lock);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return lock;
  }

  void ExpectChildIsNamed(const std::function<bool()>& lock_in_child);

  Env* const env_ = Env::Default();
  TestDir dir_;
  const std::string name_ = dir_.File("LOCK");
};

TEST_F(LockTest, ExcludesThisProcessAndOthers) {
  FileLock* const lock = Lock(name_);
  EXPECT_EQ(Refusal(name_).ToString(), "IO error: lock " + name_ + ": already held by process " +
                                           std::to_string(getpid()) + " (this process)");
  EXPECT_FALSE(OthersCanLock(name_));
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  EXPECT_TRUE(OthersCanLock(name_));
  ASSERT_TRUE(env_->UnlockFile(Lock(name_)).ok());
}

// A backup of the program reads all files, or a second copy of the library looks at the store.
TEST_F(LockTest, OutlivesOtherDescriptorsOfTheFile) {
  if (os::kSetOpenFileLock == 0) GTEST_SKIP() << "this system has no such locks";
  FileLock* const lock = Lock(name_);
  for (const int flags : {O_RDONLY, O_RDWR}) {
    const int fd = open(name_.c_str(), flags);
    ASSERT_GE(fd, 0);
    close(fd);
    EXPECT_FALSE(OthersCanLock(name_));
  }
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  EXPECT_TRUE(OthersCanLock(name_));
}

TEST_F(LockTest, EndsWithItsProcessWhateverItHasForked) {
  int released[2], started[2];
  ASSERT_EQ(pipe(released), 0);
  ASSERT_EQ(pipe(started), 0);
  const int code = ExitOfChild([&] {
    FileLock* lock;
    if (!env_->LockFile(name_, &lock).ok()) return 1;
    char byte = 'b';
    if (fork() == 0) {  // outlives its parent
      close(released[1]);
      if (write(started[1], &byte, 1) != 1) _exit(1);
      _exit(static_cast<int>(read(released[0], &byte, 1)));
    }
    return read(started[0], &byte, 1) == 1 ? 0 : 2;  // without unlocking
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(OthersCanLock(name_));
  for (const int fd : {released[0], released[1], started[0], started[1]}) close(fd);
}

TEST_F(LockTest, EndsAtUnlockThoughAChildIsThere) {
  FileLock* const lock = Lock(name_);
  int released[2];
  ASSERT_EQ(pipe(released), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(released[1]);
    char byte;
    _exit(static_cast<int>(read(released[0], &byte, 1)));
  }
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  EXPECT_TRUE(OthersCanLock(name_));
  for (const int fd : released) close(fd);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST_F(LockTest, IsCheckedUnderItsName) {
  EnvExtension* const extension = ExtensionOf(env_);
  FileLock* const lock = Lock(name_);
  EXPECT_TRUE(extension->CheckLock(lock).ok());
  std::filesystem::rename(name_, dir_.File("moved"));
  EXPECT_TRUE(extension->CheckLock(lock).IsIOError());
  TestDir::SetContents(name_, "");
  EXPECT_TRUE(extension->CheckLock(lock).IsIOError()) << "another file has its name";
  std::filesystem::rename(dir_.File("moved"), name_);
  EXPECT_TRUE(extension->CheckLock(lock).ok());
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
}

// Where a process loses its locks on a file when it closes any descriptor of it, a refused attempt
// must not open the file.
TEST_F(LockTest, ARefusedAttemptLeavesTheLockAlone) {
  FileLock* const lock = Lock(name_);
  const std::string alias = dir_.File("alias"), link = dir_.File("link");
  std::filesystem::create_symlink(name_, alias);
  std::filesystem::create_hard_link(name_, link);
  for (const std::string& name : {name_, alias, link, dir_.path() + "/./LOCK"}) {
    EXPECT_TRUE(Refusal(name).IsIOError()) << name;
    EXPECT_FALSE(OthersCanLock(name_)) << name;
  }
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  ASSERT_TRUE(env_->UnlockFile(Lock(alias)).ok());
}

TEST_F(LockTest, ANameStaysTakenWhenItsFileIsReplaced) {
  FileLock* const lock = Lock(name_);
  std::filesystem::remove(name_);
  EXPECT_TRUE(Refusal(name_).IsIOError());
  ASSERT_TRUE(env_->UnlockFile(lock).ok());
  ASSERT_TRUE(env_->UnlockFile(Lock(name_)).ok());
}

TEST_F(LockTest, LocksOfDifferentFilesAreIndependent) {
  const std::string other = dir_.File("OTHER");
  FileLock* const first = Lock(name_);
  FileLock* const second = Lock(other);
  ASSERT_TRUE(env_->UnlockFile(first).ok());
  EXPECT_FALSE(OthersCanLock(other));
  EXPECT_TRUE(OthersCanLock(name_));
  ASSERT_TRUE(env_->UnlockFile(second).ok());
}

/// Takes the lock in a child, and expects a refusal that names it until it dies.
void LockTest::ExpectChildIsNamed(const std::function<bool()>& lock_in_child) {
  int held[2], release[2];
  ASSERT_EQ(pipe(held), 0);
  ASSERT_EQ(pipe(release), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(release[1]);
    const char result = lock_in_child() ? 'y' : 'n';
    char byte;
    if (write(held[1], &result, 1) != 1 || read(release[0], &byte, 1) != 0) _exit(1);
    _exit(0);  // without unlocking
  }
  char result = 0;
  ASSERT_EQ(read(held[0], &result, 1), 1);
  EXPECT_EQ(result, 'y');
  EXPECT_EQ(Refusal(name_).ToString(), "IO error: lock " + name_ +
                                           ": Resource temporarily unavailable; held by process " +
                                           std::to_string(child));
  close(release[1]);
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(env_->UnlockFile(Lock(name_)).ok());
  for (const int fd : {held[0], held[1], release[0]}) close(fd);
}

TEST_F(LockTest, AnotherProcesssLockIsRespectedUntilItDies) {
  ExpectChildIsNamed([&] { return LevelDBLocks(name_); });
  ExpectChildIsNamed([&] {
    FileLock* lock;
    return env_->LockFile(name_, &lock).ok();
  });
}

}  // namespace
}  // namespace lull
