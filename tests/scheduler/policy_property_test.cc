// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Promises of all policies for every history of events: see random_history.h.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "scheduler/policy.h"
#include "tests/scheduler/random_history.h"
#include "tests/scheduler/script.h"

namespace lull::testing {
namespace {

class AnyPolicyTest : public ::testing::TestWithParam<std::string> {};

/// Sends a tick after a time in which clients wrote.
Directive TickAfter(Policy* policy, uint64_t us, uint64_t client_bytes, Moment* moment) {
  moment->now_us += us;
  moment->pressure.client_bytes_total += client_bytes;
  moment->pressure.idle_us = 0;
  return policy->OnEvent(EventKind::kTick, moment->pressure, moment->now_us);
}

INSTANTIATE_TEST_SUITE_P(Policies, AnyPolicyTest, ::testing::ValuesIn(PolicyNames()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(AnyPolicyTest, ALimitOnBackgroundWritesHoldsAndChangesNothingElse) {
  ForManyHistories(GetParam(), [](PolicyOptions options, RandomHistory history) {
    constexpr uint64_t kLimit = 5 * kMiB;
    const auto free = MakePolicy(GetParam(), options);
    options.background_bytes_per_sec = kLimit;
    const auto limited = MakePolicy(GetParam(), options);
    for (int i = 0; i < kEvents; ++i) {
      const Moment moment = history.Next();
      Directive wanted = free->OnEvent(moment.event, moment.pressure, moment.now_us);
      const Directive got = limited->OnEvent(moment.event, moment.pressure, moment.now_us);
      ASSERT_GE(got.rate.bytes_per_sec, 1u);
      ASSERT_LE(got.rate.bytes_per_sec, kLimit);
      ASSERT_LE(got.rate.urgent_bytes_per_sec_min, kLimit);
      wanted.rate = got.rate;
      ASSERT_EQ(got, wanted) << DirectiveText(got);
    }
    ASSERT_EQ(limited->State().size(), free->State().size());
  });
}

TEST_P(AnyPolicyTest, EveryDirectiveIsSaneAndTheSameForTheSameEvents) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    const auto twin = MakePolicy(GetParam(), options);
    for (int i = 0; i < kEvents; ++i) {
      const Moment moment = history.Next();
      const Directive wanted = policy->OnEvent(moment.event, moment.pressure, moment.now_us);
      SCOPED_TRACE(DirectiveText(wanted));
      ASSERT_EQ(wanted, twin->OnEvent(moment.event, moment.pressure, moment.now_us));
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
      // What "adoc" may.
      const auto factor_max = static_cast<uint64_t>(options.adoc.batch_factor_max);
      if (wanted.memtable_bytes > 0) {
        ASSERT_GE(wanted.memtable_bytes, options.memtable_bytes);
        ASSERT_LE(wanted.memtable_bytes, options.memtable_bytes * factor_max);
      }
      if (wanted.table_bytes > 0) {
        ASSERT_GE(wanted.table_bytes, options.table_bytes);
        ASSERT_LE(wanted.table_bytes, options.table_bytes * factor_max);
      }
      ASSERT_EQ(wanted.l0_stop, options.l0_stop);
      // A flush must be able to begin before memory is used up.
      const Pressure& pressure = moment.pressure;
      ASSERT_LE(wanted.flush_bytes_min,
                pressure.GoesFirst() ? 0 : pressure.memory_budget_bytes / 2);
      ASSERT_EQ(wanted.l0_stops_blockers, GetParam() == "silk");
      const bool slowed = wanted.delay_us_per_write > 0 || wanted.write_bytes_per_sec_max > 0;
      ASSERT_EQ(slowed, wanted.cause != StallCause::kNone);
      ASSERT_LE(wanted.delay_us_per_write, 1000u);
    }
  });
}

TEST_P(AnyPolicyTest, WorkThatIsDueRunsSoonAfterTheLastWrite) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = CalmWithWorkDue(policy.get(), options, &history);
    Pressure& pressure = moment.pressure;
    pressure.idle_us = 0;
    Directive wanted = policy->OnEvent(EventKind::kFlushed, pressure, moment.now_us);
    for (int tick = 0; tick < 500; ++tick) {
      const bool runs = wanted.l0.jobs_max > 0 && wanted.deep.jobs_max > 0;
      // A policy that waits must ask for ticks.
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

// Clients never stop, and no pressure forces anything. Every class of due work still gets its share
// of the time, and no pause is longer than the options allow.
TEST_P(AnyPolicyTest, NothingStarvesUnderClientsThatNeverStop) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = CalmWithWorkDue(policy.get(), options, &history);
    Pressure& pressure = moment.pressure;
    pressure.l0_running = 1;
    const uint64_t step_us = options.pause_us_max / 100;
    uint64_t l0_us = 0;
    uint64_t deep_us = 0;
    uint64_t l0_at_us = moment.now_us;
    uint64_t deep_at_us = moment.now_us;
    const uint64_t end_us = moment.now_us + 4 * options.pause_us_max;
    while (moment.now_us < end_us) {
      pressure.background_bytes_total += step_us * 20;
      const Directive wanted =  // at 400 MB/s
          TickAfter(policy.get(), step_us, step_us * 400, &moment);
      if (wanted.l0.jobs_max > 0) {
        l0_us += step_us, l0_at_us = moment.now_us;
        pressure.l0_slices_total += step_us / 1000;
      }
      if (wanted.deep.jobs_max > 0) {
        deep_us += step_us, deep_at_us = moment.now_us;
        pressure.deep_slices_total += step_us / 1000;
      }
      ASSERT_LE(moment.now_us - l0_at_us, options.pause_us_max + 2 * step_us);
      ASSERT_LE(moment.now_us - deep_at_us, options.pause_us_max + 2 * step_us);
    }
    ASSERT_GE(l0_us, options.pause_us_max / 5);
    ASSERT_GE(deep_us, options.pause_us_max / 5);
  });
}

// A grant is not enough: due work that gets no slice, for whatever reason, finally gets all that a
// policy can grant, at normal priority and without a limit.
TEST_P(AnyPolicyTest, WhatIsGrantedAndDoesNotRunIsGivenMore) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = CalmWithWorkDue(policy.get(), options, &history);
    Pressure& pressure = moment.pressure;
    // Both have a job. ("leveldb" finishes a deep job before it grants another to L0.)
    pressure.l0_running = 1;
    pressure.deep_running = GetParam() == "leveldb" ? 0 : 1;
    Directive wanted;
    for (int step = 0; step <= 202; ++step) {
      wanted =
          TickAfter(policy.get(), options.pause_us_max / 100, options.pause_us_max * 4, &moment);
    }
    ASSERT_GT(wanted.l0.jobs_max, 0);
    ASSERT_GT(wanted.deep.jobs_max, 0);
    ASSERT_EQ(wanted.l0.cpu, CpuPriority::kNormal);
    ASSERT_EQ(wanted.deep.cpu, CpuPriority::kNormal);
    // All of the bandwidth, if it is known.
    const uint64_t given = options.lull.bandwidth_bytes_per_sec;
    const uint64_t all = given > 0 ? given : pressure.flush_bytes_per_sec / 2;
    if (GetParam() != "lull" || wanted.rate.bytes_per_sec < all) {
      ASSERT_EQ(wanted.rate.bytes_per_sec, 0u);
    }
  });
}

// The case that can block L0 permanently: a paused deep job holds tables that L0 needs.
TEST_P(AnyPolicyTest, ADeepJobInTheWayOfL0IsNotLeftPaused) {
  ForManyHistories(GetParam(), [](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    Pressure& pressure = moment.pressure;
    SetCalm(options, &pressure);
    pressure.l0_due = true;
    pressure.l0_running = 0;
    Directive wanted;
    for (int tick = 0; tick < 10; ++tick) {
      pressure.deep_running = wanted.deep.jobs_max > 0 ? 1 : 0;
      pressure.deep_paused = 1 - pressure.deep_running;
      wanted = TickAfter(policy.get(), 10'000, 4 * kMiB, &moment);
    }
    ASSERT_TRUE(wanted.l0.jobs_max == 0 || wanted.deep.jobs_max > 0);
  });
}

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

// Every policy serves a waiting client, or frees space that is low, as in a lull.
TEST_P(AnyPolicyTest, ADrainGrantsEverything) {
  int count = 0;
  ForManyHistories(GetParam(), [&count](const PolicyOptions& options, RandomHistory history) {
    const auto policy = MakePolicy(GetParam(), options);
    Moment moment = AfterEvents(policy.get(), &history);
    moment.pressure.immutables = 0;
    SetNothingBegun(&moment.pressure);
    moment.pressure.space_is_low = count % 2 == 0;
    moment.pressure.drain_requested = count++ % 2 == 1;
    const Directive wanted = policy->OnEvent(EventKind::kTick, moment.pressure, moment.now_us);
    ASSERT_GT(wanted.l0.jobs_max, 0);
    ASSERT_GT(wanted.deep.jobs_max, 0);
    ASSERT_EQ(wanted.rate.bytes_per_sec, 0u);
  });
}

// Two stores with different histories and the same pressure admit writes the same way: once the
// pressure is gone, its history has no effect.
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

// More pressure of any kind never admits writes faster.
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
