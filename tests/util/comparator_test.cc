// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/comparator.h"

#include <gtest/gtest.h>

#include <string>

#include "leveldb/slice.h"

namespace leveldb {
namespace {

std::string Separator(std::string start, const std::string& limit) {
  BytewiseComparator()->FindShortestSeparator(&start, limit);
  return start;
}

std::string Successor(std::string key) {
  BytewiseComparator()->FindShortSuccessor(&key);
  return key;
}

TEST(BytewiseComparator, HasItsNameAndIsOneObject) {
  EXPECT_STREQ(BytewiseComparator()->Name(), "leveldb.BytewiseComparator");
  EXPECT_EQ(BytewiseComparator(), BytewiseComparator());
}

TEST(BytewiseComparator, OrdersUnsignedBytes) {
  const Comparator* const order = BytewiseComparator();
  EXPECT_LT(order->Compare("a", "b"), 0);
  EXPECT_LT(order->Compare("a", "aa"), 0);
  EXPECT_EQ(order->Compare("", ""), 0);
  EXPECT_GT(order->Compare("\xff", "\x7f"), 0);
  EXPECT_GT(order->Compare(Slice("a\0", 2), Slice("a")), 0);
}

TEST(BytewiseComparator, SeparatorsAsLevelDbMakesThem) {
  EXPECT_EQ(Separator("foo", "foo"), "foo");
  EXPECT_EQ(Separator("foo", "foobar"), "foo");
  EXPECT_EQ(Separator("foobar", "foo"), "foobar");
  EXPECT_EQ(Separator("foo", "hello"), "g");
  EXPECT_EQ(Separator("abcdef", "abzz"), "abd");
  EXPECT_EQ(Separator("abc", "abd"), "abc");
  EXPECT_EQ(Separator("hello", "foo"), "hello");
  EXPECT_EQ(Separator("\x7fx", "\x81"), "\x80");
  EXPECT_EQ(Separator("", "a"), "");
}

TEST(BytewiseComparator, SuccessorsAsLevelDbMakesThem) {
  EXPECT_EQ(Successor("foo"), "g");
  EXPECT_EQ(Successor("\xff\xff"), "\xff\xff");
  EXPECT_EQ(Successor("\xff\x7fx"), "\xff\x80");
  EXPECT_EQ(Successor(""), "");
}

}  // namespace
}  // namespace leveldb
