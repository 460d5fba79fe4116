// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace lull {
namespace {

uint32_t HashOf(const std::vector<unsigned char>& bytes, uint32_t seed) {
  return Hash(reinterpret_cast<const char*>(bytes.data()), bytes.size(), seed);
}

// These values are part of the file format: filters on disk depend on them. (bloom_test compares
// whole filters with LevelDB's.)
TEST(Hash, ValuesNeverChange) {
  constexpr uint32_t kSeed = 0xbc9f1d34u;
  EXPECT_EQ(Hash(nullptr, 0, kSeed), kSeed);
  EXPECT_EQ(HashOf({0x62}, kSeed), 0xef1345c4u);
  EXPECT_EQ(HashOf({0xc3, 0x97}, kSeed), 0x5b663814u);
  EXPECT_EQ(HashOf({0xe2, 0x99, 0xa5}, kSeed), 0x323c078fu);
  EXPECT_EQ(HashOf({0xe1, 0x80, 0xb9, 0x32}, kSeed), 0xed21633au);
}

}  // namespace
}  // namespace lull
