// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/no_more_threads.h"
#include "tests/util/threads.h"
#include "util/posix/sched_attributes.h"

namespace lull {
namespace {

std::unique_ptr<ThreadHandle> Start(const std::string& name, CpuClass cpu_class,
                                    std::function<void()> body) {
  return ThreadFactory::System()->Start(name, cpu_class, std::move(body));
}

TEST(Thread, CarriesItsNameCutToTheKernelsLimit) {
  std::string name;  // read after the destructor has joined the thread
  Start("a-name-that-is-too-long", CpuClass::kNormal, [&] {
    char buffer[32];
    if (pthread_getname_np(pthread_self(), buffer, sizeof(buffer)) == 0) name = buffer;
  }).reset();
  EXPECT_EQ(name, "a-name-that-is-");
}

TEST(Thread, CpuClassIsTheSchedulersPolicy) {
  int normal = -1, idle = -1;
  Start("normal", CpuClass::kNormal, [&] { normal = sched_getscheduler(0); }).reset();
  Start("idle", CpuClass::kIdle, [&] { idle = sched_getscheduler(0); }).reset();
  EXPECT_EQ(normal, sched_getscheduler(0));
  EXPECT_EQ(idle, SCHED_IDLE);
}

TEST(Thread, OnlyTheSlicesDifferFromTheClients) {
  const auto get = [] {
    SchedAttributes attributes = {};
    EXPECT_TRUE(GetSchedAttributes(&attributes));
    return attributes;
  };
  const SchedAttributes client = get();
  SchedAttributes normal = {};
  Start("normal", CpuClass::kNormal, [&] { normal = get(); }).reset();
  EXPECT_EQ(normal.policy, client.policy);
  EXPECT_EQ(normal.nice, client.nice);
  if (client.slice_nanos == 0) GTEST_SKIP() << "this kernel has one length of slices";
  EXPECT_EQ(normal.slice_nanos, 100'000u);
}

TEST(Thread, LeavesTheClientsSignalsToTheClient) {
  sigset_t inside, outside_before, outside_after;
  pthread_sigmask(SIG_BLOCK, nullptr, &outside_before);
  Start("signals", CpuClass::kNormal, [&] {
    pthread_sigmask(SIG_BLOCK, nullptr, &inside);
  }).reset();
  pthread_sigmask(SIG_BLOCK, nullptr, &outside_after);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&outside_after, signal), sigismember(&outside_before, signal)) << signal;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) EXPECT_EQ(sigismember(&inside, signal), 0);
}

TEST(Thread, ARefusedThreadIsAnErrorThatNamesIt) {
  const testing::NoMoreThreads refuses;
  bool ran = false;
  std::unique_ptr<ThreadHandle> thread;
  const leveldb::Status status = ThreadFactory::System()->TryStart(
      "refused", CpuClass::kNormal, [&] { ran = true; }, &thread);
  EXPECT_TRUE(status.IsIOError());
  EXPECT_TRUE(status.ToString().starts_with("IO error: cannot start thread refused: "))
      << status.ToString();
  EXPECT_EQ(thread, nullptr);
  EXPECT_FALSE(ran);
}

TEST(Thread, OrdinalsAreDistinctAndStay) {
  constexpr int kThreads = 8;
  std::vector<unsigned> seen(kThreads);
  std::atomic<bool> stable{true};
  RunThreads(kThreads, [&](int i) {
    unsigned& own = seen[static_cast<size_t>(i)] = ThreadOrdinal();
    if (ThreadOrdinal() != own) stable = false;
  });
  EXPECT_TRUE(stable);
  std::set<unsigned> distinct(seen.begin(), seen.end());
  distinct.insert(ThreadOrdinal());
  EXPECT_EQ(distinct.size(), kThreads + 1u);
  EXPECT_LE(*distinct.rbegin() - *distinct.begin(), 1000u);
}

TEST(Thread, CoreCountFollowsTheAffinity) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(CoreCount(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) GTEST_SKIP() << "affinity cannot be changed";
  EXPECT_EQ(CoreCount(), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace lull
