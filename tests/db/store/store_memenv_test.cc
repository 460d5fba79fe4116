// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store whose files are in memory: its Env has none of the optional extensions.
#include <atomic>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/helpers/memenv.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"

namespace lull {
namespace {

constexpr int kEntries = 3000;

std::string MemEnvKey(int i) { return "key" + std::to_string(100'000 + i); }
std::string Value(int i, int round) {
  return std::to_string(round) + std::string(200, 'v') + MemEnvKey(i);
}

/// Every reading of its clock advances it by a second.
class SlowClockEnv final : public leveldb::EnvWrapper {
 public:
  explicit SlowClockEnv(leveldb::Env* base) : leveldb::EnvWrapper(base) {}
  uint64_t NowMicros() override { return now_micros_.fetch_add(1'000'000); }

 private:
  std::atomic<uint64_t> now_micros_{0};
};

class MemEnvStoreTest : public ::testing::Test {
 protected:
  MemEnvStoreTest() { options_.max_file_size = 1 << 20; }

  void Reopen() {
    db_.reset();
    ASSERT_EQ(testing::OpenAt(options_, "/store", &db_).ToString(), "OK");
  }
  void Fill(int round) {
    leveldb::WriteOptions write;
    for (int i = 0; i < kEntries; ++i) {
      write.sync = i % 100 == 0;
      ASSERT_TRUE(db_->Put(write, MemEnvKey(i), Value(i, round)).ok());
    }
  }
  void ExpectAll(int round) {
    testing::Contents expected;
    for (int i = 0; i < kEntries; ++i) expected[MemEnvKey(i)] = Value(i, round);
    EXPECT_TRUE(testing::ReadAll(db_.get()) == expected);
  }

  const std::unique_ptr<leveldb::Env> env_{leveldb::NewMemEnv(leveldb::Env::Default())};
  leveldb::Options options_ = testing::SmallOptions(env_.get());
  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(MemEnvStoreTest, WritesCompactsAndReopens) {
  for (int round = 0; round < 3; ++round) {
    Reopen();
    Fill(round);
    ExpectAll(round);
  }
  db_->CompactRange(nullptr, nullptr);
  ExpectAll(2);
  Reopen();
  ExpectAll(2);
  EXPECT_FALSE(leveldb::Env::Default()->FileExists("/store"));
}

TEST_F(MemEnvStoreTest, StatisticsMeasureTimeByTheClockOfTheEnv) {
  SlowClockEnv env(env_.get());
  options_.env = &env;
  Reopen();
  Fill(0);
  Fill(1);
  db_->CompactRange(nullptr, nullptr);
  std::string stats;
  ASSERT_TRUE(db_->GetProperty("leveldb.stats", &stats));
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
TEST_F(MemEnvStoreTest, SyncedWritesFillManyLogs) {
  Reopen();
  leveldb::WriteOptions synced;
  synced.sync = true;
  const std::string large(400 << 10, 'v');
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(db_->Put(synced, MemEnvKey(i), large).ok());
  ASSERT_TRUE(Flush(db_.get()).ok());
  Reopen();
  std::string value;
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(db_->Get(leveldb::ReadOptions(), MemEnvKey(i), &value).ok());
  EXPECT_EQ(value, large);
}

}  // namespace
}  // namespace lull
