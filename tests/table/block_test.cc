// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/block.h"

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"

namespace lull {
namespace {

using testing::Entries;
using testing::Slice;

std::string BuildBlock(const Entries& entries, int restart_interval) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : entries) {
    EXPECT_TRUE(builder.Fits(key, value));
    builder.Add(key, value);
  }
  const size_t expected_bytes = builder.ByteCount();
  std::string contents = builder.Finish().ToString();
  EXPECT_EQ(expected_bytes, contents.size());
  return contents;
}

TEST(BlockTest, HoldsWhatWasAddedInEveryOrderAndInterval) {
  const KeyOrder orders[] = {testing::UserOrder(),
                             {testing::ReverseComparator(), KeyOrder::Keys::kUser},
                             testing::InternalOrder(),
                             {testing::ReverseComparator(), KeyOrder::Keys::kInternal}};
  Random random(301);
  for (const KeyOrder& order : orders) {
    for (const int interval : {-1, 1, 2, 3, 16, 1000}) {
      for (const size_t count : {0, 1, 2, 17, 200}) {
        const Entries entries = testing::RandomEntries(&random, order, count, 40);
        const std::string contents = BuildBlock(entries, interval);
        Block block;
        ASSERT_EQ(nullptr, block.Parse(contents));
        BlockCursor cursor;
        cursor.Reset(block, order);
        ASSERT_FALSE(cursor.Valid());
        auto expected = entries.begin();
        for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), ++expected) {
          ASSERT_EQ(expected->first, cursor.key().ToString());
          ASSERT_EQ(expected->second, cursor.value().ToString());
        }
        ASSERT_EQ(expected, entries.end());
        auto backward = entries.rbegin();
        for (cursor.SeekToLast(); cursor.Valid(); cursor.Prev(), ++backward) {
          ASSERT_EQ(backward->first, cursor.key().ToString());
          ASSERT_EQ(backward->second, cursor.value().ToString());
        }
        ASSERT_EQ(backward, entries.rend());
        for (int i = 0; i < 100; ++i) {
          const std::string target = testing::RandomKey(&random, order);
          cursor.Seek(order, target);
          const auto found = entries.lower_bound(target);
          ASSERT_EQ(found != entries.end(), cursor.Valid());
          if (cursor.Valid()) {
            ASSERT_EQ(found->first, cursor.key().ToString());
          }
        }
        ASSERT_EQ(nullptr, cursor.damage());
      }
    }
  }
}

TEST(BlockTest, RefusesImpossibleShapes) {
  Block block;
  EXPECT_NE(nullptr, block.Parse(Slice()));
  EXPECT_NE(nullptr, block.Parse(Slice("abc", 3)));
  // No room for that many restart points.
  EXPECT_NE(nullptr, block.Parse(Slice("\xff\xff\xff\xff", 4)));
  EXPECT_NE(nullptr, block.Parse(Slice("\x02\0\0\0\x02\0\0\0", 8)));
  EXPECT_NE(nullptr, block.Parse(Slice("entry\0\0\0\0", 9)));  // entries but no restart point
  // The first restart point is not at the beginning.
  EXPECT_NE(nullptr, block.Parse(Slice("\0\1\1ab\1\0\0\0\1\0\0\0", 13)));
  EXPECT_EQ(nullptr, block.Parse(Slice("\0\0\0\0", 4)));
  EXPECT_EQ(0u, block.restart_count());
  EXPECT_EQ(nullptr, block.Parse(Slice("\0\0\0\0\1\0\0\0", 8)));  // an empty block as it is written
  EXPECT_EQ(0u, block.restart_count());
  EXPECT_EQ(nullptr, block.Parse(Slice("\0\1\1ab\0\0\0\0\1\0\0\0", 13)));
  EXPECT_EQ(1u, block.restart_count());
}

/// Walks over a one-restart block with these entries; returns the number of entries before the
/// damage.
int EntriesBeforeDamage(const std::string& entries, const KeyOrder& order) {
  std::string contents = entries;
  PutFixed32(&contents, 0);
  PutFixed32(&contents, 1);
  // In separate memory, so that the address sanitizer detects a step too far.
  auto exact = std::make_unique<char[]>(contents.size());
  std::memcpy(exact.get(), contents.data(), contents.size());
  Block block;
  EXPECT_EQ(nullptr, block.Parse(Slice(exact.get(), contents.size())));
  BlockCursor cursor;
  cursor.Reset(block, order);
  int seen = 0;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) ++seen;
  return cursor.damage() == nullptr ? -1 : seen;
}

std::string Lengths(uint32_t shared, uint32_t fresh, uint32_t value) {
  std::string out;
  PutVarint32(&out, shared);
  PutVarint32(&out, fresh);
  PutVarint32(&out, value);
  return out;
}

TEST(BlockTest, DamagedEntriesEndTheWalk) {
  const KeyOrder user = testing::UserOrder();
  const std::string good = Lengths(0, 1, 1) + "kv";
  EXPECT_EQ(-1, EntriesBeforeDamage(good, user));
  EXPECT_EQ(1, EntriesBeforeDamage(good + Lengths(2, 1, 0) + "k", user));    // shares too much
  EXPECT_EQ(1, EntriesBeforeDamage(good + Lengths(0, 2, 0) + "k", user));    // key too long
  EXPECT_EQ(1, EntriesBeforeDamage(good + Lengths(0, 1, 9) + "kvv", user));  // value too long
  // Sums exceed 32 bits.
  EXPECT_EQ(1, EntriesBeforeDamage(good + Lengths(0, 0xffffffff, 0xffffffff) + "k", user));
  EXPECT_EQ(1, EntriesBeforeDamage(good + Lengths(0, 0xffffffff, 2) + "k", user));
  EXPECT_EQ(1, EntriesBeforeDamage(good + "\x80\x80\x80\x80\x80\x80", user));  // endless varint
  EXPECT_EQ(1, EntriesBeforeDamage(good + std::string(1, '\0'), user));        // cut short
  EXPECT_EQ(0, EntriesBeforeDamage(good, testing::InternalOrder()));  // no room for a trailer
}

TEST(BlockBuilderTest, RefusesWhatOffsetsCannotReach) {
  const BlockBuilder builder(16);
  const char byte = 'x';
  EXPECT_TRUE(builder.Fits("key", Slice(&byte, size_t{1} << 31)));
  EXPECT_FALSE(builder.Fits("key", Slice(&byte, UINT32_MAX)));
  EXPECT_FALSE(builder.Fits("key", Slice(&byte, SIZE_MAX)));
  EXPECT_FALSE(builder.Fits(Slice(&byte, UINT32_MAX), "value"));
  EXPECT_FALSE(builder.Fits(Slice(&byte, size_t{1} << 31), Slice(&byte, size_t{1} << 31)));
}

}  // namespace
}  // namespace lull
