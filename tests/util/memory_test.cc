// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// BlockPool, Arena, PageBuffer and MemoryCharge.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "util/arena.h"
#include "util/block_pool.h"
#include "util/memory_charge.h"
#include "util/page_buffer.h"
#include "util/random.h"

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

TEST(Arena, TakesBackTheEndOfTheLatestPiece) {
  Arena arena(std::make_shared<BlockPool>(64 << 10));
  char* const piece = arena.Allocate(32);
  arena.GiveBack(piece + 32, 16);
  EXPECT_EQ(arena.Allocate(8), piece + 16);
  char* const large = arena.Allocate(1 << 20);
  arena.GiveBack(large + (1 << 20), 16);  // stays: a block of its own
  EXPECT_EQ(arena.Allocate(8), piece + 24);
}

TEST(PageBuffer, GrowsAndIsReused) {
  PageBuffer buffer;
  EXPECT_EQ(buffer.get(), nullptr);
  for (const size_t bytes : {1u, 100u, 65'535u, 65'536u, 65'537u, 1u << 20}) {
    char* const start = buffer.Reserve(bytes);
    std::memset(start, 'x', bytes);
    EXPECT_EQ(buffer.get(), start);
    EXPECT_EQ(buffer.Reserve(bytes), start);
    EXPECT_EQ(buffer.Reserve(1), start);
    EXPECT_EQ(start[bytes - 1], 'x');
  }
}

// Memory of the heap would not be zeroed again.
TEST(PageBuffer, ALargeOneHasPagesOfItsOwn) {
  for (int i = 0; i < 3; ++i) {
    const PageBuffer buffer(256 << 10);
    for (int at = 0; at < 256 << 10; at += 4096) ASSERT_EQ(buffer.get()[at], '\0');
    std::memset(buffer.get(), 'x', 256 << 10);
  }
}

TEST(PageBuffer, FailsAsNewDoes) {
  PageBuffer buffer;
  EXPECT_THROW(buffer.Reserve(SIZE_MAX / 4 * 3), std::bad_alloc);
  EXPECT_EQ(buffer.get(), nullptr);
  std::memset(buffer.Reserve(100), 'x', 100);
}

TEST(MemoryCharge, TheCounterIsTheSumOfTheLivingCharges) {
  MemoryCounter counter{0};
  {
    MemoryCharge first(&counter, 100);
    MemoryCharge second(&counter, 20);
    EXPECT_EQ(counter, 120u);
    first.Set(30);
    EXPECT_EQ(counter, 50u);
    EXPECT_EQ(first.bytes(), 30u);
    const MemoryCharge moved = std::move(first);
    EXPECT_EQ(counter, 50u);
    second = MemoryCharge(&counter, 1);
    EXPECT_EQ(counter, 31u);
    MemoryCharge().Set(7);
    EXPECT_EQ(counter, 31u);
  }
  EXPECT_EQ(counter, 0u);
}

}  // namespace
}  // namespace lull
