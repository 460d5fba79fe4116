// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Long seeded streams of every operation of leveldb::DB, checked against a model, for each policy
// and layout, on the real file system and in memory, half of them with a compaction filter. A
// failure prints its seed and the command that replays it.
#include "tests/support/metamorphic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "scheduler/policy.h"
#include "tests/support/crash_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"
#include "tests/support/setting.h"

namespace lull::testing {
namespace {

constexpr uint64_t kSeeds = 26;
constexpr uint64_t kOpsPerSeed = 20'000;

std::vector<std::string> Policies() {
#ifdef LULL_EVERY_POLICY
  return PolicyNames();  // 3,120,000 operations in total
#else
  return {"lull", "leveldb"};  // 1,040,000
#endif
}

// One layout, the other, or a different one each time the store is opened.
std::string Scheduling(const std::string& policy, uint64_t seed) {
  const std::string all =
      "policy=" + policy + ";delete_persist_seconds=" + std::to_string(seed % 7 % 3);
  const std::string leveled = all + (seed % 2 == 0 ? ";pick_by_overlap=true" : "");
  const std::string vsst =
      all + ";layout=vsst;table_bytes_max=32K;vsst_phi=" + std::to_string(1 + seed);
  return seed % 3 == 0 ? leveled : seed % 3 == 1 ? vsst : vsst + "|" + leveled;
}

class Metamorphic : public ::testing::TestWithParam<std::tuple<std::string, uint64_t>> {};

TEST_P(Metamorphic, AgreesWithTheModel) {
  const auto& [policy, seed] = GetParam();
  CrashEnv memory;
  MetamorphicConfig config;
  config.seed = seed;
  config.ops = Strided(kOpsPerSeed, 4'000);
  const std::string scheduling = Scheduling(policy, seed);
  config.hooks = StoreHooks(scheduling);
  if (seed % 2 == 1) config.hooks.filter = FilterStore;
  if (seed % 4 != 0) {
    config.env = &memory;
    config.hooks.move_clock = [&](int64_t seconds) { memory.set_clock_ahead_seconds(seconds); };
    config.directory = "/store";
  } else {
    config.directory = FreshDirectory("metamorphic-" + policy);
  }
  const MetamorphicReport report = RunMetamorphic(config);
  EXPECT_TRUE(report.ok) << report.failure << " '--scheduling=" << scheduling << "'";
}

INSTANTIATE_TEST_SUITE_P(Policies, Metamorphic,
                         ::testing::Combine(::testing::ValuesIn(Policies()),
                                            ::testing::Range<uint64_t>(1, kSeeds + 1)),
                         [](const auto& param) {
                           std::string name = std::get<0>(param.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(param.param));
                         });

}  // namespace
}  // namespace lull::testing
