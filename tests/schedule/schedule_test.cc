// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The schedule itself: it is deterministic, keeps locks, detects deadlocks, and finds the
// interleavings for which it is made.
#include "tests/schedule/schedule.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<ThreadHandle> StartThread(const std::string& name, std::function<void()> body) {
  return ThreadFactory::System()->Start(name, CpuClass::kNormal, std::move(body));
}

/// Three threads write down their numbers, each three times.
std::string OrderOf(uint64_t seed, uint64_t* hash) {
  Schedule schedule({.seed = seed});
  std::string order;
  Mutex mutex;
  EXPECT_TRUE(schedule.Run([&] {
    std::vector<std::unique_ptr<ThreadHandle>> threads;
    for (const char* name : {"1", "2", "3"}) {
      threads.push_back(StartThread(name, [&, name] {
        for (int i = 0; i < 3; ++i) {
          MutexLock lock(mutex);
          order += name;
        }
      }));
    }
  })) << schedule.stuck();
  *hash = schedule.hash();
  return order;
}

TEST(Schedule, TheSameSeedGivesTheSameRunAndOthersGiveOthers) {
  std::set<std::string> orders;
  std::set<uint64_t> hashes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    uint64_t hash = 0, again = 0;
    const std::string order = OrderOf(seed, &hash);
    EXPECT_EQ(OrderOf(seed, &again), order);
    EXPECT_EQ(again, hash);
    orders.insert(order);
    hashes.insert(hash);
  }
  EXPECT_GT(orders.size(), 20u);
  EXPECT_GT(hashes.size(), 60u);
}

TEST(Schedule, AMutexIsHeldByOne) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Schedule schedule({.seed = seed});
    Mutex mutex;
    bool held = false;
    int violations = 0, passes = 0;
    ASSERT_TRUE(schedule.Run([&] {
      std::vector<std::unique_ptr<ThreadHandle>> threads;
      for (int i = 0; i < 4; ++i) {
        threads.push_back(StartThread("holder", [&] {
          for (int turn = 0; turn < 5; ++turn) {
            MutexLock lock(mutex);
            if (std::exchange(held, true)) ++violations;
            Clock::System()->SleepForNanos(1000);
            held = false;
            ++passes;
          }
        }));
      }
    })) << schedule.stuck();
    EXPECT_EQ(violations, 0) << "seed " << seed;
    EXPECT_EQ(passes, 20);
  }
}

TEST(Schedule, TimeIsSpentAsleepAndOnlyThere) {
  Schedule schedule({.step_nanos = 0});
  uint64_t slept = 0, waited = 0;
  ASSERT_TRUE(schedule.Run([&] {
    const uint64_t begin = Clock::System()->NowNanos();
    Clock::System()->SleepForNanos(5'000'000'000);
    slept = Clock::System()->NowNanos() - begin;
    Mutex mutex;
    CondVar never;
    MutexLock lock(mutex);
    const uint64_t until = Clock::System()->NowNanos() + 7'000'000;
    while (Clock::System()->NowNanos() < until)
      never.WaitFor(mutex, until - Clock::System()->NowNanos());
    waited = Clock::System()->NowNanos() - begin - slept;
  }));
  EXPECT_EQ(slept, 5'000'000'000u);
  EXPECT_EQ(waited, 7'000'000u);
}

TEST(Schedule, SaysWhoIsInADeadlock) {
  bool found = false;
  for (uint64_t seed = 0; seed < 100 && !found; ++seed) {
    // Objects that a deadlock leaves on its stacks must outlive the test.
    auto* const first = new Mutex;
    auto* const second = new Mutex;
    auto* const schedule = new Schedule({.seed = seed});
    if (schedule->Run([=] {
          const auto thread = StartThread("crosswise", [=] {
            MutexLock one(*second);
            MutexLock other(*first);
          });
          MutexLock one(*first);
          MutexLock other(*second);
        })) {
      continue;
    }
    found = true;
    EXPECT_THAT(schedule->stuck(), HasSubstr("deadlock"));
    EXPECT_THAT(schedule->stuck(), HasSubstr("main waits: lock #1, which crosswise holds"));
    EXPECT_THAT(schedule->stuck(), HasSubstr("crosswise waits: lock #2, which main holds"));
  }
  EXPECT_TRUE(found);
}

TEST(Schedule, SaysThatSomethingGoesOnForEver) {
  auto* const schedule = new Schedule({.steps_max = 10'000});
  EXPECT_FALSE(schedule->Run([] {
    WakeSignal nobody_wakes;
    while (true) nobody_wakes.Wait(nobody_wakes.Ticket(), 1'000'000);
  }));
  EXPECT_THAT(schedule->stuck(), HasSubstr("no end after"));
  EXPECT_THAT(schedule->stuck(), HasSubstr("main waits: wait #1"));
}

/// How many of 200 seeds find a bug that needs `preemptions` turns of another thread at the right
/// places.
template <typename Bug>
int Finds(Bug bug) {
  int found = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Schedule schedule({.seed = seed});
    bool seen = false;
    EXPECT_TRUE(schedule.Run([&] { seen = bug(); })) << schedule.stuck();
    if (seen) ++found;
  }
  return found;
}

TEST(Schedule, FindsAnUpdateThatIsLostBetweenTwoLocks) {
  EXPECT_GT(Finds([] {
              Mutex mutex;
              int count = 0;
              const auto add = [&] {
                int seen;
                {
                  MutexLock lock(mutex);
                  seen = count;
                }
                MutexLock lock(mutex);
                count = seen + 1;
              };
              auto thread = StartThread("adder", add);
              add();
              thread.reset();
              return count != 2;
            }),
            10);
}

TEST(Schedule, FindsANotificationThatIsMissed) {
  EXPECT_GT(Finds([] {
              Mutex mutex;
              CondVar changed;
              bool ready = false;
              const uint64_t begin = Clock::System()->NowNanos();
              auto thread = StartThread("notifier", [&] {
                ready = true;  // without the mutex: can happen between check and wait
                changed.NotifyAll();
              });
              mutex.Lock();
              while (!ready) {
                mutex.Unlock();
                mutex.Lock();
                changed.WaitFor(mutex, 100'000'000'000);
              }
              mutex.Unlock();
              thread.reset();
              return Clock::System()->NowNanos() - begin > 60'000'000'000;
            }),
            5);
}

}  // namespace
}  // namespace lull::testing
