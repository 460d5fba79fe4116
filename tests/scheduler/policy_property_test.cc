// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What holds for every history of events: random ones, from a fixed seed that is printed when a
// property fails.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/lull_policy.h"
#include "scheduler/policy.h"
#include "tests/scheduler/policy_script.h"
#include "util/random.h"

namespace lull::testing {
namespace {

constexpr uint64_t kSeed = 20260104;
constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kWriteRateMin = kMiB;

struct Moment {
  EventKind event = EventKind::kTick;
  Pressure pressure;
  uint64_t now_us = 0;
};

PolicyOptions RandomOptions(const std::string& policy, Random* random) {
  const L0Limits limits = DefaultL0Limits(policy);
  PolicyOptions options;
  options.compaction_threads = static_cast<int>(1 + random->Uniform(8));
  options.l0_trigger = limits.trigger;
  options.l0_slowdown = limits.slowdown;
  options.l0_stop = limits.stop;
  if (random->OneIn(3)) {
    options.l0_trigger = static_cast<int>(1 + random->Uniform(10));
    options.l0_slowdown = options.l0_trigger + static_cast<int>(random->Uniform(20));
    options.l0_stop = options.l0_slowdown + static_cast<int>(random->Uniform(20));
  }
  options.debt_bytes_max = (1 + random->Uniform(8192)) * kMiB;
  options.pause_us_max = (1 + random->Uniform(300)) * 1'000'000;
  options.memtable_bytes = kMiB << random->Uniform(6);
  options.lull.after_us = random->Uniform(100'000);
  if (random->OneIn(2)) return options;
  options.lull.burst_us_max = random->Uniform(100'000'000);
  options.idle.probe_us = 1000 + random->Uniform(1'000'000);
  options.idle.threshold_bytes_per_sec = 1 + random->Uniform(10 * kMiB);
  options.idle.quiet_us = random->Uniform(1'000'000);
  options.silk.reserve_bytes_per_sec = random->Uniform(50 * kMiB);
  options.silk.urgent_bytes_per_sec_min = 1 + random->Uniform(100 * kMiB);
  options.silk.change_bytes_per_sec_min = random->Uniform(50 * kMiB);
  if (random->OneIn(2)) {
    options.silk.bandwidth_bytes_per_sec = options.silk.reserve_bytes_per_sec +
                                           options.silk.urgent_bytes_per_sec_min + 1 +
                                           random->Uniform(500 * kMiB);
  }
  options.adoc.window_us = 1000 + random->Uniform(3'000'000);
  options.adoc.threads_step = static_cast<int>(1 + random->Uniform(4));
  options.adoc.batch_factor_max = static_cast<int>(1 + random->Uniform(16));
  options.adoc.slowed_bytes_per_sec = 1 + random->Uniform(32 * kMiB);
  return options;
}

/// Within this much time of silence every policy must have seen that the clients are quiet: two
/// periods of whatever it measures (of "silk" 20 ticks are one), and a tick.
uint64_t QuietUs(const PolicyOptions& options) {
  return 2 * std::max({options.lull.after_us, options.idle.probe_us, options.idle.quiet_us,
                       20 * options.silk.tick_us}) +
         20'000;
}

/// Clients that write in bursts, and a store whose state wanders. Any mixture may follow any other:
/// a policy may not rely on the world being plausible.
class RandomHistory {
 public:
  RandomHistory(uint64_t seed, const PolicyOptions& options) : random_(seed), options_(options) {
    budget_bytes_ = random_.OneIn(10) ? 0 : (1 + random_.Uniform(512)) * kMiB;
  }

  Moment Next() {
    const uint64_t step_us =
        random_.OneIn(50) ? random_.Uniform(600'000'000) : random_.Uniform(20'000);
    moment_.now_us += step_us;
    if (random_.OneIn(30)) rate_ = random_.OneIn(2) ? 0 : random_.Uniform(500 * kMiB);
    const uint64_t written =
        static_cast<uint64_t>(static_cast<double>(rate_) * static_cast<double>(step_us) / 1e6);
    moment_.pressure.client_bytes_total += written;
    moment_.pressure.client_read_bytes_total += random_.OneIn(2) ? random_.Uniform(8 * kMiB) : 0;
    moment_.pressure.l0_misses_total += random_.OneIn(2) ? random_.Uniform(100'000) : 0;
    moment_.pressure.background_bytes_total += random_.OneIn(2) ? random_.Uniform(8 * kMiB) : 0;
    moment_.pressure.idle_us = written > 0 ? 0 : moment_.pressure.idle_us + step_us;
    moment_.event = static_cast<EventKind>(random_.Uniform(6));
    if (random_.OneIn(5)) Wander();
    return moment_;
  }

  Pressure RandomPressure() {
    Pressure pressure;
    pressure.memory_budget_bytes = budget_bytes_;
    pressure.memory_used_bytes = random_.Uniform(budget_bytes_ / 4 * 5 + 1);
    pressure.immutables = static_cast<int>(random_.Uniform(20));
    pressure.immutable_bytes = random_.Uniform(pressure.memory_used_bytes + 1);
    pressure.flush_bytes_per_sec = random_.OneIn(6) ? 0 : random_.Uniform(1000 * kMiB);
    pressure.l0_tables =
        static_cast<int>(random_.Uniform(static_cast<uint64_t>(options_.l0_stop) * 5 / 4 + 2));
    pressure.l0_bytes = static_cast<uint64_t>(pressure.l0_tables) * random_.Uniform(16 * kMiB);
    pressure.l1_bytes = random_.Uniform(64 * kMiB);
    pressure.debt_bytes = random_.Uniform(options_.debt_bytes_max * 2);
    pressure.l0_due = pressure.l0_tables >= options_.l0_trigger;
    pressure.deep_due = random_.OneIn(2);
    pressure.l0_running = static_cast<int>(random_.Uniform(2));
    pressure.deep_running = static_cast<int>(random_.Uniform(3));
    pressure.deep_paused = static_cast<int>(random_.Uniform(3));
    pressure.memtable_bytes = options_.memtable_bytes;
    pressure.active_bytes = random_.Uniform(options_.memtable_bytes * 9);
    pressure.drain_requested = random_.OneIn(20);
    return pressure;
  }

 private:
  void Wander() {
    Pressure next = RandomPressure();
    next.client_bytes_total = moment_.pressure.client_bytes_total;
    next.client_read_bytes_total = moment_.pressure.client_read_bytes_total;
    next.l0_misses_total = moment_.pressure.l0_misses_total;
    next.background_bytes_total = moment_.pressure.background_bytes_total;
    next.idle_us = moment_.pressure.idle_us;
    moment_.pressure = next;
  }

  Random random_;
  const PolicyOptions options_;
  uint64_t budget_bytes_ = 0;
  uint64_t rate_ = 0;
  Moment moment_;
};

/// A property is given an index; it draws everything from that.
template <class Property>
void ForManyHistories(const std::string& policy, const Property& property) {
  for (uint64_t index = 0; index < 200; ++index) {
    SCOPED_TRACE(::testing::Message() << policy << ", seed " << kSeed << ", history " << index);
    Random random(kSeed + index * 1000);
    const PolicyOptions options = RandomOptions(policy, &random);
    property(options, RandomHistory(random.Next(), options));
    if (::testing::Test::HasFailure()) return;
  }
}

constexpr int kEvents = 300;

/// Tells the policy a random history; returns its last moment.
Moment AfterEvents(Policy* policy, RandomHistory* history) {
  Moment last;
  for (int i = 0; i < kEvents; ++i) {
    last = history->Next();
    policy->OnEvent(last.event, last.pressure, last.now_us);
  }
  return last;
}

/// No deep compaction was begun: "leveldb" finishes one before it grants another to L0.
void SetNothingBegun(Pressure* pressure) { pressure->deep_running = pressure->deep_paused = 0; }

/// No memtable waits, no compaction runs, L0 is short, and there is little debt.
void SetCalm(const PolicyOptions& options, Pressure* pressure) {
  SetNothingBegun(pressure);
  if (pressure->memory_budget_bytes == 0) pressure->memory_budget_bytes = 64 * kMiB;
  pressure->immutables = 0;
  pressure->memory_used_bytes = pressure->immutable_bytes = 0;
  pressure->active_bytes = 0;
  pressure->drain_requested = false;
  pressure->l0_tables = std::min(options.l0_trigger, options.l0_slowdown - 1);
  pressure->debt_bytes = std::min(pressure->debt_bytes, options.debt_bytes_max / 4);
}

uint64_t ShareOf(uint64_t whole, double share) {
  return static_cast<uint64_t>(share * static_cast<double>(whole));
}

/// A policy after a random history, to be copied and asked what it would say.
LullPolicy PolicyAfter(const PolicyOptions& options, RandomHistory* history, Moment* last) {
  LullPolicy policy(options);
  *last = AfterEvents(&policy, history);
  return policy;
}

/// What a copy of `policy` answers, so that the question leaves no trace.
Directive WouldSay(LullPolicy policy, const Pressure& pressure, uint64_t now_us) {
  return policy.OnEvent(EventKind::kTick, pressure, now_us);
}

double Pace(const Directive& directive) {
  return directive.write_bytes_per_sec_max == 0
             ? std::numeric_limits<double>::infinity()
             : static_cast<double>(directive.write_bytes_per_sec_max);
}

class AnyPolicyTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Policies, AnyPolicyTest, ::testing::ValuesIn(PolicyNames()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(AnyPolicyTest, TheSameEventsGiveTheSameDirectives) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    RandomHistory again = history;
    const auto one = MakePolicy(GetParam(), options);
    const auto two = MakePolicy(GetParam(), options);
    for (int i = 0; i < kEvents; ++i) {
      const Moment a = history.Next();
      const Moment b = again.Next();
      ASSERT_EQ(one->OnEvent(a.event, a.pressure, a.now_us),
                two->OnEvent(b.event, b.pressure, b.now_us));
    }
  });
}

TEST_P(AnyPolicyTest, EveryDirectiveIsSane) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    for (int i = 0; i < kEvents; ++i) {
      const Moment moment = history.Next();
      const Directive wanted = policy->OnEvent(moment.event, moment.pressure, moment.now_us);
      SCOPED_TRACE(DirectiveText(wanted));
      ASSERT_GE(wanted.compactions_max, 1);
      ASSERT_LE(wanted.compactions_max, options.compaction_threads);
      ASSERT_GE(wanted.l0.jobs_max, 0);
      ASSERT_LE(wanted.l0.jobs_max, options.compaction_threads);
      ASSERT_GE(wanted.deep.jobs_max, 0);
      ASSERT_LE(wanted.deep.jobs_max, options.compaction_threads);
      ASSERT_GE(wanted.immutables_max, 1);
      if (wanted.rate.bytes_per_sec > 0) {
        ASSERT_GE(wanted.rate.urgent_bytes_per_sec_min, 1u);
        ASSERT_GE(wanted.rate.bytes_per_sec, wanted.rate.urgent_bytes_per_sec_min);
      }
      if (wanted.memtable_bytes > 0) {
        const auto factor = static_cast<uint64_t>(options.adoc.batch_factor_max);
        ASSERT_GE(wanted.memtable_bytes, options.memtable_bytes);
        ASSERT_LE(wanted.memtable_bytes, options.memtable_bytes * factor);
        ASSERT_GE(wanted.table_bytes, options.table_bytes);
        ASSERT_LE(wanted.table_bytes, options.table_bytes * factor);
      }
      ASSERT_EQ(wanted.l0_stop, options.l0_stop);
      // A flush must be able to begin before memory is used up.
      ASSERT_LE(wanted.flush_bytes_min, moment.pressure.memory_budget_bytes / 2);
      const bool slowed = wanted.delay_us_per_write > 0 || wanted.write_bytes_per_sec_max > 0;
      ASSERT_EQ(slowed, wanted.cause != StallCause::kNone);
      ASSERT_LE(wanted.delay_us_per_write, 1000u);
    }
  });
}

// A client that has stopped, and work that is due: it runs, and goes on running, until it is done.
TEST_P(AnyPolicyTest, WorkThatIsDueRunsSoonAfterTheLastWrite) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    Pressure& pressure = moment.pressure;
    SetCalm(options, &pressure);
    pressure.l0_due = pressure.deep_due = true;
    pressure.idle_us = 0;
    Directive wanted = policy->OnEvent(EventKind::kFlushed, pressure, moment.now_us);
    for (int tick = 0; tick < 500; ++tick) {
      const bool runs = wanted.l0.jobs_max > 0 && wanted.deep.jobs_max > 0;
      // Whoever wants to wait must ask to be called again.
      ASSERT_TRUE(runs || wanted.tick);
      ASSERT_TRUE(runs || pressure.idle_us < QuietUs(options)) << pressure.idle_us;
      moment.now_us += 10'000;
      pressure.idle_us += 10'000;
      wanted = policy->OnEvent(EventKind::kTick, pressure, moment.now_us);
    }
    ASSERT_EQ(wanted.flush_bytes_min, 0u);
    ASSERT_EQ(wanted.write_bytes_per_sec_max, 0u);
    ASSERT_EQ(wanted.delay_us_per_write, 0u);
  });
}

// Clients that never stop, and no pressure that would force anything: every class of work that is
// due still gets its part of the time, and no pause of it is longer than the options allow.
TEST_P(AnyPolicyTest, NothingStarvesUnderClientsThatNeverStop) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    Pressure& pressure = moment.pressure;
    SetCalm(options, &pressure);
    pressure.l0_due = pressure.deep_due = true;
    pressure.l0_running = 1;
    const uint64_t step_us = options.pause_us_max / 100;
    uint64_t l0_us = 0;
    uint64_t deep_us = 0;
    uint64_t l0_at_us = moment.now_us;
    uint64_t deep_at_us = moment.now_us;
    const uint64_t end_us = moment.now_us + 4 * options.pause_us_max;
    while (moment.now_us < end_us) {
      moment.now_us += step_us;
      pressure.client_bytes_total += step_us * 400;  // 400 MB/s
      pressure.background_bytes_total += step_us * 20;
      pressure.idle_us = 0;
      const Directive wanted = policy->OnEvent(EventKind::kTick, pressure, moment.now_us);
      if (wanted.l0.jobs_max > 0) l0_us += step_us, l0_at_us = moment.now_us;
      if (wanted.deep.jobs_max > 0) deep_us += step_us, deep_at_us = moment.now_us;
      ASSERT_LE(moment.now_us - l0_at_us, options.pause_us_max + 2 * step_us);
      ASSERT_LE(moment.now_us - deep_at_us, options.pause_us_max + 2 * step_us);
    }
    ASSERT_GE(l0_us, options.pause_us_max / 5);
    ASSERT_GE(deep_us, options.pause_us_max / 5);
  });
}

// What may block L0 for good: a deep job that holds its tables, and is paused.
TEST_P(AnyPolicyTest, ADeepJobInTheWayOfL0IsNotLeftPaused) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    Pressure& pressure = moment.pressure;
    SetCalm(options, &pressure);
    pressure.l0_due = true;
    pressure.l0_running = pressure.deep_running = 0;
    pressure.deep_paused = 1;
    Directive wanted;
    for (int tick = 0; tick < 10; ++tick) {
      moment.now_us += 10'000;
      pressure.client_bytes_total += 4 * kMiB;
      pressure.idle_us = 0;
      pressure.deep_running = wanted.deep.jobs_max > 0 ? 1 : 0;
      pressure.deep_paused = 1 - pressure.deep_running;
      wanted = policy->OnEvent(EventKind::kTick, pressure, moment.now_us);
    }
    ASSERT_TRUE(wanted.l0.jobs_max == 0 || wanted.deep.jobs_max > 0);
  });
}

// At the caps compactions run, whatever the clients do.
TEST_P(AnyPolicyTest, AtItsCapWorkRunsWhateverTheClientsDo) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    for (int i = 0; i < 50; ++i) {
      Pressure pressure = history.RandomPressure();
      pressure.client_bytes_total = moment.pressure.client_bytes_total += 10 * kMiB;
      pressure.immutables = 0;
      SetNothingBegun(&pressure);
      pressure.l0_due = pressure.deep_due = true;
      const bool l0_is_full = i % 2 == 0;
      if (l0_is_full) {
        pressure.l0_tables = options.l0_stop;
      } else {
        pressure.debt_bytes = options.debt_bytes_max;
      }
      moment.now_us += 20'000;
      const Directive wanted = policy->OnEvent(EventKind::kTick, pressure, moment.now_us);
      ASSERT_GT(wanted.l0.jobs_max, 0);
      if (!l0_is_full) {
        ASSERT_GT(wanted.deep.jobs_max, 0);
        ASSERT_EQ(wanted.rate.bytes_per_sec, 0u);
      }
    }
  });
}

// A waiting client is served as in a lull, by every policy.
TEST_P(AnyPolicyTest, ADrainGrantsEverything) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    moment.pressure.immutables = 0;
    SetNothingBegun(&moment.pressure);
    moment.pressure.drain_requested = true;
    const Directive wanted = policy->OnEvent(EventKind::kTick, moment.pressure, moment.now_us);
    ASSERT_GT(wanted.l0.jobs_max, 0);
    ASSERT_GT(wanted.deep.jobs_max, 0);
    ASSERT_EQ(wanted.rate.bytes_per_sec, 0u);
  });
}

// Two stores with different pasts that stand the same now admit writes the same way: a past of any
// length under pressure is forgotten when the pressure is gone.
TEST_P(AnyPolicyTest, AdmissionHasNoMemory) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto experienced = MakePolicy(GetParam(), options);
    const auto fresh = MakePolicy(GetParam(), options);
    const Moment last = AfterEvents(experienced.get(), &history);
    for (int i = 0; i < 100; ++i) {
      Pressure pressure = history.RandomPressure();
      pressure.client_bytes_total = last.pressure.client_bytes_total;
      const Directive a = experienced->OnEvent(EventKind::kTick, pressure, last.now_us);
      const Directive b = fresh->OnEvent(EventKind::kTick, pressure, last.now_us);
      ASSERT_EQ(a.write_bytes_per_sec_max, b.write_bytes_per_sec_max);
      ASSERT_EQ(a.delay_us_per_write, b.delay_us_per_write);
      ASSERT_EQ(a.cause, b.cause);
    }
  });
}

// More pressure of any kind never lets writes in faster.
TEST_P(AnyPolicyTest, AdmissionIsMonotone) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    for (int which = 0; which < 3; ++which) {
      Pressure pressure = history.RandomPressure();
      pressure.client_bytes_total = moment.pressure.client_bytes_total;
      double pace = std::numeric_limits<double>::infinity();
      uint64_t delay_us = 0;
      for (int percent = 0; percent <= 250; percent += 5) {
        const double share = percent / 100.0;
        if (which == 0) pressure.l0_tables = static_cast<int>(share * options.l0_stop);
        if (which == 1) pressure.debt_bytes = ShareOf(options.debt_bytes_max, share);
        if (which == 2) pressure.memory_used_bytes = ShareOf(pressure.memory_budget_bytes, share);
        const Directive wanted = policy->OnEvent(EventKind::kTick, pressure, moment.now_us);
        ASSERT_LE(Pace(wanted), pace);
        ASSERT_GE(wanted.delay_us_per_write, delay_us);
        pace = Pace(wanted);
        delay_us = wanted.delay_us_per_write;
      }
    }
  });
}

TEST(LullPolicyTest, ALullGrantsEverythingAtNormalPriority) {
  ForManyHistories("lull", [](const PolicyOptions& options, RandomHistory history) {
    Moment last;
    const LullPolicy policy = PolicyAfter(options, &history, &last);
    for (int i = 0; i < 50; ++i) {
      Pressure pressure = history.RandomPressure();
      pressure.client_bytes_total = last.pressure.client_bytes_total;
      pressure.idle_us = options.lull.after_us + static_cast<uint64_t>(i);
      const Grant all{options.compaction_threads, CpuPriority::kNormal};
      const Directive wanted = WouldSay(policy, pressure, last.now_us);
      ASSERT_EQ(wanted.l0, all);
      ASSERT_EQ(wanted.deep, all);
      ASSERT_EQ(wanted.flush_bytes_min, 0u);
    }
  });
}

TEST(LullPolicyTest, PressureOnlyAddsGrants) {
  ForManyHistories("lull", [](const PolicyOptions& options, RandomHistory history) {
    Moment last;
    const LullPolicy policy = PolicyAfter(options, &history, &last);
    Pressure pressure = last.pressure;
    pressure.debt_bytes = 0;
    Grant l0;
    Grant deep;
    for (int tables = 0; tables <= options.l0_stop; ++tables) {
      pressure.l0_tables = tables;
      const Directive wanted = WouldSay(policy, pressure, last.now_us);
      ASSERT_GE(wanted.l0.jobs_max, l0.jobs_max);
      ASSERT_GE(wanted.deep.jobs_max, deep.jobs_max);
      if (l0.jobs_max > 0 && l0.cpu == CpuPriority::kNormal) {
        ASSERT_EQ(wanted.l0.cpu, CpuPriority::kNormal);
      }
      l0 = wanted.l0;
      deep = wanted.deep;
    }
    // At the limit L0 runs, whatever the clients do; so do deep compactions at the debt's.
    ASSERT_GT(l0.jobs_max, 0);
    ASSERT_EQ(l0.cpu, CpuPriority::kNormal);
    pressure.l0_tables = 0;
    pressure.debt_bytes = options.debt_bytes_max;
    ASSERT_GT(WouldSay(policy, pressure, last.now_us).deep.jobs_max, 0);
  });
}

// Raises one pressure from nothing to beyond its limit, with the others anywhere.
template <class Set>
void ExpectPaceFalls(const LullPolicy& policy, Pressure pressure, uint64_t now_us,
                     const Set& set_share) {
  double before = std::numeric_limits<double>::infinity();
  for (int percent = 0; percent <= 200; ++percent) {
    set_share(&pressure, percent / 100.0);
    const double pace = Pace(WouldSay(policy, pressure, now_us));
    ASSERT_LE(pace, before) << "at " << percent << " %";
    ASSERT_GE(pace, static_cast<double>(kWriteRateMin));
    // Smooth: a step of one percent of a limit costs a few percent of the flushing rate.
    if (before <= 1e18) {
      const double flush = static_cast<double>(pressure.flush_bytes_per_sec);
      const double granularity = set_share.steps == 0 ? 0 : 2.0 * flush / set_share.steps;
      ASSERT_LE(before - pace, 0.11 * flush + granularity + 1) << "at " << percent << " %";
    }
    before = pace;
  }
}

struct SetMemory {
  int steps = 0;
  void operator()(Pressure* pressure, double share) const {
    pressure->memory_used_bytes = ShareOf(pressure->memory_budget_bytes, share);
  }
};

struct SetDebt {
  int steps = 0;
  uint64_t max = 0;
  void operator()(Pressure* pressure, double share) const {
    pressure->debt_bytes = ShareOf(max, share);
  }
};

struct SetL0 {
  int steps = 0;  ///< tables from slowdown to stop: the pace cannot be finer than that
  int stop = 0;
  void operator()(Pressure* pressure, double share) const {
    pressure->l0_tables = static_cast<int>(share * stop);
  }
};

TEST(LullPolicyTest, PaceFallsSmoothlyAsAnyPressureGrows) {
  ForManyHistories("lull", [](const PolicyOptions& options, RandomHistory history) {
    Moment last;
    const LullPolicy policy = PolicyAfter(options, &history, &last);
    Pressure pressure = last.pressure;
    if (pressure.memory_budget_bytes == 0) pressure.memory_budget_bytes = 64 * kMiB;
    const auto check = [&](const auto& set_share) {
      ExpectPaceFalls(policy, pressure, last.now_us, set_share);
    };
    check(SetMemory{});
    check(SetDebt{0, options.debt_bytes_max});
    const int ramp = options.l0_stop - options.l0_slowdown;
    // Up to three tables may lie between two steps of one percent.
    check(SetL0{std::max(1, ramp) / 3 + (ramp < 3 ? 1 : 0), options.l0_stop});
  });
}

TEST(LullPolicyTest, WritesAreFreeFarFromTheLimits) {
  ForManyHistories("lull", [](const PolicyOptions& options, RandomHistory history) {
    Moment last;
    const LullPolicy policy = PolicyAfter(options, &history, &last);
    Pressure pressure = history.RandomPressure();
    if (pressure.memory_budget_bytes == 0) pressure.memory_budget_bytes = 64 * kMiB;
    pressure.memory_used_bytes = pressure.memory_budget_bytes / 5;
    pressure.l0_tables = std::min(options.l0_slowdown, options.l0_stop - 1);
    pressure.debt_bytes = options.debt_bytes_max / 2;
    const Directive wanted = WouldSay(policy, pressure, last.now_us);
    ASSERT_EQ(wanted.write_bytes_per_sec_max, 0u);
    ASSERT_EQ(wanted.delay_us_per_write, 0u);
    ASSERT_EQ(wanted.cause, StallCause::kNone);
  });
}

TEST(PolicyTest, NamesAndPoliciesAgree) {
  ASSERT_FALSE(PolicyNames().empty());
  EXPECT_EQ(PolicyNames().front(), "lull");
  for (const std::string& name : PolicyNames()) {
    EXPECT_NE(MakePolicy(name, PolicyOptions()), nullptr) << name;
    const L0Limits limits = DefaultL0Limits(name);
    EXPECT_GT(limits.trigger, 0) << name;
    EXPECT_LE(limits.trigger, limits.slowdown) << name;
    EXPECT_LE(limits.slowdown, limits.stop) << name;
  }
  for (const char* name : {"", "Lull", "idle", "lull "}) {
    EXPECT_EQ(MakePolicy(name, PolicyOptions()), nullptr) << name;
  }
}

TEST(PolicyTest, NonsenseMakesNoPolicy) {
  const auto refused = [](auto spoil) {
    PolicyOptions options;
    spoil(&options);
    EXPECT_NE(PolicyOptionsCause(options), "");
    for (const std::string& name : PolicyNames()) EXPECT_EQ(MakePolicy(name, options), nullptr);
  };
  refused([](PolicyOptions* o) { o->compaction_threads = 0; });
  refused([](PolicyOptions* o) { o->l0_trigger = 0; });
  // Writers would wait at the stop for a compaction that is not due.
  refused([](PolicyOptions* o) { o->l0_trigger = o->l0_stop + 1; });
  refused([](PolicyOptions* o) { o->l0_slowdown = o->l0_stop + 1; });
  refused([](PolicyOptions* o) { o->debt_bytes_max = 0; });
  refused([](PolicyOptions* o) { o->memtable_bytes = 0; });
  refused([](PolicyOptions* o) { o->pause_us_max = 0; });
  refused([](PolicyOptions* o) { o->idle.probe_us = 0; });
  refused([](PolicyOptions* o) { o->silk.urgent_bytes_per_sec_min = 0; });
  refused([](PolicyOptions* o) { o->silk.immutables_max = 0; });
  refused([](PolicyOptions* o) { o->adoc.batch_factor_max = -1; });
  EXPECT_EQ(PolicyOptionsCause(PolicyOptions()), "");
}

TEST(PolicyTest, DebtOfAdocScalesWithTheMemtable) {
  EXPECT_EQ(DefaultDebtBytesMax("lull", 64 * kMiB), 4096 * kMiB);
  EXPECT_EQ(DefaultDebtBytesMax("adoc", 64 * kMiB), 65536 * kMiB);  // the paper's 64 GB
  EXPECT_EQ(DefaultDebtBytesMax("adoc", 4 * kMiB), 4096 * kMiB);
}

}  // namespace
}  // namespace lull::testing
