// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <vector>

#include "util/arena.h"

namespace lull {
namespace {

TEST(BlockPool, GivesAgainWhatItWasGiven) {
  BlockPool pool(4096);
  std::vector<BlockPool::Block> blocks;
  std::set<char*> known;
  for (int i = 0; i < 4; i++) {
    blocks.push_back(pool.Take());
    known.insert(blocks.back());
  }
  EXPECT_EQ(known.size(), 4u);
  pool.Give(blocks);
  std::vector<BlockPool::Block> again;
  for (int i = 0; i < 4; i++) {
    again.push_back(pool.Take());
    EXPECT_EQ(known.erase(again.back()), 1u);
    again.back()[0] = again.back()[4095] = 'x';  // free blocks may not be accessed, this one may
  }
}

// Each call may release memory, so the pool tries again after it.
TEST(BlockPool, CallsTheNewHandlerWithoutMemory) {
  static int calls = 0;
  const std::new_handler before = std::set_new_handler([] {
    if (++calls == 3) throw std::bad_alloc();
  });
  BlockPool pool(SIZE_MAX / 4 * 3);  // more than the address space has in one piece
  EXPECT_THROW(pool.Take(), std::bad_alloc);
  std::set_new_handler(nullptr);
  EXPECT_THROW(pool.Take(), std::bad_alloc);
  std::set_new_handler(before);
  EXPECT_EQ(calls, 3);
}

TEST(BlockPool, TrimReleasesMemory) {
  BlockPool pool(4096);
  std::vector<BlockPool::Block> blocks;
  for (int i = 0; i < 600; i++) {  // several mappings
    blocks.push_back(pool.Take());
    blocks.back()[0] = 'x';
  }
  pool.Give(blocks);
  pool.TrimTo(0);
  for (int i = 0; i < 600; i++) EXPECT_EQ(*pool.Take(), '\0') << "has no page of its own";
}

TEST(BlockPool, CountsWhatIsUsedAndWhatIsWarm) {
  BlockPool pool(4096);
  const auto expect = [&](uint64_t used, uint64_t warm) {
    EXPECT_EQ(pool.used_bytes(), used * 4096);
    EXPECT_EQ(pool.warm_bytes(), warm * 4096);
  };
  expect(0, 0);
  std::vector<BlockPool::Block> blocks;
  for (int i = 0; i < 8; i++) blocks.push_back(pool.Take());
  expect(8, 0);
  blocks.push_back(pool.Take());
  expect(9, 7);  // as many more as were in use
  pool.Give(blocks);
  expect(0, 16);
  pool.TrimTo(3 * 4096);
  expect(0, 3);
  for (int i = 0; i < 5; i++) pool.Take();
  expect(5, 1);  // three warm blocks, then two of three that become warm at once
}

TEST(BlockPool, LargePiecesOfArenasCountAsUsed) {
  const auto pool = std::make_shared<BlockPool>(4096);
  {
    Arena arena(pool);
    arena.Allocate(8);
    EXPECT_EQ(pool->used_bytes(), 4096u);
    arena.Allocate(100'000);
    arena.Allocate(50'000);
    EXPECT_EQ(pool->used_bytes(), 154'096u);
  }
  EXPECT_EQ(pool->used_bytes(), 0u);
}

TEST(BlockPool, ArenaReturnsItsBlocksButNotItsLargePieces) {
  const auto pool = std::make_shared<BlockPool>(4096);
  char* first = nullptr;
  {
    Arena arena(pool);
    arena.Allocate(100'000);  // allocated separately: not of the pool's size
    first = arena.Allocate(8);
  }
  EXPECT_EQ(pool->Take(), first);
}

}  // namespace
}  // namespace lull
