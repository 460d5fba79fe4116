// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Promises of "lull" for every history of events, in addition to those of all policies: see
// random_history.h.
#include "scheduler/policies/lull_policy.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "scheduler/policy.h"
#include "tests/scheduler/random_history.h"

namespace lull::testing {
namespace {

/// A policy with a random history.
struct Experienced {
  /// Of a copy, so that the call does not change the policy.
  Directive Says(const Pressure& asked) const {
    return LullPolicy(policy).OnEvent(EventKind::kTick, asked, now_us);
  }

  PolicyOptions options;
  LullPolicy policy;
  RandomHistory history;
  Pressure pressure;  // the last one
  uint64_t now_us;
};

template <class Property>
void ForManyPolicies(const Property& property, uint64_t bandwidth_bytes_per_sec = 0) {
  ForManyHistories("lull", [&](PolicyOptions options, RandomHistory history) {
    options.lull.bandwidth_bytes_per_sec = bandwidth_bytes_per_sec;
    LullPolicy policy(options);
    const Moment last = AfterEvents(&policy, &history);
    property(Experienced{options, policy, history, last.pressure, last.now_us});
  });
}

TEST(LullPolicyTest, ALullGrantsEverythingAtNormalPriority) {
  ForManyPolicies([](Experienced lull) {
    for (int i = 0; i < 50; ++i) {
      Pressure pressure = lull.history.RandomPressure(lull.pressure);
      pressure.idle_us = lull.options.lull.after_us + static_cast<uint64_t>(i);
      const Grant all{lull.options.compaction_threads, CpuPriority::kNormal};
      const Directive wanted = lull.Says(pressure);
      ASSERT_EQ(wanted.l0, all);
      ASSERT_EQ(wanted.deep, all);
      ASSERT_EQ(wanted.flush_bytes_min, 0u);
    }
  });
}

/// Bursts of 10 s that build 300 MiB of debt, with rests that pay it. In the middle of each, for
/// 1.2 s, clients wait.
class WaitingClients {
 public:
  WaitingClients() {
    pressure_.flush_bytes_per_sec = 200 * kMiB;
    pressure_.memory_budget_bytes = 64 * kMiB;
  }

  void RunBursts(bool Pressure::*wait, bool write_on) {
    for (int burst = 0; burst < 3; ++burst) {
      Pass(4.8, kWriteRate, 30);
      pressure_.*wait = true;
      Pass(1.2, write_on ? kWriteRate : 0, write_on ? 30 : -30);
      pressure_.*wait = false;
      Pass(write_on ? 4 : 5.2, kWriteRate, 30);
      Pass(5, 0, -200);
    }
    Pass(0.1, kWriteRate, 0);
  }

  uint64_t Figure(const std::string& name) const {
    for (const PolicyFigure& figure : policy_.State()) {
      if (figure.name == name) return std::get<uint64_t>(figure.value);
    }
    ADD_FAILURE() << "no figure " << name;
    return 0;
  }

 private:
  static constexpr double kWriteRate = 50.0 * kMiB;

  void Pass(double seconds, double bytes_per_sec, double debt_mib_per_sec) {
    constexpr uint64_t kTickUs = 10'000;
    for (int tick = 0; tick < static_cast<int>(seconds * 100); ++tick) {
      pressure_.client_bytes_total += static_cast<uint64_t>(bytes_per_sec / 100);
      pressure_.idle_us = bytes_per_sec > 0 ? 0 : pressure_.idle_us + kTickUs;
      debt_mib_ = std::max(debt_mib_ + debt_mib_per_sec / 100, 0.0);
      pressure_.debt_bytes = static_cast<uint64_t>(debt_mib_ * kMiB);
      policy_.OnEvent(EventKind::kTick, pressure_, now_us_ += kTickUs);
    }
  }

  LullPolicy policy_{PolicyOptions()};
  Pressure pressure_;
  double debt_mib_ = 0;
  uint64_t now_us_ = 0;
};

TEST(LullPolicyTest, WaitingIsNoRest) {
  for (bool Pressure::*wait :
       {&Pressure::drain_requested, &Pressure::write_waits, &Pressure::space_is_low}) {
    for (const bool write_on : {true, false}) {
      // If space is low, nobody waits, so those who do not write rest.
      if (wait == &Pressure::space_is_low && !write_on) continue;
      WaitingClients clients;
      clients.RunBursts(wait, write_on);
      EXPECT_NEAR(static_cast<double>(clients.Figure("longest_burst_us")), 10e6, 0.2e6);
      EXPECT_NEAR(static_cast<double>(clients.Figure("next_burst_debt_bytes")) / kMiB, 300, 8);
    }
  }
}

// A limit is at least a quarter of the bandwidth, and pressure only raises it.
TEST(LullPolicyTest, PressureOnlyAddsBytesPerSecond) {
  int limited = 0;
  const auto check = [&](Experienced lull) {
    Pressure& pressure = lull.pressure;
    pressure.l0_tables = 0;
    uint64_t least = 50 * kMiB;
    for (uint64_t part = 0; part <= 100; ++part) {
      pressure.debt_bytes = lull.options.debt_bytes_max / 100 * part;
      const uint64_t rate = lull.Says(pressure).rate.bytes_per_sec;
      if (rate == 0) continue;  // nothing is granted, or nothing is limited
      ++limited;
      ASSERT_GE(rate, least) << part;
      ASSERT_LE(rate, 200 * kMiB);
      ASSERT_LT(pressure.debt_bytes * 4, lull.options.debt_bytes_max * 3);
      least = rate;
    }
  };
  ForManyPolicies(check, 200 * kMiB);
  EXPECT_GT(limited, 1000);
}

/// Under a limit that L0 uses up, deep work gets its turn without more of the device.
TEST(LullPolicyTest, DeepWorkThatStarvesGetsTheLimitInsteadOfL0) {
  PolicyOptions options;
  options.pause_us_max = 1'000'000;
  options.lull.bandwidth_bytes_per_sec = 100 * kMiB;
  LullPolicy policy(options);
  Pressure pressure;
  pressure.memory_budget_bytes = 64 * kMiB;
  pressure.memtable_bytes = 4 * kMiB;
  pressure.l0_due = pressure.deep_due = true;
  pressure.l0_running = pressure.deep_running = 1;
  pressure.l0_tables = options.l0_stop * 6 / 10;  // so many that compactions run beside clients
  int deep_alone = 0;
  for (uint64_t now_us = 10'000; now_us < 10'000'000; now_us += 10'000) {
    pressure.client_bytes_total += kMiB / 5;
    const Directive wanted = policy.OnEvent(EventKind::kTick, pressure, now_us);
    ASSERT_GT(wanted.rate.bytes_per_sec, 0u) << now_us;
    ASSERT_GT(wanted.deep.jobs_max, 0);
    if (wanted.l0.jobs_max > 0) {
      pressure.l0_slices_total += 10;
    } else {
      pressure.deep_slices_total += 10;
      ++deep_alone;
    }
  }
  EXPECT_GT(deep_alone, 50);
  EXPECT_LT(deep_alone, 500);
}

TEST(LullPolicyTest, PressureOnlyAddsGrants) {
  ForManyPolicies([](Experienced lull) {
    Pressure& pressure = lull.pressure;
    pressure.debt_bytes = 0;
    Grant l0;
    Grant deep;
    for (int tables = 0; tables <= lull.options.l0_stop; ++tables) {
      pressure.l0_tables = tables;
      const Directive wanted = lull.Says(pressure);
      ASSERT_GE(wanted.l0.jobs_max, l0.jobs_max);
      ASSERT_GE(wanted.deep.jobs_max, deep.jobs_max);
      if (l0.jobs_max > 0 && l0.cpu == CpuPriority::kNormal) {
        ASSERT_EQ(wanted.l0.cpu, CpuPriority::kNormal);
      }
      l0 = wanted.l0;
      deep = wanted.deep;
    }
    ASSERT_EQ(l0.cpu, CpuPriority::kNormal);
  });
}

// Raises one pressure from zero to beyond its limit, with arbitrary values of the others.
// `steps`: between a free pace and the lowest, where the pressure is too coarse for smoothness.
template <class Set>
void ExpectPaceFalls(const Experienced& lull, int steps, const Set& set_share) {
  Pressure pressure = lull.pressure;
  const double flush = static_cast<double>(pressure.flush_bytes_per_sec);
  const double granularity = steps == 0 ? 0 : 2.0 * flush / steps;
  double before = std::numeric_limits<double>::infinity();
  for (int percent = 0; percent <= 200; ++percent) {
    set_share(&pressure, percent / 100.0);
    const double pace = Pace(lull.Says(pressure));
    ASSERT_LE(pace, before) << "at " << percent << " %";
    ASSERT_GE(pace, static_cast<double>(kMiB));
    // Smooth: a step of one percent of a limit costs a few percent of the flush rate.
    if (before <= 1e18) {
      ASSERT_LE(before - pace, 0.11 * flush + granularity + 1) << "at " << percent << " %";
    }
    before = pace;
  }
}

TEST(LullPolicyTest, PaceFallsSmoothlyAsAnyPressureGrows) {
  ForManyPolicies([](Experienced lull) {
    Pressure& pressure = lull.pressure;
    if (pressure.memory_budget_bytes == 0) pressure.memory_budget_bytes = 64 * kMiB;
    ExpectPaceFalls(lull, 0, [](Pressure* p, double share) {
      p->memory_used_bytes = ShareOf(p->memory_budget_bytes, share);
    });
    ExpectPaceFalls(lull, 0, [&](Pressure* p, double share) {
      p->debt_bytes = ShareOf(lull.options.debt_bytes_max, share);
    });
    const int ramp = lull.options.l0_stop - lull.options.l0_slowdown;
    // One percent can be up to three tables.
    ExpectPaceFalls(lull, std::max(1, ramp) / 3 + (ramp < 3 ? 1 : 0),
                    [&](Pressure* p, double share) {
                      p->l0_tables = static_cast<int>(share * lull.options.l0_stop);
                    });
  });
}

TEST(LullPolicyTest, WritesAreFreeFarFromTheLimits) {
  ForManyPolicies([](Experienced lull) {
    Pressure pressure = lull.history.RandomPressure();
    if (pressure.memory_budget_bytes == 0) pressure.memory_budget_bytes = 64 * kMiB;
    pressure.memory_used_bytes = pressure.memory_budget_bytes / 5;
    pressure.l0_tables = std::min(lull.options.l0_slowdown, lull.options.l0_stop - 1);
    pressure.debt_bytes = lull.options.debt_bytes_max / 2;
    const Directive wanted = lull.Says(pressure);
    ASSERT_EQ(wanted.write_bytes_per_sec_max, 0u);
    ASSERT_EQ(wanted.delay_us_per_write, 0u);
    ASSERT_EQ(wanted.cause, StallCause::kNone);
  });
}

}  // namespace
}  // namespace lull::testing
