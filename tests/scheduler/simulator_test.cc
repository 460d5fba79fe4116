// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Hours of a toy store: the policies' promises over time, for machines and clients of many kinds.
#include "tests/scheduler/simulator.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/units.h"
#include "util/random.h"

namespace lull::testing {
namespace {

using testing::kMiB;
using testing::kSecondUs;

constexpr uint64_t kHour = 3600 * kSecondUs;
constexpr uint64_t kDay = 24 * kHour;

// A paced client waits for its turn, but every writer makes progress within this time.
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
  // With one job of all L0 tables, they would all count as L0 tables until its end.
  options.l0_job_bytes_max = 64 * kMiB;
  return options;
}

SimulatorOptions LullOptions(std::vector<ClientPhase> rhythm, uint64_t length_us) {
  return Options("lull", std::move(rhythm), length_us);
}

// The bounds that "lull" keeps whatever the clients do.
void ExpectBounded(const SimulatorOptions& options, const SimulatorResult& result,
                   uint64_t wait_us_max = kWaitUsMax) {
  EXPECT_LE(result.memory_bytes_max, options.memory_budget_bytes + options.limits.memtable_bytes);
  EXPECT_LE(result.l0_tables_max, options.limits.l0_stop);
  // When writes have almost stopped, the memtables still become debt.
  EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max * 2 + options.memory_budget_bytes);
  EXPECT_LE(result.wait_us_max, wait_us_max);
}

// The duration of one L0 compaction. In an endless overload L0 stays at its stop, and a writer that
// fills a memtable waits for the next compaction.
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

TEST(SimulatorTest, HoursOfBurstsThatFitAreNeverSlowed) {
  const SimulatorOptions options =
      LullOptions({{10 * kSecondUs, 20 * kMiB}, {20 * kSecondUs, 0}}, 2 * kHour);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
  EXPECT_EQ(result.quiet_phases, 240u);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, AMixedHourIsNeverSlowedAndDrains) {
  SimulatorOptions options = LullOptions({{10 * kSecondUs, 60 * kMiB},
                                          {40 * kSecondUs, 0},
                                          {1 * kSecondUs, 200 * kMiB},
                                          {5 * kSecondUs, 2 * kMiB},
                                          {30 * kSecondUs, 0}},
                                         kHour);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, WithoutLullsWritersAreSlowedSmoothlyToWhatCompactionsAchieve) {
  for (const uint64_t debt_bytes_max : {uint64_t{4} << 30, uint64_t{512} << 20}) {
    SCOPED_TRACE(debt_bytes_max);
    SimulatorOptions options = LullOptions({{kSecondUs, 300 * kMiB}}, kHour);
    options.limits.debt_bytes_max = debt_bytes_max;
    const SimulatorResult result = Simulate(options);
    ExpectBounded(options, result);
    // One worker at full and one at half speed do nine bytes of work for each byte written. The
    // result must be within a third of that.
    EXPECT_GT(result.bytes_written, 2 * result.bytes_offered / 100);
    EXPECT_LT(result.bytes_written, 8 * result.bytes_offered / 100);
  }
}

TEST(SimulatorTest, ATrickleIsNeverSlowed) {
  const SimulatorOptions options = LullOptions({{10 * kSecondUs, kMiB}}, kHour / 3);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  ExpectUnslowed(result);
}

TEST(SimulatorTest, ALongLullPaysOffAnyDebt) {
  // The overload creates the maximal debt; an hour later it is gone.
  const SimulatorOptions options = LullOptions({{kHour / 2, 300 * kMiB}, {kHour, 0}}, 3 * kHour);
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  EXPECT_GT(result.debt_bytes_max, options.limits.debt_bytes_max / 2);
  EXPECT_EQ(result.quiet_phases, 2u);
  EXPECT_EQ(result.quiet_phases_undrained, 0u);
}

TEST(SimulatorTest, SlowDevicesAndSmallBudgetsKeepTheBounds) {
  for (const uint64_t budget : {8 * kMiB, 16 * kMiB, 64 * kMiB}) {
    for (const uint64_t flush : {5 * kMiB, 50 * kMiB}) {
      SCOPED_TRACE(::testing::Message() << "budget " << budget << ", flush " << flush);
      SimulatorOptions options =
          LullOptions({{30 * kSecondUs, 100 * kMiB}, {5 * kSecondUs, 0}}, kHour / 6);
      options.memory_budget_bytes = budget;
      options.flush_bytes_per_sec = flush;
      options.compaction_bytes_per_sec = flush;
      const SimulatorResult result = Simulate(options);
      EXPECT_LE(result.memory_bytes_max, budget + options.limits.memtable_bytes);
      EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max * 2);
      EXPECT_GT(result.bytes_written, kMiB * 600);
    }
  }
}

TEST(SimulatorTest, LevelDbSlowsTheSameBursts) {
  const std::vector<ClientPhase> rhythm = {{10 * kSecondUs, 60 * kMiB}, {40 * kSecondUs, 0}};
  const SimulatorResult leveldb = Simulate(Options("leveldb", rhythm, kHour));
  const SimulatorResult lull = Simulate(LullOptions(rhythm, kHour));
  ExpectUnslowed(lull);
  EXPECT_GT(leveldb.paced_us, 60 * kSecondUs);
  EXPECT_LT(leveldb.bytes_written, lull.bytes_written / 4 * 3);
  // "leveldb" keeps to one sealed memtable and to the stop, too.
  EXPECT_LE(leveldb.memory_bytes_max, 4 * kMiB);
  EXPECT_LE(leveldb.l0_tables_max, 12);
}

// This overload once ended at L0's stop: L1 grew too, so jobs took gigabytes. Pacing must find the
// rate of the compactions, whatever it is, before L0 reaches its stop.
TEST(SimulatorTest, InAnOverloadL0SettlesBelowItsStop) {
  for (const uint64_t compaction : {40 * kMiB, 80 * kMiB, 200 * kMiB}) {
    for (const bool large_jobs : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "compaction " << compaction << ", large " << large_jobs);
      SimulatorOptions options = LullOptions({{kSecondUs, 400 * kMiB}}, kHour / 2);
      options.compaction_bytes_per_sec = compaction;
      options.flush_bytes_per_sec = 300 * kMiB;
      options.l0_job_matches_l1 = large_jobs;
      const SimulatorResult result = Simulate(options);
      EXPECT_LT(result.l0_tables_max, options.limits.l0_stop);
      EXPECT_EQ(result.wait_us_max, 0u);
      ExpectBounded(options, result);
      // The store settles. Once debt has reached its ramp, clients write at the rate that two
      // workers can compact, and L0 varies by no more than the length of its own ramp.
      EXPECT_LT(result.late_l0_tables_max, options.limits.l0_stop - 32);
      const double capacity =
          2 * static_cast<double>(compaction) / (options.l0_cost + options.deep_cost);
      const double got = static_cast<double>(result.late_bytes_written) / (kHour / 4 / 1e6);
      EXPECT_GT(got, 0.9 * capacity);
      EXPECT_LT(got, 1.05 * capacity);
    }
  }
}

// Bursts leave more debt than the lulls between them can pay off. There is light writing most of
// the time, and the rest is paid then, so the bursts stay free of deep work.
TEST(SimulatorTest, LullPaysInLightWritingWhatLullsCannot) {
  std::vector<ClientPhase> rhythm = {
      {10 * kSecondUs, 60 * kMiB}, {100 * kSecondUs, kMiB}, {2 * kSecondUs, 0}};
  SimulatorOptions options = LullOptions(rhythm, kHour / 6);
  options.limits.debt_bytes_max = 2048 * kMiB;
  options.limits.pause_us_max = kHour;
  const SimulatorResult result = Simulate(options);
  ExpectBounded(options, result);
  EXPECT_EQ(result.paced_us, 0u);
  EXPECT_EQ(result.wait_us_max, 0u);
  EXPECT_GT(result.compacted_while_written_bytes, 1024 * kMiB);
  EXPECT_LT(result.debt_bytes_max, options.limits.debt_bytes_max);
}

TEST(SimulatorTest, IdlePoliciesCompactInLullsAlone) {
  for (const std::string policy : {"idle-threshold", "idle-quiet"}) {
    SCOPED_TRACE(policy);
    // The paper's rhythm.
    const SimulatorOptions options =
        Options(policy, {{10 * kSecondUs, 20 * kMiB}, {20 * kSecondUs, 0}}, kHour / 2);
    const SimulatorResult result = Simulate(options);
    ExpectUnslowed(result);
    EXPECT_EQ(result.quiet_phases_undrained, 0u);
    // Except for the half second of a burst that the probe takes to notice it.
    EXPECT_LE(result.compacted_while_written_bytes, result.bytes_written / 10);
  }
}

TEST(SimulatorTest, IdlePoliciesWithoutLullsAreCapped) {
  for (const std::string policy : {"idle-threshold", "idle-quiet"}) {
    SCOPED_TRACE(policy);
    SimulatorOptions options = Options(policy, {{kSecondUs, 10 * kMiB}}, kHour / 2);
    options.limits.debt_bytes_max = 1024 * kMiB;
    const SimulatorResult result = Simulate(options);
    ExpectUnslowed(result);
    EXPECT_GT(result.debt_bytes_max, options.limits.debt_bytes_max / 2);
    EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max + 256 * kMiB);
    // More than compactions can process: L0 stays at its stop, and memory at its budget.
    options.rhythm = {{kSecondUs, 300 * kMiB}};
    const SimulatorResult overload = Simulate(options);
    EXPECT_LE(overload.l0_tables_max, options.limits.l0_stop + 1);
    EXPECT_LE(overload.memory_bytes_max, 2 * options.memory_budget_bytes);
    EXPECT_GT(overload.bytes_written, overload.bytes_offered / 100);
  }
}

TEST(SimulatorTest, AbsorbingKeepsL0Short) {
  SimulatorOptions options =
      Options("idle-quiet", {{10 * kSecondUs, 100 * kMiB}, {20 * kSecondUs, 0}}, kHour / 6);
  options.flush_bytes_per_sec = 60 * kMiB;  // slower than the clients
  const SimulatorResult absorbing = Simulate(options);
  // 600 MiB flushed in a burst would be 150 tables of one memtable each.
  EXPECT_LT(absorbing.l0_tables_max, 100);
  EXPECT_GT(absorbing.bytes_written, absorbing.bytes_offered / 2);
}

TEST(SimulatorTest, SilkGivesCompactionsWhatClientsLeave) {
  std::vector<ClientPhase> rhythm = {{15 * kSecondUs, 100 * kMiB}, {15 * kSecondUs, 2 * kMiB}};
  SimulatorOptions options = Options("silk", rhythm, kHour / 20);
  options.limits.memtable_bytes = 32 * kMiB;
  options.memory_budget_bytes = 128 * kMiB;
  options.flush_bytes_per_sec = 200 * kMiB;
  options.compaction_bytes_per_sec = 300 * kMiB;
  options.limits.silk.bandwidth_bytes_per_sec = 140 * kMiB;
  const SimulatorResult narrow = Simulate(options);
  EXPECT_EQ(narrow.bytes_written, narrow.bytes_offered);
  // L0 is never paused: its minimum compacts a third of a burst's bytes.
  EXPECT_LT(narrow.l0_tables_max, 15 * 100 / 32);
  // On a faster device, work continues in bursts too, and the debt stays smaller.
  options.limits.silk.bandwidth_bytes_per_sec = 1000 * kMiB;
  const SimulatorResult wide = Simulate(options);
  EXPECT_LT(wide.debt_bytes_max, narrow.debt_bytes_max);
  EXPECT_GT(wide.compacted_while_written_bytes, narrow.compacted_while_written_bytes);
}

TEST(SimulatorTest, SilkMeasuresItsBandwidthAndDoesNotChokeOnIt) {
  SimulatorOptions options = Options("silk", {{60 * kSecondUs, 20 * kMiB}}, kHour / 10);
  options.limits.memtable_bytes = 16 * kMiB;
  options.compaction_bytes_per_sec = 150 * kMiB;
  const SimulatorResult result = Simulate(options);
  // Clients never stop and the device keeps up: the limit must not shrink itself.
  EXPECT_GT(result.bytes_written, result.bytes_offered / 100 * 99);
  EXPECT_LT(result.debt_bytes_max, options.limits.debt_bytes_max);
}

TEST(SimulatorTest, SilkBoundsItsDebtUnderClientsThatOnlyGrow) {
  SimulatorOptions options = Options("silk", {{kSecondUs, 60 * kMiB, 190 * kMiB}}, kHour / 4);
  options.limits.memtable_bytes = 32 * kMiB;
  options.memory_budget_bytes = 128 * kMiB;
  options.limits.silk.bandwidth_bytes_per_sec = 200 * kMiB;
  options.limits.debt_bytes_max = 1024 * kMiB;
  options.compaction_bytes_per_sec = 400 * kMiB;
  const SimulatorResult result = Simulate(options);
  EXPECT_GT(result.debt_bytes_max, options.limits.debt_bytes_max / 2);
  EXPECT_LE(result.debt_bytes_max, options.limits.debt_bytes_max + 512 * kMiB);
}

TEST(SimulatorTest, AdocTurnsItsKnobsAgainstWhatOverflows) {
  const std::vector<ClientPhase> rhythm = {{kSecondUs, 120 * kMiB}};
  SimulatorOptions options = Options("adoc", rhythm, kHour / 6);
  options.l0_job_bytes_max = 0;
  options.flush_bytes_per_sec = 100 * kMiB;
  options.limits.compaction_threads = 8;
  options.memory_budget_bytes = 512 * kMiB;
  const SimulatorResult tuned = Simulate(options);
  EXPECT_LE(tuned.l0_tables_max, options.limits.l0_stop + 1);
  EXPECT_LE(tuned.memory_bytes_max, options.memory_budget_bytes);
  // Fixed knobs: two compactions, one size.
  options.limits.adoc.window_us = kDay;
  const SimulatorResult fixed = Simulate(options);
  EXPECT_GT(tuned.bytes_written, fixed.bytes_written);
}

// The duration of `bytes` of deep work at half the speed of a worker.
uint64_t DeepUs(const SimulatorOptions& options, uint64_t bytes) {
  return static_cast<uint64_t>(static_cast<double>(bytes) * options.deep_cost * 1e6 /
                               (0.5 * static_cast<double>(options.compaction_bytes_per_sec)));
}

// The conflict on which SILK's pauses can deadlock: a deep job begins in a lull, the burst pauses
// it, and it holds tables that L0 needs. Whatever the policy pauses, L0 waits at most for the deep
// jobs that have begun, one for each thread. Where the policy limits the rate, flushes use part of
// it, so the jobs are slower by that.
TEST(SimulatorTest, DeepJobsThatHoldL0AreFinishedSoon) {
  for (const std::string& policy : PolicyNames()) {
    for (const int threads : {1, 2}) {
      for (const uint64_t burst : {40 * kMiB, 150 * kMiB}) {
        SCOPED_TRACE(::testing::Message() << policy << ", " << threads << ", " << burst);
        SimulatorOptions options =
            Options(policy, {{20 * kSecondUs, burst}, {3 * kSecondUs, 0}}, kHour / 20);
        options.deep_jobs_hold_l0 = true;
        options.limits.compaction_threads = threads;
        options.limits.silk.bandwidth_bytes_per_sec = 160 * kMiB;
        const SimulatorResult result = Simulate(options);
        EXPECT_GT(result.bytes_written, 1024 * kMiB);
        EXPECT_LE(result.l0_held_us_max,
                  static_cast<uint64_t>(threads) * DeepUs(options, 32 * kMiB) * 5 / 4);
      }
    }
  }
}

TEST(SimulatorTest, EveryPolicySurvivesAnOverload) {
  for (const std::string& policy : PolicyNames()) {
    SCOPED_TRACE(policy);
    SimulatorOptions options = Options(policy, {{kSecondUs, 400 * kMiB}}, kHour / 6);
    options.l0_job_matches_l1 = true;
    const SimulatorResult result = Simulate(options);
    EXPECT_LE(result.l0_tables_max, options.limits.l0_stop + 1);
    EXPECT_LE(result.memory_bytes_max, 2 * options.memory_budget_bytes);
    // It makes progress: a part of what one worker could move through L0 and below.
    EXPECT_GT(result.bytes_written, 1024 * kMiB);
  }
}

TEST(SimulatorTest, TheSameDayGoesTheSameWay) {
  for (const std::string& policy : PolicyNames()) {
    const auto options = Options(policy, {{kSecondUs, 150 * kMiB}, {2 * kSecondUs, 0}}, kHour / 12);
    const SimulatorResult once = Simulate(options);
    EXPECT_EQ(once.fingerprint, Simulate(options).fingerprint) << policy;
    EXPECT_GT(once.policy_calls, 1000u) << policy;
  }
}

TEST(SimulatorTest, AnyRhythmKeepsTheBounds) {
  constexpr uint64_t kSeed = 20260103;
  for (uint64_t round = 0; round < 60; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << ", round " << round);
    Random random(kSeed + round);
    std::vector<ClientPhase> rhythm;
    for (uint64_t n = 1 + random.Uniform(6); n > 0; --n) {
      const uint64_t length_us = (1 + random.Uniform(3000)) * 10'000;
      rhythm.push_back({length_us, random.OneIn(3) ? 0 : random.Uniform(400) * kMiB});
    }
    SimulatorOptions options = LullOptions(rhythm, kHour / 20);
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
