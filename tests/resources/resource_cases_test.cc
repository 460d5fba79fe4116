// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Stores with few resources for their size: few descriptors, a small disk. Each test runs in a
// separate process, which reports errors.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/resources/child.h"
#include "tests/resources/child_store.h"
#include "tests/resources/limits.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"
#include "util/clock.h"

namespace lull::testing {
namespace {

using leveldb::Status;

constexpr uint64_t kChildMillisMax = 120'000;
constexpr char kNoDisk[] = "no private disk";

std::string PutMany(const std::string& directory, rlim_t descriptors) {
  const struct rlimit limit { descriptors, descriptors };
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return "setrlimit failed";
  constexpr uint64_t kCount = 200'000;
  ChildStore store(directory, 64 << 10);
  store.Open();
  std::vector<uint64_t> keys(kCount);
  for (uint64_t i = 0; i < kCount; ++i) keys[i] = i;
  Rng rng(1);
  for (uint64_t i = kCount - 1; i > 0; --i) std::swap(keys[i], keys[rng.Below(i + 1)]);
  for (uint64_t i = 0; i < kCount && store.ok(); ++i) {
    store.Check("put " + std::to_string(i), store.Put(keys[i], 200));
  }
  if (store.ok()) store.Open();
  if (store.ok()) store.CheckScan(kCount, 200);
  return store.error();
}

class FewDescriptors : public ::testing::TestWithParam<int> {};

TEST_P(FewDescriptors, FailNoWrite) {
  const std::string directory = FreshDirectory("descriptors");
  Child child([&] { return PutMany(directory, static_cast<rlim_t>(GetParam())); });
  const Child::End end = child.Wait(kChildMillisMax);
  EXPECT_TRUE(end.ok()) << "signal " << end.signal << ", timed out: " << end.timed_out;
  EXPECT_EQ(end.said, "");
}

INSTANTIATE_TEST_SUITE_P(Limits, FewDescriptors, ::testing::Values(256, 64, 32));

std::string FillHalf(const std::string& directory) {
  if (!MountPrivateDisk(directory, 40 << 20)) return kNoDisk;
  ChildStore store(directory, 1 << 20);
  store.Open();
  constexpr uint64_t kCount = 18 << 10;
  for (uint64_t i = 0; i < kCount && store.ok(); ++i) {
    store.Check("put " + std::to_string(i), store.Put(i, 1000));
  }
  if (store.ok()) store.Check("flush", Flush(store.db()));
  if (store.ok()) store.Open();
  if (store.ok()) store.CheckScan(kCount, 1000);
  return store.error();
}

// The writer exits without closing the store. Its parent, on the same disk, opens the store.
std::string FillAndOpen(const std::string& directory) {
  if (!MountPrivateDisk(directory, 40 << 20)) return kNoDisk;
  Child writer([&] {
    ChildStore store(directory, 1 << 20);
    store.Open();
    uint64_t acked = 0;
    while (store.ok() && acked < 100'000 && store.Put(acked, 1000).ok()) ++acked;
    return store.ok() ? std::to_string(acked) : store.error();
  });
  const Child::End end = writer.Wait(kChildMillisMax);
  const uint64_t acked = std::strtoull(end.said.c_str(), nullptr, 10);
  if (!end.ok() || acked < 10'000 || acked == 100'000) return "the writer: " + end.said;
  ChildStore store(directory, 1 << 20);
  store.Open();
  std::string value;
  for (uint64_t i = 0; i < acked && store.ok(); ++i) {
    store.Check(KeyOf(i), store.db()->Get(leveldb::ReadOptions(), KeyOf(i), &value));
    if (store.ok()) store.Check(KeyOf(i) + " differs", value == ValueOf(i, 1000));
  }
  return store.error();
}

// Milliseconds until a synced write and a flush succeed; an error after ten seconds.
uint64_t AwaitRecovery(ChildStore* store) {
  Clock* const clock = Clock::System();
  const uint64_t began = clock->NowNanos();
  for (;;) {
    Status s = store->Put(0, 1000, true);
    if (s.ok()) s = Flush(store->db());
    const uint64_t ms = (clock->NowNanos() - began) / 1'000'000;
    if (s.ok()) return ms;
    if (ms > 10'000) {
      store->Check("after ten seconds with room", s);
      return ms;
    }
    clock->SleepForNanos(5'000'000);
  }
}

std::string FillAgainAndAgain(const std::string& directory) {
  if (!MountPrivateDisk(directory, 64 << 20)) return kNoDisk;
  ChildStore store(directory, 1 << 20);
  store.Open();
  for (uint64_t i = 0; i < 6000 && store.ok(); ++i) store.Check("put", store.Put(i, 1000));
  uint64_t longest_ms = 0;
  for (int round = 0; round < 8 && store.ok(); ++round) {
    Limit limit(LimitKind::kDisk, 0, directory);
    store.Check("ballast", limit.Apply());
    bool failed = false;
    for (uint64_t i = 0; i < 60'000 && !failed; ++i) failed = !store.Put(i % 6000, 1000).ok();
    store.Check("no write failed on a full disk", failed);
    limit.Lift();
    longest_ms = std::max(longest_ms, AwaitRecovery(&store));
  }
  if (store.ok()) store.CheckScan(6000, 1000);
  if (store.ok()) store.Open();
  if (store.ok()) store.CheckScan(6000, 1000);
  return store.ok() ? "longest recovery: " + std::to_string(longest_ms) + " ms" : store.error();
}

void RunOnDisk(std::string (*body)(const std::string&), const std::string& expected) {
  const std::string directory = FreshDirectory("disk");
  Child child([&] { return body(directory); });
  const Child::End end = child.Wait(kChildMillisMax);
  if (end.said == kNoDisk) GTEST_SKIP() << "needs root or user namespaces";
  EXPECT_TRUE(end.ok()) << "signal " << end.signal << ", timed out: " << end.timed_out;
  EXPECT_EQ(expected.empty() ? end.said : end.said.substr(0, expected.size()), expected)
      << end.said;
  std::cout << end.said << "\n";
}

TEST(SmallDisk, TakesDataOfNearlyHalfItsSize) { RunOnDisk(FillHalf, ""); }

TEST(SmallDisk, OpensAfterItWasFilled) { RunOnDisk(FillAndOpen, ""); }

TEST(SmallDisk, IsWrittenAgainWithRoom) { RunOnDisk(FillAgainAndAgain, "longest recovery"); }

}  // namespace
}  // namespace lull::testing
