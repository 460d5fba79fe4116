// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Callers that LevelDB did not foresee: extreme options, nulls, an Env that throws, a comparator
// that defines no order, keys that make an index huge. Each gets an error or works; none may crash
// or hang the store, or lose acknowledged writes.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "lull/read.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/open_store.h"
#include "tests/support/table_files.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;
using testing::kStoreName;
using testing::ReadValue;
using testing::SmallOptions;

std::string NumberedKey(int i) { return "key" + std::to_string(100'000 + i); }

Status OpenNamed(const leveldb::Options& options, std::unique_ptr<leveldb::DB>* db,
                 const std::string& scheduling = "own_coordinator=true") {
  leveldb::DB* raw = nullptr;
  const Status status = testing::OpenStore(options, scheduling, kStoreName, &raw);
  db->reset(raw);
  return status;
}

void WriteAndReadBack(const leveldb::Options& options) {
  std::unique_ptr<leveldb::DB> db;
  ASSERT_EQ(OpenNamed(options, &db).ToString(), "OK");
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(db->Put({}, NumberedKey(i), NumberedKey(i)).ok());
    if (i % 100 == 50) {
      ASSERT_TRUE(Flush(db.get()).ok());
    }
  }
  db->CompactRange(nullptr, nullptr);
  db.reset();
  ASSERT_EQ(OpenNamed(options, &db).ToString(), "OK");
  for (int i = 0; i < 300; ++i) ASSERT_EQ(ReadValue(db.get(), NumberedKey(i)), NumberedKey(i));
  EXPECT_EQ(testing::ReadAll(db.get()).size(), 300u);
}

TEST(UnusualCallers, ExtremeSizes) {
  const std::unique_ptr<leveldb::Cache> nothing(leveldb::NewLRUCache(0));
  std::vector<leveldb::Options> all(9, SmallOptions(nullptr));
  all[0].block_cache = nothing.get();
  all[1].block_size = 0;
  all[2].block_size = 1;
  all[3].max_open_files = 0;
  all[4].max_open_files = 1;
  all[5].max_open_files = -1;
  all[6].write_buffer_size = 0;
  all[7].max_file_size = 0;
  all[8].block_restart_interval = 1 << 30;
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i);
    testing::CrashEnv disk;
    all[i].env = &disk;
    ASSERT_NO_FATAL_FAILURE(WriteAndReadBack(all[i]));
  }
}

class CountingCache final : public leveldb::Cache {
 public:
  Handle* Insert(const Slice& key, void* value, size_t charge,
                 void (*deleter)(const Slice& key, void* value)) override {
    ++calls_;
    return cache_->Insert(key, value, charge, deleter);
  }
  Handle* Lookup(const Slice& key) override { return ++calls_, cache_->Lookup(key); }
  void Release(Handle* handle) override { ++calls_, cache_->Release(handle); }
  void* Value(Handle* handle) override { return ++calls_, cache_->Value(handle); }
  void Erase(const Slice& key) override { ++calls_, cache_->Erase(key); }
  uint64_t NewId() override { return ++calls_, cache_->NewId(); }
  void Prune() override { ++calls_, cache_->Prune(); }
  size_t TotalCharge() const override { return ++calls_, cache_->TotalCharge(); }

  int calls() const { return calls_; }

 private:
  const std::unique_ptr<leveldb::Cache> cache_{leveldb::NewLRUCache(1 << 20)};
  mutable std::atomic<int> calls_ = 0;
};

// classic-level 3 shares a store between threads, and deletes the cache when the first of them
// closes it. LevelDB does not notice if the others only write and close.
TEST(UnusualCallers, ACloseDoesNotUseTheBlockCache) {
  testing::CrashEnv disk;
  CountingCache cache;
  leveldb::Options options = SmallOptions(&disk);
  options.block_cache = &cache;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenNamed(options, &db).ok());
  ASSERT_TRUE(db->Put({}, "key", "value").ok());
  ASSERT_TRUE(Flush(db.get()).ok());
  ASSERT_EQ(ReadValue(db.get(), "key"), "value");
  ASSERT_TRUE(WaitForIdle(db.get()).ok());
  const int calls = cache.calls();
  EXPECT_GT(calls, 0);
  db.reset();
  EXPECT_EQ(cache.calls(), calls);
}

TEST(UnusualCallers, WhatCannotWorkIsRefused) {
  testing::CrashEnv disk;
  std::vector<leveldb::Options> all(4, SmallOptions(&disk));
  all[0].block_restart_interval = 0;
  all[1].block_restart_interval = -1;
  all[2].comparator = nullptr;
  all[3].env = nullptr;
  for (size_t i = 0; i < all.size(); ++i) {
    std::unique_ptr<leveldb::DB> db;
    const Status status = OpenNamed(all[i], &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << i << ": " << status.ToString();
    EXPECT_EQ(db, nullptr);
  }
}

TEST(UnusualCallers, Nulls) {
  testing::CrashEnv disk;
  leveldb::Options options = SmallOptions(&disk);
  options.info_log = nullptr;
  options.block_cache = nullptr;
  options.filter_policy = nullptr;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenNamed(options, &db).ok());
  EXPECT_TRUE(db->Write({}, nullptr).IsInvalidArgument());
  db->ReleaseSnapshot(nullptr);
  db->CompactRange(nullptr, nullptr);
  EXPECT_TRUE(db->Put({}, Slice(), Slice()).ok());
  EXPECT_EQ(ReadValue(db.get(), ""), "");
}

TEST(UnusualCallers, ATableBuilderWithoutBlockSizeOrRestarts) {
  testing::CrashEnv disk;
  ASSERT_TRUE(disk.CreateDir(kStoreName).ok());
  for (const int restarts : {0, -1, 1}) {
    leveldb::Options options = SmallOptions(&disk);
    options.block_size = 0;
    options.block_restart_interval = restarts;
    leveldb::WritableFile* raw = nullptr;
    ASSERT_TRUE(disk.NewWritableFile("/store/table", &raw).ok());
    const std::unique_ptr<leveldb::WritableFile> file(raw);
    leveldb::TableBuilder builder(options, file.get());
    for (int i = 0; i < 100; ++i) builder.Add(NumberedKey(i), "value");
    EXPECT_TRUE(builder.Finish().ok());
    EXPECT_EQ(builder.NumEntries(), 100u);
  }
}

/// Not a consistent order.
class Disorder final : public leveldb::Comparator {
 public:
  enum class Kind { kAlwaysLess, kAlwaysGreater, kAlwaysEqual, kCyclic, kByHash };
  explicit Disorder(Kind kind) : kind_(kind) {}

  int Compare(const Slice& a, const Slice& b) const override {
    if (is_bytewise) return a.compare(b);
    switch (kind_) {
      case Kind::kAlwaysLess:
        return -1;
      case Kind::kAlwaysGreater:
        return 1;
      case Kind::kAlwaysEqual:
        return 0;
      case Kind::kCyclic:
        return static_cast<int>((Sum(a) + 3 - Sum(b)) % 3) - 1;
      case Kind::kByHash:
        break;
    }
    return static_cast<int>((Sum(a) * 2654435761u ^ Sum(b) * 40503u) >> 7 & 3) - 1;
  }
  const char* Name() const override { return "disorder"; }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

  std::atomic<bool> is_bytewise{false};  ///< a consistent order so far

 private:
  static uint32_t Sum(const Slice& key) {
    uint32_t sum = 0;
    for (size_t i = 0; i < key.size(); ++i) sum = sum * 31 + static_cast<unsigned char>(key[i]);
    return sum;
  }
  const Kind kind_;
};

void UseInDisorder(const Disorder& disorder) {
  testing::CrashEnv disk;
  leveldb::Options options = SmallOptions(&disk);
  options.comparator = &disorder;
  for (int life = 0; life < 3; ++life) {
    std::unique_ptr<leveldb::DB> db;
    if (!OpenNamed(options, &db, "own_coordinator=true;retry_ms=1").ok()) break;  // also allowed
    for (int i = 0; i < 2000; ++i) {
      if (!db->Put({}, NumberedKey(i), std::string(100, 'v')).ok()) break;
    }
    Flush(db.get());
    db->CompactRange(nullptr, nullptr);
    const std::unique_ptr<leveldb::Iterator> it(db->NewIterator({}));
    int steps = 0;
    for (it->SeekToFirst(); it->Valid() && steps < 100'000; it->Next()) ++steps;
    for (it->SeekToLast(); it->Valid() && steps < 100'000; it->Prev()) ++steps;
    EXPECT_LT(steps, 100'000);
    for (int i = 0; i < 2000; i += 7) {
      ReadValue(db.get(), NumberedKey(i));
      it->Seek(NumberedKey(i));
      for (int step = 0; step < 4 && it->Valid(); ++step) it->Prev();
      for (int step = 0; step < 4 && it->Valid(); ++step) it->Next();
    }
  }
}

TEST(UnusualCallers, AComparatorWithoutAnOrderNeitherCrashesNorHangs) {
  using enum Disorder::Kind;
  for (const auto kind : {kAlwaysLess, kAlwaysGreater, kAlwaysEqual, kCyclic, kByHash})
    UseInDisorder(Disorder(kind));
}

// More tables and keys than a sort compares with bounds checks alone (16 in libstdc++).
// `late`: the tables are made in order.
void UseManyInDisorder(Disorder::Kind kind, const std::string& layout, bool late) {
  Disorder disorder(kind);
  testing::CrashEnv disk;
  leveldb::Options options = SmallOptions(&disk);
  options.comparator = &disorder;
  const std::string scheduling =
      "own_coordinator=true;retry_ms=1;index_bytes_max=400;policy=leveldb;l0_trigger=80;"
      "l0_slowdown=90;l0_stop=99;layout=" +
      layout;
  std::vector<std::string> keys, paths;
  for (int i = 0; i < 40; ++i) {
    keys.push_back(NumberedKey(i * 7 % 40 * 50));
    paths.push_back("/table" + std::to_string(i));
    ASSERT_TRUE(testing::BuildTable(options, paths.back(), {{keys.back(), "ingested"}}).ok());
  }
  for (int life = 0; life < 3; ++life) {
    std::unique_ptr<leveldb::DB> db;
    disorder.is_bytewise = late && life == 0;
    if (!OpenNamed(options, &db, scheduling).ok()) break;  // also allowed
    for (int i = 0; i < 2000; ++i) {
      db->Put({}, NumberedKey(i), std::string(100, 'v'));
      if (i % 50 == 49) Flush(db.get());
    }
    disorder.is_bytewise = false;
    testing::Property(db.get(), "leveldb.sstables");
    SetOptions(db.get(), "l0_trigger=4");
    std::vector<std::string> values;
    MultiGet(db.get(), {}, std::vector<Slice>(keys.begin(), keys.end()), &values);
    const Slice begin = keys[1], end = keys[30];
    db->CompactRange(&begin, &end);
    MultiGet(db.get(), {}, std::vector<Slice>(keys.begin(), keys.end()), &values);
    IngestTables(db.get(), paths);
  }
  leveldb::RepairDB(kStoreName, options);
}

TEST(UnusualCallers, NorDoManyTablesAndKeysWithoutAnOrder) {
  using enum Disorder::Kind;
  for (const auto kind : {kAlwaysLess, kAlwaysGreater, kAlwaysEqual, kCyclic, kByHash}) {
    for (const bool late : {false, true}) {
      for (const char* layout : {"leveled", "vsst"}) UseManyInDisorder(kind, layout, late);
    }
  }
}

/// Throws instead of an operation, once, at a chosen operation of the thread that armed it.
class ThrowingEnv final : public testing::FaultEnv {
 public:
  explicit ThrowingEnv(leveldb::Env* target) : FaultEnv(target) {
    constexpr uint32_t kThrowing = testing::kOpenRead | testing::kOpenWrite | testing::kRead |
                                   testing::kAppend | testing::kSync;
    set_before_operation([this](testing::IoOp op, const std::string&) {
      if ((op & kThrowing) == 0 || std::this_thread::get_id() != victim_ || left < 0) return;
      if (--left < 0) throw std::runtime_error("thrown by an Env");
    });
  }

  void ThrowAt(int operation) {
    victim_ = std::this_thread::get_id();
    left = operation;
  }

  std::atomic<int> left{-1};  ///< operations before it throws; negative: never

 private:
  std::atomic<std::thread::id> victim_;
};

TEST(UnusualCallers, AnEnvThatThrowsInAWrite) {
  testing::CrashEnv disk;
  ThrowingEnv env(&disk);
  const leveldb::Options options = SmallOptions(&env);
  const leveldb::WriteOptions sync = testing::Synced();
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenNamed(options, &db).ok());
  for (int operation = 0; operation < 2; ++operation) {  // the append, the sync
    SCOPED_TRACE(operation);
    ASSERT_TRUE(db->Put(sync, "acknowledged", "1").ok());
    env.ThrowAt(operation);
    EXPECT_THROW(db->Put(sync, "thrown", "1"), std::runtime_error);
    EXPECT_FALSE(db->Put(sync, "later", "1").ok()) << "nothing is acknowledged after it";
    EXPECT_EQ(ReadValue(db.get(), "acknowledged"), "1");
    db.reset();
    ASSERT_TRUE(OpenNamed(options, &db).ok());
    EXPECT_EQ(ReadValue(db.get(), "acknowledged"), "1");
    EXPECT_TRUE(db->Put(sync, "later", "2").ok());
  }
}

TEST(UnusualCallers, AnEnvThatThrowsInARead) {
  testing::CrashEnv disk;
  ThrowingEnv env(&disk);
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(OpenNamed(SmallOptions(&env), &db).ok());
  ASSERT_TRUE(db->Put({}, "k", "v").ok());
  ASSERT_TRUE(Flush(db.get()).ok());
  const auto scan = [&db] {
    const std::unique_ptr<leveldb::Iterator> it(db->NewIterator({}));
    it->SeekToFirst();
    return it->Valid() && it->value() == "v";
  };
  for (const bool by_get : {true, false}) {
    db.reset();  // so that the table is opened, and its blocks read, again
    ASSERT_TRUE(OpenNamed(SmallOptions(&env), &db).ok());
    int thrown = 0;
    for (int operation = 0;; ++operation) {
      env.ThrowAt(operation);
      try {
        EXPECT_TRUE(by_get ? ReadValue(db.get(), "k") == "v" : scan());
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      if (env.left.exchange(-1) >= 0) break;
    }
    EXPECT_GE(thrown, 1);
    EXPECT_TRUE(scan());
    EXPECT_TRUE(db->Put({}, "other", "v").ok());
    ASSERT_TRUE(Flush(db.get()).ok());
  }
}

// Every key begins a block and differs from its neighbours only at its end, so the index is large.
TEST(UnusualCallers, LongKeysCutATableBeforeItsIndexIsTooLarge) {
  testing::CrashEnv disk;
  leveldb::Options options = SmallOptions(&disk);
  options.write_buffer_size = 8 << 20;
  std::unique_ptr<leveldb::DB> db;
  const char* const scheduling =
      "own_coordinator=true;index_bytes_max=100000;l0_trigger=40;l0_slowdown=50;l0_stop=60";
  ASSERT_EQ(OpenNamed(options, &db, scheduling).ToString(), "OK");
  const auto tables_at = [&](int level) { return testing::TablesAt(db.get(), level); };
  const auto key_of = [](int i) { return std::string(8000, 'p') + NumberedKey(i); };
  testing::Contents expected;
  const auto write = [&](const std::string& value) {
    leveldb::WriteBatch batch;
    for (int i = 0; i < 60; ++i) {
      expected[key_of(i)] = value + std::to_string(i);
      batch.Put(key_of(i), expected[key_of(i)]);
    }
    ASSERT_TRUE(db->Write({}, &batch).ok());
  };
  const auto check = [&] {
    for (const auto& [key, value] : expected) ASSERT_EQ(ReadValue(db.get(), key), value);
    EXPECT_EQ(testing::ReadAll(db.get()), expected);
  };
  write("old");
  const leveldb::Snapshot* const snapshot = db->GetSnapshot();
  write("new");
  ASSERT_TRUE(Flush(db.get()).ok());
  EXPECT_GE(tables_at(0), 5);
  check();
  EXPECT_EQ(ReadValue(db.get(), key_of(17), snapshot), "old17");
  db->ReleaseSnapshot(snapshot);

  write("newer");
  ASSERT_TRUE(Flush(db.get()).ok());
  check();
  db->CompactRange(nullptr, nullptr);
  check();
  EXPECT_EQ(tables_at(0), 0);
  EXPECT_GE(tables_at(1) + tables_at(2), 5) << "compactions cut as well";
}

}  // namespace
}  // namespace lull
