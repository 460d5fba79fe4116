// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/block_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <utility>
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
    known.insert(blocks.back().get());
  }
  EXPECT_EQ(known.size(), 4u);
  pool.Give(std::move(blocks));
  std::vector<BlockPool::Block> again;
  for (int i = 0; i < 4; i++) {
    again.push_back(pool.Take());
    EXPECT_EQ(known.erase(again.back().get()), 1u);
    again.back()[0] = again.back()[4095] = 'x';  // free blocks may not be accessed, this one may
  }
}

TEST(BlockPool, TrimKeepsNoMoreThanAsked) {
  BlockPool pool(4096);
  std::vector<BlockPool::Block> blocks;
  std::set<char*> known;
  for (int i = 0; i < 8; i++) blocks.push_back(pool.Take());
  for (const auto& block : blocks) known.insert(block.get());
  pool.Give(std::move(blocks));
  pool.TrimTo(2 * 4096 + 4095);
  std::vector<BlockPool::Block> kept;
  kept.push_back(pool.Take());
  kept.push_back(pool.Take());
  EXPECT_TRUE(known.contains(kept[0].get()) && known.contains(kept[1].get()));
}

TEST(BlockPool, ArenaReturnsItsBlocksButNotItsLargePieces) {
  const auto pool = std::make_shared<BlockPool>(4096);
  char* first = nullptr;
  {
    Arena arena(pool);
    arena.Allocate(100'000);  // allocated separately: not of the pool's size
    first = arena.Allocate(8);
  }
  EXPECT_EQ(pool->Take().get(), first);
}

}  // namespace
}  // namespace lull
