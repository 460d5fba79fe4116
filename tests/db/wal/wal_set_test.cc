// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The files that a WalSet creates, recycles and removes. One thread has both roles.
#include "db/wal/wal_set.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "scheduler/threads/flush_thread.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "util/descriptor_budget.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wthread-safety-analysis"
#endif

namespace lull {
namespace {

using testing::FaultEnv;
using testing::FaultKind;

constexpr uint64_t kLogBytesMax = 320 << 10;  // a memtable's size, and some more
constexpr size_t kLogsMax = 1 + 2 * 6;        // the current log, and twice the most to keep ready

leveldb::Options OptionsWith(leveldb::Env* env) {
  leveldb::Options options;
  options.env = env;
  options.write_buffer_size = 64 << 10;
  return options;
}

/// Tracks the state of each log.
class WatchedLogsEnv final : public FaultEnv {
 public:
  using FaultEnv::FaultEnv;
  bool seals = true;                                   // sealing releases the descriptor
  bool limits = false;                                 // the process has no descriptors left
  bool grows = false;                                  // logs can be preallocated further
  bool exceeded = false;                               // a log that could have been
  std::set<std::string> open;                          // paths
  std::set<std::string> loaded;                        // paths of files with pages
  std::map<std::string, std::vector<uint64_t>> bytes;  // the sizes to which it was preallocated

  DescriptorBudget* log_descriptors() override { return limits ? &nothing_ : nullptr; }
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes, LogFileMode mode,
                             LogFile** result) override {
    const leveldb::Status status = FaultEnv::NewLogFile(path, capacity_bytes, mode, result);
    bytes[path] = {capacity_bytes};
    if (status.ok()) *result = new File(this, path, *result);
    return status;
  }

 private:
  class File final : public LogFile {
   public:
    File(WatchedLogsEnv* env, const std::string& path, LogFile* file)
        : env_(env), path_(path), file_(file) {
      env_->open.insert(path);
    }
    ~File() override {
      env_->open.erase(path_);
      env_->loaded.erase(path_);
    }
    leveldb::Status Append(const leveldb::Slice& data) override {
      appended_ += data.size();
      const uint64_t preallocated = env_->bytes[path_].back();
      if (appended_ > preallocated && preallocated < kLogBytesMax) env_->exceeded = true;
      return file_->Append(data);
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override { return file_->Sync(); }
    leveldb::Status Seal() override {
      is_sealed_ = true;
      return file_->Seal();
    }
    leveldb::Status Grow(uint64_t bytes) override {
      if (!env_->grows) return leveldb::Status::IOError(path_, "no space");
      env_->bytes[path_].push_back(bytes);
      return leveldb::Status::OK();
    }
    bool HoldsDescriptor() const override { return !(is_sealed_ && env_->seals); }
    void LoadPages() override { env_->loaded.insert(path_); }
    void DropPages(bool all) override {
      if (all) env_->loaded.erase(path_);
      if (!all) env_->loaded.insert(path_ + " in part");
    }

   private:
    WatchedLogsEnv* const env_;
    const std::string path_;
    const std::unique_ptr<LogFile> file_;
    bool is_sealed_ = false;
    uint64_t appended_ = 0;
  };

  DescriptorBudget nothing_{[] { return int64_t{0}; }};
};

/// A WalSet with its first log.
class WalSetTest : public ::testing::Test {
 protected:
  WalSetTest() : context_(OptionsWith(&env_)), wals_(&context_) {
    disk_.CreateDir("/store");
    context_.name = "/store";
    context_.extension = &env_;
    context_.flush_thread = &flush_thread_;
    EXPECT_TRUE(wals_.Switch(1).ok());
  }

  void PrepareAll() {
    while (wals_.NeedsPrepare()) ASSERT_TRUE(wals_.Prepare().ok());
  }
  /// A memtable's lifetime: its records are written, the next WAL takes over, and its own is
  /// released. Returns the number of files to remove.
  size_t Round(int records, bool sync) {
    const std::string record(1000, 'r');
    for (int i = 0; i < records; ++i) {
      EXPECT_TRUE(wals_.Append(record).ok());
      if (!sync) continue;
      EXPECT_TRUE(wals_.Sync().ok());
    }
    PrepareAll();
    EXPECT_TRUE(wals_.Switch(1).ok());
    const std::vector<std::string> obsolete = wals_.Release(wals_.current_number());
    for (const std::string& path : obsolete) EXPECT_TRUE(env_.RemoveFile(path).ok());
    PrepareAll();
    return obsolete.size();
  }
  /// The same `rounds` times, with synced records.
  size_t SyncedRounds(int rounds) {
    size_t removed = 0;
    for (int round = 0; round < rounds; ++round) removed += Round(30, true);
    return removed;
  }

  size_t Logs() { return testing::NamesEndingIn(&disk_, "/store", "").size(); }

  void Break(FaultKind kind, uint32_t ops) { env_.Arm({.kind = kind, .ops = ops}); }

  testing::CrashEnv disk_;
  WatchedLogsEnv env_{&disk_};
  FlushThread flush_thread_;  // never started
  StoreContext context_;
  WalSet wals_;
};

TEST_F(WalSetTest, ReleasedWalsAreUsedAgainWhereClientsSync) {
  for (int round = 0; round < 20; ++round) {
    Round(30, true);
    ASSERT_LE(Logs(), kLogsMax) << round;
  }
  const uint64_t creations = env_.Count(testing::kOpenWrite);
  const uint64_t appends = disk_.appends_to_reused_logs();
  EXPECT_EQ(SyncedRounds(20), 0u);
  EXPECT_GE(disk_.appends_to_reused_logs() - appends, 20u * 30);
  // Each file was opened for writing once, to be recycled; none was created.
  EXPECT_EQ(env_.Count(testing::kOpenWrite) - creations, 20u);
}

// A successful directory sync after a failed one proves nothing about the names before the failure.
TEST_F(WalSetTest, AWalWhoseNameMayBeLostIsNotSynced) {
  ASSERT_TRUE(wals_.Append("first").ok());
  ASSERT_TRUE(wals_.Sync().ok());
  ASSERT_TRUE(wals_.Switch(2).ok());  // none was prepared, so Switch created it
  const size_t before = Logs();
  Break(FaultKind::kErrorOnce, testing::kSyncDir);
  EXPECT_FALSE(wals_.Prepare().ok());
  EXPECT_EQ(Logs(), before) << "the failed preparation leaves no file";
  env_.Heal();
  ASSERT_TRUE(wals_.Append("second").ok());
  EXPECT_FALSE(wals_.Sync().ok());
  ASSERT_TRUE(wals_.Restart(3).ok());
  ASSERT_TRUE(wals_.Append("third").ok());
  EXPECT_TRUE(wals_.Sync().ok());
}

TEST_F(WalSetTest, NotWhereClientsDoNotSyncOrCeaseTo) {
  for (int round = 0; round < 20; ++round) EXPECT_EQ(Round(30, false), 1u);
  EXPECT_EQ(disk_.appends_to_reused_logs(), 0u);
  SyncedRounds(20);
  for (int round = 0; round < 20; ++round) EXPECT_EQ(Round(30, false), 1u);
  const uint64_t appends = disk_.appends_to_reused_logs();
  Round(30, false);
  EXPECT_EQ(disk_.appends_to_reused_logs(), appends);
  EXPECT_LE(Logs(), kLogsMax);
}

TEST_F(WalSetTest, FilesOfAnotherSizeAreNotUsed) {
  SyncedRounds(20);
  EXPECT_EQ(Round(200, true), 1u);  // it had to grow, so its size fits exactly
  EXPECT_EQ(Round(200, true), 1u);
  EXPECT_GT(SyncedRounds(20), 0u);  // files of the larger size are too long now
  const uint64_t appends = disk_.appends_to_reused_logs();
  EXPECT_EQ(Round(33, true), 0u);  // the difference is less than the spare bytes of a file
  EXPECT_EQ(Round(30, true), 0u);
  EXPECT_GT(disk_.appends_to_reused_logs(), appends);
}

// The leader still holds these logs, for a later sync.
TEST_F(WalSetTest, NorWhatEndedUnsynced) {
  const std::string record(1000, 'r');
  for (int round = 0; round < 30; ++round) {
    Round(20, true);
    ASSERT_TRUE(wals_.Append(record).ok());
    ASSERT_TRUE(wals_.Sync().ok());
    ASSERT_TRUE(wals_.Append(record).ok());
    ASSERT_EQ(Round(0, false), 1u);
    ASSERT_TRUE(wals_.Append(record).ok());
    ASSERT_TRUE(wals_.Sync().ok());
    ASSERT_LE(Logs(), kLogsMax) << round;
  }
}

TEST_F(WalSetTest, AfterASwitchThatFailedTheLogStays) {
  ASSERT_TRUE(wals_.Append("first").ok());
  const uint64_t number = wals_.current_number();
  Break(FaultKind::kErrorSticky, testing::kOpenWrite);
  EXPECT_FALSE(wals_.Switch(2).ok());
  EXPECT_EQ(wals_.current_number(), number);
  EXPECT_TRUE(wals_.CanTakeMore());
  ASSERT_TRUE(wals_.Append("second").ok());
  ASSERT_TRUE(wals_.Sync().ok());
  env_.Heal();
  ASSERT_TRUE(wals_.Switch(3).ok());
  EXPECT_NE(wals_.current_number(), number);
  EXPECT_EQ(wals_.Release(wals_.current_number()).size(), 1u);
}

TEST_F(WalSetTest, AfterAFailedAppendTheLogDoesNotGoOn) {
  Break(FaultKind::kErrorSticky, testing::kOpenWrite | testing::kAppend);
  EXPECT_FALSE(wals_.Append("first").ok());
  EXPECT_FALSE(wals_.Switch(2).ok());
  EXPECT_FALSE(wals_.CanTakeMore());
  EXPECT_FALSE(wals_.Restart(2).ok());
}

/// A first log, which is mapped, whose clients begin to sync.
class FirstSyncTest : public WalSetTest {
 protected:
  void AppendSynced(int records) {
    for (int i = 0; i < records; ++i) {
      ASSERT_TRUE(wals_.Append(std::string(1000, 'r')).ok());
      ASSERT_TRUE(wals_.Sync().ok());
    }
  }
  /// Whether MoveToPrepared ends the current log.
  bool Moves() {
    const uint64_t number = wals_.current_number();
    wals_.MoveToPrepared(++sequence_);
    return wals_.current_number() != number;
  }
  SequenceNumber sequence_ = 1;
};

TEST_F(FirstSyncTest, ALogWithWrittenBlocksTakesOverFromAMappedOne) {
  AppendSynced(1);
  EXPECT_FALSE(Moves()) << "none is prepared";
  PrepareAll();
  AppendSynced(1);
  const uint64_t first = wals_.current_number();
  EXPECT_TRUE(Moves());
  PrepareAll();
  AppendSynced(1);
  EXPECT_FALSE(Moves()) << "its blocks were written";
  const uint64_t second = wals_.current_number();
  EXPECT_EQ(wals_.ListNumbers().in_use, (std::vector<uint64_t>{first, second}));
  EXPECT_TRUE(wals_.Release(first).empty()) << "both are of the active memtable";
  ASSERT_TRUE(wals_.Switch(++sequence_).ok());
  wals_.Release(wals_.current_number());
  EXPECT_EQ(wals_.ListNumbers().in_use, (std::vector<uint64_t>{wals_.current_number()}));
}

TEST_F(FirstSyncTest, ItStaysWhereThatGainsNothing) {
  PrepareAll();
  EXPECT_FALSE(Moves()) << "the prepared ones are mapped too";
  AppendSynced(1);
  PrepareAll();
  wals_.SetDiskLow(true);
  EXPECT_FALSE(Moves()) << "disk space is short";
  wals_.SetDiskLow(false);
  wals_.SetTableBytes(1 << 30);
  PrepareAll();
  wals_.ShrinkInRest();
  EXPECT_FALSE(Moves()) << "clients rest, so the current log takes little space";
}

TEST_F(FirstSyncTest, ItStaysIfTheNextOneTakesNoRecord) {
  AppendSynced(1);
  PrepareAll();
  Break(FaultKind::kErrorOnce, testing::kAppend);
  EXPECT_FALSE(Moves());
  env_.Heal();
  AppendSynced(1);
  EXPECT_TRUE(Moves()) << "a second one was prepared";
}

// Otherwise the next ones would be too small for a memtable's records.
TEST_F(FirstSyncTest, TheNextLogsHaveSpaceForAWholeMemtable) {
  AppendSynced(100);
  PrepareAll();
  AppendSynced(1);
  ASSERT_TRUE(Moves());
  const uint64_t second = wals_.current_number();
  PrepareAll();
  AppendSynced(100);
  ASSERT_TRUE(wals_.Switch(++sequence_).ok());
  PrepareAll();
  for (const uint64_t number : wals_.ListNumbers().prepared) {
    if (number <= second) continue;
    EXPECT_GE(env_.bytes[LogFileName("/store", number)].front(), 201'000u) << number;
  }
}

class OpenLogsTest : public WalSetTest {
 protected:
  OpenLogsTest() { env_.limits = true; }

  /// The number of successful switches in `tries` tries.
  int Switches(int tries) {
    int switches = 0;
    for (int i = 0; i < tries; ++i) {
      EXPECT_TRUE(wals_.Append("record").ok());
      switches += wals_.Switch(1).ok() ? 1 : 0;
      wals_.SealEnded();
    }
    return switches;
  }
};

TEST_F(OpenLogsTest, SealedLogsTakeNoDescriptor) {
  EXPECT_GE(Switches(20), 19) << "only the first switch lacks a descriptor";
}

TEST_F(OpenLogsTest, LogsThatHoldTheirDescriptorAreFew) {
  env_.seals = false;
  EXPECT_EQ(Switches(20), 2);
  wals_.Release(wals_.current_number());
  EXPECT_EQ(Switches(20), 2) << "released logs free their descriptors";
}

// An Env can refuse to remove an open file, as on Windows; and an open file keeps its space.
TEST_F(OpenLogsTest, ReleasedLogsAreClosedBeforeTheyAreRemoved) {
  for (int round = 0; round < 5; ++round) {
    Switches(2);
    for (const std::string& path : wals_.Release(wals_.current_number()))
      EXPECT_FALSE(env_.open.contains(path)) << path;
    EXPECT_EQ(env_.open.size(), 1u);
    EXPECT_FALSE(wals_.HasUnreleased());
  }
}

TEST_F(WalSetTest, OnlyTheCurrentAndTheNextTwoHavePages) {
  const auto prepare_all = [this] {
    PrepareAll();
    wals_.TendPages();
  };
  const auto loaded = [this](std::vector<uint64_t> numbers) {
    std::set<std::string> paths;
    for (const uint64_t number : numbers) paths.insert(LogFileName("/store", number));
    return env_.loaded == paths;
  };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(wals_.Switch(1).ok());  // now more are wanted
  prepare_all();
  EXPECT_EQ(env_.open.size(), 4u + 6u);
  const uint64_t first = wals_.current_number() + 1;
  EXPECT_TRUE(loaded({first, first + 1}));
  ASSERT_TRUE(wals_.Switch(1).ok());
  prepare_all();
  EXPECT_TRUE(loaded({first, first + 1, first + 2})) << "the current one keeps its pages";
  ASSERT_TRUE(wals_.Switch(1).ok());
  prepare_all();
  EXPECT_TRUE(loaded({first + 1, first + 2, first + 3})) << "the sealed one lost them";

  wals_.DropPagesInLull();
  EXPECT_TRUE(env_.loaded.contains(LogFileName("/store", first + 1) + " in part"));
  EXPECT_EQ(env_.loaded.size(), 3u) << "the current one, in part, and the next one";
  wals_.TendPages();
  EXPECT_EQ(env_.loaded.size(), 3u) << "the lull goes on";
  ASSERT_TRUE(wals_.Switch(1).ok());
  wals_.TendPages();
  EXPECT_TRUE(env_.loaded.contains(LogFileName("/store", first + 4)));

  for (int i = 0; i < 2; ++i) ASSERT_TRUE(wals_.Switch(1).ok());
  EXPECT_TRUE(env_.loaded.contains(LogFileName("/store", first + 2))) << "for the flush thread";
  EXPECT_FALSE(env_.loaded.contains(LogFileName("/store", first + 3)))
      << "the flush thread is late, so the writer drops them";
}

TEST_F(WalSetTest, WhenSpaceIsShortOnePreparedLogStaysInReserve) {
  PrepareAll();
  const size_t before = Logs();
  wals_.SetDiskLow(true);
  EXPECT_LT(Logs(), before);
  PrepareAll();
  EXPECT_EQ(Logs(), 2u) << "the current one and the reserve";
  ASSERT_TRUE(wals_.Switch(2).ok());
  EXPECT_EQ(Logs(), 3u) << "the reserve was not taken";
  EXPECT_TRUE(wals_.DiscardPrepared(0));
  EXPECT_EQ(Logs(), 2u);
  EXPECT_FALSE(wals_.DiscardPrepared(0));
}

TEST_F(WalSetTest, ARestOfASmallStoreTakesPreparedLogsUntilTheNextSwitch) {
  wals_.SetTableBytes(1 << 30);
  PrepareAll();
  wals_.ShrinkInRest();
  EXPECT_EQ(Logs(), 1u + 6u) << "a large store keeps them";
  wals_.SetTableBytes(0);
  wals_.ShrinkInRest();
  PrepareAll();
  EXPECT_EQ(Logs(), 1u);
  ASSERT_TRUE(wals_.Switch(1).ok());
  PrepareAll();
  EXPECT_EQ(Logs(), 2u + 2u) << "the rest has ended";
}

TEST_F(WalSetTest, TheCurrentLogOfARestingSmallStoreIsSmall) {
  wals_.SetTableBytes(0);
  EXPECT_FALSE(wals_.IsTooLargeForRest()) << "it has no records";
  PrepareAll();
  ASSERT_TRUE(wals_.Switch(1).ok());
  EXPECT_TRUE(wals_.IsTooLargeForRest()) << "a prepared log was taken";
  PrepareAll();
  const size_t before = Logs();
  ASSERT_TRUE(wals_.Switch(1, /*in_rest=*/true).ok());
  EXPECT_FALSE(wals_.IsTooLargeForRest());
  EXPECT_EQ(Logs(), before + 1) << "no prepared log was taken";
}

class GrowingLogsTest : public WalSetTest {
 protected:
  GrowingLogsTest() { env_.grows = true; }

  void Append(int kilobytes) {
    for (int i = 0; i < kilobytes; ++i) ASSERT_TRUE(wals_.Append(std::string(1024 - 7, 'r')).ok());
  }
  void Expect(const std::vector<uint64_t>& kilobytes) {
    std::vector<uint64_t> grown;
    for (const uint64_t bytes : Sizes()) grown.push_back(bytes >> 10);
    EXPECT_EQ(grown, kilobytes);
  }
  /// Of the current log.
  const std::vector<uint64_t>& Sizes() {
    return env_.bytes[LogFileName("/store", wals_.current_number())];
  }
};

TEST_F(GrowingLogsTest, TheFlushThreadPreparesTheNextStretch) {
  wals_.GrowCurrent();
  Expect({32});
  Append(17);
  wals_.GrowCurrent();
  wals_.GrowCurrent();
  Expect({32, 64});
  for (int i = 0; i < 50; ++i) {
    Append(10);
    wals_.GrowCurrent();
  }
  Expect({32, 64, 128, 256, 320});  // a memtable's size, and some more
  PrepareAll();
  ASSERT_TRUE(wals_.Switch(1).ok());
  Append(300);
  wals_.GrowCurrent();
  Expect({320});  // it was prepared whole
  EXPECT_FALSE(env_.exceeded);
}

TEST_F(GrowingLogsTest, TheWriterDoesSoIfTheFlushThreadIsLate) {
  Append(400);
  Expect({32, 64, 128, 256, 320});
  ASSERT_TRUE(wals_.Switch(1).ok());
  ASSERT_TRUE(wals_.Append(std::string(200 << 10, 'r')).ok());
  EXPECT_GT(Sizes().back(), 200u << 10);
  wals_.GrowCurrent();
  Append(300);
  EXPECT_EQ(Sizes().back() >> 10, 320u);
  EXPECT_LE(Sizes().size(), 5u);
  EXPECT_FALSE(env_.exceeded);
}

TEST_F(GrowingLogsTest, ALogThatCannotGrowTakesRecordsNevertheless) {
  env_.grows = false;
  Append(400);
  wals_.GrowCurrent();
  Expect({32});
  EXPECT_TRUE(wals_.Switch(1).ok());
  wals_.SetDiskLow(true);
  env_.grows = true;
  Append(400);
  wals_.GrowCurrent();
  Expect({32});  // disk space is short
}

TEST_F(WalSetTest, CloseRemovesWhatWasNotUsed) {
  SyncedRounds(20);
  ASSERT_TRUE(wals_.Append(std::string(30'000, 'r')).ok());
  ASSERT_TRUE(wals_.Sync().ok());
  ASSERT_TRUE(wals_.Switch(1).ok());
  EXPECT_TRUE(wals_.Release(wals_.current_number()).empty());  // kept, but not recycled yet
  const std::string current = LogFileName("/store", wals_.current_number());
  wals_.Close();
  EXPECT_EQ(Logs(), 1u);
  uint64_t bytes = 0;
  ASSERT_TRUE(disk_.GetFileSize(current, &bytes).ok());
  EXPECT_EQ(bytes, 19u);  // the preamble; the rest of an older log is cut off
}

TEST_F(WalSetTest, AFileThatCannotBeRecycledIsReplaced) {
  SyncedRounds(10);
  Break(FaultKind::kErrorSticky, testing::kRename);
  SyncedRounds(10);
  EXPECT_LE(Logs(), kLogsMax);
  env_.Heal();
  const uint64_t appends = disk_.appends_to_reused_logs();
  SyncedRounds(20);
  EXPECT_GT(disk_.appends_to_reused_logs(), appends);
}

}  // namespace
}  // namespace lull

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
