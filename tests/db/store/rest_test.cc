// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store in which nothing happens: its threads sleep until a client writes, and it has no obsolete
// file.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/iterator.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "util/clock.h"

namespace lull {
namespace {

using testing::Script;

/// Ten seconds pass with each look at it. So nobody waits for a time that is nearer than that.
class LeapingClock final : public Clock {
 public:
  uint64_t NowNanos() const override {
    return now_nanos_.fetch_add(kLeapNanos, std::memory_order_relaxed);
  }
  void SleepForNanos(uint64_t) override {}

 private:
  static constexpr uint64_t kLeapNanos = 10'000'000'000;
  mutable std::atomic<uint64_t> now_nanos_{kLeapNanos};
};

class DeletionTest : public testing::ScriptedStoreTest {
 protected:
  size_t ListedTables() {
    size_t tables = 0;
    for (int level = 0; level < 7; ++level) tables += static_cast<size_t>(TablesAt(level));
    return tables;
  }
};

TEST_F(DeletionTest, CompactRangeReturnsWithoutObsoleteFiles) {
  Open();
  for (int round = 0; round < 20; ++round) {
    Write(0, 300);
    db_->CompactRange(nullptr, nullptr);
    EXPECT_EQ(TableSizes().size(), ListedTables()) << round;
  }
}

TEST_F(DeletionTest, CompactRangeDoesNotWaitForWhatAnIteratorNeeds) {
  Open();
  Write(0, 300);
  ASSERT_TRUE(Flush(db_.get()).ok());
  {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(leveldb::ReadOptions()));
    Write(0, 300);
    db_->CompactRange(nullptr, nullptr);
    EXPECT_GT(TableSizes().size(), ListedTables());
  }
  db_->CompactRange(nullptr, nullptr);
  EXPECT_EQ(TableSizes().size(), ListedTables());
}

class RestTest : public testing::ScriptedStoreTest {
 protected:
  RestTest() { pace_.clock = &clock_; }
  ~RestTest() override { db_.reset(); }

  /// After the write, the monitor has to measure the store.
  void WriteAndAwaitARound() {
    const uint64_t asked = script_.asked();
    Write(written_, written_ + 1);
    ++written_;
    Await("a round after a write", [&] { return script_.asked() > asked; });
  }

  /// Whether the rounds end, as seen by a client that reads. While they go on, nothing delays them.
  bool RoundsEnd() {
    constexpr uint64_t kManyRounds = 200'000;
    const uint64_t begin = script_.asked();
    for (uint64_t still = 0, last = begin; still < 50'000; ++still) {
      std::string value;
      db_->Get(leveldb::ReadOptions(), KeyOf(0), &value);
      const uint64_t asked = script_.asked();
      if (asked != std::exchange(last, asked)) still = 0;
      if (asked > begin + kManyRounds) return false;
    }
    return true;
  }

  LeapingClock clock_;
  uint64_t written_ = 0;
};

TEST_F(RestTest, AWriteBeginsTheRoundsOfAStoreThatRests) {
  script_.Set(Script::Nothing(), /*tick=*/false);
  Open();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(RoundsEnd()) << i;
    WriteAndAwaitARound();
  }
}

TEST_F(RestTest, AStoreWithASnapshotIsWatched) {
  script_.Set(Script::Nothing(), /*tick=*/false);
  Open();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  WriteAndAwaitARound();
  script_.AwaitDecisions(100);
  db_->ReleaseSnapshot(snapshot);
  EXPECT_TRUE(RoundsEnd());
}

}  // namespace
}  // namespace lull
