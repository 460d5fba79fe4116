// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "util/random.h"

namespace lull {
namespace {

TEST(Arena, PiecesAreAlignedAndApart) {
  Arena arena(std::make_shared<BlockPool>(4096));
  Random random(21);
  std::vector<std::pair<char*, size_t>> pieces;
  size_t requested = 0;
  for (int i = 0; i < 5000; i++) {
    const size_t size = 1 + (random.OneIn(50) ? random.Uniform(10000) : random.Uniform(100));
    char* const piece = arena.Allocate(size);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(piece) % alignof(void*), 0u);
    std::memset(piece, i % 251, size);
    pieces.emplace_back(piece, size);
    requested += size;
    ASSERT_GE(arena.MemoryBytes(), requested);
  }
  for (size_t i = 0; i < pieces.size(); i++) {
    for (size_t k = 0; k < pieces[i].second; k++)
      ASSERT_EQ(static_cast<unsigned char>(pieces[i].first[k]), i % 251);
  }
}

TEST(Arena, TakesMemoryOnlyAsNeeded) {
  Arena arena(std::make_shared<BlockPool>(64 << 10));
  EXPECT_EQ(arena.MemoryBytes(), 0u);
  arena.Allocate(8);
  const size_t one_block = arena.MemoryBytes();
  EXPECT_GE(one_block, size_t{64 << 10});
  for (int i = 0; i < 8000; i++) arena.Allocate(8);
  EXPECT_EQ(arena.MemoryBytes(), one_block);
}

TEST(Arena, LargePiecesDoNotWasteTheCurrentBlock) {
  Arena arena(std::make_shared<BlockPool>(64 << 10));
  char* const before = arena.Allocate(8);
  arena.Allocate(1 << 20);
  EXPECT_EQ(arena.Allocate(8), before + 8);
}

}  // namespace
}  // namespace lull
