// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/grace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "util/random.h"

namespace lull {
namespace {

std::unique_ptr<ThreadHandle> Start(std::function<void()> body) {
  return ThreadFactory::System()->Start("grace-test", CpuClass::kNormal, std::move(body));
}

TEST(Grace, FreesAtOnceWithoutGuards) {
  GraceDomain domain;
  int freed = 0;
  for (int i = 0; i < 10; i++) {
    domain.Retire([&] { freed++; });
    EXPECT_EQ(freed, i);
    EXPECT_EQ(domain.Collect(), 0u);
    EXPECT_EQ(freed, i + 1);
  }
}

TEST(Grace, NewerGuardsDoNotHoldUpOlderObjects) {
  GraceDomain domain;
  bool freed = false;
  auto old_guard = std::make_optional<GraceGuard>(domain);
  domain.Retire([&] { freed = true; });
  domain.Collect();  // moves as far as possible to the other column
  // A chain of overlapping guards, all newer than the retirement, without a moment without a guard.
  auto newer = std::make_optional<GraceGuard>(domain);
  old_guard.reset();
  for (int i = 0; i < 10 && !freed; i++) {
    domain.Collect();
    std::optional<GraceGuard> next;
    next.emplace(domain);
    newer.reset();
    domain.Collect();
    newer.emplace(domain);
  }
  EXPECT_TRUE(freed);
}

TEST(Grace, GuardsNest) {
  GraceDomain domain;
  bool freed = false;
  {
    GraceGuard outer(domain);
    {
      GraceGuard inner(domain);
      domain.Retire([&] { freed = true; });
      domain.Collect();
    }
    domain.Collect();
    EXPECT_FALSE(freed);
  }
  EXPECT_EQ(domain.Collect(), 0u);
  EXPECT_TRUE(freed);
}

TEST(Grace, DestructionMayRetireMore) {
  int freed = 0;
  {
    GraceDomain domain;
    domain.Retire([&] {
      freed++;
      domain.Retire([&] { freed++; });
    });
  }
  EXPECT_EQ(freed, 2);
}

TEST(Grace, EachObjectIsFreedOnce) {
  GraceDomain domain;
  std::vector<int> freed(1000, 0);
  Random random(31);
  std::vector<std::unique_ptr<GraceGuard>> guards;
  for (size_t i = 0; i < freed.size(); i++) {
    if (random.OneIn(3)) guards.push_back(std::make_unique<GraceGuard>(domain));
    domain.Retire([&freed, i] { freed[i]++; });
    if (!guards.empty() && random.OneIn(3))
      guards.erase(guards.begin() + static_cast<long>(random.Uniform(guards.size())));
    if (random.OneIn(4)) domain.Collect();
  }
  guards.clear();
  EXPECT_EQ(domain.Collect(), 0u);
  for (const int times : freed) EXPECT_EQ(times, 1);
}

/// Two words that match until the object is destroyed. The destructor changes them, so that a late
/// reader is detected even without a sanitizer.
struct Pair {
  explicit Pair(uint64_t value) : left(value), right(~value) {}
  ~Pair() { left = right = 0; }
  uint64_t left;
  uint64_t right;
};

TEST(Grace, ReadersNeverSeeAFreedObject) {
  constexpr int kReaders = 4;
  constexpr int kSwaps = 30000;
  GraceDomain domain;
  std::atomic<Pair*> current{new Pair(0)};
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> torn{0}, reads{0};
  std::atomic<int> live{1};
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  for (int i = 0; i < kReaders; i++) {
    threads.push_back(Start([&] {
      uint64_t count = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        GraceGuard guard(domain);
        const Pair* const pair = current.load(std::memory_order_acquire);
        for (int look = 0; look < 4; look++)
          if (pair->left != ~pair->right) torn++;
        if (++count % 64 == 0) std::this_thread::yield();
      }
      reads += count;
    }));
  }
  threads.push_back(Start([&] {
    while (!stop.load(std::memory_order_relaxed)) domain.Collect();
  }));
  for (int i = 1; i <= kSwaps; i++) {
    live++;
    Pair* const old =
        current.exchange(new Pair(static_cast<uint64_t>(i)), std::memory_order_acq_rel);
    domain.Retire([old, &live] {
      delete old;
      live--;
    });
    if (i % 16 == 0) std::this_thread::yield();
  }
  // Progress under load: readers come and go, but everything retired is eventually freed.
  while (domain.Collect() != 0) std::this_thread::yield();
  stop = true;
  threads.clear();
  domain.Collect();
  EXPECT_EQ(torn.load(), 0u);
  EXPECT_GT(reads.load(), 0u);
  EXPECT_EQ(live.load(), 1);
  delete current.load();
}

}  // namespace
}  // namespace lull
