// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/skiplist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"
#include "util/random.h"

namespace lull {
namespace {

class SkipListTest : public ::testing::TestWithParam<bool> {
 protected:
  SkipListTest()
      : order_(GetParam() ? testing::ReverseComparator() : leveldb::BytewiseComparator(),
               KeyOrder::Keys::kInternal) {}

  void Insert(const std::string& user_key, SequenceNumber sequence, const std::string& value) {
    const ValueKind kind = sequence % 5 == 0 ? ValueKind::kDeletion : ValueKind::kValue;
    list_.Insert(user_key, PackTrailer(sequence, kind), value);
    model_[MakeInternalKey(user_key, sequence, kind)] = value;
  }

  /// The entries that some reader at a sequence in [oldest, newest] can see.
  testing::Entries Shown(SequenceNumber oldest, SequenceNumber newest) {
    testing::Entries shown(testing::LessByOrder{order_});
    std::optional<ParsedInternalKey> newer;  // at or below `newest`
    for (const auto& [key, value] : model_) {
      ParsedInternalKey entry;
      EXPECT_TRUE(ParseInternalKey(key, &entry));
      if (entry.sequence > newest) continue;
      const bool is_hidden =
          newer && newer->user_key == entry.user_key && newer->sequence <= oldest;
      if (!is_hidden) shown[key] = value;
      newer = entry;
    }
    return shown;
  }

  void CheckWalks(SequenceNumber oldest, SequenceNumber newest) {
    SCOPED_TRACE(std::to_string(oldest) + " to " + std::to_string(newest));
    const testing::Entries shown = Shown(oldest, newest);
    SkipList::Cursor cursor(&list_, oldest, newest);
    cursor.SeekToFirst();
    for (const auto& [key, value] : shown) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key().ToString(), key);
      ASSERT_EQ(cursor.value().ToString(), value);
      cursor.Next();
    }
    EXPECT_FALSE(cursor.Valid());
    cursor.SeekToLast();
    for (auto entry = shown.rbegin(); entry != shown.rend(); ++entry) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key().ToString(), entry->first);
      ASSERT_EQ(cursor.value().ToString(), entry->second);
      cursor.Prev();
    }
    EXPECT_FALSE(cursor.Valid());
  }
  void CheckWalks() { CheckWalks(0, kMaxSequence); }

  /// From the internal key on, with changes of direction.
  void CheckSeek(const std::string& internal_key, SequenceNumber oldest, SequenceNumber newest,
                 const testing::Entries& shown) {
    SkipList::Cursor cursor(&list_, oldest, newest);
    cursor.Seek(internal_key);
    auto expected = shown.lower_bound(internal_key);
    for (int step = 0; step < 12 && expected != shown.end(); ++step) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key().ToString(), expected->first);
      if (random_.OneIn(2)) {
        cursor.Next();
        ++expected;
      } else {
        cursor.Prev();
        expected = expected == shown.begin() ? shown.end() : std::prev(expected);
      }
    }
    ASSERT_EQ(cursor.Valid(), expected != shown.end());
  }

  void CheckSeeks(SequenceNumber oldest, SequenceNumber newest, SequenceNumber sequence_max) {
    SCOPED_TRACE(std::to_string(oldest) + " to " + std::to_string(newest));
    const testing::Entries shown = Shown(oldest, newest);
    for (int i = 0; i < 500; ++i)
      CheckSeek(MakeInternalKey(RandomKey(), random_.Uniform(sequence_max + 5), kKindForSeek),
                oldest, newest, shown);
  }

  void CheckFind(const std::string& user_key, SequenceNumber sequence) {
    const std::string wanted = MakeInternalKey(user_key, sequence, kKindForSeek);
    const auto expected = model_.lower_bound(wanted);
    const std::optional<SkipList::Entry> found = list_.Find(wanted);
    ASSERT_EQ(found.has_value(),
              expected != model_.end() && UserKeyOf(expected->first) == leveldb::Slice(user_key));
    if (!found) return;
    ASSERT_EQ(MakeInternalKey(user_key, found->trailer >> 8, KindOf(found->trailer)),
              expected->first);
    ASSERT_EQ(found->value.ToString(), expected->second);
  }

  /// Short strings of few different bytes, including zero and 0xff: many shared prefixes and equal
  /// keys.
  std::string RandomKey() {
    std::string key(random_.Uniform(random_.OneIn(10) ? 40 : 12), '\0');
    for (char& c : key) c = "\0\1a\x7f\x80\xff"[random_.Uniform(6)];
    return key;
  }

  const KeyOrder order_;
  Arena arena_;
  SkipList list_{order_, &arena_};
  Random random_{301};
  testing::Entries model_{testing::LessByOrder{order_}};  // by internal key
};

INSTANTIATE_TEST_SUITE_P(Orders, SkipListTest, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "Reverse" : "Bytewise"; });

TEST_P(SkipListTest, Empty) {
  SkipList::Cursor cursor(&list_, 0, kMaxSequence);
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToFirst();
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToLast();
  EXPECT_FALSE(cursor.Valid());
  cursor.Seek(MakeInternalKey("k", 1, kKindForSeek));
  EXPECT_FALSE(cursor.Valid());
}

TEST_P(SkipListTest, RandomKeysAgainstAModel) {
  constexpr SequenceNumber kEntries = 5000;
  for (SequenceNumber sequence = 1; sequence <= kEntries; ++sequence) {
    Insert(RandomKey(), sequence, std::string(random_.Uniform(50), 'v'));
    if (sequence == 1 || sequence == 40) CheckWalks();
  }
  for (int i = 0; i < 5000; ++i) CheckFind(RandomKey(), random_.Uniform(kEntries + 5));
  const std::vector<std::pair<SequenceNumber, SequenceNumber>> readers = {
      {0, kMaxSequence}, {kMaxSequence, kMaxSequence}, {0, 0}, {1, 1}, {2500, 2500}, {4900, 4900},
      {100, 200},        {4900, kMaxSequence}};
  for (const auto& [oldest, newest] : readers) {
    CheckWalks(oldest, newest);
    CheckSeeks(oldest, newest, kEntries);
  }
}

// Chains of every length up to some thousands, and every reader of some of them.
TEST_P(SkipListTest, ManyEntriesOfAKey) {
  constexpr SequenceNumber kEntries = 3000;
  for (SequenceNumber sequence = 1; sequence <= kEntries; ++sequence) {
    const std::string key(1, "abc"[sequence % 7 == 0 ? 0 : (sequence % 100 == 1 ? 2 : 1)]);
    Insert(key, sequence, std::to_string(sequence));
    if (sequence > 70 && sequence < kEntries) continue;
    for (SequenceNumber reader = 0; reader <= sequence + 1; ++reader) {
      for (const char* wanted : {"a", "b", "c"}) CheckFind(wanted, reader);
    }
    for (SequenceNumber reader = 0; reader <= 70; ++reader) CheckWalks(reader, reader);
  }
  CheckWalks();
  CheckWalks(1000, 1010);
}

// An old reader of a hot key must not walk along all newer entries. With the walk, this takes
// minutes.
TEST_P(SkipListTest, OldReadersOfAHotKeyDoNotWalk) {
  constexpr SequenceNumber kEntries = 100'000;
  const uint64_t before = arena_.MemoryBytes();
  for (SequenceNumber sequence = 1; sequence <= kEntries; ++sequence)
    list_.Insert("hot", PackTrailer(sequence, ValueKind::kValue), "");
  // A node with an upper link in four, a key, and on average one and a half pointers of the chain.
  EXPECT_LT(arena_.MemoryBytes() - before, kEntries * 68 + (1 << 20));
  for (SequenceNumber sequence = 1; sequence <= kEntries; ++sequence) {
    const auto found = list_.Find(MakeInternalKey("hot", sequence, kKindForSeek));
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->trailer, PackTrailer(sequence, ValueKind::kValue));
  }
}

// A cursor stands at an entry while newer ones replace it and its neighbors.
TEST_P(SkipListTest, InsertsUnderACursor) {
  SequenceNumber sequence = 0;
  while (sequence < 200) {
    ++sequence;
    Insert(std::string(1, static_cast<char>('a' + random_.Uniform(20))), sequence, "v");
  }
  const SequenceNumber reader = sequence;
  const testing::Entries shown = Shown(reader, reader);
  for (auto at = shown.begin(); at != shown.end(); ++at) {
    SkipList::Cursor forward(&list_, reader, reader);
    forward.Seek(at->first);
    SkipList::Cursor backward = forward;
    for (auto expected = at; expected != shown.end(); ++expected) {
      ASSERT_TRUE(forward.Valid());
      ASSERT_EQ(forward.key().ToString(), expected->first);
      for (int i = 0; i < 5; ++i) Insert(RandomKey(), ++sequence, "new");
      for (const char near : {'a', 'f', 'k', 'p'})
        Insert(std::string(1, static_cast<char>(near + random_.Uniform(5))), ++sequence, "new");
      forward.Next();
    }
    EXPECT_FALSE(forward.Valid());
    for (auto expected = std::make_reverse_iterator(std::next(at)); expected != shown.rend();
         ++expected) {
      ASSERT_TRUE(backward.Valid());
      ASSERT_EQ(backward.key().ToString(), expected->first);
      Insert(UserKeyOf(backward.key()).ToString(), ++sequence, "new");
      backward.Prev();
    }
    EXPECT_FALSE(backward.Valid());
  }
  CheckWalks();
}

TEST_P(SkipListTest, SharesOfARange) {
  const auto at = [](const std::string& key) {
    return MakeInternalKey(key, kMaxSequence, kKindForSeek);
  };
  const std::string first = at("");
  const std::string last = at(std::string(500, '\xff'));
  const std::string& start = GetParam() ? last : first;
  const std::string& limit = GetParam() ? first : last;
  EXPECT_EQ(list_.ShareBetween(start, limit), 0.0);
  for (SequenceNumber sequence = 1; sequence <= 20000; ++sequence)
    Insert(RandomKey() + 'k', sequence, "v");
  EXPECT_EQ(list_.ShareBetween(start, limit), 1.0);
  EXPECT_EQ(list_.ShareBetween(limit, start), 0.0);
  const testing::Entries keys = Shown(kMaxSequence, kMaxSequence);
  double before = 0;
  size_t position = 0;
  for (const auto& [key, value] : keys) {
    if (position++ % 100 != 0) continue;
    const double share = list_.ShareBetween(start, key);
    EXPECT_GE(share, before);
    before = share;
    EXPECT_NEAR(share, static_cast<double>(position - 1) / static_cast<double>(keys.size()), 0.2);
    EXPECT_EQ(list_.ShareBetween(key, key), 0.0);
  }
}

// Ascending runs, descending runs, jumps, and overwrites of all these: the remembered position is
// right or wrong in every way.
TEST_P(SkipListTest, RunsOfKeys) {
  SequenceNumber sequence = 0;
  for (int run = 0; run < 300; ++run) {
    uint64_t at = random_.Uniform(run % 2 == 0 ? 100'000 : 300);
    const uint64_t step = random_.Uniform(3) * 7;
    const bool down = random_.OneIn(3);
    for (uint64_t i = random_.Uniform(40); i > 0; --i) {
      std::string key = std::to_string(1'000'000 + at);
      Insert(key, ++sequence, key);
      at = down ? at - std::min(at, step) : at + step;
    }
  }
  CheckWalks();
}

TEST_P(SkipListTest, LargeEntries) {
  Insert(std::string(100'000, 'k'), 1, std::string(3 << 20, 'v'));
  Insert(std::string(100'001, 'k'), 2, "");
  Insert("", 3, std::string(100'000, 'w'));
  CheckWalks();
}

}  // namespace
}  // namespace lull
