// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The metamorphic runner must pass on the store, and must fail on the same store with a planted
// bug.
#include "tests/support/metamorphic.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/broken_db.h"
#include "tests/support/crash_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"
#include "tests/support/option_sets.h"
#include "tests/support/workload.h"

namespace lull::testing {
namespace {

class RightStore : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RightStore, Passes) {
  MetamorphicConfig config;
  config.seed = GetParam();
  config.ops = 20'000;
  config.directory = FreshDirectory("metamorphic");
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure;
  for (const char* op : {"put", "get", "batch", "move-held-iterator", "snapshot-gets"}) {
    EXPECT_GT(report.done.find(op)->second, 100u) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RightStore, ::testing::Range<uint64_t>(1, 17));

TEST(MetamorphicTest, RunsOnAnEnvInMemory) {
  CrashEnv env;
  MetamorphicConfig config;
  config.seed = 77;
  config.ops = 20'000;
  config.directory = "/store";
  config.env = &env;
  config.hooks = StoreHooks("");
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure;
}

class BrokenStore : public ::testing::TestWithParam<PlantedBug> {};

TEST_P(BrokenStore, IsCaughtAndReplayedBySeed) {
  int caught = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    MetamorphicConfig config;
    config.seed = seed;
    config.ops = 15'000;
    CrashEnv env;
    config.env = &env;
    config.directory = "/store";
    config.hooks.open = [](const leveldb::Options& options, const std::string& name,
                           leveldb::DB** db) {
      leveldb::Status s = leveldb::DB::Open(options, name, db);
      if (s.ok()) *db = new BrokenDB(*db, GetParam());
      return s;
    };
    const MetamorphicReport report = RunMetamorphic(config);
    if (report.ok) continue;
    ++caught;
    EXPECT_NE(report.failure.find("--seed=" + std::to_string(seed)), std::string::npos);
    CrashEnv again;
    config.env = &again;
    EXPECT_EQ(RunMetamorphic(config).failure, report.failure);
  }
  EXPECT_EQ(caught, GetParam() == PlantedBug::kNone ? 0 : 5);
}

INSTANTIATE_TEST_SUITE_P(All, BrokenStore,
                         ::testing::Values(PlantedBug::kNone, PlantedBug::kLosesWrites,
                                           PlantedBug::kStaleReads, PlantedBug::kTornBatches,
                                           PlantedBug::kSnapshotIgnored,
                                           PlantedBug::kIteratorSkipsPrev));

TEST(WorkloadTest, IsAPureFunctionOfItsSeed) {
  const Workload a(5), b(5), c(6);
  std::set<std::string> keys;
  bool differs = false;
  for (uint64_t i = 0; i < 500; ++i) {
    const WriteOps x = a.CommitAt(i), y = b.CommitAt(i), z = c.CommitAt(i);
    ASSERT_EQ(x.size(), y.size());
    for (size_t k = 0; k < x.size(); ++k) {
      EXPECT_EQ(x[k].key, y[k].key);
      EXPECT_EQ(x[k].value, y[k].value);
      keys.insert(x[k].key);
    }
    differs = differs || x.size() != z.size() || (!x.empty() && x[0].key != z[0].key);
  }
  EXPECT_GT(keys.size(), 100u);
  EXPECT_TRUE(differs);
}

TEST(OptionSetTest, EverySetOpensWhatACompatibleOneWrote) {
  Rng rng(3);
  for (size_t index = 0; index < kOptionSetCount; ++index) {
    CrashEnv env;
    for (const size_t use : {index, CompatibleSet(index, &rng), index}) {
      const auto set = MakeOptionSet(use);
      set->options.env = &env;
      leveldb::DB* db = nullptr;
      ASSERT_TRUE(OpenStore(set->options, "", "/store", &db).ok()) << set->name;
      EXPECT_TRUE(db->Put(leveldb::WriteOptions(), "key", set->name).ok());
      delete db;
    }
  }
}

}  // namespace
}  // namespace lull::testing
