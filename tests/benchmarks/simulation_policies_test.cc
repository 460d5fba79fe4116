// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The policies' promises over minutes of a modelled store: what is never slowed, and what
// stays bounded whatever the clients do. Property tests of the scheduler check each decision.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/loadgen/rng.h"
#include "benchmarks/simulation/scenarios.h"
#include "benchmarks/simulation/simulation.h"

namespace lull::sim {
namespace {

constexpr uint64_t kGiB = 1 << 30;

/// A store on a fast device whose clients write entries of 1000 B.
SimulationOptions StoreUnder(const std::string& policy, const std::vector<Phase>& phases,
                             double seconds, const std::string& scheduling = "") {
  Scenario scenario;
  scenario.base.device = *FindDevice("nvme");
  scenario.base.costs.table_value_share = 1;
  scenario.base.load.value_bytes = 984;
  scenario.base.load.phases = phases;
  scenario.base.seconds = seconds;
  scenario.scheduling = scheduling;
  SimulationOptions options;
  EXPECT_EQ(MakeOptions(scenario, policy, &options), "");
  options.make_policy = [policy, limits = options.limits] { return MakePolicy(policy, limits); };
  return options;
}

/// Clients that write as fast as the store takes it.
SimulationOptions Overload(const std::string& policy, const std::string& scheduling = "") {
  SimulationOptions options = StoreUnder(policy, {{1000, 1}}, 30, scheduling);
  options.load.closed_loop = true;
  options.load.clients = 2;
  options.cores = 4;
  return options;
}

/// The bounds that "lull" keeps whatever the clients do.
void ExpectBounded(const SimulationOptions& options, const SimulationResult& result) {
  EXPECT_LE(result.memory_bytes_max, options.memory_budget_bytes + options.limits.memtable_bytes);
  EXPECT_LE(result.l0_tables_max, options.limits.l0_stop);
  // When writes have almost stopped, the memtables still become debt, of one level or two.
  EXPECT_LE(result.debt_bytes_max,
            2 * (options.limits.debt_bytes_max + options.memory_budget_bytes));
}

struct LoadThatFits {
  const char* name;
  std::vector<Phase> phases;
};

TEST(SimulationPoliciesTest, LullSlowsNoLoadThatFitsAndDrainsInItsLulls) {
  const LoadThatFits loads[] = {
      {"bursts", {{10, 20'000}, {20, 0}}},
      {"mixed", {{10, 60'000}, {40, 0}, {1, 100'000}, {5, 2'000}, {60, 0}}},
      {"trickle", {{10, 1'000}, {5, 0}}},
  };
  for (const LoadThatFits& load : loads) {
    SCOPED_TRACE(load.name);
    double period = 0;
    for (const Phase& phase : load.phases) period += phase.seconds;
    const SimulationOptions options = StoreUnder("lull", load.phases, 4 * period);
    Interval last;
    const SimulationResult result =
        Simulation(options).Run([&](const Interval& interval) { last = interval; });
    ExpectBounded(options, result);
    EXPECT_EQ(result.SlowedSeconds(), 0);
    EXPECT_EQ(result.BlockedSeconds(), 0);
    EXPECT_EQ(last.debt_bytes, 0u);
    EXPECT_EQ(last.jobs, 0);
  }
}

TEST(SimulationPoliciesTest, LullPaysAnyDebtInALongLull) {
  SimulationOptions options = Overload("lull", "debt_bytes_max=512M");
  options.load.phases = {{40, 1}, {200, 0}};
  options.seconds = 240;
  Interval last;
  const SimulationResult result =
      Simulation(options).Run([&](const Interval& interval) { last = interval; });
  ExpectBounded(options, result);
  EXPECT_GT(result.debt_bytes_max, kGiB / 4);
  EXPECT_EQ(last.debt_bytes, 0u);
}

TEST(SimulationPoliciesTest, EveryPolicySurvivesAnOverload) {
  for (const std::string& policy : PolicyNames()) {
    SCOPED_TRACE(policy);
    SimulationOptions options = Overload(policy, "debt_bytes_max=1G");
    options.seconds = 60;  // L1 is compacted once it is larger than a long L0
    const SimulationResult result = Simulation(options).Run(nullptr);
    EXPECT_LE(result.l0_tables_max, options.limits.l0_stop + 1);
    EXPECT_LE(result.memory_bytes_max, 2 * options.memory_budget_bytes);
    EXPECT_GT(result.client_bytes, 0.5 * kGiB);
    EXPECT_GT(result.written_bytes.deep, 0.25 * kGiB);
  }
}

// An overload once ended at L0's stop: L1 grew too, so jobs took gigabytes. Pacing must find the
// rate of the compactions, whatever it is, before L0 reaches its stop.
TEST(SimulationPoliciesTest, LullPacesAnOverloadInsteadOfBlockingIt) {
  for (const double merge_byte_ns : {1.0, 2.6, 10.0}) {
    SCOPED_TRACE(merge_byte_ns);
    SimulationOptions options = Overload("lull", "debt_bytes_max=512M");
    options.costs.merge_byte_ns = merge_byte_ns;
    const SimulationResult result = Simulation(options).Run(nullptr);
    ExpectBounded(options, result);
    EXPECT_LT(result.l0_tables_max, options.limits.l0_stop);
    EXPECT_LT(result.longest_block_seconds, 0.1);
    EXPECT_GT(result.SlowedSeconds(), 0);
  }
}

// They compact in lulls; while clients never stop, only so that debt stays at its limit.
TEST(SimulationPoliciesTest, WhatPoliciesPutOffIsBounded) {
  for (const std::string policy : {"idle-threshold", "idle-quiet", "silk"}) {
    SCOPED_TRACE(policy);
    const SimulationOptions options =
        StoreUnder(policy, {{1000, 30'000}}, 120,
                   "debt_bytes_max=1G;silk_bandwidth_bytes_per_sec=80M;"
                   "silk_urgent_bytes_per_sec_min=50M");
    const SimulationResult result = Simulation(options).Run(nullptr);
    EXPECT_NEAR(result.served, result.arrived, 1e-3 * result.arrived);
    EXPECT_GT(result.debt_bytes_max, kGiB / 2);
    EXPECT_LE(result.debt_bytes_max, kGiB + kGiB / 2);
  }
}

TEST(SimulationPoliciesTest, IdlePoliciesCompactInLullsAlone) {
  for (const std::string policy : {"idle-threshold", "idle-quiet"}) {
    SCOPED_TRACE(policy);
    double in_bursts = 0;
    const SimulationResult result = Simulation(StoreUnder(policy, {{10, 20'000}, {20, 0}}, 90))
                                        .Run([&](const Interval& interval) {
                                          if (interval.arrived == 0) return;
                                          in_bursts += interval.written_bytes.deep;
                                        });
    EXPECT_EQ(result.SlowedSeconds() + result.BlockedSeconds(), 0);
    EXPECT_GT(result.written_bytes.deep, result.client_bytes / 2);
    // Except for the half second of a burst that the probe takes to notice it.
    EXPECT_LE(in_bursts, result.client_bytes / 10);
  }
}

TEST(SimulationPoliciesTest, LullKeepsTheBoundsInAnyRhythm) {
  constexpr uint64_t kSeed = 20260103;
  for (uint64_t round = 0; round < 10; ++round) {
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed << ", round " << round);
    bench::Rng rng(kSeed + round);
    std::vector<Phase> phases;
    for (uint64_t n = 1 + rng.Below(6); n > 0; --n) {
      const double seconds = 0.01 * static_cast<double>(1 + rng.Below(3000));
      const double requests_per_sec = 1000 * static_cast<double>(rng.Below(200));
      phases.push_back({seconds, rng.Below(3) == 0 ? 0 : requests_per_sec});
    }
    phases.push_back({1, 1'000});
    const std::string scheduling = "compaction_threads=" + std::to_string(1 + rng.Below(4)) +
                                   ";debt_bytes_max=" + std::to_string(256 << rng.Below(5)) +
                                   "M;memory_budget_bytes=" + std::to_string(32 << rng.Below(4)) +
                                   "M";
    SimulationOptions options = StoreUnder("lull", phases, 60, scheduling);
    options.cores = static_cast<int>(1 + rng.Below(4));
    ExpectBounded(options, Simulation(options).Run(nullptr));
  }
}

}  // namespace
}  // namespace lull::sim
