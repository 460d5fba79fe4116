// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store through the public API: LevelDB's promises, and the additions of include/lull.
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "db/base/filename.h"
#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
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
    leveldb::ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const leveldb::Status status = db_->Get(options, key, &value);
    return status.ok() ? value : status.IsNotFound() ? "-" : status.ToString();
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), key, value).ok());
  }
  int TablesAt(int level) { return testing::TablesAt(db_.get(), level); }
  /// Writes `count` entries with values of 1000 bytes; a later `round` overwrites an earlier one.
  void Fill(int count, int round) {
    for (int i = 0; i < count; ++i) Put(Key(i), Filling(i, round));
  }
  static std::string Key(int i) { return "key" + std::to_string(100000 + i); }
  static std::string Filling(int i, int round) {
    return std::string(990, static_cast<char>('a' + round % 26)) + std::to_string(i);
  }

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
  std::unique_ptr<leveldb::Iterator>(db_->NewIterator(leveldb::ReadOptions()))->SeekToFirst();
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
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), Key(i)).ok());
  }
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

TEST_P(StoreTest, AStoreThatLostItsCurrentIsNotTakenForANewOne) {
  Reopen();
  Fill(100, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  ASSERT_TRUE(leveldb::Env::Default()->RemoveFile(CurrentFileName(name_)).ok());
  const leveldb::Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.ToString().find("CURRENT"), std::string::npos);
}

TEST_P(StoreTest, AMissingTableIsNamed) {
  Reopen();
  Fill(100, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  leveldb::Env* const env = leveldb::Env::Default();
  const std::string table = *testing::TableNames(env, name_).begin();
  ASSERT_TRUE(env->RemoveFile(name_ + "/" + table).ok());
  const leveldb::Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.ToString().find(table), std::string::npos) << status.ToString();
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
  leveldb::Options options;
  options.create_if_missing = true;
  const std::string name = testing::FreshDirectory("environment");
  leveldb::DB* db = nullptr;
  SetVariable("LULL_OPTIONS", "policy=nonsense");
  leveldb::Status status = leveldb::DB::Open(options, name, &db);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("LULL_OPTIONS"), std::string::npos) << status.ToString();
  SetVariable("LULL_OPTIONS", "policy=leveldb");
  status = leveldb::DB::Open(options, name, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  delete db;
  SetVariable("LULL_OPTIONS", nullptr);
}

}  // namespace
}  // namespace lull
