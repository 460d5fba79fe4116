// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store through the public API: LevelDB's promises, and the additions of include/lull.
#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/helpers/memenv.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/table_names.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"

namespace lull {
namespace {

class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  StoreTest() { scheduling_.SetPolicy(GetParam()); }

  leveldb::Status TryOpen() { return testing::OpenAt(options_, name_, &db_, scheduling_); }
  void Reopen() {
    db_.reset();
    ASSERT_EQ(TryOpen().ToString(), "OK");
  }
  std::string Value(const std::string& key, const leveldb::Snapshot* snapshot = nullptr) {
    return testing::ReadValue(db_.get(), key, snapshot);
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
  }
  int TablesAt(int level) { return testing::TablesAt(db_.get(), level); }
  /// Writes `count` entries with values of 1000 bytes; a later `round` overwrites an earlier one.
  void Fill(int count, int round) {
    const std::string value(990, static_cast<char>('a' + round));
    for (int i = 0; i < count; ++i) Put(Key(i), value + std::to_string(i));
  }
  static std::string Key(int i) { return "key" + std::to_string(100000 + i); }

  const std::string name_ = testing::FreshDirectory("store");
  leveldb::Options options_ = testing::SmallOptions(leveldb::Env::Default());
  SchedulingOptions scheduling_;
  std::unique_ptr<leveldb::DB> db_;
};

TEST_P(StoreTest, MakesNoFilesWhileItIsHardlyUsed) {
  testing::FaultEnv env(leveldb::Env::Default());
  options_.env = &env;
  Reopen();
  const uint64_t made_by_open = env.Count(testing::kOpenWrite);
  for (int i = 0; i < 50; ++i) Put(Key(i), "small");
  std::unique_ptr<leveldb::Iterator>(db_->NewIterator({}))->SeekToFirst();
  db_.reset();  // waits for the background threads
  EXPECT_EQ(env.Count(testing::kOpenWrite), made_by_open);
  Reopen();
  const uint64_t before = env.Count(testing::kOpenWrite);
  Fill(100, 0);  // creates the next logs, and tables
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_GE(env.Count(testing::kOpenWrite), before + 3);
  db_.reset();
}

TEST_P(StoreTest, FlushPutsTheMemtableIntoATable) {
  Reopen();
  Put("a", "1");
  EXPECT_EQ(TablesAt(0), 0);
  ASSERT_EQ(Flush(db_.get()).ToString(), "OK");
  EXPECT_EQ(TablesAt(0), 1);
  EXPECT_EQ(Value("a"), "1");
  ASSERT_TRUE(Flush(db_.get()).ok()) << "with nothing to flush";
  EXPECT_EQ(TablesAt(0), 1);
}

TEST_P(StoreTest, CompactRangeEmptiesL0AndDropsWhatIsDeleted) {
  Reopen();
  Fill(300, 0);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(db_->Delete({}, Key(i)).ok());
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(TablesAt(0), 0);
  uint64_t size = 1;
  const leveldb::Range all("a", "z");
  db_->GetApproximateSizes(&all, 1, &size);
  EXPECT_EQ(size, 0u);
}

TEST_P(StoreTest, SizesCountWhatIsInMemory) {
  Reopen();
  const leveldb::Range all("", "~"), none("~", "~~");
  uint64_t empty = 1, full = 0, beside = 1;
  db_->GetApproximateSizes(&all, 1, &empty);
  EXPECT_EQ(empty, 0u);
  Put("k", std::string(10'000, 'v'));
  db_->GetApproximateSizes(&all, 1, &full);
  EXPECT_EQ(TablesAt(0), 0);
  EXPECT_GE(full, 10'000u);
  db_->GetApproximateSizes(&none, 1, &beside);
  EXPECT_EQ(beside, 0u);
}

TEST_P(StoreTest, SnapshotsSeeTheirMoment) {
  Reopen();
  Put("a", "old");
  const leveldb::Snapshot* snapshot = db_->GetSnapshot();
  Put("a", "new");
  for (int round = 0; round < 4; ++round) Fill(300, round);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(Value("a", snapshot), "old");
  EXPECT_EQ(Value("a"), "new");
  EXPECT_EQ(Value(Key(7), snapshot), "-");
  db_->ReleaseSnapshot(snapshot);
}

TEST_P(StoreTest, RefusesWhatItCannotOpen) {
  options_.create_if_missing = false;
  leveldb::Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  options_.create_if_missing = true;
  options_.error_if_exists = true;
  Reopen();
  db_.reset();
  status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  options_.error_if_exists = false;
  EXPECT_TRUE(Open(options_, scheduling_, name_, nullptr).IsInvalidArgument());
  Reopen();
  std::unique_ptr<leveldb::DB> second;
  status = testing::OpenAt(options_, name_, &second, scheduling_);
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  EXPECT_NE(status.ToString().find("LOCK"), std::string::npos) << status.ToString();
}

// A store without a CURRENT is not taken for a new one.
TEST_P(StoreTest, AMissingFileIsNamed) {
  Reopen();
  Fill(100, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  leveldb::Env* const env = leveldb::Env::Default();
  for (const std::string& file :
       {*testing::TableNames(env, name_).begin(), std::string("CURRENT")}) {
    ASSERT_TRUE(env->RemoveFile(name_ + "/" + file).ok());
    const leveldb::Status status = TryOpen();
    EXPECT_TRUE(status.IsCorruption()) << status.ToString();
    EXPECT_NE(status.ToString().find(file), std::string::npos) << status.ToString();
  }
}

/// Ignores the case of letters.
class AnyCase final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    const int order = strncasecmp(a.data(), b.data(), std::min(a.size(), b.size()));
    return order != 0 ? order : static_cast<int>(a.size()) - static_cast<int>(b.size());
  }
  const char* Name() const override { return "AnyCase"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST_P(StoreTest, KeysOfDifferentBytesMayBeEqual) {
  AnyCase any_case;
  options_.comparator = &any_case;
  Reopen();
  Put("key", "a");
  Put("KEY", "b");
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_EQ(Value("kEy"), "b");
  EXPECT_EQ(testing::JsonProperty(db_.get(), "lull.stats")["memory"]["key_filter_bytes"], 0);
  db_.reset();
}

/// Each look at its clock is a second after the last one.
class SlowClockEnv final : public leveldb::EnvWrapper {
 public:
  SlowClockEnv() : EnvWrapper(leveldb::Env::Default()) {}
  uint64_t NowMicros() override { return now_micros_.fetch_add(1'000'000); }

 private:
  std::atomic<uint64_t> now_micros_{0};
};

TEST_P(StoreTest, StatisticsMeasureTimeByTheClockOfTheEnv) {
  SlowClockEnv env;
  options_.env = &env;
  Reopen();
  for (int round = 0; round < 2; ++round) Fill(600, round);
  db_->CompactRange(nullptr, nullptr);
  const std::string stats = testing::Property(db_.get(), "leveldb.stats");
  bool flushed = false, compacted = false;
  std::istringstream lines(stats);
  for (std::string line; std::getline(lines, line);) {
    int level, tables, megabytes, seconds;
    if (std::sscanf(line.c_str(), "%d %d %d %d", &level, &tables, &megabytes, &seconds) != 4)
      continue;
    (level == 0 ? flushed : compacted) |= seconds > 0;
  }
  EXPECT_TRUE(flushed && compacted) << stats;
  db_.reset();  // before its Env
}

// All logs end synced, and have the right size for recycling, but this Env cannot recycle files.
TEST_P(StoreTest, SyncedWritesFillManyLogsInMemory) {
  const std::unique_ptr<leveldb::Env> env(leveldb::NewMemEnv(leveldb::Env::Default()));
  options_.env = env.get();
  Reopen();
  const std::string large(400 << 10, 'v');
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(db_->Put(testing::Synced(), Key(i), large).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  Reopen();
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(Value(Key(i)) == large) << i;
  db_.reset();
}

INSTANTIATE_TEST_SUITE_P(Policies, StoreTest, ::testing::Values("lull", "leveldb"),
                         [](const auto& param) { return param.param; });

/// nullptr: removes the variable.
void SetVariable(const std::string& name, const char* value) {
#if defined(_WIN32)
  ASSERT_EQ(_putenv_s(name.c_str(), value == nullptr ? "" : value), 0);
#else
  ASSERT_EQ(value == nullptr ? unsetenv(name.c_str()) : setenv(name.c_str(), value, 1), 0);
#endif
}

TEST(OpenTest, TakesItsSchedulingFromTheEnvironment) {
  const auto options = testing::SmallOptions(leveldb::Env::Default());
  const std::string name = testing::FreshDirectory("environment");
  leveldb::DB* db = nullptr;
  SetVariable("LULL_OPTIONS", "policy=nonsense");
  const leveldb::Status status = leveldb::DB::Open(options, name, &db);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("LULL_OPTIONS"), std::string::npos) << status.ToString();
  SetVariable("LULL_OPTIONS", "policy=leveldb");
  EXPECT_EQ(leveldb::DB::Open(options, name, &db).ToString(), "OK");
  delete db;
  SetVariable("LULL_OPTIONS", nullptr);
}

}  // namespace
}  // namespace lull
