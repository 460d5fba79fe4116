// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/page_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace lull {
namespace {

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

}  // namespace
}  // namespace lull
