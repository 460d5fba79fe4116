// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/filter_block.h"

#include <gtest/gtest.h>

#include "leveldb/filter_policy.h"
#include "util/coding.h"

namespace lull {
namespace {

using leveldb::Slice;

/// A filter that lists its keys: no false matches.
class ExactPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return "test.Exact"; }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    for (int i = 0; i < n; ++i) PutLengthPrefixed(dst, keys[i]);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    Slice rest = filter;
    Slice stored;
    while (GetLengthPrefixed(&rest, &stored)) {
      if (stored == key) return true;
    }
    return false;
  }
};

TEST(FilterBlockTest, EmptyBlockIsAsTheFormatSays) {
  const ExactPolicy policy;
  FilterBlockBuilder builder(&policy);
  const Slice contents = builder.Finish();
  EXPECT_EQ(std::string("\0\0\0\0\x0b", 5), contents.ToString());
  FilterBlockReader reader;
  ASSERT_EQ(nullptr, reader.Open(&policy, contents));
  EXPECT_TRUE(reader.MayMatch(0, "anything"));
  EXPECT_TRUE(reader.MayMatch(100000, "anything"));
}

TEST(FilterBlockTest, FiltersCoverTheBlocksThatBeginInTheirRange) {
  const ExactPolicy policy;
  FilterBlockBuilder builder(&policy);
  builder.StartBlock(0);
  builder.AddKey("a");
  builder.StartBlock(2000);
  builder.AddKey("b");
  builder.StartBlock(3100);
  builder.AddKey("c");
  builder.StartBlock(9000);
  builder.AddKey("d");
  builder.AddKey("");
  FilterBlockReader reader;
  ASSERT_EQ(nullptr, reader.Open(&policy, builder.Finish()));
  EXPECT_TRUE(reader.MayMatch(0, "a"));
  EXPECT_TRUE(reader.MayMatch(2000, "b"));
  EXPECT_FALSE(reader.MayMatch(0, "c"));
  EXPECT_TRUE(reader.MayMatch(3100, "c"));
  EXPECT_FALSE(reader.MayMatch(3100, "a"));
  EXPECT_FALSE(reader.MayMatch(4100, "c"));  // no block begins there
  EXPECT_TRUE(reader.MayMatch(9000, "d"));
  EXPECT_TRUE(reader.MayMatch(9000, ""));
  EXPECT_FALSE(reader.MayMatch(9000, "a"));
  EXPECT_TRUE(reader.MayMatch(uint64_t{1} << 40, "a"));  // not covered
}

/// Has no filter for some keys: then every key may match.
class FicklePolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return "test.Fickle"; }
  void CreateFilter(const Slice* keys, int, std::string* dst) const override {
    if (keys[0] != Slice("a")) dst->append("full");
  }
  bool KeyMayMatch(const Slice&, const Slice& filter) const override { return filter.empty(); }
};

TEST(FilterBlockTest, ThePolicyJudgesAnEmptyFilterToo) {
  const FicklePolicy policy;
  FilterBlockBuilder builder(&policy);
  builder.StartBlock(0);
  builder.AddKey("a");
  builder.StartBlock(3000);
  builder.AddKey("b");
  FilterBlockReader reader;
  ASSERT_EQ(nullptr, reader.Open(&policy, builder.Finish()));
  EXPECT_TRUE(reader.MayMatch(0, "a"));
  EXPECT_FALSE(reader.MayMatch(3000, "b"));
}

TEST(FilterBlockTest, DamageNeverHidesAKey) {
  const ExactPolicy policy;
  FilterBlockReader reader;
  EXPECT_TRUE(reader.MayMatch(0, "key"));
  EXPECT_NE(nullptr, reader.Open(&policy, "1234"));
  EXPECT_TRUE(reader.MayMatch(0, "key"));
  EXPECT_NE(nullptr, reader.Open(&policy, Slice("\x01\0\0\0\x0b", 5)));  // offsets past the end
  EXPECT_NE(nullptr, reader.Open(&policy, Slice("\0\0\0\0\x40", 5)));    // ranges of 2^64 bytes
  EXPECT_TRUE(reader.MayMatch(0, "key"));
  // The end of the first filter is past the filters; the second one ends before it begins.
  ASSERT_EQ(nullptr, reader.Open(&policy, Slice("ff\x01\0\0\0\x09\0\0\0\x02\0\0\0\x0b", 15)));
  EXPECT_TRUE(reader.MayMatch(0, "key"));
  EXPECT_TRUE(reader.MayMatch(2048, "key"));
}

}  // namespace
}  // namespace lull
