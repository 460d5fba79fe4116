// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/mount.h>
#endif

#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "tests/util/child.h"
#include "tests/util/test_dir.h"
#include "tests/util/threads.h"
#include "util/env_extension.h"
#include "util/posix/file.h"
#include "util/random.h"
#include "util/thread.h"

namespace lull {
namespace {

using leveldb::Env;
using leveldb::RandomAccessFile;
using leveldb::Slice;
using leveldb::Status;
using leveldb::WritableFile;

int OpenDescriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count++;
  return count;
}

class PosixEnvTest : public ::testing::Test {
 protected:
  std::unique_ptr<WritableFile> Create(const std::string& name) {
    return Opened(env_, &Env::NewWritableFile, name);
  }
  std::unique_ptr<WritableFile> CreateTable(const std::string& name) {
    WritableFile* file = nullptr;
    const Status s = extension_->NewTableFile(name, TableWriterKind::kFlush, &file);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return std::unique_ptr<WritableFile>(file);
  }

  Env* const env_ = Env::Default();
  EnvExtension* const extension_ = ExtensionOf(env_);
  TestDir dir_;
};

TEST_F(PosixEnvTest, ErrorsNameTheFileAndTheCause) {
  const std::string absent = dir_.File("absent"), below = absent + "/x";
  std::vector<std::string> children = {"old"};
  uint64_t size = 7;
  for (const Status& s :
       {Refused(env_, &Env::NewSequentialFile, absent),
        Refused(env_, &Env::NewRandomAccessFile, absent),
        Refused(extension_, &EnvExtension::NewCompactionInput, absent),
        env_->GetFileSize(absent, &size), env_->RemoveFile(absent), env_->DeleteFile(absent),
        env_->RemoveDir(absent), env_->RenameFile(absent, dir_.File("b")),
        env_->GetChildren(absent, &children), extension_->SyncDirectory(absent),
        extension_->SyncAgain(absent, 1)}) {
    EXPECT_EQ(s.ToString(), "NotFound: " + absent + ": No such file or directory");
  }
  EXPECT_TRUE(children.empty());

  WritableFile* writable;
  LogFile* log;
  for (const Status& s :
       {Refused(env_, &Env::NewWritableFile, below),
        extension_->NewTableFile(below, TableWriterKind::kFlush, &writable),
        extension_->NewManifestFile(below, &writable),
        extension_->NewLogFile(below, 1, LogFileMode::kWrite, &log),
        Refused(env_, &Env::NewAppendableFile, below), Refused(env_, &Env::NewLogger, below),
        Refused(env_, &Env::LockFile, below), env_->CreateDir(below)}) {
    EXPECT_EQ(s.ToString(), "NotFound: " + below + ": No such file or directory");
  }
  EXPECT_EQ(env_->CreateDir(dir_.path()).ToString(), "IO error: " + dir_.path() + ": File exists");
  EXPECT_EQ(Refused(env_, &Env::NewWritableFile, dir_.path()).ToString(),
            "IO error: " + dir_.path() + ": Is a directory");
}

TEST_F(PosixEnvTest, DirectoriesListTheirFilesAndAreRemovedWhenEmpty) {
  const std::string sub = dir_.File("sub");
  ASSERT_TRUE(env_->CreateDir(sub).ok());
  ASSERT_TRUE(WriteStringToFile(env_, "12345", sub + "/a").ok());
  EXPECT_TRUE(env_->FileExists(sub + "/a"));
  std::vector<std::string> children = {"left over"};
  ASSERT_TRUE(env_->GetChildren(sub, &children).ok());
  EXPECT_THAT(children, testing::UnorderedElementsAre(".", "..", "a")) << "as in LevelDB";
  EXPECT_TRUE(extension_->SyncDirectory(sub).ok());
  EXPECT_TRUE(env_->RemoveDir(sub).IsIOError());
  ASSERT_TRUE(env_->RemoveFile(sub + "/a").ok());
  ASSERT_TRUE(env_->DeleteDir(sub).ok());
  EXPECT_FALSE(env_->FileExists(sub));
}

TEST_F(PosixEnvTest, WritableFilesHoldWhatWasAppendedWhateverTheSizes) {
  Random random(71);
  for (const bool is_table : {false, true}) {
    const std::string name = dir_.File("written");
    const auto file = is_table ? CreateTable(name) : Create(name);
    std::string expected;
    for (int i = 0; i < 300; i++) {
      const std::string piece =
          RandomBytes(random.Uniform(random.OneIn(10) ? 300000 : 3000), random.Next());
      ASSERT_TRUE(file->Append(piece).ok());
      expected += piece;
      if (random.OneIn(20)) {
        ASSERT_TRUE(file->Flush().ok());
        EXPECT_EQ(std::filesystem::file_size(name), expected.size());
      }
      if (random.OneIn(50)) {
        ASSERT_TRUE(file->Sync().ok());
      }
    }
    ASSERT_TRUE(file->Close().ok());
    EXPECT_TRUE(TestDir::Contents(name) == expected);
  }
}

TEST_F(PosixEnvTest, SmallAppendsAreBufferedAndDestructionFlushes) {
  const std::string name = dir_.File("buffered");
  auto file = Create(name);
  ASSERT_TRUE(file->Append("abc").ok());
  EXPECT_EQ(TestDir::Contents(name), "");
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(TestDir::Contents(name), "abc");
  ASSERT_TRUE(file->Append("def").ok());
  file.reset();
  EXPECT_EQ(TestDir::Contents(name), "abcdef");
}

TEST_F(PosixEnvTest, AFailureSticks) {
  const std::string text = "IO error: /dev/full: No space left on device";
  for (const bool flush : {true, false}) {
    const auto file = Create("/dev/full");
    ASSERT_TRUE(file->Append("lost").ok());
    if (flush) {
      EXPECT_EQ(file->Flush().ToString(), text);
      EXPECT_EQ(file->Append("more").ToString(), text);
      EXPECT_EQ(file->Flush().ToString(), text);
      EXPECT_EQ(file->Sync().ToString(), text);
    }
    EXPECT_EQ(file->Close().ToString(), text);
  }
}

TEST_F(PosixEnvTest, SyncOfAManifestNeedsItsDirectory) {
  const std::string sub = dir_.File("sub");
  ASSERT_TRUE(env_->CreateDir(sub).ok());
  const auto manifest = Create(sub + "/MANIFEST-000001");
  const auto table = Create(sub + "/000002.ldb");
  const auto leaves_it_to_its_owner =
      Opened(extension_, &EnvExtension::NewManifestFile, sub + "/MANIFEST-000003");
  ASSERT_TRUE(manifest->Append("x").ok());
  ASSERT_TRUE(manifest->Sync().ok());
  std::filesystem::remove_all(sub);
  EXPECT_TRUE(table->Sync().ok());
  EXPECT_TRUE(leaves_it_to_its_owner->Sync().ok());
  EXPECT_EQ(manifest->Sync().ToString(), "NotFound: " + sub + ": No such file or directory");
}

TEST_F(PosixEnvTest, AShortReadIsNotTheEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto file =
      Opened(env_, &Env::NewSequentialFile, "/proc/self/fd/" + std::to_string(ends[0]));
  const auto writer = ThreadFactory::System()->Start("pieces", CpuClass::kNormal, [&] {
    for (const char* piece = "0123456789"; *piece != '\0'; piece++)
      EXPECT_EQ(write(ends[1], piece, 1), 1);
    close(ends[1]);
  });
  char scratch[20];
  Slice result;
  ASSERT_TRUE(file->Read(20, &result, scratch).ok());
  EXPECT_EQ(result.ToString(), "0123456789");
  close(ends[0]);
}

TEST_F(PosixEnvTest, ReadFailuresAreErrors) {
  char scratch[4];
  Slice result;
  const std::string text = "IO error: " + dir_.path() + ": Is a directory";
  EXPECT_EQ(
      Opened(env_, &Env::NewSequentialFile, dir_.path())->Read(4, &result, scratch).ToString(),
      text);
  EXPECT_TRUE(result.empty());
}

// Nor does an open wait for the other end of a FIFO.
TEST_F(PosixEnvTest, OnlyRegularFilesAreReadAtOffsets) {
  const std::string fifo = dir_.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& name : {dir_.path(), fifo, std::string("/dev/zero")}) {
    const std::string text = "NotFound: " + name + ": is no file";
    EXPECT_EQ(Refused(env_, &Env::NewRandomAccessFile, name).ToString(), text);
    EXPECT_EQ(Refused(extension_, &EnvExtension::NewCompactionInput, name).ToString(), text);
  }
}

TEST_F(PosixEnvTest, RandomReadsAnywhereOfAnySize) {
  const std::string name = dir_.File("f"), bytes = RandomBytes(1500000, 73);
  TestDir::SetContents(name, bytes);
  RandomAccessFile* opened;
  DescriptorBudget nothing_left([] { return int64_t{0}; });
  DescriptorBudget plenty([] { return int64_t{10}; });
  std::vector<std::unique_ptr<RandomAccessFile>> files;
  files.push_back(Opened(env_, &Env::NewRandomAccessFile, name));
  ASSERT_TRUE(posix::OpenRandomAccess(name, &nothing_left, &opened).ok());
  files.emplace_back(opened);
  for (DescriptorBudget* const budget : {&nothing_left, &plenty}) {
    ASSERT_TRUE(posix::OpenCompactionInput(name, budget, &opened).ok());
    files.emplace_back(opened);
  }
  Random random(74);
  std::vector<char> scratch(600000);
  for (const auto& file : files) {
    uint64_t next = 0;
    for (int i = 0; i < 2000; i++) {
      // Mostly sequential reads, sometimes random ones, sometimes past the end.
      const uint64_t offset = random.OneIn(10) ? random.Uniform(bytes.size() + 1000) : next;
      const size_t size = random.Uniform(random.OneIn(20) ? scratch.size() : 5000);
      Slice result;
      ASSERT_TRUE(file->Read(offset, size, &result, scratch.data()).ok());
      const std::string expected = offset < bytes.size() ? bytes.substr(offset, size) : "";
      ASSERT_TRUE(result == Slice(expected)) << offset << " " << size;
      next = offset + size < bytes.size() ? offset + size : 0;
    }
    Slice result;
    EXPECT_FALSE(file->Read(UINT64_MAX - 5, 3, &result, scratch.data()).ok());
  }
}

TEST_F(PosixEnvTest, ATruncatedFileGivesShortReadsNotASignal) {
  const std::string name = dir_.File("f");
  TestDir::SetContents(name, RandomBytes(100000, 75));
  const auto file = Opened(env_, &Env::NewRandomAccessFile, name);
  ASSERT_EQ(truncate(name.c_str(), 10), 0);
  char scratch[100];
  Slice result;
  ASSERT_TRUE(file->Read(50000, 100, &result, scratch).ok());
  EXPECT_TRUE(result.empty());
  ASSERT_TRUE(file->Read(5, 100, &result, scratch).ok());
  EXPECT_EQ(result.size(), 5u);
}

TEST_F(PosixEnvTest, BeyondTheBudgetNoDescriptorStaysOpen) {
  const std::string name = dir_.File("f");
  TestDir::SetContents(name, "0123456789");
  DescriptorBudget budget([] { return int64_t{2}; });
  const int before = OpenDescriptors();
  std::vector<std::unique_ptr<RandomAccessFile>> files;
  const auto open_one = [&] {
    RandomAccessFile* opened;
    ASSERT_TRUE(posix::OpenRandomAccess(name, &budget, &opened).ok());
    files.emplace_back(opened);
  };
  for (int i = 0; i < 5; i++) open_one();
  EXPECT_EQ(OpenDescriptors(), before + 2);
  for (const auto& file : files) {
    char scratch[4];
    Slice result;
    ASSERT_TRUE(file->Read(3, 4, &result, scratch).ok());
    EXPECT_EQ(result.ToString(), "3456");
  }
  files.clear();
  EXPECT_EQ(OpenDescriptors(), before);
  for (int i = 0; i < 3; i++) open_one();  // exactly the descriptors taken were returned
  EXPECT_EQ(OpenDescriptors(), before + 2);
}

TEST_F(PosixEnvTest, TheBudgetsAreSharesOfTheLimit) {
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur == RLIM_INFINITY) GTEST_SKIP();
  EXPECT_EQ(posix::TableDescriptorsMax(), static_cast<int64_t>(limit.rlim_cur / 5));
  EXPECT_EQ(posix::LogDescriptorsMax(), static_cast<int64_t>(limit.rlim_cur / 8));
  const rlimit before = limit;
  limit.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(posix::TableDescriptorsMax(), 12) << "a program may lower it while it runs";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(PosixEnvTest, ADeviceIsNoRegularFile) {
  const Status s = Refused(extension_, &EnvExtension::OpenRegularFile, "/dev/null");
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
}

TEST_F(PosixEnvTest, ATimeInWholeSecondsIsNoStamp) {
  const std::string name = dir_.File("f");
  Create(name);
  FileStamp stamp;
  timespec times[2] = {{1, 0}, {1'700'000'000, 1}};
  ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
  ASSERT_TRUE(extension_->GetFileStamp(name, &stamp).ok());
  EXPECT_EQ(stamp.modified_nanos, 1'700'000'000'000'000'001u);
  times[1].tv_nsec = 0;
  ASSERT_EQ(utimensat(AT_FDCWD, name.c_str(), times, 0), 0);
  EXPECT_TRUE(extension_->GetFileStamp(name, &stamp).IsNotSupportedError());
}

TEST_F(PosixEnvTest, TheTimeOfAFileCanBeSetButNotThroughALink) {
  const std::string name = dir_.File("f"), link = dir_.File("link");
  Create(name);
  ASSERT_EQ(symlink(name.c_str(), link.c_str()), 0);
  FileStamp stamp;
  ASSERT_TRUE(extension_->SetModifiedNanos(name, 1'700'000'000'000'000'001).ok());
  ASSERT_TRUE(extension_->SetModifiedNanos(link, 1'800'000'000'000'000'001).ok());
  ASSERT_TRUE(extension_->GetFileStamp(name, &stamp).ok());
  EXPECT_EQ(stamp.modified_nanos, 1'700'000'000'000'000'001u);
  EXPECT_TRUE(extension_->SetModifiedNanos(dir_.File("none"), 1).IsNotFound());
}

TEST_F(PosixEnvTest, SyncAgainWritesTheSameBytes) {
  const std::string name = dir_.File("f");
  std::string bytes(200'000, 'x');
  bytes[100'000] = 'y';
  for (const uint64_t again : {uint64_t{0}, uint64_t{100'001}, UINT64_MAX}) {
    ASSERT_TRUE(WriteStringToFile(env_, bytes, name).ok());
    ASSERT_TRUE(extension_->SetModifiedNanos(name, 1'700'000'000'000'000'001).ok());
    EXPECT_TRUE(extension_->SyncAgain(name, again).ok());
    FileStamp stamp;
    ASSERT_TRUE(extension_->GetFileStamp(name, &stamp).ok());
    EXPECT_EQ(stamp.modified_nanos != 1'700'000'000'000'000'001u, again > 0) << again;
    std::string read;
    ASSERT_TRUE(ReadFileToString(env_, name, &read).ok());
    EXPECT_EQ(read, bytes) << again;
  }
}

TEST_F(PosixEnvTest, ADirectoryBelongsToAMount) {
  EXPECT_EQ(extension_->MountOf("/").path, "/");
  const Mount mount = extension_->MountOf(dir_.path());
  EXPECT_TRUE(std::string(dir_.path()).starts_with(mount.path)) << mount.path;
  EXPECT_EQ(extension_->MountOf(mount.path).device, mount.device);
  EXPECT_EQ(extension_->MountOf(dir_.File("none")).device, "");
#if defined(__linux__)
  EXPECT_EQ(extension_->MountOf("/proc/self").path, "/proc");
  EXPECT_NE(extension_->MountOf("/proc").device, extension_->MountOf("/").device);
#endif
}

TEST_F(PosixEnvTest, AnOpenDirectoryNoticesAnotherOneUnderItsName) {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  const std::string name = dir_.File("dir"), link = dir_.File("link"), other = dir_.File("other");
  fs::create_directories(other + "/dir");
  fs::create_directory(name);
  fs::create_directory_symlink(name, link);
  fs::current_path(dir_.path());
  std::unique_ptr<Env> absolute, relative, linked;
  ASSERT_TRUE(extension_->OpenDirectory(name, &absolute).ok());
  ASSERT_TRUE(extension_->OpenDirectory("dir", &relative).ok());
  ASSERT_TRUE(extension_->OpenDirectory(link, &linked).ok());
  fs::current_path(other);
  const auto refusals = [&] {
    std::string text;
    for (Env* env : {absolute.get(), relative.get(), linked.get()})
      text += ExtensionOf(env)->CheckDirectory().ok() ? '-' : 'x';
    return text;
  };
  EXPECT_EQ(refusals(), "---");
  fs::rename(name, dir_.File("moved"));
  EXPECT_EQ(refusals(), "---") << "the names lead nowhere";
  TestDir::SetContents(name, "a file");
  EXPECT_EQ(refusals(), "---");
  fs::remove(name);
  fs::create_directory(name);
  EXPECT_EQ(refusals(), "xxx");
  fs::remove(name);
  fs::create_directory_symlink(dir_.File("moved"), name);
  EXPECT_EQ(refusals(), "---") << "a link leads to the moved directory";
  fs::remove(link);
  fs::create_directory_symlink(other, link);
  EXPECT_EQ(refusals(), "--x");
  EXPECT_TRUE(extension_->CheckDirectory().ok()) << "Env::Default() is in no directory";
  fs::current_path(before);
}

// A process can stay in a directory that is removed.
TEST_F(PosixEnvTest, AnOpenDirectoryWithoutAName) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(dir_.File("removed"));
  std::filesystem::current_path(dir_.File("removed"));
  std::filesystem::remove(dir_.File("removed"));
  std::unique_ptr<Env> open;
  EXPECT_TRUE(extension_->OpenDirectory(".", &open).ok());
  EXPECT_TRUE(ExtensionOf(open.get())->CheckDirectory().ok());
  std::filesystem::current_path(before);
}

TEST_F(PosixEnvTest, RootCountsTheReserve) {
  struct statvfs info = {};
  EXPECT_EQ(posix::FreeBytes(info, true), std::nullopt);
  info.f_blocks = 100;
  info.f_bfree = 7;
  info.f_bavail = 2;
  info.f_bsize = 4096;
  EXPECT_EQ(posix::FreeBytes(info, false), 2u * 4096) << "f_frsize is optional";
  info.f_frsize = 512;
  EXPECT_EQ(posix::FreeBytes(info, false), 2u * 512);
  EXPECT_EQ(posix::FreeBytes(info, true), 7u * 512);
}

#if defined(__linux__)
TEST_F(PosixEnvTest, FreeSpaceOfARamfsIsUnknown) {
  constexpr int kMayNotMount = 77;
  const int code = ExitOfChild([&] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", dir_.path().c_str(), "ramfs", 0, nullptr) != 0)
      return kMayNotMount;
    return extension_->FreeBytes(dir_.path()) ? 1 : 0;
  });
  if (code == kMayNotMount) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(code, 0);
}
#endif

// A flush and the MANIFEST free resources, so two descriptors are reserved for them.
TEST_F(PosixEnvTest, TheLastDescriptorsAreForFlushes) {
  ASSERT_TRUE(extension_->SyncDirectory(dir_.path()).ok());  // fills the reserve
  // The first error makes UBSan check the category's type, for which it needs a pipe.
  EXPECT_TRUE(extension_->SyncDirectory(dir_.File("missing")).IsNotFound());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  WritableFile* raw = nullptr;
  const Status refused =
      extension_->NewTableFile(dir_.File("c"), TableWriterKind::kCompaction, &raw);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(refused.IsIOError());
  EXPECT_TRUE(IsOutOfResources(refused)) << refused.ToString();

  // The program takes all the remaining descriptors, also those above FD_SETSIZE, where the
  // reserved ones are.
  const rlimit few{std::min<rlim_t>(FD_SETSIZE + 64, before.rlim_cur), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> taken;
  for (int fd; (fd = dup(0)) >= 0;) taken.push_back(fd);
  EXPECT_FALSE(extension_->NewTableFile(dir_.File("c"), TableWriterKind::kCompaction, &raw).ok());
  Status s = extension_->NewTableFile(dir_.File("f"), TableWriterKind::kFlush, &raw);
  const std::unique_ptr<WritableFile> table(raw);
  const Status synced = extension_->SyncDirectory(dir_.path());
  for (const int fd : taken) close(fd);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(synced.ok()) << synced.ToString();
}

TEST_F(PosixEnvTest, DescriptorsAreNotInheritedByPrograms) {
  const std::string name = dir_.File("f");
  const auto written = Create(name);
  const auto read = Opened(env_, &Env::NewRandomAccessFile, name);
  for (int fd = 3; fd < 256; fd++) {
    char path[4096];
    const ssize_t size =
        readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof(path));
    if (size > 0 && std::string(path, static_cast<size_t>(size)) == name) {
      EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    }
  }
}

TEST_F(PosixEnvTest, LoggerWritesStampedLines) {
  const std::string name = dir_.File("LOG");
  TestDir::SetContents(name, "kept\n");
  const auto logger = Opened(env_, &Env::NewLogger, name);
  const std::string large(5000, 'x');
  leveldb::Log(logger.get(), "one %d", 1);
  leveldb::Log(logger.get(), "two\n");
  leveldb::Log(logger.get(), "%s", large.c_str());
  leveldb::Log(logger.get(), "%s", "");
  const std::string stamp =
      "[0-9]{4}/[0-9]{2}/[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6} [0-9]+ ";
  EXPECT_THAT(TestDir::Contents(name),
              ::testing::MatchesRegex("kept\n" + stamp + "one 1\n" + stamp + "two\n" + stamp +
                                      large + "\n" + stamp + "\n"));
}

TEST_F(PosixEnvTest, LinesOfManyThreadsDoNotMix) {
  const std::string name = dir_.File("LOG");
  const auto logger = Opened(env_, &Env::NewLogger, name);
  RunThreads(4, [&logger](int t) {
    for (int i = 0; i < 200; i++)
      leveldb::Log(logger.get(), "<%s>", std::string(50, static_cast<char>('a' + t)).c_str());
  });
  std::istringstream lines(TestDir::Contents(name));
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    count++;
    ASSERT_GE(line.size(), 52u);
    const std::string message = line.substr(line.size() - 52);
    EXPECT_EQ(message, "<" + std::string(50, message[1]) + ">");
  }
  EXPECT_EQ(count, 800);
}

TEST_F(PosixEnvTest, ScheduledWorkRunsInOrderInOneThread) {
  static std::vector<int> order;
  static std::set<unsigned> threads;
  static std::promise<void> done;
  order.clear();
  threads.clear();
  done = {};
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int& number : numbers) {
    env_->Schedule(
        [](void* argument) {
          order.push_back(*static_cast<int*>(argument));
          threads.insert(ThreadOrdinal());
          if (order.size() == 100) done.set_value();
        },
        &number);
  }
  done.get_future().get();
  EXPECT_EQ(order, numbers);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_FALSE(threads.contains(ThreadOrdinal()));
}

TEST_F(PosixEnvTest, StartedThreadsRunSideBySide) {
  std::promise<void> began[2];
  env_->StartThread([](void* a) { static_cast<std::promise<void>*>(a)[0].set_value(); }, began);
  // Can only end if the other thread runs at the same time.
  env_->StartThread(
      [](void* a) {
        static_cast<std::promise<void>*>(a)[0].get_future().get();
        static_cast<std::promise<void>*>(a)[1].set_value();
      },
      began);
  began[1].get_future().get();
}

TEST_F(PosixEnvTest, TimePassesWhileSleeping) {
  const uint64_t before = env_->NowMicros();
  env_->SleepForMicroseconds(2000);
  env_->SleepForMicroseconds(0);
  env_->SleepForMicroseconds(-1);
  EXPECT_GE(env_->NowMicros() - before, 1900u);
}

TEST_F(PosixEnvTest, ADirectoryThatCannotBeSyncedIsNoError) {
  EXPECT_TRUE(extension_->SyncDirectory("/proc/self").ok());
  EXPECT_FALSE(extension_->SyncDirectory("/proc/self/none").ok());
}

// As in a set-user-ID program: the real user may not look into the directory.
TEST_F(PosixEnvTest, FilesAreLookedForAsTheEffectiveUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::string directory = dir_.File("own");
  ASSERT_EQ(mkdir(directory.c_str(), 0700), 0);
  ASSERT_TRUE(leveldb::WriteStringToFile(env_, "x", directory + "/file").ok());
  EXPECT_EQ(ExitOfChild([&] {
              const bool is_other = setreuid(65534, 0) == 0;
              return is_other && env_->FileExists(directory + "/file") ? 0 : 1;
            }),
            0);
}

TEST_F(PosixEnvTest, TestDirectoryExistsAndStays) {
  std::string first, second;
  ASSERT_TRUE(env_->GetTestDirectory(&first).ok());
  ASSERT_TRUE(env_->GetTestDirectory(&second).ok());
  EXPECT_EQ(first, second);
  EXPECT_TRUE(env_->FileExists(first));
}

}  // namespace
}  // namespace lull
