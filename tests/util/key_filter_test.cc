// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/key_filter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lull {
namespace {

std::string KeyOf(uint64_t i) { return "key" + std::to_string(i); }

KeyFilter FilterOf(const std::vector<std::string>& keys) {
  std::vector<uint32_t> hashes;
  for (const std::string& key : keys) hashes.push_back(KeyFilter::HashOf(key));
  return KeyFilter(hashes);
}

std::vector<std::string> Keys(uint64_t count) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < count; ++i) keys.push_back(KeyOf(i));
  return keys;
}

// The share of `asked` keys that were not added but match.
double FalsePositives(const KeyFilter& filter, uint64_t asked) {
  uint64_t passed = 0;
  for (uint64_t i = 0; i < asked; ++i) {
    passed += filter.MayContain(KeyFilter::Query("other" + std::to_string(i))) ? 1 : 0;
  }
  return static_cast<double>(passed) / static_cast<double>(asked);
}

TEST(KeyFilterTest, HasEveryKeyThatWasAddedAndFewOthers) {
  for (const uint64_t keys : {1u, 50u, 51u, 1000u, 300'000u}) {
    const KeyFilter filter = FilterOf(Keys(keys));
    for (uint64_t i = 0; i < keys; ++i) {
      ASSERT_TRUE(filter.MayContain(KeyFilter::Query(KeyOf(i)))) << i << " of " << keys;
    }
    EXPECT_LT(FalsePositives(filter, 20'000), 0.025) << keys;
  }
}

TEST(KeyFilterTest, AnEmptyOneHasNothing) { EXPECT_EQ(FalsePositives(FilterOf({}), 1000), 0.0); }

TEST(KeyFilterTest, TellsKeysOfAnyBytes) {
  const KeyFilter filter = FilterOf({"", std::string("\0", 1), std::string(3000, '\xff')});
  EXPECT_TRUE(filter.MayContain(KeyFilter::Query("")));
  EXPECT_TRUE(filter.MayContain(KeyFilter::Query(std::string("\0", 1))));
  EXPECT_TRUE(filter.MayContain(KeyFilter::Query(std::string(3000, '\xff'))));
  EXPECT_FALSE(filter.MayContain(KeyFilter::Query(std::string("\0\0", 2))));
  EXPECT_FALSE(filter.MayContain(KeyFilter::Query(std::string(2999, '\xff'))));
}

TEST(KeyFilterTest, TakesTenBitsAKey) {
  EXPECT_NEAR(static_cast<double>(FilterOf(Keys(1'000'000)).MemoryBytes()), 1'250'000, 20'000);
  EXPECT_EQ(FilterOf({}).MemoryBytes(), 64u);
}

TEST(KeyFilterTest, ItsBytesMakeTheSameFilter) {
  const KeyFilter filter = FilterOf(Keys(1000));
  const std::unique_ptr<const KeyFilter> copy = KeyFilter::FromBytes(filter.bytes());
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->bytes().ToString(), filter.bytes().ToString());
  for (uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(copy->MayContain(KeyFilter::Query(KeyOf(i)))) << i;
  EXPECT_LT(FalsePositives(*copy, 20'000), 0.025);
}

TEST(KeyFilterTest, OtherCountsOfBytesMakeNone) {
  const std::string bytes = FilterOf(Keys(100)).bytes().ToString();
  for (const size_t count : {size_t{0}, size_t{63}, bytes.size() - 1})
    EXPECT_EQ(KeyFilter::FromBytes({bytes.data(), count}), nullptr) << count;
}

// Files contain filters: a change of the hash or of the bits would hide their keys from reads.
TEST(KeyFilterTest, ItsBitsNeverChange) {
  const std::string bytes = FilterOf({"lull", "level", ""}).bytes().ToString();
  std::string set;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    if ((static_cast<unsigned char>(bytes[bit / 8]) >> (bit % 8) & 1) != 0)
      set += std::to_string(bit) + " ";
  }
  EXPECT_EQ(set, "35 43 85 105 240 278 302 331 341 353 365 374 394 397 424 432 436 451 ");
}

}  // namespace
}  // namespace lull
