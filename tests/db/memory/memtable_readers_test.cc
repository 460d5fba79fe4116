// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Readers of a memtable of few keys and many versions, beside its writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "db/memory/memtable.h"
#include "tests/table/key_orders.h"
#include "tests/util/threads.h"
#include "util/random.h"

namespace lull {
namespace {

/// The writes of a run, known before it begins: so a reader knows what is visible at a sequence.
class PlannedWrites {
 public:
  explicit PlannedWrites(uint64_t seed) {
    Random random(seed);
    for (SequenceNumber sequence = 1; sequence <= kWrites; ++sequence) {
      // Half of the writes go to four keys. Others appear late.
      const uint64_t key =
          random.OneIn(2) ? 10 * random.Uniform(4) : random.Uniform(sequence / 9 + 1);
      const ValueKind kind = random.OneIn(6) ? ValueKind::kDeletion : ValueKind::kValue;
      writes_.push_back({std::to_string(1000 + key), kind});
      sequences_[writes_.back().key].push_back(sequence);
    }
  }

  void Add(MemTable* memtable, SequenceNumber sequence) const {
    const Write& write = writes_[sequence - 1];
    memtable->Add(sequence, write.kind, write.key, std::to_string(sequence));
  }

  /// The internal keys that a reader at the sequence must find.
  std::vector<std::string> VisibleAt(SequenceNumber sequence) const {
    std::vector<std::string> keys;
    for (const auto& [key, sequences] : sequences_) {
      const auto newer = std::upper_bound(sequences.begin(), sequences.end(), sequence);
      if (newer == sequences.begin()) continue;
      const SequenceNumber newest = *(newer - 1);
      keys.push_back(MakeInternalKey(key, newest, writes_[newest - 1].kind));
    }
    return keys;
  }

  static constexpr SequenceNumber kWrites = 4000;

 private:
  struct Write {
    std::string key;
    ValueKind kind;
  };
  std::vector<Write> writes_;
  std::map<std::string, std::vector<SequenceNumber>> sequences_;
};

void CheckReader(const MemTable& memtable, const PlannedWrites& plan, SequenceNumber sequence) {
  const std::vector<std::string> expected = plan.VisibleAt(sequence);
  const auto iterator = memtable.NewIterator(sequence, sequence);
  iterator->SeekToFirst();
  for (const std::string& key : expected) {
    ASSERT_TRUE(iterator->Valid());
    ASSERT_EQ(iterator->key().ToString(), key);
    ASSERT_EQ(iterator->value().ToString(),
              std::to_string(DecodeFixed64(key.data() + key.size() - 8) >> 8));
    iterator->Next();
  }
  ASSERT_FALSE(iterator->Valid());
  iterator->SeekToLast();
  for (auto key = expected.rbegin(); key != expected.rend(); ++key) {
    ASSERT_TRUE(iterator->Valid());
    ASSERT_EQ(iterator->key().ToString(), *key);
    iterator->Prev();
  }
  ASSERT_FALSE(iterator->Valid());
  for (const std::string& key : expected) {
    std::string value;
    const LookupKey wanted(UserKeyOf(key), sequence);
    iterator->Seek(wanted.internal_key());
    ASSERT_TRUE(iterator->Valid());
    ASSERT_EQ(iterator->key().ToString(), key);
    const bool is_value = key[key.size() - 8] == static_cast<char>(ValueKind::kValue);
    ASSERT_EQ(memtable.Get(wanted, &value),
              is_value ? MemTable::Found::kValue : MemTable::Found::kDeleted);
  }
}

TEST(MemTableReaders, BesideTheWriter) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PlannedWrites plan(seed);
    MemTable memtable(testing::InternalOrder());
    std::atomic<SequenceNumber> published{0};
    RunThreads(3, [&](int thread) {
      if (thread == 0) {
        for (SequenceNumber sequence = 1; sequence <= PlannedWrites::kWrites; ++sequence) {
          plan.Add(&memtable, sequence);
          published.store(sequence, std::memory_order_release);
        }
        return;
      }
      Random random(seed * 100 + static_cast<uint64_t>(thread));
      for (SequenceNumber last = 0; last < PlannedWrites::kWrites;) {
        last = published.load(std::memory_order_acquire);
        CheckReader(memtable, plan, last);
        CheckReader(memtable, plan, random.Uniform(last + 1));
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
  }
}

}  // namespace
}  // namespace lull
