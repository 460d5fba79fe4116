// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Days of a toy store: what the policies promise over time, for machines and clients of many kinds.
#include "tests/scheduler/simulator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "util/random.h"

namespace lull::testing {
namespace {

constexpr uint64_t kSecond = 1'000'000;
constexpr uint64_t kHour = 3600 * kSecond;
constexpr uint64_t kDay = 24 * kHour;
constexpr uint64_t kMiB = 1 << 20;

// A client that is paced waits for its turn, but nobody who writes gets nothing for longer.
constexpr uint64_t kWaitUsMax = 100'000;

SimulatorOptions Options(const std::string& policy, std::vector<ClientPhase> rhythm,
                         uint64_t length_us) {
  SimulatorOptions options;
  options.policy = policy;
  const L0Limits limits = DefaultL0Limits(policy);
  options.limits.l0_trigger = limits.trigger;
  options.limits.l0_slowdown = limits.slowdown;
  options.limits.l0_stop = limits.stop;
  options.rhythm = std::move(rhythm);
  options.length_us = length_us;
  // A job of all L0 tables would keep them there, all counted, until its end.
  options.l0_job_bytes_max = 64 * kMiB;
  return options;
}

SimulatorOptions LullOptions(std::vector<ClientPhase> rhythm, uint64_t length_us) {
  return Options("lull", std::move(rhythm), length_us);
}

// What "lull" keeps whatever the clients do.
void ExpectBounded(const SimulatorOptions& options, const SimulatorResult& result,
                   uint64_t wait_us_max = kWaitUsMax) {
  EXPECT_LE(result.memory_bytes_max, options.memory_budget_bytes + options.limits.memtable_bytes);
  EXPECT_LE(result.l0_tables_max, options.limits.l0_stop);
  // What is in memory when writes have all but stopped becomes debt yet.
  EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max * 2 + options.memory_budget_bytes);
  EXPECT_LE(result.wait_us_max, wait_us_max);
}

// How long one L0 compaction takes. In an overload without end L0 stands at its stop, and a writer
// that fills a memtable there waits for the next of them.
uint64_t L0JobUs(const SimulatorOptions& options) {
  const uint64_t bytes = std::max(options.l0_job_bytes_max, options.memory_budget_bytes);
  return static_cast<uint64_t>(static_cast<double>(bytes) * options.l0_cost * 1e6 /
                               static_cast<double>(options.compaction_bytes_per_sec));
}

void ExpectUnslowed(const SimulatorResult& result) {
  EXPECT_EQ(result.bytes_written, result.bytes_offered);
  EXPECT_EQ(result.paced_us, 0u);
  EXPECT_EQ(result.wait_us_max, 0u);
}

TEST(SimulatorTest, ADayOfBurstsThatFitIsNeverSlowed) {
  const SimulatorOptions options =
      LullOptions({{10 * kSecond, 20 * kMiB}, {20 * kSecond, 0}}, kDay);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
  EXPECT_EQ(result.quiet_phases, 2880u);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, AMixedHourIsNeverSlowedAndDrains) {
  SimulatorOptions options = LullOptions({{10 * kSecond, 60 * kMiB},
                                          {40 * kSecond, 0},
                                          {1 * kSecond, 200 * kMiB},
                                          {5 * kSecond, 2 * kMiB},
                                          {30 * kSecond, 0}},
                                         kHour);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, WithoutLullsWritersAreSlowedSmoothlyToWhatCompactionsAchieve) {
  for (const uint64_t debt_bytes_max : {uint64_t{4} << 30, uint64_t{512} << 20}) {
    SCOPED_TRACE(debt_bytes_max);
    SimulatorOptions options = LullOptions({{kSecond, 300 * kMiB}}, 4 * kHour);
    options.limits.debt_bytes_max = debt_bytes_max;
    const SimulatorResult result = Simulate(options);
    ExpectBounded(options, result);
    // One worker of full and one of half speed, nine bytes of work a byte: within a third of it.
    EXPECT_GT(result.bytes_written, 2 * result.bytes_offered / 100);
    EXPECT_LT(result.bytes_written, 8 * result.bytes_offered / 100);
  }
}

TEST(SimulatorTest, ATrickleIsNeverSlowed) {
  const SimulatorOptions options = LullOptions({{10 * kSecond, kMiB}}, 4 * kHour);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
}

TEST(SimulatorTest, ALongLullPaysOffAnyDebt) {
  // The hour of overload leaves as much debt as there may be; two hours later it is gone.
  const SimulatorOptions options = LullOptions({{kHour, 300 * kMiB}, {2 * kHour, 0}}, kDay);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  EXPECT_GT(result.debt_bytes_max, options.limits.debt_bytes_max / 2);
  EXPECT_EQ(result.quiet_phases, 8u);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, SlowDevicesAndSmallBudgetsKeepTheBounds) {
  for (const uint64_t budget : {8 * kMiB, 16 * kMiB, 64 * kMiB}) {
    for (const uint64_t flush : {5 * kMiB, 50 * kMiB}) {
      SCOPED_TRACE(::testing::Message() << "budget " << budget << ", flush " << flush);
      SimulatorOptions options = LullOptions({{30 * kSecond, 100 * kMiB}, {5 * kSecond, 0}}, kHour);
      options.memory_budget_bytes = budget;
      options.flush_bytes_per_sec = flush;
      options.compaction_bytes_per_sec = flush;
      const SimulatorResult result = Simulate(options);
      EXPECT_LE(result.memory_bytes_max, budget + options.limits.memtable_bytes);
      EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max * 2);
      EXPECT_GT(result.bytes_written, kMiB * 3600);
    }
  }
}

TEST(SimulatorTest, LevelDbSlowsTheSameBursts) {
  const std::vector<ClientPhase> rhythm = {{10 * kSecond, 60 * kMiB}, {40 * kSecond, 0}};
  const SimulatorResult leveldb = Simulate(Options("leveldb", rhythm, kHour));
  const SimulatorResult lull = Simulate(LullOptions(rhythm, kHour));
  ExpectUnslowed(lull);
  EXPECT_GT(leveldb.paced_us, 60 * kSecond);
  EXPECT_LT(leveldb.bytes_written, lull.bytes_written / 4 * 3);
  // One sealed memtable and the stop are kept there too.
  EXPECT_LE(leveldb.memory_bytes_max, 4 * kMiB);
  EXPECT_LE(leveldb.l0_tables_max, 12);
}

TEST(SimulatorTest, TheSameDayGoesTheSameWay) {
  for (const std::string& policy : PolicyNames()) {
    const auto options = Options(policy, {{kSecond, 150 * kMiB}, {2 * kSecond, 0}}, kHour / 4);
    const SimulatorResult once = Simulate(options);
    EXPECT_EQ(once.fingerprint, Simulate(options).fingerprint) << policy;
    EXPECT_GT(once.policy_calls, 1000u) << policy;
  }
}

TEST(SimulatorTest, AnyRhythmKeepsTheBounds) {
  constexpr uint64_t kSeed = 20260103;
  for (uint64_t round = 0; round < 100; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << ", round " << round);
    Random random(kSeed + round);
    std::vector<ClientPhase> rhythm;
    for (uint64_t n = 1 + random.Uniform(6); n > 0; --n) {
      const uint64_t length_us = (1 + random.Uniform(3000)) * 10'000;
      rhythm.push_back({length_us, random.OneIn(3) ? 0 : random.Uniform(400) * kMiB});
    }
    SimulatorOptions options = LullOptions(rhythm, kHour / 4);
    options.limits.compaction_threads = static_cast<int>(1 + random.Uniform(4));
    options.limits.memtable_bytes = kMiB << random.Uniform(4);
    options.limits.debt_bytes_max = (uint64_t{256} << random.Uniform(5)) * kMiB;
    options.memory_budget_bytes = (uint64_t{32} << random.Uniform(4)) * kMiB;
    options.flush_bytes_per_sec = (100 + random.Uniform(400)) * kMiB;
    options.compaction_bytes_per_sec = (40 + random.Uniform(160)) * kMiB;
    options.idle_share = 0.25 * static_cast<double>(1 + random.Uniform(4));
    ExpectBounded(options, Simulate(options), kWaitUsMax + L0JobUs(options));
  }
}

}  // namespace
}  // namespace lull::testing
