// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store through the public API: LevelDB's promises, and the additions of include/lull.
#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "db/filename.h"
#include "gtest/gtest.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/json_value.h"

namespace lull {
namespace {

class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  StoreTest() : name_(testing::FreshDirectory("store")) {
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
    scheduling_.SetPolicy(GetParam());
  }

  leveldb::Status TryOpen() {
    leveldb::DB* raw = nullptr;
    const leveldb::Status status = Open(options_, scheduling_, name_, &raw);
    db_.reset(raw);
    return status;
  }
  void Reopen() {
    db_.reset();
    const leveldb::Status status = TryOpen();
    ASSERT_TRUE(status.ok()) << status.ToString();
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
  std::string FilesAtLevel(int level) {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &text));
    return text;
  }
  /// Failed jobs of all kinds since the store was opened.
  uint64_t FailedJobs() {
    std::string text;
    EXPECT_TRUE(db_->GetProperty("lull.stats", &text));
    uint64_t failed = 0;
    const testing::Json stats = testing::Json::Parse(text);
    for (const testing::Json& kind : stats["job_totals"].Values()) failed += kind["failed"].Count();
    return failed;
  }
  /// Writes `count` entries with values of 1000 bytes; a later `round` overwrites an earlier one.
  void Fill(int count, int round) {
    for (int i = 0; i < count; ++i) Put(Key(i), Filling(i, round));
  }
  static std::string Key(int i) { return "key" + std::to_string(100000 + i); }
  static std::string Filling(int i, int round) {
    return std::string(990, static_cast<char>('a' + round % 26)) + std::to_string(i);
  }

  const std::string name_;
  leveldb::Options options_;
  SchedulingOptions scheduling_;
  std::unique_ptr<leveldb::DB> db_;
};

/// Counts the files created.
class FileCounter final : public leveldb::EnvWrapper {
 public:
  FileCounter() : EnvWrapper(leveldb::Env::Default()) {}
  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    made.fetch_add(1);
    return target()->NewWritableFile(name, file);
  }
  std::atomic<int> made{0};
};

TEST_P(StoreTest, MakesNoFilesWhileItIsHardlyUsed) {
  FileCounter env;
  options_.env = &env;
  Reopen();
  const int made_by_open = env.made;
  for (int i = 0; i < 50; ++i) Put(Key(i), "small");
  std::unique_ptr<leveldb::Iterator>(db_->NewIterator(leveldb::ReadOptions()))->SeekToFirst();
  db_.reset();  // waits for the background threads
  EXPECT_EQ(env.made, made_by_open);
  Reopen();
  const int before = env.made;
  Fill(100, 0);  // creates the next logs, and tables
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_GE(env.made, before + 3);
  db_.reset();
}

TEST_P(StoreTest, KeepsWhatItIsGiven) {
  Reopen();
  Put("a", "1");
  Put("b", "2");
  EXPECT_EQ(Value("a"), "1");
  ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), "a").ok());
  EXPECT_EQ(Value("a"), "-");
  EXPECT_EQ(Value("b"), "2");
  Reopen();
  EXPECT_EQ(Value("a"), "-");
  EXPECT_EQ(Value("b"), "2");
}

TEST_P(StoreTest, KeepsItThroughFlushesAndCompactions) {
  Reopen();
  for (int round = 0; round < 8; ++round) Fill(500, round);
  const leveldb::Status idle = WaitForIdle(db_.get());
  ASSERT_TRUE(idle.ok()) << idle.ToString();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(Value(Key(i)), Filling(i, 7)) << i;
  Reopen();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(Value(Key(i)), Filling(i, 7)) << i;
}

TEST_P(StoreTest, FlushPutsTheMemtableIntoATable) {
  Reopen();
  Put("a", "1");
  EXPECT_EQ(FilesAtLevel(0), "0");
  const leveldb::Status status = Flush(db_.get());
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(FilesAtLevel(0), "1");
  EXPECT_EQ(Value("a"), "1");
  ASSERT_TRUE(Flush(db_.get()).ok()) << "with nothing to flush";
  EXPECT_EQ(FilesAtLevel(0), "1");
}

TEST_P(StoreTest, CompactRangeEmptiesL0AndDropsWhatIsDeleted) {
  Reopen();
  Fill(300, 0);
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), Key(i)).ok());
  }
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(FilesAtLevel(0), "0");
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
  EXPECT_EQ(FilesAtLevel(0), "0");
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

TEST_P(StoreTest, AnIteratorKeepsItsViewWhileTablesComeAndGo) {
  Reopen();
  Fill(200, 0);
  std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
  for (int round = 1; round < 5; ++round) Fill(200, round);
  db_->CompactRange(nullptr, nullptr);
  int seen = 0;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++seen) {
    ASSERT_EQ(iterator->key().ToString(), Key(seen));
    ASSERT_EQ(iterator->value().ToString(), Filling(seen, 0));
  }
  EXPECT_TRUE(iterator->status().ok());
  EXPECT_EQ(seen, 200);
}

TEST_P(StoreTest, ABatchIsOneWrite) {
  Reopen();
  leveldb::WriteBatch batch;
  for (int i = 0; i < 1000; ++i) batch.Put(Key(i), "x");
  batch.Delete(Key(3));
  leveldb::WriteOptions synced;
  synced.sync = true;
  ASSERT_TRUE(db_->Write(synced, &batch).ok());
  EXPECT_EQ(Value(Key(2)), "x");
  EXPECT_EQ(Value(Key(3)), "-");
  Reopen();
  EXPECT_EQ(Value(Key(999)), "x");
  EXPECT_EQ(Value(Key(3)), "-");
}

TEST_P(StoreTest, FewOpenTablesSuffice) {
  if (GetParam() != "lull") GTEST_SKIP() << "caching does not depend on the policy";
  options_.max_open_files = 74;
  options_.write_buffer_size = 4 << 20;
  options_.max_file_size = 1 << 20;
  const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  options_.filter_policy = filter.get();
  options_.compression = leveldb::kNoCompression;
  Reopen();
  leveldb::WriteBatch batch;  // few writes, because a policy may delay each write
  for (int i = 0; i < 80'000; ++i) {
    batch.Put(Key((i * 7919) % 80'000), Filling(i, 0));
    if (i % 200 != 199) continue;
    ASSERT_TRUE(db_->Write(leveldb::WriteOptions(), &batch).ok());
    batch.Clear();
  }
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  for (int i = 0; i < 80'000; i += 97) ASSERT_NE(Value(Key(i)), "-") << i;
  db_.reset();
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
  options_.comparator = nullptr;
  status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
  options_.comparator = leveldb::BytewiseComparator();
  options_.block_restart_interval = 0;
  EXPECT_TRUE(TryOpen().IsInvalidArgument());
  options_.block_restart_interval = 16;
  EXPECT_TRUE(Open(options_, scheduling_, name_, nullptr).IsInvalidArgument());
  Reopen();
}

TEST_P(StoreTest, OneProcessAtATime) {
  Reopen();
  leveldb::DB* second = nullptr;
  const leveldb::Status status = Open(options_, scheduling_, name_, &second);
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  EXPECT_NE(status.ToString().find("LOCK"), std::string::npos) << status.ToString();
  EXPECT_EQ(second, nullptr);
  Put("a", "1");
}

TEST_P(StoreTest, AStoreThatLostItsCurrentIsNotTakenForANewOne) {
  Reopen();
  Fill(100, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  leveldb::Env* const env = leveldb::Env::Default();
  ASSERT_TRUE(env->RenameFile(CurrentFileName(name_), name_ + "/saved").ok());
  std::vector<std::string> before, after;
  ASSERT_TRUE(env->GetChildren(name_, &before).ok());
  const leveldb::Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_NE(status.ToString().find("CURRENT"), std::string::npos);
  ASSERT_TRUE(env->GetChildren(name_, &after).ok());
  EXPECT_GE(after.size(), before.size());
  ASSERT_TRUE(env->RenameFile(name_ + "/saved", CurrentFileName(name_)).ok());
  Reopen();
  EXPECT_EQ(Value(Key(5)), Filling(5, 0));
}

TEST_P(StoreTest, AMissingTableIsNamed) {
  Reopen();
  Fill(100, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  db_.reset();
  leveldb::Env* const env = leveldb::Env::Default();
  std::vector<std::string> names;
  ASSERT_TRUE(env->GetChildren(name_, &names).ok());
  std::string table;
  for (const std::string& name : names) {
    const auto parsed = ParseFileName(name);
    if (parsed && parsed->kind == FileKind::kTable) table = name;
  }
  ASSERT_FALSE(table.empty());
  ASSERT_TRUE(env->RenameFile(name_ + "/" + table, name_ + "/saved").ok());
  const leveldb::Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.ToString().find(table), std::string::npos) << status.ToString();
}

/// L1 has two tables: a damaged one with a1, and one with m1. L0 has a newer entry of a1.
class DamagedStoreTest : public StoreTest {
 protected:
  void SetUp() override {
    Reopen();
    Put("a1", "old");
    Compact("a", "b");
    std::vector<std::string> names;
    ASSERT_TRUE(leveldb::Env::Default()->GetChildren(name_, &names).ok());
    Put("m1", "old");
    Compact("m", "n");
    ASSERT_EQ(FilesAtLevel(1), "2");
    for (const std::string& name : names) {
      const auto parsed = ParseFileName(name);
      if (!parsed || parsed->kind != FileKind::kTable) continue;
      std::fstream(name_ + "/" + name, std::ios::in | std::ios::out).write("?????", 5);
    }
    Put("a1", "new");
    Compact("a", "b");
    EXPECT_EQ(FilesAtLevel(0), "1");
    EXPECT_TRUE(WaitForIdle(db_.get()).IsCorruption());
  }

  void Compact(const std::string& begin, const std::string& end) {
    const leveldb::Slice from(begin), to(end);
    db_->CompactRange(&from, &to);
  }
};

// A damaged range is not compacted any more; all others are.
TEST_P(DamagedStoreTest, CompactRangeEndsOnlyAtDamageInItsWay) {
  Put("m1", "new");
  Compact("m", "n");
  EXPECT_EQ(FilesAtLevel(0), "1") << "the table of a1";
  EXPECT_EQ(FilesAtLevel(1), "2");
  EXPECT_EQ(Value("m1"), "new");
  Compact("a", "b");  // ends, even the second time
  EXPECT_EQ(FilesAtLevel(0), "1");
  EXPECT_EQ(FailedJobs(), 1) << "the damaged table is not read again";
  EXPECT_EQ(Value("a1"), "new");
}

TEST_P(DamagedStoreTest, WritersWaitForL0WhileItCanBeCompactedAndAreToldWhenItCannot) {
  ASSERT_TRUE(SetOptions(db_.get(), "l0_trigger=1;l0_slowdown=2;l0_stop=3").ok());
  for (int round = 0; round < 8; ++round) {
    Put("m1", std::to_string(round));
    const leveldb::Status status = Flush(db_.get());
    ASSERT_TRUE(status.ok()) << round << ": " << status.ToString();
  }
  leveldb::Status status;
  int rounds = 0;
  for (; status.ok() && rounds < 8; ++rounds) {
    status = db_->Put(leveldb::WriteOptions(), "a1", "newer");
    if (status.ok()) status = Flush(db_.get());
  }
  EXPECT_TRUE(status.IsCorruption()) << status.ToString();
  EXPECT_LE(rounds, 5);
}

TEST_P(StoreTest, WorksWithACoordinatorOfItsOwn) {
  scheduling_.SetOwnCoordinator(true).SetCompactionThreads(1);
  Reopen();
  for (int round = 0; round < 4; ++round) Fill(300, round);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  EXPECT_EQ(Value(Key(299)), Filling(299, 3));
}

TEST_P(StoreTest, SeveralStoresShareOneCoordinator) {
  Reopen();
  std::vector<std::unique_ptr<leveldb::DB>> others;
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    names.push_back(testing::FreshDirectory("other"));
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(Open(options_, scheduling_, names.back(), &raw).ok());
    others.emplace_back(raw);
  }
  for (int i = 0; i < 400; ++i) {
    Put(Key(i), Filling(i, 0));
    for (auto& other : others) {
      ASSERT_TRUE(other->Put(leveldb::WriteOptions(), Key(i), Filling(i, 1)).ok());
    }
  }
  others[1].reset();
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  ASSERT_TRUE(WaitForIdle(others[0].get()).ok());
  std::string value;
  ASSERT_TRUE(others[2]->Get(leveldb::ReadOptions(), Key(399), &value).ok());
  EXPECT_EQ(value, Filling(399, 1));
  EXPECT_EQ(Value(Key(399)), Filling(399, 0));
}

TEST_P(StoreTest, LeavesNoFileBehindThatNobodyNeeds) {
  Reopen();
  for (int round = 0; round < 10; ++round) Fill(400, round);
  db_->CompactRange(nullptr, nullptr);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  Reopen();
  db_.reset();  // removes the files that the open found obsolete
  std::vector<std::string> names;
  ASSERT_TRUE(leveldb::Env::Default()->GetChildren(name_, &names).ok());
  int tables = 0, logs = 0, manifests = 0;
  for (const std::string& name : names) {
    const auto parsed = ParseFileName(name);
    if (!parsed) continue;
    tables += parsed->kind == FileKind::kTable;
    logs += parsed->kind == FileKind::kLog;
    manifests += parsed->kind == FileKind::kDescriptor;
  }
  Reopen();
  int listed = 0;
  for (int level = 0; level < 7; ++level) listed += std::stoi(FilesAtLevel(level));
  EXPECT_EQ(tables, listed);
  EXPECT_EQ(logs, 1);
  EXPECT_EQ(manifests, 1);
}

uint64_t KeyFilterBytes(leveldb::DB* db) {
  std::string metrics;
  EXPECT_TRUE(db->GetProperty("lull.metrics", &metrics));
  const std::string kName = "\nlull_key_filter_bytes{";
  const size_t at = metrics.find(kName);
  if (at == std::string::npos) return UINT64_MAX;
  return std::stoull(metrics.substr(metrics.find(' ', at + kName.size()) + 1));
}

TEST_P(StoreTest, FiltersInMemoryAreOfTablesInL0Alone) {
  Reopen();
  EXPECT_EQ(KeyFilterBytes(db_.get()), 0u);
  Fill(20, 0);
  ASSERT_TRUE(Flush(db_.get()).ok());
  EXPECT_EQ(KeyFilterBytes(db_.get()), 64u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Value(Key(i)), Filling(i, 0));
  EXPECT_EQ(Value(Key(20)), "-");

  db_->CompactRange(nullptr, nullptr);  // nothing to merge with, so the table is moved
  ASSERT_EQ(FilesAtLevel(0), "0");
  EXPECT_EQ(KeyFilterBytes(db_.get()), 0u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Value(Key(i)), Filling(i, 0));
  EXPECT_EQ(Value(Key(20)), "-");
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
  EXPECT_EQ(KeyFilterBytes(db_.get()), 0u);
  db_.reset();
}

INSTANTIATE_TEST_SUITE_P(Policies, StoreTest, ::testing::Values("lull", "leveldb"),
                         [](const auto& param) { return param.param; });
INSTANTIATE_TEST_SUITE_P(Policies, DamagedStoreTest, ::testing::Values("lull", "leveldb"),
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
