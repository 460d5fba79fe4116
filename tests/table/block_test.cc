// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/block.h"

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/table/table_test_util.h"

namespace lull::testing {
namespace {

TEST(BlockTest, RefusesImpossibleShapes) {
  using namespace std::string_literals;
  Block block;
  for (const std::string& bytes :
       {""s, "abc"s, "\xff\xff\xff\xff"s,
        "\x02\0\0\0\x02\0\0\0"s,                           // no room for its restart points
        "entry\0\0\0\0"s, "\0\1\1ab\1\0\0\0\1\0\0\0"s}) {  // none at the beginning
    EXPECT_NE(nullptr, block.Parse(bytes)) << ::testing::PrintToString(bytes);
  }
  for (const auto& [bytes, restarts] : {std::pair{"\0\0\0\0"s, 0u},
                                        {"\0\0\0\0\1\0\0\0"s, 0u},  // empty, as it is written
                                        {"\0\1\1ab\0\0\0\0\1\0\0\0"s, 1u}}) {
    EXPECT_EQ(nullptr, block.Parse(bytes));
    EXPECT_EQ(restarts, block.restart_count());
  }
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
  const KeyOrder user = UserOrder();
  const std::string good = Lengths(0, 1, 1) + "kv";
  const std::string bad[] = {Lengths(2, 1, 0) + "k",  // shares too much
                             Lengths(0, 2, 0) + "k",  // key too long
                             Lengths(0, 1, 9) + "kvv",
                             Lengths(0, 0xffffffff, 0xffffffff) + "k",  // sums exceed 32 bits
                             Lengths(0, 0xffffffff, 2) + "k",
                             "\x80\x80\x80\x80\x80\x80",  // endless varint
                             std::string(1, '\0')};       // cut short
  for (const std::string& entry : bad) EXPECT_EQ(1, EntriesBeforeDamage(good + entry, user));
  EXPECT_EQ(-1, EntriesBeforeDamage(good, user));
  EXPECT_EQ(0, EntriesBeforeDamage(good, InternalOrder()));  // no room for a trailer
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
}  // namespace lull::testing
