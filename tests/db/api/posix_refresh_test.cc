// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Refresh: a reader follows a writer of the same store. After each step it must see what a new
// reader sees, and what it began before must keep its moment.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "lull/read.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/sanitized.h"
#include "tests/util/threads.h"
#include "util/mutex.h"

namespace lull {
namespace {

using testing::Contents;
using testing::IoOp;
using testing::IsOk;
using testing::ReadAll;

/// With stamps, without which a reader reads everything again. Counts its operations by suffix.
class ReaderEnv final : public testing::FaultEnv {
 public:
  ReaderEnv() : FaultEnv(leveldb::Env::Default()) {
    set_before_operation([this](IoOp op, const std::string& path) {
      MutexLock lock(mutex_);
      ++counts_[{op, path.substr(path.size() - 3)}];
    });
  }
  leveldb::Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    return has_stamps ? ExtensionOf(target())->GetFileStamp(name, stamp)
                      : FaultEnv::GetFileStamp(name, stamp);
  }

  int CountOf(IoOp op, const std::string& suffix) {
    MutexLock lock(mutex_);
    return counts_[{op, suffix}];
  }
  void ClearCounts() {
    MutexLock lock(mutex_);
    counts_.clear();
  }

  bool has_stamps = true;

 private:
  Mutex mutex_;
  std::map<std::pair<IoOp, std::string>, int> counts_ LULL_GUARDED_BY(mutex_);
};

class RefreshTest : public ::testing::Test {
 protected:
  void OpenWriter() { ASSERT_TRUE(IsOk(testing::OpenAt(options_, name_, &writer_))); }
  void Reopen() {
    writer_.reset();
    OpenWriter();
  }
  std::unique_ptr<leveldb::DB> NewReader(leveldb::Env* env) {
    leveldb::Options options = options_;
    options.env = env;
    std::unique_ptr<leveldb::DB> db;
    EXPECT_TRUE(IsOk(testing::OpenForReadingAt(options, name_, &db)));
    return db;
  }
  void OpenReader() { reader_ = NewReader(&env_); }
  void Fill(int first, int limit, const std::string& value, bool sync = false) {
    for (int i = first; i < limit; ++i)
      ASSERT_TRUE(IsOk(writer_->Put(testing::Synced(sync), std::to_string(100'000 + i), value)));
  }
  void CompactAll() { writer_->CompactRange(nullptr, nullptr); }
  std::string LastLog() {
    return name_ + "/" + *testing::NamesEndingIn(options_.env, name_, ".log").rbegin();
  }
  /// Replaces the last log of the closed store.
  void ChangeLastLog(const std::function<void(std::string*)>& change) {
    writer_.reset();
    std::string bytes = testing::FileBytes(options_.env, LastLog());
    change(&bytes);
    ASSERT_TRUE(IsOk(leveldb::WriteStringToFile(options_.env, bytes, LastLog())));
  }
  void ExpectRefreshed() {
    ASSERT_TRUE(IsOk(Refresh(reader_.get())));
    EXPECT_EQ(ReadAll(reader_.get()), ReadAll(NewReader(leveldb::Env::Default()).get()));
    if (writer_ != nullptr) {
      EXPECT_EQ(ReadAll(reader_.get()), ReadAll(writer_.get()));
    }
  }

  std::string name_ = testing::FreshDirectory("refresh");
  leveldb::Options options_ = testing::SmallOptions(leveldb::Env::Default());
  ReaderEnv env_;
  std::unique_ptr<leveldb::DB> writer_;
  std::unique_ptr<leveldb::DB> reader_;
};

struct Step {
  const char* what;
  std::function<void()> run;
};

class RefreshAfterSteps : public RefreshTest, public ::testing::WithParamInterface<bool> {
 protected:
  std::string whole_log_;

  std::vector<Step> Steps() {
    const std::string value(100, 'v');
    const auto add_zeros = [](std::string* log) { log->append(40'000, '\0'); };
    const auto add_garbage = [](std::string* log) { log->append(100, 'g'); };
    const auto shorten = [](std::string* log) { log->resize(log->find_last_not_of('\0') - 3); };
    return {
        {"nothing", [] {}},
        {"appends", [=, this] { Fill(0, 10, value); }},
        {"a value longer than a block", [=, this] { Fill(7, 8, std::string(70'000, 'l')); }},
        {"an empty batch",
         [this] {
           leveldb::WriteBatch empty;
           ASSERT_TRUE(IsOk(writer_->Write({}, &empty)));
         }},
        {"several logs", [=, this] { Fill(0, 3000, value + "2"); }},
        {"a flush", [this] { ASSERT_TRUE(IsOk(Flush(writer_.get()))); }},
        {"appends to the next log", [=, this] { Fill(3, 4, value); }},
        {"recycled logs", [=, this] { Fill(0, 1500, value + "3", true); }},
        {"a compaction", [this] { CompactAll(); }},
        {"a removed range",
         [this] {
           Fill(50, 60, "in memory");
           const leveldb::Slice begin("100030"), end("102000");
           ASSERT_TRUE(IsOk(DeleteRange(writer_.get(), &begin, &end)));
         }},
        {"another session", [this] { Reopen(); }},
        {"sessions with short logs",
         [=, this] {
           for (int i = 0; i < 4; ++i) {
             Reopen();
             Fill(i, i + 1, "session");
           }
         }},
        {"all deleted",
         [=, this] {
           for (const auto& [key, unused] : ReadAll(writer_.get()))
             ASSERT_TRUE(IsOk(writer_->Delete({}, key)));
           CompactAll();
         }},
        {"appends to an empty store", [=, this] { Fill(0, 300, value); }},
        {"garbage after the log", [=, this] { ChangeLastLog(add_garbage); }},
        {"a repair",
         [=, this] {
           ASSERT_TRUE(IsOk(leveldb::RepairDB(name_, options_)));
           OpenWriter();
           Fill(5, 20, "repaired");
         }},
        {"half of a record",
         [=, this] {
           Fill(9, 10, std::string(70'000, 'h'));
           ChangeLastLog([this](std::string* log) {
             whole_log_ = *log;
             log->resize(log->find_last_not_of('\0') - 35'000);
           });
         }},
        {"the other half",
         [this] { ChangeLastLog([this](std::string* log) { *log = whole_log_; }); }},
        {"zeros after the log", [=, this] { ChangeLastLog(add_zeros); }},
        {"a shorter log",
         [=, this] {
           // Without stamps, a store that goes back passes for another one.
           if (env_.has_stamps) ChangeLastLog(shorten);
         }},
        {"a recovered store",
         [=, this] {
           OpenWriter();
           Fill(1, 3, "recovered");
         }},
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Envs, RefreshAfterSteps, ::testing::Bool(), [](const auto& info) {
  return info.param ? "WithStamps" : "WithoutStamps";
});

TEST_P(RefreshAfterSteps, SeesWhatANewReaderSees) {
  env_.has_stamps = GetParam();
  OpenWriter();
  Fill(0, 2000, std::string(100, 'a'));
  OpenReader();
  for (const Step& step : Steps()) {
    SCOPED_TRACE(step.what);
    const Contents before = ReadAll(reader_.get());
    const leveldb::Snapshot* const snapshot = reader_->GetSnapshot();
    const std::unique_ptr<leveldb::Iterator> begun(reader_->NewIterator({}));
    begun->SeekToFirst();
    step.run();
    if (HasFatalFailure()) return;
    EXPECT_EQ(ReadAll(reader_.get()), before);
    ExpectRefreshed();
    EXPECT_EQ(ReadAll(reader_.get(), snapshot), before);
    EXPECT_EQ(testing::ReadOn(begun.get()), before);
    reader_->ReleaseSnapshot(snapshot);
  }
}

TEST_F(RefreshTest, ReadsOnlyWhatIsNew) {
  options_.write_buffer_size = 8 << 20;
  OpenWriter();
  ASSERT_TRUE(IsOk(SetOptions(writer_.get(), "l0_trigger=100")));
  for (int table = 0; table < 40; ++table) {
    Fill(table, table + 30, "t");
    ASSERT_TRUE(IsOk(Flush(writer_.get())));
  }
  Fill(0, 3000, std::string(1000, 'l'));
  OpenReader();
  EXPECT_GT(env_.CountOf(testing::kRead, "log"), 90);
  const struct {
    const char* what;
    std::function<void()> write;
    int tables_opened;
    int log_reads_max;  // of the 2 logs at most, and of logs that were prepared
  } kCases[] = {
      {"nothing", [] {}, 0, 30},
      {"appends", [&] { Fill(0, 10, "new"); }, 0, 30},
      {"a flush", [&] { ASSERT_TRUE(IsOk(Flush(writer_.get()))); }, 1, 30},
      {"appends after a flush", [&] { Fill(0, 10, "newer"); }, 0, 30},
      {"another session", [&] { Reopen(); }, 0, 60},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.what);
    test.write();
    env_.ClearCounts();
    ASSERT_TRUE(IsOk(Refresh(reader_.get())));
    EXPECT_EQ(env_.CountOf(testing::kOpenRead, "ldb"), test.tables_opened);
    EXPECT_LE(env_.CountOf(testing::kRead, "log"), test.log_reads_max);
    EXPECT_EQ(ReadAll(reader_.get()), ReadAll(writer_.get()));
  }
}

TEST_F(RefreshTest, AStoreThatWasDestroyedOrReplacedIsAnError) {
  for (const bool directory_stays : {false, true}) {
    for (const bool is_new : {false, true}) {
      SCOPED_TRACE(std::to_string(directory_stays) + std::to_string(is_new));
      OpenWriter();
      Fill(0, 100, "old");
      OpenReader();
      const auto other = NewReader(leveldb::Env::Default());  // with the open directory
      const Contents old = ReadAll(reader_.get());
      writer_.reset();
      if (directory_stays) {
        ASSERT_TRUE(IsOk(leveldb::WriteStringToFile(options_.env, "x", name_ + "/other")));
      }
      ASSERT_TRUE(IsOk(leveldb::DestroyDB(name_, options_)));
      if (is_new) {
        OpenWriter();
        Fill(0, 200, "new");
      }
      for (leveldb::DB* reader : {reader_.get(), reader_.get(), other.get()}) {
        const leveldb::Status status = Refresh(reader);
        EXPECT_TRUE(status.IsIOError()) << status.ToString();
        EXPECT_NE(status.ToString().find("destroyed"), std::string::npos) << status.ToString();
      }
      EXPECT_EQ(ReadAll(reader_.get()), old);
      EXPECT_EQ(ReadAll(other.get()), old);
      writer_.reset();
      ASSERT_TRUE(IsOk(leveldb::DestroyDB(name_, options_)));
    }
  }
}

TEST_F(RefreshTest, ANameThatLeadsToAnotherDirectoryIsAnError) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string root = std::exchange(name_, name_ + "/store");
  const std::string link = root + "/link", other = root + "/other", away = root + "/away";
  std::filesystem::create_directories(other);
  std::filesystem::create_directory_symlink(name_, link);
  for (const std::string& name : {name_, std::string("store"), link}) {
    SCOPED_TRACE(name);
    OpenWriter();
    std::filesystem::current_path(root);
    ASSERT_TRUE(IsOk(testing::OpenForReadingAt(options_, name, &reader_)));
    std::filesystem::current_path(other);
    const std::string moved = name == link ? link : name_;
    std::filesystem::rename(moved, away);
    Fill(0, 10, name);
    EXPECT_TRUE(IsOk(Refresh(reader_.get())));
    const Contents seen = ReadAll(writer_.get());
    EXPECT_EQ(ReadAll(reader_.get()), seen);
    if (name == link) {
      std::filesystem::create_directory_symlink(other, link);
    } else {
      std::filesystem::create_directory(name_);
    }
    const leveldb::Status status = Refresh(reader_.get());
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_NE(status.ToString().find("another directory"), std::string::npos) << status.ToString();
    EXPECT_EQ(ReadAll(reader_.get()), seen);
    std::filesystem::remove(moved);
    std::filesystem::rename(away, moved);
    EXPECT_TRUE(IsOk(Refresh(reader_.get())));
    writer_.reset();
  }
  std::filesystem::current_path(before);
}

TEST_F(RefreshTest, AfterAnErrorTheOldStateStays) {
  OpenWriter();
  Fill(0, 1000, std::string(100, 'a'));
  OpenReader();
  int round = 0;
  for (const bool flushes : {false, true}) {
    uint64_t operations = 1;
    for (uint64_t index = 0; index < operations; ++index) {
      const Contents old = ReadAll(reader_.get());
      Fill(0, 20, std::to_string(++round));
      if (flushes) {
        ASSERT_TRUE(IsOk(Flush(writer_.get())));
      }
      env_.Arm({.kind = testing::FaultKind::kErrorSticky, .index = index});
      const uint64_t before = env_.Count();
      const leveldb::Status status = Refresh(reader_.get());
      env_.Heal();
      if (status.ok()) {
        operations = 0;
      } else {
        operations = index + 2;
        EXPECT_EQ(ReadAll(reader_.get()), old) << index;
      }
      EXPECT_LT(env_.Count() - before, 10'000u) << "and no endless loop";
      ASSERT_TRUE(IsOk(Refresh(reader_.get())));
      ASSERT_EQ(ReadAll(reader_.get()), ReadAll(writer_.get())) << index;
    }
  }
}

TEST_F(RefreshTest, OtherStoresNeedNone) {
  OpenWriter();
  Fill(0, 10, "x");
  EXPECT_TRUE(IsOk(Refresh(writer_.get())));
  EXPECT_TRUE(Refresh(nullptr).IsInvalidArgument());
}

/// The writer overwrites all keys in order, with a higher number in each round: a moment has two
/// numbers at most, the higher ones first.
class RefreshBesideAWriter : public RefreshTest, public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr int kKeys = 100;
  const int rounds_ = GetParam() ? 25 : 150;

  void WriteRounds() {
    for (int round = 1; round <= rounds_; ++round)
      Fill(0, kKeys, std::to_string(round) + std::string(500, 'p'), GetParam());
  }
  /// Returns the number of the first key.
  int ExpectMoment(const std::vector<std::string>& values, int at_least) {
    EXPECT_EQ(values.size(), static_cast<size_t>(kKeys));
    const int newest = values.empty() ? 0 : std::atoi(values[0].c_str());
    int previous = newest;
    for (const std::string& value : values) {
      const int round = std::atoi(value.c_str());
      EXPECT_LE(round, previous);
      EXPECT_GE(round, newest - 1);
      previous = round;
    }
    EXPECT_GE(newest, at_least);
    return newest;
  }
  int ReadMoment(bool by_keys, int at_least) {
    std::vector<std::string> values;
    if (by_keys) {
      std::vector<std::string> keys;
      for (int i = 0; i < kKeys; ++i) keys.push_back(std::to_string(100'000 + i));
      MultiGet(reader_.get(), {}, {keys.begin(), keys.end()}, &values);
    } else {
      for (const auto& [key, value] : ReadAll(reader_.get())) values.push_back(value);
    }
    return ExpectMoment(values, at_least);
  }
  /// Two threads read and two refresh during `body`.
  void FollowDuring(const std::function<void()>& body) {
    std::atomic<bool> done{false};
    RunThreads(5, [&](int thread) {
      if (thread == 4) {
        body();
        done = true;
      }
      for (int newest = 0; !done;) {
        if (thread >= 2) {
          EXPECT_TRUE(IsOk(Refresh(reader_.get())));
        }
        newest = ReadMoment(thread % 2 == 0, newest);
      }
    });
    ASSERT_TRUE(IsOk(Refresh(reader_.get())));
    EXPECT_EQ(ReadMoment(false, 0), rounds_);
  }
};

INSTANTIATE_TEST_SUITE_P(Writers, RefreshBesideAWriter, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Syncing" : "NotSyncing"; });

TEST_P(RefreshBesideAWriter, EachReadIsOfOneMoment) {
  OpenWriter();
  Fill(0, kKeys, "0");
  OpenReader();
  FollowDuring([this] { WriteRounds(); });
}

#ifndef LULL_SANITIZED
TEST_P(RefreshBesideAWriter, InAnotherProcessThatReopensTheStore) {
  OpenWriter();
  Fill(0, kKeys, "0");
  writer_.reset();
  const pid_t child = fork();  // before this process has threads
  if (child == 0) {
    OpenWriter();
    WriteRounds();
    _exit(HasFailure() ? 1 : 0);
  }
  OpenReader();
  int status = -1;
  FollowDuring([&] { EXPECT_EQ(waitpid(child, &status, 0), child); });
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace lull
