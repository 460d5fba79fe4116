// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/dbformat.h"

#include <gtest/gtest.h>

#include <string>

#include "leveldb/comparator.h"

namespace lull {
namespace {

TEST(DbFormatTest, InternalKeyBytes) {
  EXPECT_EQ(MakeInternalKey("ab", 0x0102, ValueKind::kValue),
            std::string("ab\x01\x02\x01\0\0\0\0\0", 10));
  EXPECT_EQ(MakeInternalKey("", kMaxSequence, ValueKind::kDeletion),
            std::string("\0\xff\xff\xff\xff\xff\xff\xff", 8));
}

TEST(DbFormatTest, ParseRefusesMalformedKeys) {
  ParsedInternalKey parsed;
  EXPECT_FALSE(ParseInternalKey("", &parsed));
  EXPECT_FALSE(ParseInternalKey("1234567", &parsed));
  EXPECT_FALSE(ParseInternalKey(std::string("k\x02\0\0\0\0\0\0\0", 9), &parsed));
}

// Sizes around the limit up to which the key is stored on the stack.
TEST(DbFormatTest, LookupKeyOfAnySize) {
  const KeyOrder order(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal);
  for (const size_t size : {0, 1, 191, 192, 193, 100'000}) {
    const std::string user_key(size, 'u');
    const LookupKey key(user_key, 42);
    EXPECT_EQ(key.user_key().ToString(), user_key);
    EXPECT_EQ(key.sequence(), 42u);
    EXPECT_EQ(key.internal_key().size(), size + 8);
    // Before every entry that it may see, after the newer ones.
    EXPECT_LE(order.Compare(key.internal_key(), MakeInternalKey(user_key, 42, ValueKind::kValue)),
              0);
    EXPECT_LT(
        order.Compare(key.internal_key(), MakeInternalKey(user_key, 42, ValueKind::kDeletion)), 0);
    EXPECT_GT(
        order.Compare(key.internal_key(), MakeInternalKey(user_key, 43, ValueKind::kDeletion)), 0);
  }
}

}  // namespace
}  // namespace lull
