// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/counter_array.h"

#include <gtest/gtest.h>

#include "tests/util/threads.h"

namespace lull {
namespace {

/// More threads than have counters of their own, since every thread of the process has an ordinal.
constexpr int kThreads = 50;

TEST(CounterArray, AddsUpWhatAllThreadsCounted) {
  CounterArray<3> sums;
  int without = 0;
  for (int i = 0; i < kThreads; ++i) {
    // One after another: ordinals are never used again.
    RunThreads(1, [&](int) {
      if (sums.Own() == nullptr) ++without;
      CountingCall<3> call(&sums);
      call[1] += 2;
      call[2] += 5;
    });
  }
  EXPECT_GT(without, 0);
  EXPECT_LT(without, kThreads + 1);
  EXPECT_EQ(sums.Sum(0), 0u);
  EXPECT_EQ(sums.Sum(1), uint64_t{kThreads} * 2);
  EXPECT_EQ(sums.SumAll(), (CounterArray<3>::Sums{0, kThreads * 2, kThreads * 5}));
}

TEST(CounterArray, ManyThreadsAddAtOnce) {
  constexpr uint64_t kCalls = 2000;
  CounterArray<2> sums;
  RunThreads(kThreads, [&](int) {
    for (uint64_t call = 0; call < kCalls; ++call) {
      CountingCall<2> counts(&sums);
      counts[0] += 1;
      if (call % 2 == 0) counts[1] += 3;
    }
  });
  EXPECT_EQ(sums.Sum(0), kThreads * kCalls);
  EXPECT_EQ(sums.Sum(1), kThreads * kCalls / 2 * 3);
}

TEST(CounterArray, AnAdditionMovesTheCounts) {
  CounterArray<2> sums;
  CounterArray<2>::Counters counted;
  counted[1] += 7;
  sums.Add(&counted);
  sums.Add(&counted);
  EXPECT_EQ(sums.Sum(1), 7u);
  EXPECT_EQ(counted[1], 0u);
}

}  // namespace
}  // namespace lull
