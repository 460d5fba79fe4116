// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/threads/flush_thread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/event_count.h"
#include "tests/support/gate.h"

namespace lull {
namespace {

std::optional<uint64_t> NoWork() { return std::nullopt; }

TEST(FlushThread, RunsASliceAtEachWakeAndWhileThereIsMore) {
  testing::EventCount slices;
  std::atomic<int> more{3};
  const auto slice = [&]() -> std::optional<uint64_t> {
    slices.Note();
    if (more.fetch_sub(1) > 0) return 0;
    return std::nullopt;
  };
  FlushThread thread;
  ASSERT_TRUE(thread.Start(slice).ok());
  slices.Await("all that is ready", [&] { return slices.count() >= 4; });
  const uint64_t before = slices.count();
  slices.Await("another", [&] {
    thread.Wake();
    return slices.count() > before;
  });
}

TEST(FlushThread, RunsNoSliceAfterTheCurrentOneOnceStopped) {
  testing::Gate gate;
  std::atomic<int> slices{0};
  const auto slice = [&]() -> std::optional<uint64_t> {
    slices.fetch_add(1);
    gate.Pass();
    return 0;
  };
  FlushThread thread;
  gate.Close();
  ASSERT_TRUE(thread.Start(slice).ok());
  gate.AwaitBlocked();
  thread.StopSlices();
  gate.Open();
  thread.Join();
  EXPECT_EQ(slices.load(), 1);
}

TEST(FlushThread, NormalPriorityKeepsItsThread) {
  FlushThread thread;
  ASSERT_TRUE(thread.Start(NoWork).ok());
  const unsigned caller = ThreadOrdinal();
  unsigned ran_on = caller + 1;
  thread.RunAtNormalPriority([&] { ran_on = ThreadOrdinal(); });
  EXPECT_EQ(ran_on, caller);
}

TEST(FlushThread, IdlePriorityWaitsForAThreadOfNormalPriority) {
  FlushThread thread;
  ASSERT_TRUE(thread.Start(NoWork).ok());
  thread.StopSlices();  // a store that closes still does this
  const int normal = sched_getscheduler(0);
  std::atomic<int> runs{0}, idle_callers{0}, wrong{0};
  {
    std::vector<std::unique_ptr<ThreadHandle>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(ThreadFactory::System()->Start("test", CpuClass::kIdle, [&] {
        if (sched_getscheduler(0) == SCHED_IDLE) idle_callers.fetch_add(1);
        for (int run = 1; run <= 100; ++run) {
          int done = 0;
          thread.RunAtNormalPriority([&] {
            if (sched_getscheduler(0) != normal) wrong.fetch_add(1);
            runs.fetch_add(1);
            done = run;
          });
          if (done != run) wrong.fetch_add(1);
        }
      }));
    }
  }
  EXPECT_EQ(idle_callers.load(), 3);
  EXPECT_EQ(runs.load(), 300);
  EXPECT_EQ(wrong.load(), 0);
}

TEST(FlushThread, InAProcessOfIdlePriorityItsOwnSlicesRunTheirWork) {
  std::atomic<bool> ran{false};
  testing::EventCount events;
  std::unique_ptr<FlushThread> thread;
  // A thread inherits its creator's class.
  ThreadFactory::System()->Start("test", CpuClass::kIdle, [&] {
    thread = std::make_unique<FlushThread>();
    ASSERT_TRUE(thread
                    ->Start([&] {
                      thread->RunAtNormalPriority([&] { ran.store(true); });
                      events.Note();
                      return NoWork();
                    })
                    .ok());
    events.Await("its work", [&] { return ran.load(); });
  });
  thread.reset();
  EXPECT_TRUE(ran.load());
}

}  // namespace
}  // namespace lull
