// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/event_count.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/gate.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

TEST(EventCountTest, AwaitLooksAgainAfterEachNote) {
  EventCount events;
  std::atomic<int> value{0};
  std::atomic<int> looks{0};
  const auto changer = ThreadFactory::System()->Start("changer", CpuClass::kNormal, [&] {
    for (int next = 1; next <= 1000; ++next) {
      value.store(next);
      events.Note();
    }
  });
  EXPECT_TRUE(events.Await("the last value", [&] {
    looks.fetch_add(1);
    return value.load() == 1000;
  }));
  EXPECT_LE(looks.load(), 1001);
  EXPECT_TRUE(events.Await("what holds already", [] { return true; }));
}

TEST(EventCountTest, AwaitForGivesUp) {
  EventCount events;
  EXPECT_FALSE(events.AwaitFor(0, [] { return false; }));
  EXPECT_FALSE(events.AwaitFor(1'000'000, [] { return false; }));
  EXPECT_EQ(events.count(), 0u);
}

TEST(GateTest, HoldsUpWhoPassesWhileItIsClosed) {
  Gate gate;
  gate.Pass();
  gate.Close();
  std::atomic<int> passed{0};
  const auto pass = [&] {
    gate.Pass();
    passed.fetch_add(1);
  };
  auto one = ThreadFactory::System()->Start("one", CpuClass::kNormal, pass);
  auto two = ThreadFactory::System()->Start("two", CpuClass::kNormal, pass);
  gate.AwaitBlocked(2);
  EXPECT_EQ(passed.load(), 0);
  gate.Open();
  one.reset();
  two.reset();
  EXPECT_EQ(passed.load(), 2);
}

}  // namespace
}  // namespace lull::testing
