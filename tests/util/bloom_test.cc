// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "util/coding.h"

namespace leveldb {
namespace {

std::unique_ptr<const FilterPolicy> Policy(int bits_per_key) {
  return std::unique_ptr<const FilterPolicy>(NewBloomFilterPolicy(bits_per_key));
}

std::string FilterOf(const FilterPolicy& policy, const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::string filter = "before";
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  EXPECT_EQ(filter.substr(0, 6), "before");
  return filter.substr(6);
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    for (const int shift : {4, 0}) text += "0123456789abcdef"[byte >> shift & 15];
  }
  return text;
}

std::string NumberKey(uint32_t number) {
  std::string key;
  lull::PutFixed32(&key, number);
  return key;
}

TEST(Bloom, NameIsFormat) { EXPECT_STREQ(Policy(10)->Name(), "leveldb.BuiltinBloomFilter2"); }

// Made by LevelDB 1.23.
TEST(Bloom, BytesAreLevelDbs) {
  std::vector<std::string> numbered, high_bytes;
  for (int i = 0; i < 20; i++) numbered.push_back("key" + std::to_string(i * 7919));
  for (int n = 0; n < 12; n++) {
    std::string key;
    for (int j = 0; j < n; j++) key.push_back(static_cast<char>(0xf8 - j * 13 - n));
    high_bytes.push_back(key);
  }
  EXPECT_EQ(Hex(FilterOf(*Policy(10), {})), "000000000000000006");
  EXPECT_EQ(Hex(FilterOf(*Policy(10), {"hello"})), "014000010410400006");
  EXPECT_EQ(Hex(FilterOf(*Policy(10), {"hello", "world"})), "114000414410401006");
  EXPECT_EQ(Hex(FilterOf(*Policy(10), numbered)),
            "87e00156025fc105300e8d73807420cb4f887d086222f546d006");
  EXPECT_EQ(Hex(FilterOf(*Policy(1), numbered)), "50a850000048151401");
  EXPECT_EQ(Hex(FilterOf(*Policy(0), numbered)), "50a850000048151401");
  EXPECT_EQ(Hex(FilterOf(*Policy(16), high_bytes)),
            "3849be212fbd21e2d2066d56eb5a79ba2a6e02be4c408d670b");
  EXPECT_EQ(Hex(FilterOf(*Policy(100), {"a"})), "0b00000000c07f0000000000f81e");
}

TEST(Bloom, NeverForgetsAKeyAndRarelyInventsOne) {
  const auto policy = Policy(10);
  for (const uint32_t count : {1u, 10u, 100u, 1000u, 20000u}) {
    std::vector<std::string> keys;
    for (uint32_t i = 0; i < count; i++) keys.push_back(NumberKey(i));
    const std::string filter = FilterOf(*policy, keys);
    EXPECT_LE(filter.size(), count * 10 / 8 + 40);
    for (const std::string& key : keys) ASSERT_TRUE(policy->KeyMayMatch(key, filter));
    int invented = 0;
    for (uint32_t i = 0; i < 10000; i++)
      invented += policy->KeyMayMatch(NumberKey(i + 1000000000), filter);
    EXPECT_LE(invented, 200) << count;
  }
}

TEST(Bloom, FiltersThatMakeNoSenseRuleNothingOut) {
  const auto policy = Policy(10);
  EXPECT_FALSE(policy->KeyMayMatch("key", ""));
  EXPECT_TRUE(policy->KeyMayMatch("key", Slice("\x06", 1)));
  for (int probes = 31; probes < 256; probes++) {
    std::string filter(9, '\0');
    filter.back() = static_cast<char>(probes);
    EXPECT_TRUE(policy->KeyMayMatch("key", filter)) << probes;
  }
}

TEST(Bloom, ReadsFiltersOfAnyOtherSetting) {
  const auto reader = Policy(10);
  for (const int bits : {-5, 0, 1, 3, 20, 44, 1000}) {
    const std::vector<std::string> keys = {"a", "", "long key with several words"};
    const std::string filter = FilterOf(*Policy(bits), keys);
    for (const std::string& key : keys) EXPECT_TRUE(reader->KeyMayMatch(key, filter)) << bits;
  }
}

}  // namespace
}  // namespace leveldb
