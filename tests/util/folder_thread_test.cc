// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/folder_thread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <memory>
#include <vector>

namespace lull {
namespace {

TEST(FolderThread, NormalPriorityKeepsItsThread) {
  FolderThread folder;
  ASSERT_TRUE(folder.Start().ok());
  const unsigned caller = ThreadOrdinal();
  unsigned ran_on = caller + 1;
  folder.Run([&] { ran_on = ThreadOrdinal(); });
  EXPECT_EQ(ran_on, caller);
}

TEST(FolderThread, IdlePriorityWaitsForAThreadOfNormalPriority) {
  FolderThread folder;
  ASSERT_TRUE(folder.Start().ok());
  const int normal = sched_getscheduler(0);
  std::atomic<int> runs{0}, idle_callers{0}, wrong{0};
  {
    std::vector<std::unique_ptr<ThreadHandle>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(ThreadFactory::System()->Start("test", CpuClass::kIdle, [&] {
        if (sched_getscheduler(0) == SCHED_IDLE) idle_callers.fetch_add(1);
        for (int run = 1; run <= 100; ++run) {
          int done = 0;
          folder.Run([&] {
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

TEST(FolderThread, IsSharedWhileItIsUsed) {
  std::shared_ptr<FolderThread> one, other;
  ASSERT_TRUE(FolderThread::Shared(&one).ok());
  ASSERT_TRUE(FolderThread::Shared(&other).ok());
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace lull
