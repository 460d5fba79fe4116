// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/key_order.h"

#include <gtest/gtest.h>

#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"

namespace lull::testing {
namespace {

TEST(KeyOrderTest, InternalKeysAscendByUserKeyAndDescendBySequence) {
  const KeyOrder order = InternalOrder();
  EXPECT_LT(order.Compare(InternalKey("a", 1), InternalKey("b", 1)), 0);
  EXPECT_LT(order.Compare(InternalKey("a", 9), InternalKey("a", 1)), 0);
  EXPECT_LT(order.Compare(InternalKey("a", 256), InternalKey("a", 255)), 0);
  EXPECT_LT(order.Compare(InternalKey("a", 1), InternalKey("ab", 9)), 0);
  EXPECT_EQ(order.Compare(InternalKey("a", 1), InternalKey("a", 1)), 0);
  EXPECT_GT(KeyOrder(ReverseComparator(), KeyOrder::Keys::kInternal)
                .Compare(InternalKey("a", 1), InternalKey("b", 1)),
            0);
}

TEST(KeyOrderTest, OnlyWholeInternalKeysAreComparable) {
  EXPECT_FALSE(InternalOrder().Comparable("1234567"));
  EXPECT_TRUE(InternalOrder().Comparable("12345678"));
  EXPECT_TRUE(UserOrder().Comparable(""));
}

TEST(KeyOrderTest, SeparatorsOfInternalKeys) {
  const KeyOrder order = InternalOrder();
  const uint64_t last = (uint64_t{1} << 56) - 1;
  const auto separator = [&order](std::string a, const std::string& b) {
    order.ShortenSeparator(&a, b);
    return a;
  };
  const auto successor = [&order](std::string key) {
    order.ShortenSuccessor(&key);
    return key;
  };
  const std::string foo = InternalKey("foo", 100), foobar = InternalKey("foobar", 100);
  EXPECT_EQ(InternalKey("g", last), separator(foo, InternalKey("hello", 200)));
  // Same user key, a prefix, the wrong order: there is no shorter separator.
  EXPECT_EQ(foo, separator(foo, InternalKey("foo", 99)));
  EXPECT_EQ(foo, separator(foo, InternalKey("foobar", 200)));
  EXPECT_EQ(foobar, separator(foobar, InternalKey("foo", 200)));
  EXPECT_EQ(InternalKey("g", last), successor(foo));
  EXPECT_EQ(InternalKey("\xff\xff", 100), successor(InternalKey("\xff\xff", 100)));
}

TEST(KeyOrderTest, ShortenedKeysStayBetween) {
  Random random(5);
  for (const KeyOrder& order : {UserOrder(), InternalOrder()}) {
    for (int i = 0; i < 5000; ++i) {
      std::string a = RandomKey(&random, order);
      std::string b = RandomKey(&random, order);
      if (order.Compare(a, b) == 0) continue;
      if (order.Compare(a, b) > 0) std::swap(a, b);
      std::string between = a;
      order.ShortenSeparator(&between, b);
      ASSERT_LE(order.Compare(a, between), 0);
      ASSERT_LT(order.Compare(between, b), 0);
      ASSERT_LE(between.size(), a.size());
      std::string after = a;
      order.ShortenSuccessor(&after);
      ASSERT_LE(order.Compare(a, after), 0);
      ASSERT_LE(after.size(), a.size());
    }
  }
}

}  // namespace
}  // namespace lull::testing
