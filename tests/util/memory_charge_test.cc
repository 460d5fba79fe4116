// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/memory_charge.h"

#include <gtest/gtest.h>

#include <utility>

namespace lull {
namespace {

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
