// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A memtable, and the list of a store's memtables.
#include "db/memory/memtables.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db/memory/memtable.h"
#include "tests/db/support/version_text.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"
#include "tests/util/threads.h"
#include "util/random.h"

namespace lull {
namespace {

// ---- one

std::string GetAt(const MemTable& memtable, const std::string& key, SequenceNumber sequence) {
  std::string value = "untouched";
  switch (memtable.Get(LookupKey(key, sequence), &value)) {
    case MemTable::Found::kNothing:
      EXPECT_EQ(value, "untouched");
      return "nothing";
    case MemTable::Found::kDeleted:
      EXPECT_EQ(value, "untouched");
      return "deleted";
    case MemTable::Found::kValue:
      break;
  }
  return value;
}

TEST(MemTableTest, GetSeesTheNewestVisibleEntry) {
  MemTable memtable(testing::InternalOrder());
  EXPECT_EQ(GetAt(memtable, "k", kMaxSequence), "nothing");
  memtable.Add(10, ValueKind::kValue, "k", "ten");
  memtable.Add(20, ValueKind::kDeletion, "k", "");
  memtable.Add(30, ValueKind::kValue, "k", "");
  memtable.Add(31, ValueKind::kValue, "kk", "other");
  EXPECT_EQ(GetAt(memtable, "k", 9), "nothing");
  EXPECT_EQ(GetAt(memtable, "k", 10), "ten");
  EXPECT_EQ(GetAt(memtable, "k", 19), "ten");
  EXPECT_EQ(GetAt(memtable, "k", 20), "deleted");
  EXPECT_EQ(GetAt(memtable, "k", 29), "deleted");
  EXPECT_EQ(GetAt(memtable, "k", 30), "");
  EXPECT_EQ(GetAt(memtable, "k", kMaxSequence), "");
  EXPECT_EQ(GetAt(memtable, "j", kMaxSequence), "nothing");
  EXPECT_EQ(GetAt(memtable, "", kMaxSequence), "nothing");
  EXPECT_EQ(GetAt(memtable, "l", kMaxSequence), "nothing");
  EXPECT_EQ(memtable.EntryCount(), 4u);
}

TEST(MemTableTest, AFilterPassesItsKeysAndFewOthers) {
  MemTable memtable(testing::InternalOrder());
  EXPECT_EQ(memtable.filter(), nullptr);
  const auto key = [](uint64_t i) { return "key" + std::to_string(i); };
  for (uint64_t i = 0; i < 3000; ++i) {  // three entries a key, of which one can be a deletion
    const bool deletes = i % 7 == 0;
    memtable.Add(i + 1, deletes ? ValueKind::kDeletion : ValueKind::kValue, key(i % 1000), "");
  }
  memtable.BuildFilter();
  ASSERT_NE(memtable.filter(), nullptr);
  EXPECT_NEAR(static_cast<double>(memtable.filter()->MemoryBytes()), 1250, 64);
  int passed = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    const bool passes = memtable.filter()->MayContain(KeyFilter::Query(key(i)));
    EXPECT_TRUE(passes || i >= 1000) << i;
    passed += i >= 1000 && passes;
  }
  EXPECT_LT(passed, 100);
}

TEST(MemTableTest, AFilterOfNothing) {
  MemTable memtable(testing::InternalOrder());
  memtable.BuildFilter();
  EXPECT_FALSE(memtable.filter()->MayContain(KeyFilter::Query("key")));
}

TEST(MemTableTest, UsesTheUsersComparator) {
  MemTable memtable(KeyOrder(testing::ReverseComparator(), KeyOrder::Keys::kInternal));
  memtable.Add(1, ValueKind::kValue, "a", "1");
  memtable.Add(2, ValueKind::kValue, "b", "2");
  EXPECT_EQ(GetAt(memtable, "a", 5), "1");
  const auto iterator = memtable.NewIterator(0, kMaxSequence);
  EXPECT_FALSE(iterator->Valid());
  iterator->SeekToFirst();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "b");
  EXPECT_EQ(iterator->value().ToString(), "2");
  iterator->Next();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "a");
  iterator->Next();
  EXPECT_FALSE(iterator->Valid());
  iterator->SeekToLast();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "a");
  iterator->Prev();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "b");
  iterator->Seek(MakeInternalKey("aa", kMaxSequence, kKindForSeek));
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "a");
  EXPECT_TRUE(iterator->status().ok());
}

TEST(MemTableTest, MemoryIsThatOfTheArena) {
  MemTable memtable(testing::InternalOrder());
  const size_t before = memtable.MemoryBytes();
  for (int i = 0; i < 10'000; ++i) {
    memtable.Add(i + 1, ValueKind::kValue, "key" + std::to_string(i), std::string(100, 'v'));
  }
  EXPECT_GE(memtable.MemoryBytes() - before, 10'000u * (100 + 8 + 7));
  EXPECT_LE(memtable.MemoryBytes(), 10'000u * 170 + (1 << 20));
}

// Readers look up keys at published sequences: each must find the value as of that sequence.
TEST(MemTableTest, ReadersBesideTheWriter) {
  constexpr uint64_t kKeys = 64;
  constexpr SequenceNumber kLast = 30'000;
  MemTable memtable(testing::InternalOrder());
  std::atomic<SequenceNumber> published{0};
  std::atomic<int> faults{0};
  // The entry with sequence s is for key s % kKeys; every fifth entry is a deletion.
  const auto read = [&](uint64_t seed) {
    Random random(seed);
    for (SequenceNumber seen = 0; seen < kLast;) {
      seen = published.load(std::memory_order_acquire);
      const uint64_t key = random.Uniform(kKeys);
      const SequenceNumber at = random.Uniform(seen + 1);
      std::string value;
      const MemTable::Found found = memtable.Get(LookupKey(std::to_string(key), at), &value);
      SequenceNumber expected = at - (at + kKeys - key) % kKeys;  // the last one at or before
      if (at < key || expected == 0) {
        if (found != MemTable::Found::kNothing) faults.fetch_add(1);
      } else if (expected % 5 == 0) {
        if (found != MemTable::Found::kDeleted) faults.fetch_add(1);
      } else if (found != MemTable::Found::kValue || value != std::to_string(expected)) {
        faults.fetch_add(1);
      }
    }
  };
  RunThreads(3, [&](int thread) {
    if (thread < 2) return read(1 + static_cast<uint64_t>(thread));
    for (SequenceNumber s = 1; s <= kLast; ++s) {
      const ValueKind kind = s % 5 == 0 ? ValueKind::kDeletion : ValueKind::kValue;
      memtable.Add(s, kind, std::to_string(s % kKeys), s % 5 == 0 ? "" : std::to_string(s));
      published.store(s, std::memory_order_release);
    }
  });
  EXPECT_EQ(faults.load(), 0);
  EXPECT_EQ(memtable.EntryCount(), kLast);
}

// ---- all of a store

MemTableRef MakeMemTable() { return std::make_shared<MemTable>(testing::InternalOrder()); }

class MemTablesTest : public ::testing::Test {
 protected:
  // Seals memtables, each with its own WAL (10, 11, ...) and ten more sequences than the one
  // before.
  void SealSome(int count) {
    if (memtables_.active() == nullptr) memtables_.Begin(MakeMemTable(), 10, 100);
    for (int i = 0; i < count; ++i) {
      memtables_.active()->Add(1, ValueKind::kValue, "key", std::string(10'000, 'v'));
      const uint64_t sealed = memtables_.seals() + 1;
      bytes_ += memtables_.active()->MemoryBytes();
      memtables_.Seal(MakeMemTable(), 10 + sealed, 10 * sealed, 100 + sealed);
    }
  }

  PublishedFlags flags_;
  MemTables memtables_{&flags_};
  uint64_t bytes_ = 0;  // of all sealed memtables
};

TEST_F(MemTablesTest, LeaveInTheOrderInWhichTheyWereSealed) {
  SealSome(3);
  EXPECT_EQ(memtables_.immutable_count(), 3u);
  EXPECT_EQ(flags_.immutables, 3);
  EXPECT_EQ(memtables_.immutable_bytes(), bytes_);
  EXPECT_EQ(memtables_.LogNumberAfter(0), 10u);
  EXPECT_EQ(memtables_.LogNumberAfter(2), 12u);
  EXPECT_EQ(memtables_.LogNumberAfter(3), 13u) << "the active one's";
  const std::vector<SealedMemTable> oldest = memtables_.Oldest(2, UINT64_MAX);
  ASSERT_EQ(oldest.size(), 2u);
  EXPECT_EQ(oldest[0].wal_number, 10u);
  EXPECT_EQ(oldest[1].last_sequence, 20u);
  EXPECT_EQ(memtables_.ImmutablesNewestFirst()[2], oldest[0].memtable);

  EXPECT_EQ(memtables_.Flushed(2), oldest[0].memory_bytes + oldest[1].memory_bytes);
  EXPECT_EQ(memtables_.seals(), 3u);
  EXPECT_EQ(memtables_.flushes(), 2u);
  EXPECT_EQ(flags_.immutables, 1);
  EXPECT_EQ(memtables_.LogNumberAfter(0), 12u);
  EXPECT_EQ(memtables_.LogNumberAfter(1), 13u);
  memtables_.SetActiveWal(20);  // after a failed log
  EXPECT_EQ(memtables_.LogNumberAfter(1), 20u);
}

TEST_F(MemTablesTest, AFlushTakesAtLeastOneAndNoMoreThanItMay) {
  EXPECT_TRUE(memtables_.Oldest(5, UINT64_MAX).empty());
  SealSome(4);
  const uint64_t each = bytes_ / 4;
  struct Row {
    size_t count_max;
    uint64_t bytes_max;
    size_t taken;
  };
  const std::vector<Row> rows = {
      {1 << 20, UINT64_MAX, 4},   {3, UINT64_MAX, 3},         {1 << 20, 2 * each, 2},
      {1 << 20, 2 * each + 1, 2}, {1 << 20, 2 * each - 1, 1}, {1 << 20, 0, 1},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(memtables_.Oldest(row.count_max, row.bytes_max).size(), row.taken)
        << row.count_max << " of " << row.bytes_max << " bytes";
  }
}

TEST_F(MemTablesTest, RoomToSealTheActiveOne) {
  struct Row {
    int immutables;
    int immutables_max;
    uint64_t others_bytes;  // of the budget of 100,000, without the active one
    uint64_t counted_bytes;
    bool has_room;
  };
  SealSome(0);
  memtables_.active()->Add(1, ValueKind::kValue, "key", std::string(50'000, 'v'));
  const uint64_t active = memtables_.active()->MemoryBytes();
  const std::vector<Row> rows = {
      {0, 1, 0, 0, true},
      {0, 1, 1'000'000, 0, true},  // however much the others use
      {1, 1, 0, 0, false},
      {1, 2, 100'000 - active, 0, true},
      {1, 2, 100'001 - active, 0, false},
      {1, 2, 100'001 - active, 1, true},  // that byte is counted among the others already
      {1, 2, 100'000, 1'000'000, true},
      {1, 2, 100'001, 1'000'000, false},
      {2, 2, 0, 0, false},
  };
  for (const Row& row : rows) {
    PublishedFlags flags;
    MemTables memtables(&flags);
    memtables.Begin(MakeMemTable(), 1, 0);
    for (int i = 0; i < row.immutables; ++i) memtables.Seal(MakeMemTable(), 2 + i, 0, 0);
    memtables.active()->Add(1, ValueKind::kValue, "key", std::string(50'000, 'v'));
    const MemTableLimits room = {row.immutables_max, row.others_bytes, 100'000};
    EXPECT_EQ(memtables.MaySeal(room, row.counted_bytes), row.has_room)
        << row.immutables << " of " << row.immutables_max << ", " << row.others_bytes << ", "
        << row.counted_bytes;
  }
}

TEST(ActiveMemTable, CountsWhatItGrowsByAheadInSteps) {
  constexpr uint64_t kStep = 64 << 10;
  const MemTableRef memtable = MakeMemTable();
  ActiveMemTable active(1000);
  active.Begin(memtable.get());
  EXPECT_EQ(active.GrowthFor(1000), 0u);
  EXPECT_EQ(active.GrowthFor(1001), 1 + kStep);
  active.Grow(1 + kStep);
  EXPECT_EQ(active.GrowthFor(1001 + kStep), 0u);
  EXPECT_EQ(active.GrowthFor(1003 + kStep), 2 + kStep);
  EXPECT_EQ(active.Begin(memtable.get()), 1 + kStep) << "the growth of the previous memtable";
  EXPECT_EQ(active.grown_bytes(), 0u);
}

TEST(ActiveMemTable, ASealThatWasPutOffMakesItFullLater) {
  const MemTableRef memtable = MakeMemTable();
  memtable->Add(1, ValueKind::kValue, "key", std::string(10'000, 'v'));
  const uint64_t bytes = memtable->MemoryBytes();
  ActiveMemTable active(1000);
  active.Begin(memtable.get());
  EXPECT_TRUE(active.IsFull(bytes));
  EXPECT_FALSE(active.IsFull(bytes + 1));
  active.PutOffSeal(bytes + 1);
  EXPECT_FALSE(active.IsFull(bytes));
  active.Begin(memtable.get());
  EXPECT_TRUE(active.IsFull(bytes)) << "the seal of the next one is not postponed";
}

}  // namespace
}  // namespace lull
