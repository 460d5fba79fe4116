// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/write/memtable.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/table/table_test_util.h"
#include "util/random.h"
#include "util/thread.h"

namespace lull {
namespace {

KeyOrder Bytewise() { return KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal); }

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
  MemTable memtable(Bytewise());
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

TEST(MemTableTest, EmptyKeysAndBinaryKeys) {
  MemTable memtable(Bytewise());
  const std::string zeros[] = {"",
                               std::string(1, '\0'),
                               std::string(7, '\0'),
                               std::string(8, '\0'),
                               std::string(9, '\0'),
                               std::string(17, '\0')};
  SequenceNumber sequence = 0;
  for (const std::string& key : zeros) {
    memtable.Add(++sequence, ValueKind::kValue, key, std::to_string(key.size()));
  }
  for (const std::string& key : zeros) {
    EXPECT_EQ(GetAt(memtable, key, kMaxSequence), std::to_string(key.size()));
  }
  EXPECT_EQ(GetAt(memtable, std::string(10, '\0'), kMaxSequence), "nothing");
}

TEST(MemTableTest, UsesTheUsersComparator) {
  testing::ReverseComparator reverse;
  MemTable memtable(KeyOrder(&reverse, KeyOrder::Keys::kInternal));
  memtable.Add(1, ValueKind::kValue, "a", "1");
  memtable.Add(2, ValueKind::kValue, "b", "2");
  EXPECT_EQ(GetAt(memtable, "a", 5), "1");
  const auto iterator = memtable.NewIterator();
  iterator->SeekToFirst();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), "b");
}

TEST(MemTableTest, MemoryIsThatOfTheArena) {
  MemTable memtable(Bytewise());
  const size_t before = memtable.MemoryBytes();
  for (int i = 0; i < 10'000; ++i) {
    memtable.Add(i + 1, ValueKind::kValue, "key" + std::to_string(i), std::string(100, 'v'));
  }
  EXPECT_GE(memtable.MemoryBytes() - before, 10'000u * (100 + 8 + 7));
  EXPECT_LE(memtable.MemoryBytes(), 10'000u * 170 + (1 << 20));
}

TEST(MemTableTest, IteratorAgainstAModel) {
  MemTable memtable(Bytewise());
  Random random(11);
  std::map<std::string, std::string> newest;
  for (SequenceNumber sequence = 1; sequence <= 3000; ++sequence) {
    const std::string key = std::to_string(random.Uniform(800));
    const std::string value = std::to_string(sequence);
    memtable.Add(sequence, ValueKind::kValue, key, value);
    newest[key] = value;
  }
  for (const auto& [key, value] : newest) EXPECT_EQ(GetAt(memtable, key, kMaxSequence), value);
  const auto iterator = memtable.NewIterator();
  EXPECT_FALSE(iterator->Valid());
  iterator->Seek(MakeInternalKey("4", kMaxSequence, kKindForSeek));
  auto expected = newest.lower_bound("4");
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), expected->first);
  EXPECT_EQ(iterator->value().ToString(), expected->second);
  iterator->Prev();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), std::prev(expected)->first);
  iterator->SeekToLast();
  EXPECT_EQ(UserKeyOf(iterator->key()).ToString(), std::prev(newest.end())->first);
  iterator->Next();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().ok());
}

// Readers look up keys at published sequences: each must find the value as of that sequence.
TEST(MemTableTest, ReadersBesideTheWriter) {
  constexpr uint64_t kKeys = 64;
  constexpr SequenceNumber kLast = 30'000;
  MemTable memtable(Bytewise());
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
  std::vector<std::unique_ptr<ThreadHandle>> readers;
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    readers.push_back(
        ThreadFactory::System()->Start("reader", CpuClass::kNormal, [&read, seed] { read(seed); }));
  }
  for (SequenceNumber s = 1; s <= kLast; ++s) {
    const ValueKind kind = s % 5 == 0 ? ValueKind::kDeletion : ValueKind::kValue;
    memtable.Add(s, kind, std::to_string(s % kKeys), s % 5 == 0 ? "" : std::to_string(s));
    published.store(s, std::memory_order_release);
  }
  readers.clear();
  EXPECT_EQ(faults.load(), 0);
  EXPECT_EQ(memtable.EntryCount(), kLast);
}

}  // namespace
}  // namespace lull
