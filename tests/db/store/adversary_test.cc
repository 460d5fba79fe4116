// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A bad policy makes a store slow, never wrong, and hangs nothing. These tests run every operation
// of leveldb::DB, and open, write, change and close stores side by side, under policies that return
// arbitrary directives. load_test.cc changes options while other threads write.
//
// LULL_STRESS_LIVES sets the number of lives. Ten thousand under TSan:
//   LULL_STRESS_LIVES=10000 db_test --gtest_filter='AdversaryOfMany.StoresOpenAndClose*'
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "db/store/store.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/support/crash_env.h"
#include "tests/support/metamorphic.h"
#include "tests/support/open_store.h"
#include "tests/support/random_policy.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

constexpr uint64_t kAdversarySeeds = 16;
constexpr uint64_t kAdversaryOps = 10'000;
constexpr double kLivesInOneRun = 300;

/// Makes every policy of the store a random one, including those that SetOptions installs.
PolicyFactory RandomPolicies(uint64_t seed) {
  auto made = std::make_shared<std::atomic<uint64_t>>(0);
  return [seed, made](const std::string&, const PolicyOptions&) {
    return std::make_unique<RandomPolicy>(SubSeed(seed, made->fetch_add(1)));
  };
}

/// A change of options that is either valid or refused.
std::string AnyOptions(Rng* rng) {
  const std::vector<std::string>& policies = PolicyNames();
  std::string text = "policy=" + policies[rng->Below(policies.size())];
  if (rng->OneIn(2)) text += ";l0_trigger=" + std::to_string(1 + rng->Below(6));
  if (rng->OneIn(3)) text += ";debt_bytes_max=" + std::to_string(1 + rng->Below(100)) + "M";
  if (rng->OneIn(3)) text += ";lull_after_us=" + std::to_string(rng->Below(30'000));
  if (rng->OneIn(3)) text += ";delete_persist_seconds=" + std::to_string(rng->Below(3));
  if (rng->OneIn(8)) text += ";compaction_threads=7";
  if (rng->OneIn(8)) text += ";nonsense";
  return text;
}

/// A stream of operations on a store with random policies, and its directory.
MetamorphicConfig StreamOf(uint64_t seed, leveldb::Env* memory) {
  MetamorphicConfig config;
  config.seed = seed;
  config.env = memory;
  config.directory = "/store" + std::to_string(seed);
  config.hooks = StoreHooks("");
  config.hooks.open = [seed](const leveldb::Options& options, const std::string& name,
                             leveldb::DB** db) {
    OptionValues scheduling;
    scheduling.memory_budget_bytes = 1 << 20;
    scheduling.own_coordinator = seed % 2 == 0;
    StorePace pace;
    if (seed % 4 < 2) pace.part_bytes_min = 1;
    return Store::Open(options, scheduling, name, db, RandomPolicies(seed), pace);
  };
  config.hooks.set_options = [](leveldb::DB* db, uint64_t draw) {
    Rng rng(draw);
    const leveldb::Status status = SetOptions(db, AnyOptions(&rng));
    return status.IsInvalidArgument() ? leveldb::Status::OK() : status;
  };
  return config;
}

class Adversary : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Adversary, NoOperationGoesWrong) {
  CrashEnv memory;
  MetamorphicConfig config = StreamOf(GetParam(), &memory);
  config.ops = kAdversaryOps;
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Adversary, ::testing::Range<uint64_t>(1, kAdversarySeeds + 1));

TEST(AdversaryOfMany, StoresOpenAndCloseNextToEachOther) {
  constexpr uint64_t kOpsInALife = 40;
  constexpr uint64_t kStoreSeeds[] = {77, 78, 79, 81};  // all but the second share a coordinator
  const auto lives = static_cast<uint64_t>(Setting("LULL_STRESS_LIVES", kLivesInOneRun));
  CrashEnv memory;
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  for (const uint64_t seed : kStoreSeeds) {
    threads.push_back(ThreadFactory::System()->Start("lives", CpuClass::kNormal, [&, seed] {
      MetamorphicConfig config = StreamOf(seed, &memory);
      config.reopen_one_in = kOpsInALife;
      config.ops = kOpsInALife * lives / std::size(kStoreSeeds);
      const MetamorphicReport report = RunMetamorphic(config);
      EXPECT_TRUE(report.ok) << report.failure;
    }));
  }
  threads.clear();  // joins
}

}  // namespace
}  // namespace lull::testing
