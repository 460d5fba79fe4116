// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/skiplist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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

  void Insert(const std::string& user_key, uint64_t trailer, const std::string& value) {
    list_.Insert(user_key, trailer, value);
    model_[InternalKey(user_key, trailer)] = value;
  }

  void CheckForward() {
    SkipList::Cursor cursor(&list_);
    cursor.SeekToFirst();
    for (const auto& [key, value] : model_) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key().ToString(), key);
      ASSERT_EQ(cursor.value().ToString(), value);
      cursor.Next();
    }
    EXPECT_FALSE(cursor.Valid());
  }

  void CheckBackward() {
    SkipList::Cursor cursor(&list_);
    cursor.SeekToLast();
    for (auto entry = model_.rbegin(); entry != model_.rend(); ++entry) {
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(cursor.key().ToString(), entry->first);
      cursor.Prev();
    }
    EXPECT_FALSE(cursor.Valid());
  }

  void CheckSeek(const std::string& internal_key) {
    SkipList::Cursor cursor(&list_);
    cursor.Seek(internal_key);
    const auto expected = model_.lower_bound(internal_key);
    ASSERT_EQ(cursor.Valid(), expected != model_.end());
    if (cursor.Valid()) {
      ASSERT_EQ(cursor.key().ToString(), expected->first);
    }
  }

  /// Short strings of few different bytes, including zero and 0xff: many shared prefixes and equal
  /// keys.
  std::string RandomKey() {
    std::string key(random_.Uniform(random_.OneIn(10) ? 40 : 12), '\0');
    for (char& c : key) c = "\0\1a\x7f\x80\xff"[random_.Uniform(6)];
    return key;
  }

  static std::string InternalKey(const std::string& user_key, uint64_t trailer) {
    std::string key = user_key;
    PutFixed64(&key, trailer);
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
  SkipList::Cursor cursor(&list_);
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToFirst();
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToLast();
  EXPECT_FALSE(cursor.Valid());
  cursor.Seek(InternalKey("k", 1));
  EXPECT_FALSE(cursor.Valid());
}

TEST_P(SkipListTest, RandomKeysAgainstAModel) {
  for (uint64_t trailer = 1; trailer <= 5000; ++trailer) {
    Insert(RandomKey(), trailer, std::string(random_.Uniform(50), 'v'));
  }
  CheckForward();
  CheckBackward();
  for (int i = 0; i < 5000; ++i) CheckSeek(InternalKey(RandomKey(), random_.Uniform(6000)));
}

TEST_P(SkipListTest, SharesOfARange) {
  const std::string first = InternalKey("", GetParam() ? 0 : UINT64_MAX);  // before or after all
  const std::string last = InternalKey(std::string(500, '\xff'), 1);
  const std::string& start = GetParam() ? last : first;
  const std::string& limit = GetParam() ? first : last;
  EXPECT_EQ(list_.ShareBetween(start, limit), 0.0);
  for (uint64_t trailer = 1; trailer <= 20000; ++trailer) Insert(RandomKey(), trailer, "v");
  EXPECT_EQ(list_.ShareBetween(start, limit), 1.0);
  EXPECT_EQ(list_.ShareBetween(limit, start), 0.0);
  double before = 0;
  int position = 0;
  for (const auto& [key, value] : model_) {
    if (position++ % 100 != 0) continue;
    const double share = list_.ShareBetween(start, key);
    EXPECT_GE(share, before);
    before = share;
    EXPECT_NEAR(share, (position - 1) / 20000.0, 0.2);
    EXPECT_EQ(list_.ShareBetween(key, key), 0.0);
  }
}

// Ascending runs, descending runs, and jumps: the remembered position is right or wrong in every
// way.
TEST_P(SkipListTest, RunsOfKeys) {
  uint64_t trailer = 0;
  for (int run = 0; run < 300; ++run) {
    uint64_t at = random_.Uniform(100'000);
    const uint64_t step = random_.Uniform(3) * 7;
    const bool down = random_.OneIn(3);
    for (uint64_t i = random_.Uniform(40); i > 0; --i) {
      std::string key = std::to_string(1'000'000 + at);
      Insert(key, ++trailer, key);
      at = down ? at - std::min(at, step) : at + step;
    }
  }
  CheckForward();
  CheckBackward();
}

TEST_P(SkipListTest, LargeEntries) {
  Insert(std::string(100'000, 'k'), 1, std::string(3 << 20, 'v'));
  Insert(std::string(100'001, 'k'), 2, "");
  Insert("", 3, std::string(100'000, 'w'));
  CheckForward();
}

}  // namespace
}  // namespace lull
