// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "tests/util/child.h"
#include "tests/util/test_dir.h"
#include "util/env_extension.h"
#include "util/memory_charge.h"
#include "util/random.h"

namespace lull {
namespace {

using leveldb::Status;

constexpr uint64_t kCapacityBytes = 1 << 20;

bool IsMapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line))
    if (line.ends_with(name)) return true;
  return false;
}

/// Memory that the process has of the file's mapping.
uint64_t LoadedBytes(const std::string& name) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  while (std::getline(maps, line)) {
    if (!line.ends_with(name)) continue;
    while (std::getline(maps, line))
      if (line.starts_with("Rss:")) return std::stoull(line.substr(4)) << 10;
  }
  return 0;
}

uint64_t AllocatedBytes(const std::string& name) {
  struct stat info = {};
  EXPECT_EQ(stat(name.c_str(), &info), 0);
  return static_cast<uint64_t>(info.st_blocks) * 512;
}

/// Until it is destroyed, writing a file beyond this length is an error, and no signal.
class FileLengthLimit {
 public:
  explicit FileLengthLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileLengthLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    signal(SIGXFSZ, handler_);
  }
  FileLengthLimit(const FileLengthLimit&) = delete;
  FileLengthLimit& operator=(const FileLengthLimit&) = delete;

 private:
  rlimit before_{};
  const sighandler_t handler_;
};

/// After an append that failed with `with`.
void ExpectTooLarge(LogFile* file, const std::string& name, const Status& with) {
  EXPECT_EQ(with.ToString(), "IO error: " + name + ": File too large");
  EXPECT_EQ(file->Append("c").ToString(), with.ToString());
  EXPECT_EQ(file->Flush().ToString(), with.ToString());
  EXPECT_EQ(file->Sync().ToString(), with.ToString());
  EXPECT_EQ(file->Close().ToString(), with.ToString());
}

class LogFileTest : public ::testing::TestWithParam<LogFileMode> {
 protected:
  std::unique_ptr<LogFile> Create(uint64_t capacity_bytes = kCapacityBytes) {
    LogFile* file = nullptr;
    const Status s = extension_->NewLogFile(name_, capacity_bytes, GetParam(), &file);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return std::unique_ptr<LogFile>(file);
  }

  /// Appends about `bytes` in records of all sizes; returns the expected content.
  std::string AppendRandomly(leveldb::WritableFile* file, size_t bytes, uint64_t seed) {
    Random random(seed);
    std::string expected;
    while (expected.size() < bytes) {
      std::string record(random.Uniform(random.OneIn(20) ? 40000 : 300), '\0');
      for (char& byte : record) byte = static_cast<char>(random.Next() | 1);  // no zeros
      EXPECT_TRUE(file->Append(record).ok());
      EXPECT_TRUE(file->Flush().ok());
      expected += record;
    }
    return expected;
  }

  /// Expects that the file begins with `expected`, followed only by zeros.
  void ExpectHolds(const std::string& expected) {
    const std::string contents = TestDir::Contents(name_);
    ASSERT_GE(contents.size(), expected.size());
    EXPECT_TRUE(contents.starts_with(expected));
    EXPECT_TRUE(std::all_of(contents.begin() + static_cast<long>(expected.size()), contents.end(),
                            [](char byte) { return byte == '\0'; }));
  }

  EnvExtension* const extension_ = ExtensionOf(leveldb::Env::Default());
  TestDir dir_;
  const std::string name_ = dir_.File("000007.log");
};

INSTANTIATE_TEST_SUITE_P(Modes, LogFileTest,
                         ::testing::Values(LogFileMode::kWrite, LogFileMode::kMapped),
                         [](const auto& info) {
                           return info.param == LogFileMode::kWrite ? "Write" : "Mapped";
                         });

TEST_P(LogFileTest, SpaceIsAllocatedAheadAndGivenBackAtClose) {
  const auto file = Create();
  if (AllocatedBytes(name_) == 0) GTEST_SKIP() << "this file system does not allocate ahead";
  EXPECT_GE(AllocatedBytes(name_), kCapacityBytes);
  EXPECT_EQ(std::filesystem::file_size(name_), kCapacityBytes);
  EXPECT_EQ(IsMapped(name_), GetParam() == LogFileMode::kMapped);
  ASSERT_TRUE(file->Append("record").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), "record");
  EXPECT_LT(AllocatedBytes(name_), kCapacityBytes);
  EXPECT_FALSE(IsMapped(name_));
}

TEST_P(LogFileTest, GrowsBeforeItsAppendsNeedIt) {
  constexpr uint64_t kFirstBytes = 128 << 10;
  MemoryCounter counter{0};
  const auto file = Create(kFirstBytes);
  file->CountMemory(&counter);
  file->Reserve(kCapacityBytes);
  const bool maps = IsMapped(name_);
  std::string expected = AppendRandomly(file.get(), kFirstBytes / 2, 80);
  for (uint64_t bytes = 2 * kFirstBytes; bytes < 2 * kCapacityBytes; bytes *= 2) {
    EXPECT_EQ(file->Grow(bytes).ok(), maps);
    const uint64_t grown = std::min(bytes, kCapacityBytes);
    if (maps) {
      EXPECT_EQ(std::filesystem::file_size(name_), grown);
      EXPECT_GE(AllocatedBytes(name_), grown);
      EXPECT_EQ(counter, grown);
    }
    ExpectHolds(expected);
    if (expected.size() < grown / 2)
      expected += AppendRandomly(file.get(), grown / 2 - expected.size(), 80 + bytes);
    EXPECT_EQ(IsMapped(name_), maps);
  }
  expected += AppendRandomly(file.get(), kCapacityBytes, 81);  // past what was reserved
  EXPECT_FALSE(file->Grow(4 * kCapacityBytes).ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), expected);
  EXPECT_EQ(counter, 0u);
}

TEST_P(LogFileTest, GrowingPastTheLimitOfFileSizesFailsWithoutASignal) {
  const auto file = Create(64 << 10);
  file->Reserve(kCapacityBytes);
  const int code = ExitOfChild([&] {
    const rlimit limit{128 << 10, 128 << 10};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    return file->Grow(256 << 10).ok() ? 2 : 0;
  });
  EXPECT_EQ(code, 0);
}

TEST_P(LogFileTest, PagesOfAMappingComeAndGoWithItsSize) {
  constexpr uint64_t kFirstBytes = 128 << 10;
  const auto file = Create(kFirstBytes);
  file->Reserve(kCapacityBytes);
  if (!IsMapped(name_)) GTEST_SKIP() << "nothing is mapped";
  ASSERT_TRUE(file->Append("record").ok());  // loads the first pages
  for (uint64_t bytes = 2 * kFirstBytes; bytes <= kCapacityBytes; bytes *= 2) {
    ASSERT_TRUE(file->Grow(bytes).ok());
    EXPECT_EQ(LoadedBytes(name_), bytes) << "so that no append faults";
  }
}

TEST_P(LogFileTest, PagesOfAMappingComeAndGoButTheContentsStay) {
  MemoryCounter counter{0};
  const auto file = Create();
  file->CountMemory(&counter);
  const auto expect = [&](uint64_t bytes) {
    EXPECT_EQ(counter, bytes);
    EXPECT_EQ(LoadedBytes(name_), bytes);
  };
  const uint64_t all = IsMapped(name_) ? kCapacityBytes : 0;
  expect(0);
  file->LoadPages();
  expect(all);
  file->DropPages(/*all=*/true);
  expect(0);

  std::string expected = AppendRandomly(file.get(), 300'000, 78);
  expect(all);  // the first append loaded them
  file->DropPages(/*all=*/false);
  expect(all - (all == 0 ? 0 : expected.size() / 4096 * 4096));
  ExpectHolds(expected);
  expected += AppendRandomly(file.get(), 100'000, 79);
  file->DropPages(/*all=*/true);
  expect(0);
  ExpectHolds(expected);
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), expected);
  expect(0);
}

TEST_P(LogFileTest, UnmappedFilesCountNoMemory) {
  MemoryCounter counter{0};
  for (const auto& end : {+[](LogFile* file) { file->Sync(); },
                          +[](LogFile* file) { file->Close(); }, +[](LogFile*) {}}) {
    auto file = Create();
    file->CountMemory(&counter);
    file->LoadPages();
    EXPECT_EQ(counter, IsMapped(name_) ? kCapacityBytes : 0);
    end(file.get());
    file.reset();
    EXPECT_EQ(counter, 0u);
  }
}

TEST_P(LogFileTest, ASealedFileGivesBackItsSpaceAndCanBeSynced) {
  const auto file = Create();
  const std::string expected = AppendRandomly(file.get(), 300'000, 77);
  EXPECT_TRUE(file->HoldsDescriptor());
  const bool mapped = IsMapped(name_);
  ASSERT_TRUE(file->Seal().ok());
  EXPECT_EQ(file->HoldsDescriptor(), !mapped);
  EXPECT_EQ(TestDir::Contents(name_), expected);
  EXPECT_LT(AllocatedBytes(name_), kCapacityBytes / 2);
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Seal().ok()) << "again";
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), expected);
}

/// RLIMIT_FSIZE kills a process that would exceed it, unless SIGXFSZ is ignored.
TEST_P(LogFileTest, NoSpaceIsTakenAheadBeyondTheLongestFile) {
  const int code = ExitOfChild([&] {
    const rlimit limit{kCapacityBytes / 2, kCapacityBytes / 2};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const auto file = Create();
    if (file == nullptr || !file->Append(std::string(100'000, 'x')).ok()) return 3;
    return file->Close().ok() ? 0 : 4;
  });
  EXPECT_EQ(code, 0);
}

TEST_P(LogFileTest, AppendsMayBeginWithZerosAndBeNothingElse) {
  using namespace std::string_literals;
  const auto file = Create();
  std::string expected;
  for (const std::string& data : {"\0\0\0\0\0\0record"s, "\0\0"s, std::string(20, '\0'), "end"s}) {
    ASSERT_TRUE(file->Append(data).ok());
    expected += data;
  }
  ASSERT_TRUE(file->Close().ok());
  EXPECT_TRUE(TestDir::Contents(name_) == expected);
}

TEST_P(LogFileTest, GrowsPastItsCapacity) {
  for (const uint64_t capacity_bytes : {0, 1, 4096, 100000}) {
    const auto file = Create(capacity_bytes);
    const std::string expected = AppendRandomly(file.get(), 400000, 81 + capacity_bytes);
    ASSERT_TRUE(file->Sync().ok());
    ExpectHolds(expected);
    ASSERT_TRUE(file->Close().ok());
    EXPECT_TRUE(TestDir::Contents(name_) == expected) << capacity_bytes;
  }
}

TEST_P(LogFileTest, ExactlyFull) {
  const auto file = Create(8192);
  const std::string half(4096, 'h');
  ASSERT_TRUE(file->Append(half).ok());
  ASSERT_TRUE(file->Append(half).ok());
  ASSERT_TRUE(file->Append("").ok());
  ASSERT_TRUE(file->Append("z").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), half + half + "z");
}

TEST_P(LogFileTest, DestructionWithoutCloseKeepsTheData) {
  auto file = Create();
  const std::string expected = AppendRandomly(file.get(), 50000, 82);
  ASSERT_TRUE(file->Append("last, not flushed").ok());
  file.reset();
  ExpectHolds(expected + "last, not flushed");
  EXPECT_FALSE(IsMapped(name_));
}

TEST_P(LogFileTest, ReplacesAnOlderFile) {
  TestDir::SetContents(name_, std::string(3 * kCapacityBytes, 'o'));
  const auto file = Create();
  ASSERT_TRUE(file->Append("new").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(name_), "new");
}

/// Mounts a private file system with room for 64 KiB on `dir`; false where that is not allowed.
bool MountSmallDisk(const std::string& dir) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", dir.c_str(), "tmpfs", 0, "size=64k") == 0;
}

TEST_P(LogFileTest, AFullDiskIsAnErrorAndLeavesNoFile) {
  constexpr int kSkipped = 77;
  const int code = ExitOfChild([&] {
    if (!MountSmallDisk(dir_.path())) return kSkipped;
    LogFile* file = nullptr;
    const Status s = extension_->NewLogFile(name_, kCapacityBytes, GetParam(), &file);
    EXPECT_EQ(s.ToString(), "IO error: " + name_ + ": No space left on device");
    EXPECT_EQ(file, nullptr);
    EXPECT_FALSE(std::filesystem::exists(name_));
    return HasFailure() ? 1 : 0;
  });
  if (code == kSkipped) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_EQ(code, 0);
}

TEST_P(LogFileTest, WorksWhereNothingCanBeAllocated) {
  {
    const FileLengthLimit limit(64 << 10);
    const auto file = Create();  // space for it cannot be allocated
    EXPECT_FALSE(IsMapped(name_));
    EXPECT_TRUE(file->Append("fits").ok());
    EXPECT_TRUE(file->Flush().ok());
    EXPECT_EQ(TestDir::Contents(name_), "fits");
    const Status s = file->Append(std::string(100000, 'x'));
    ExpectTooLarge(file.get(), name_, s);
  }
  EXPECT_TRUE(TestDir::Contents(name_).starts_with("fits"));
}

TEST_P(LogFileTest, AFailureBehindTheCapacitySticks) {
  {
    const auto file = Create(4096);
    const FileLengthLimit limit(8192);
    EXPECT_TRUE(file->Append(std::string(4096, 'a')).ok());
    Status s = file->Append(std::string(10000, 'b'));
    if (s.ok()) s = file->Flush();
    ExpectTooLarge(file.get(), name_, s);
  }
  EXPECT_EQ(TestDir::Contents(name_).substr(0, 4096), std::string(4096, 'a'));
}

// After a kill at any moment, the file has whole records, at most one more than was acknowledged.
TEST_P(LogFileTest, AKillInsideAnAppendLeavesWholeRecords) {
  const std::string record(100, 'r');
  for (int round = 0; round < 10; round++) {
    int acknowledged[2];
    ASSERT_EQ(pipe(acknowledged), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto file = Create();
      for (size_t size = 0; size + record.size() <= kCapacityBytes; size += record.size()) {
        if (!file->Append(record).ok() || !file->Flush().ok()) _exit(1);
        if (write(acknowledged[1], "a", 1) != 1) _exit(1);
      }
      _exit(0);
    }
    close(acknowledged[1]);
    size_t count = 0;
    char byte;
    while (count < static_cast<size_t>(round) * 37 + 1 && read(acknowledged[0], &byte, 1) == 1)
      count++;
    kill(child, SIGKILL);
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    while (read(acknowledged[0], &byte, 1) == 1) count++;
    close(acknowledged[0]);
    const std::string contents = TestDir::Contents(name_);
    const size_t records = std::min(contents.find('\0'), contents.size()) / record.size();
    EXPECT_GE(records, count);
    EXPECT_LE(records, count + 1);
  }
}

// ---- recycled files ----

class RecycledLogFileTest : public ::testing::Test {
 protected:
  static constexpr LogBlocks kBlocks{32768, "mark"};
  static constexpr uint64_t kOldBytes = 100'000;
  static constexpr uint64_t kMarkedBytes = 4 * 32768 + 4;

  /// A full log under the old name, with no zero bytes.
  void SetUp() override {
    LogFile* raw = nullptr;
    ASSERT_TRUE(extension_->NewLogFile(old_name_, kOldBytes, LogFileMode::kWrite, &raw).ok());
    const std::unique_ptr<LogFile> file(raw);
    if (std::filesystem::file_size(old_name_) != kOldBytes)
      GTEST_SKIP() << "this file system does not allocate ahead";
    ASSERT_TRUE(file->Append(std::string(kOldBytes, 'o')).ok());
    ASSERT_TRUE(file->Flush().ok());
  }

  std::unique_ptr<LogFile> Reuse() {
    LogFile* file = nullptr;
    const Status s = extension_->ReuseLogFile(old_name_, new_name_, kBlocks, &file);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return std::unique_ptr<LogFile>(file);
  }

  Status Refusal(const std::string& new_name) {
    LogFile* file = reinterpret_cast<LogFile*>(this);
    const Status s = extension_->ReuseLogFile(old_name_, new_name, kBlocks, &file);
    EXPECT_EQ(file, nullptr);
    return s;
  }

  /// The old log, marked as empty, with a mark at its end.
  static std::string Marked() {
    std::string bytes(kOldBytes, 'o');
    bytes.resize(kMarkedBytes, '\0');
    bytes.replace(0, 32768, 32768, '\0');
    for (size_t block = 32768; block < kMarkedBytes; block += 32768)
      bytes.replace(block, 4, "mark");
    return bytes;
  }

  EnvExtension* const extension_ = ExtensionOf(leveldb::Env::Default());
  TestDir dir_;
  const std::string old_name_ = dir_.File("000007.log");
  const std::string new_name_ = dir_.File("000009.log");
};

TEST_F(RecycledLogFileTest, ReadsAsEmptyAndEachAppendPutsAMarkBehindItself) {
  const auto file = Reuse();
  EXPECT_FALSE(std::filesystem::exists(old_name_));
  EXPECT_TRUE(TestDir::Contents(new_name_) == Marked());
  Random random(84);
  std::string written;
  for (int i = 0; written.size() < kMarkedBytes + 50'000; ++i) {
    const std::string record(1 + random.Uniform(random.OneIn(8) ? 30000 : 300), 'n');
    ASSERT_TRUE(file->Append(record).ok());
    written += record;
    if (i % 5 == 0) {
      ASSERT_TRUE(file->Sync().ok());
    }
    const std::string contents = TestDir::Contents(new_name_);
    std::string expected = Marked();
    const std::string mark = std::string("mark").substr(0, 32768 - written.size() % 32768);
    expected.replace(0, written.size() + mark.size(), written + mark);
    ASSERT_TRUE(contents == expected) << written.size();
  }
  ASSERT_TRUE(file->Close().ok());
  EXPECT_TRUE(TestDir::Contents(new_name_) == written);
}

TEST_F(RecycledLogFileTest, KeepsItsLengthUntilItIsClosed) {
  auto file = Reuse();
  ASSERT_TRUE(file->Append("young").ok());
  file.reset();
  EXPECT_EQ(std::filesystem::file_size(new_name_), kMarkedBytes);
  std::filesystem::rename(new_name_, old_name_);
  file = Reuse();
  EXPECT_EQ(std::filesystem::file_size(new_name_), kMarkedBytes);
  ASSERT_TRUE(file->Append("younger").ok());
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(TestDir::Contents(new_name_), "younger");
}

TEST_F(RecycledLogFileTest, IsMarkedBeforeItIsRenamed) {
  EXPECT_FALSE(Refusal(dir_.File("no folder/000009.log")).ok());
  EXPECT_TRUE(TestDir::Contents(old_name_) == Marked());
}

TEST_F(RecycledLogFileTest, WhatHasASecondNameIsLeftAlone) {
  const std::string copy = dir_.File("copy");
  std::filesystem::create_hard_link(old_name_, copy);
  EXPECT_TRUE(Refusal(new_name_).IsIOError());
  EXPECT_TRUE(TestDir::Contents(copy) == std::string(kOldBytes, 'o'));
  EXPECT_FALSE(std::filesystem::exists(new_name_));
}

TEST_F(RecycledLogFileTest, WhatIsNotThereIsAnError) {
  ASSERT_EQ(unlink(old_name_.c_str()), 0);
  EXPECT_TRUE(Refusal(new_name_).IsNotFound());
  EXPECT_FALSE(std::filesystem::exists(new_name_));
}

TEST_F(RecycledLogFileTest, AFailureSticks) {
  const auto file = Reuse();
  const FileLengthLimit limit(120'000);
  EXPECT_TRUE(file->Append(std::string(110'000, 'a')).ok());
  const Status s = file->Append(std::string(20'000, 'b'));
  ExpectTooLarge(file.get(), new_name_, s);
}

}  // namespace
}  // namespace lull
