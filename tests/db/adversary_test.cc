// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A bad policy makes a store slow, never wrong, and hangs nothing. These tests run every operation
// of leveldb::DB, and open, write, change and close stores side by side, under policies that return
// arbitrary directives.
//
// LULL_STRESS_LIVES sets the number of lives. Ten thousand under TSan:
//   LULL_STRESS_LIVES=10000 db_test --gtest_filter='AdversaryOfMany.StoresOpenAndClose*'
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/store.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/support/crash_env.h"
#include "tests/support/metamorphic.h"
#include "tests/support/open_store.h"
#include "tests/support/random_policy.h"
#include "tests/support/rng.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

constexpr uint64_t kSeeds = 16;
constexpr uint64_t kOpsPerSeed = 10'000;
constexpr uint64_t kLivesInOneRun = 300;

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
  if (rng->OneIn(8)) text += ";compaction_threads=7";
  if (rng->OneIn(8)) text += ";nonsense";
  return text;
}

class Adversary : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Adversary, NoOperationGoesWrong) {
  const uint64_t seed = GetParam();
  CrashEnv memory;
  MetamorphicConfig config;
  config.seed = seed;
  config.ops = kOpsPerSeed;
  config.env = &memory;
  config.directory = "/store";
  config.hooks = StoreHooks("");
  config.hooks.open = [&](const leveldb::Options& options, const std::string& name,
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
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Adversary, ::testing::Range<uint64_t>(1, kSeeds + 1));

/// One directory that one thread opens repeatedly, while other threads do the same with theirs.
class Lives {
 public:
  Lives(leveldb::Env* env, std::string name, uint64_t seed)
      : env_(env), name_(std::move(name)), rng_(seed) {}

  void RunOne() {
    leveldb::Options options;
    options.create_if_missing = true;
    options.env = env_;
    options.write_buffer_size = 64 << 10;
    options.max_file_size = 1 << 20;
    OptionValues scheduling;
    scheduling.own_coordinator = rng_.OneIn(4);
    scheduling.memory_budget_bytes = 512 << 10;
    scheduling.policy = PolicyNames()[rng_.Below(PolicyNames().size())];
    const PolicyFactory policies = rng_.OneIn(2) ? RandomPolicies(rng_.Next()) : MakePolicy;
    leveldb::DB* raw = nullptr;
    StorePace pace;
    if (rng_.OneIn(2)) pace.part_bytes_min = 1;
    const leveldb::Status status = Store::Open(options, scheduling, name_, &raw, policies, pace);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::unique_ptr<leveldb::DB> db(raw);
    std::unique_ptr<ThreadHandle> pest;
    if (rng_.OneIn(2)) {
      pest = ThreadFactory::System()->Start("pest", CpuClass::kNormal,
                                            [&db, seed = rng_.Next()] { Pester(db.get(), seed); });
    }
    const uint64_t writes = rng_.Below(60);
    for (uint64_t i = 0; i < writes; ++i) Write(db.get());
    if (rng_.OneIn(8)) Check(db.get());
    pest.reset();
  }

  void Check(leveldb::DB* db) {
    std::unique_ptr<leveldb::Iterator> iterator(db->NewIterator(leveldb::ReadOptions()));
    auto expected = model_.begin();
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++expected) {
      ASSERT_NE(expected, model_.end()) << name_;
      ASSERT_EQ(iterator->key().ToString(), expected->first) << name_;
      ASSERT_EQ(iterator->value().ToString(), expected->second) << name_;
    }
    ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    ASSERT_EQ(expected, model_.end()) << name_;
  }

  void CheckReopened() {
    leveldb::Options options;
    options.env = env_;
    leveldb::DB* raw = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, name_, &raw).ok());
    const std::unique_ptr<leveldb::DB> db(raw);
    Check(db.get());
  }

 private:
  void Write(leveldb::DB* db) {
    const std::string key = "k" + std::to_string(rng_.Below(300));
    leveldb::WriteOptions options;
    options.sync = rng_.OneIn(32);
    if (rng_.OneIn(4)) {
      ASSERT_TRUE(db->Delete(options, key).ok());
      model_.erase(key);
      return;
    }
    const std::string value(rng_.Below(5000), static_cast<char>('a' + rng_.Below(26)));
    ASSERT_TRUE(db->Put(options, key, value).ok());
    model_[key] = value;
  }

  /// Operations that other clients run in parallel; none of them changes the store's content.
  static void Pester(leveldb::DB* db, uint64_t seed) {
    Rng rng(seed);
    const uint64_t calls = 1 + rng.Below(4);
    for (uint64_t i = 0; i < calls; ++i) {
      std::string text;
      switch (rng.Below(6)) {
        case 0:
        case 1:
        case 2:
          SetOptions(db, AnyOptions(&rng));  // may be refused
          break;
        case 3:
          ASSERT_TRUE(Flush(db).ok());
          break;
        case 4:
          db->CompactRange(nullptr, nullptr);
          break;
        case 5:
          ASSERT_TRUE(db->GetProperty("lull.options", &text));
          ASSERT_TRUE(CheckOptions(text).ok()) << text;
          break;
      }
    }
  }

  leveldb::Env* const env_;
  const std::string name_;
  Rng rng_;
  std::map<std::string, std::string> model_;
};

TEST(AdversaryOfMany, StoresOpenAndCloseNextToEachOther) {
  const char* const wanted = std::getenv("LULL_STRESS_LIVES");
  const uint64_t lives = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kLivesInOneRun;
  constexpr uint64_t kStores = 3;
  CrashEnv memory;
  std::vector<std::unique_ptr<Lives>> stores;
  std::vector<std::unique_ptr<ThreadHandle>> threads;
  for (uint64_t id = 0; id < kStores; ++id) {
    stores.push_back(std::make_unique<Lives>(&memory, "/store" + std::to_string(id), 77 + id));
    Lives* const store = stores.back().get();
    threads.push_back(ThreadFactory::System()->Start("lives", CpuClass::kNormal, [=] {
      for (uint64_t i = 0; i < lives / kStores && !::testing::Test::HasFailure(); ++i)
        store->RunOne();
    }));
  }
  threads.clear();  // joins
  for (const auto& store : stores) store->CheckReopened();
}

}  // namespace
}  // namespace lull::testing
