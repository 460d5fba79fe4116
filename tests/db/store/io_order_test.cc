// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The order of I/O operations. These tests inspect files, or cut the power, exactly between two
// steps in which a wrong order would show. The sweeps over all steps rarely hit these moments.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/event_count.h"
#include "tests/support/fault_env.h"
#include "tests/support/gate.h"
#include "tests/support/model.h"

namespace lull {
namespace {

using testing::CommitLog;
using testing::CrashEnv;
using testing::CrashOptions;
using testing::kStoreName;
using testing::ReadValue;

/// Calls the test before a table is created, before each append to a MANIFEST, and before LOCK is
/// released. Counts the files that are open for writing, removed tables, and logs that synced
/// writes go to.
class MomentsEnv final : public testing::FaultEnv {
 public:
  explicit MomentsEnv(leveldb::Env* target) : FaultEnv(target) {
    set_before_operation([this](testing::IoOp op, const std::string& path) {
      // The store asks the extension for a table file first, then the Env. That is one table.
      if (op == testing::kOpenWrite && path.ends_with(".ldb") && before_table &&
          std::exchange(last_table_, path) != path)
        before_table();
      if (op == testing::kAppend && path.find("MANIFEST") != path.npos && before_manifest)
        before_manifest();
    });
  }

  std::function<void()> before_table;
  std::function<void()> before_manifest;
  std::function<void()> before_unlock;
  testing::EventCount tables_removed;
  testing::EventCount written_logs;  // created with LogFileMode::kWrite
  std::atomic<int> open_files{0};

  leveldb::Status NewWritableFile(const std::string& path,
                                  leveldb::WritableFile** result) override {
    return Wrapped(FaultEnv::NewWritableFile(path, result), result);
  }
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes, LogFileMode mode,
                             LogFile** result) override {
    if (mode == LogFileMode::kWrite) written_logs.Note();
    return Wrapped(FaultEnv::NewLogFile(path, capacity_bytes, mode, result), result);
  }
  leveldb::Status RemoveFile(const std::string& path) override {
    const leveldb::Status status = FaultEnv::RemoveFile(path);
    if (path.ends_with(".ldb")) tables_removed.Note();
    return status;
  }
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override {
    if (before_unlock) before_unlock();
    return FaultEnv::UnlockFile(lock);
  }

 private:
  class File final : public LogFile {
   public:
    File(MomentsEnv* env, leveldb::WritableFile* file) : env_(env), file_(file) {
      env_->open_files.fetch_add(1);
    }
    ~File() override { env_->open_files.fetch_sub(1); }
    leveldb::Status Append(const leveldb::Slice& data) override { return file_->Append(data); }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override { return file_->Sync(); }

   private:
    MomentsEnv* const env_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };

  template <class Result>
  leveldb::Status Wrapped(const leveldb::Status& status, Result** result) {
    if (status.ok()) *result = new File(this, *result);
    return status;
  }

  std::string last_table_;  // of the flush thread
};

class IoOrderTest : public ::testing::Test {
 protected:
  IoOrderTest() {
    disk_.set_manifest_sync_covers_directory(false);
    Open();
  }

  static std::unique_ptr<leveldb::DB> OpenOn(leveldb::Env* env) {
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(
        testing::IsOk(testing::OpenAt(testing::SmallOptions(env), kStoreName, &db,
                                      "own_coordinator=true;compaction_threads=1;l0_trigger=100")));
    return db;
  }
  void Open() { db_ = OpenOn(&env_); }

  leveldb::Status Put(const std::string& key, size_t bytes, bool sync) {
    return log_.Write(db_.get(), {{key, std::string(bytes, 'v')}}, sync);
  }
  /// Seals at least one memtable with keys that begin with `prefix`, and leaves some in the active
  /// one.
  void FillMemTable(const std::string& prefix, int puts = 40) {
    for (int i = 0; i < puts; ++i) ASSERT_TRUE(Put(prefix + std::to_string(i), 2000, false).ok());
  }
  void ExpectMatch(CrashEnv* disk, CommitLog::Demand demand) {
    const std::unique_ptr<leveldb::DB> db = OpenOn(disk);
    ASSERT_NE(db, nullptr);
    const CommitLog::Verdict verdict = log_.MatchesPrefix(db.get(), demand);
    EXPECT_TRUE(verdict.ok) << verdict.detail;
  }
  /// The first log that contains `text`.
  std::string LogWith(const std::string& text) {
    for (const std::string& name : testing::NamesEndingIn(&disk_, kStoreName, ".log")) {
      const std::string path = std::string(kStoreName) + "/" + name;
      if (testing::FileBytes(&disk_, path).find(text) != std::string::npos) return path;
    }
    ADD_FAILURE() << "no log holds " << text;
    return "";
  }

  CrashEnv disk_;
  MomentsEnv env_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
  CommitLog log_;
};

// A rename may reach the disk before an earlier creation.
TEST_F(IoOrderTest, CurrentNamesAMANIFESTThatIsThere) {
  ASSERT_TRUE(Put("key", 10, true).ok());
  db_.reset();
  bool done = false;
  for (uint64_t step = 0; !done; ++step) {
    const auto disk = disk_.Crash(0, CrashOptions::KeepAll());
    disk->set_manifest_sync_covers_directory(false);
    disk->SetCrashPoint(step);
    std::unique_ptr<leveldb::DB> db;
    done = testing::OpenAt(testing::SmallOptions(disk.get()), kStoreName, &db).ok() &&
           !disk->crashed();
    db.reset();
    CrashOptions crash;
    crash.data_survival = 1;
    crash.decide_entry = [](const testing::PendingEntry& entry) {
      return entry.op != testing::DiskOp::kCreate;
    };
    ExpectMatch(disk->Crash(step, crash).get(), CommitLog::Demand::kSyncedSurvives);
    if (HasFailure()) FAIL() << "step " << step;
  }
}

// Iterators keep tables that no Version lists any more. After an iterator is destroyed, clean-up
// removes its tables, which shows that clean-up has run.
TEST_F(IoOrderTest, ALogIsThereUntilTheMANIFESTNeedsItNoMore) {
  const auto await_removed = [this](uint64_t tables) {
    env_.tables_removed.Await("clean-up", [&] { return env_.tables_removed.count() >= tables; });
  };
  std::vector<std::unique_ptr<leveldb::Iterator>> iterators;
  for (int merge = 0; merge < 3; ++merge) {
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(db_->Put({}, "probe", "v").ok());
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
    if (merge < 2) iterators.emplace_back(db_->NewIterator({}));
    db_->CompactRange(nullptr, nullptr);
  }
  // After the three inputs of the last merge are removed, only the iterators keep the others.
  await_removed(3);
  std::atomic<bool> went_early{false};
  std::atomic<int> edits{0};
  env_.before_manifest = [&] {
    if (edits.fetch_add(1) > 0) return;  // the first edit is the flush of the memtable filled below
    const std::string log = LogWith("a0");
    // The one thread that compacts removes obsolete files in batches, in order. It may already be
    // at the end of a batch, so this waits for two.
    for (auto& iterator : iterators) {
      const uint64_t before = env_.tables_removed.count();
      iterator.reset();
      await_removed(before + 1);
    }
    went_early.store(log.empty() || !disk_.FileExists(log));
  };
  FillMemTable("a");
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_GT(edits.load(), 0);
  EXPECT_FALSE(went_early.load());
  db_.reset();
  env_.before_manifest = {};
}

/// A second memtable is sealed and a third begun while the first is flushed. Then the process dies,
/// after the install of the first and before that of the second.
class TwoSealedTest : public IoOrderTest {
 protected:
  void SetUp() override {
    int tables = 0;
    testing::Gate filled;
    filled.Close();
    env_.before_table = [&] {
      filled.Pass();
      // Wherever in it a memtable ends, another has entries after that of b20.
      if (++tables == 1) FillMemTable("b", 60);
      if (tables != 2) return;
      second_ = LogWith("b20");
      after_ = disk_.Crash(1, CrashOptions::KeepAll());
    };
    FillMemTable("a");
    filled.Open();
    EXPECT_TRUE(Flush(db_.get()).ok());
    EXPECT_TRUE(Flush(db_.get()).ok());
    db_.reset();
    ASSERT_NE(after_, nullptr);
  }

  std::unique_ptr<CrashEnv> after_;
  std::string second_;  // its log
};

TEST_F(TwoSealedTest, TheLogOfTheSecondIsThere) {
  ExpectMatch(after_.get(), CommitLog::Demand::kAckedSurvives);
}

// Nobody synced that log, so a power loss can lose its records; later records must be lost too.
TEST_F(TwoSealedTest, WithoutTheLogOfTheSecondNothingOfTheThirdIsThere) {
  ASSERT_TRUE(after_->Truncate(second_, 0));
  ExpectMatch(after_.get(), CommitLog::Demand::kSyncedSurvives);
}

// The flush of the previous memtable would also make names durable. So the power fails during that
// flush, after a synced write: only names that were synced survive.
TEST_F(IoOrderTest, ASyncedWriteMakesTheNameOfItsLogDurable) {
  testing::Gate crashed;
  crashed.Close();
  env_.before_table = [&] { crashed.Pass(); };
  FillMemTable("a");
  EXPECT_TRUE(Put("synced", 10, true).ok());
  CrashOptions lost;
  lost.data_survival = 1;
  lost.entry_survival = 0;
  const std::unique_ptr<CrashEnv> after = disk_.Crash(1, lost);
  crashed.Open();
  db_.reset();
  env_.before_table = {};
  ExpectMatch(after.get(), CommitLog::Demand::kSyncedSurvives);
}

// The first log is mapped. Synced writes leave it for one with written blocks.
TEST_F(IoOrderTest, AMemtableWithTwoLogsSurvivesInBothAndLeavesWithBoth) {
  ASSERT_TRUE(Put("first", 9000, true).ok());  // from so much on, logs are prepared
  const std::string first = LogWith("first");
  // When the second one for synced writes is created, the first is ready.
  env_.written_logs.Await("preparation", [&] { return env_.written_logs.count() >= 2; });
  ASSERT_TRUE(Put("last of the first", 10, true).ok());
  ASSERT_TRUE(Put("second", 10, true).ok());
  const std::string second = LogWith("second");
  ASSERT_NE(second, first);
  EXPECT_EQ(LogWith("last of the first"), first);
  ASSERT_TRUE(testing::NamesEndingIn(&disk_, kStoreName, ".ldb").empty());
  ASSERT_TRUE(Put("unsynced", 10, false).ok());
  for (const CrashOptions& crash : {CrashOptions::LoseAllUnsynced(), CrashOptions::KeepAll()})
    ExpectMatch(disk_.Crash(1, crash).get(), CommitLog::Demand::kSyncedSurvives);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  EXPECT_FALSE(disk_.FileExists(first));
  EXPECT_FALSE(disk_.FileExists(second));
  ExpectMatch(&disk_, CommitLog::Demand::kAckedSurvives);
}

// The edit may be in force, so its tables stay; it may also not be, so the log stays.
TEST_F(IoOrderTest, AnEditInDoubtKeepsItsTableAndItsLog) {
  FillMemTable("a");
  env_.Arm({.ops = testing::kSync, .name_part = "MANIFEST"});
  EXPECT_FALSE(Flush(db_.get()).ok());
  env_.Heal();
  db_.reset();
  ExpectMatch(disk_.Crash(1, CrashOptions::KeepAll()).get(), CommitLog::Demand::kAckedSurvives);
  CrashOptions lost;
  lost.data_survival = 0;
  lost.entry_survival = 1;
  ExpectMatch(disk_.Crash(1, lost).get(), CommitLog::Demand::kSyncedSurvives);
}

TEST_F(IoOrderTest, FilesAreClosedBeforeTheLockIsGivenBack) {
  FillMemTable("a");
  int unlocked = 0;
  env_.before_unlock = [&] {
    ++unlocked;
    EXPECT_EQ(env_.open_files.load(), 0);
  };
  db_.reset();
  EXPECT_EQ(unlocked, 1);
}

/// Calls the test once, when the key "k2" is compared with another.
class HookedComparator final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (hook && (a == "k2" || b == "k2")) std::exchange(hook, {})();
    return leveldb::BytewiseComparator()->Compare(a, b);
  }
  const char* Name() const override { return "lull.HookedComparator"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

  mutable std::function<void()> hook;
};

// A snapshot taken while a batch goes into the memtable never shows any part of the batch.
TEST(PublishOrderTest, ASequenceIsPublishedBehindItsEntries) {
  CrashEnv disk;
  HookedComparator comparator;
  leveldb::Options options = testing::SmallOptions(&disk);
  options.comparator = &comparator;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(testing::OpenAt(options, kStoreName, &db).ok());
  const leveldb::Snapshot* then = nullptr;
  comparator.hook = [&] { then = db->GetSnapshot(); };
  leveldb::WriteBatch batch;
  batch.Put("k1", "v");
  batch.Put("k2", "v");
  ASSERT_TRUE(db->Write({}, &batch).ok());
  ASSERT_NE(then, nullptr);
  EXPECT_EQ(ReadValue(db.get(), "k1", then), "-");
  EXPECT_EQ(ReadValue(db.get(), "k2", then), "-");
  EXPECT_EQ(ReadValue(db.get(), "k2"), "v");
  db->ReleaseSnapshot(then);
}

// Numbers of logs that no MANIFEST mentions are in use all the same.
TEST_F(IoOrderTest, NoNumberInTheDirectoryIsGivenTwice) {
  ASSERT_TRUE(Put("a", 10, true).ok());
  db_.reset();
  // As if a store had died with prepared logs, whatever their number.
  const auto logs = testing::NamesEndingIn(&disk_, kStoreName, ".log");
  const uint64_t next = ParseFileName(*logs.rbegin())->number;
  for (uint64_t ahead = 1; ahead < 12; ++ahead) {
    const auto disk = disk_.Crash(1, CrashOptions::KeepAll());
    ASSERT_TRUE(
        leveldb::WriteStringToFile(disk.get(), "", LogFileName(kStoreName, next + ahead)).ok());
    auto db = OpenOn(disk.get());
    ASSERT_TRUE(db->Put(testing::Synced(), "b", "v").ok());
    db.reset();
    db = OpenOn(disk.get());
    EXPECT_EQ(ReadValue(db.get(), "b"), "v") << ahead << " ahead";
  }
}

// LevelDB's own MANIFESTs are not always in the order of sequences.
TEST(ManifestOrderTest, TheLargestSequenceCountsNotTheLast) {
  CrashEnv disk;
  testing::StoreFiles files(&disk, kStoreName);
  files.AddTable(1, "a@9=new");
  VersionEdit later;
  later.last_sequence = 5;
  files.WriteManifest(0, later);
  EXPECT_EQ(testing::ReadStore(files.options(), kStoreName).last_sequence, 9u);
}

}  // namespace
}  // namespace lull
