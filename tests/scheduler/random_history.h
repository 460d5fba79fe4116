// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Random histories of events for the property tests, from a fixed seed that a failing property
// prints.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "scheduler/policy.h"
#include "tests/support/units.h"
#include "util/random.h"

namespace lull::testing {

inline constexpr uint64_t kSeed = 20260104;

struct Moment {
  EventKind event = EventKind::kTick;
  Pressure pressure;
  uint64_t now_us = 0;
};

inline PolicyOptions RandomOptions(const std::string& policy, Random* random) {
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

/// After this time of silence every policy must have noticed that the clients are quiet: two of its
/// measuring periods (20 ticks for "silk"), and a tick.
inline uint64_t QuietUs(const PolicyOptions& options) {
  return 2 * std::max({options.lull.after_us, options.idle.probe_us, options.idle.quiet_us,
                       20 * options.silk.tick_us}) +
         20'000;
}

/// Clients that write in bursts, and a store whose state changes at random. Any state can follow
/// any other: a policy must not rely on plausible input.
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
    if (random_.OneIn(5)) moment_.pressure = RandomPressure(moment_.pressure);
    return moment_;
  }

  /// The totals and the time of silence are those of `pressure`.
  Pressure RandomPressure(Pressure pressure = {}) {
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
    pressure.write_waits = random_.OneIn(20);
    pressure.drain_requested = random_.OneIn(20);
    pressure.space_is_low = random_.OneIn(20);
    return pressure;
  }

 private:
  Random random_;
  const PolicyOptions options_;
  uint64_t budget_bytes_ = 0;
  uint64_t rate_ = 0;
  Moment moment_;
};

/// Calls the property with many histories; each depends only on its index.
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

inline constexpr int kEvents = 300;

/// Sends a random history to the policy; returns its last moment.
inline Moment AfterEvents(Policy* policy, RandomHistory* history) {
  Moment last;
  for (int i = 0; i < kEvents; ++i) {
    last = history->Next();
    policy->OnEvent(last.event, last.pressure, last.now_us);
  }
  return last;
}

/// Clears the begun deep compactions: "leveldb" finishes one before it grants another to L0.
inline void SetNothingBegun(Pressure* pressure) {
  pressure->deep_running = pressure->deep_paused = 0;
}

/// No memtable waits, no compaction runs, L0 is short, and debt is low.
inline void SetCalm(const PolicyOptions& options, Pressure* pressure) {
  SetNothingBegun(pressure);
  if (pressure->memory_budget_bytes == 0) pressure->memory_budget_bytes = 64 * kMiB;
  pressure->immutables = 0;
  pressure->memory_used_bytes = pressure->immutable_bytes = 0;
  pressure->active_bytes = 0;
  pressure->drain_requested = pressure->space_is_low = false;
  pressure->l0_tables = std::min(options.l0_trigger, options.l0_slowdown - 1);
  pressure->debt_bytes = std::min(pressure->debt_bytes, options.debt_bytes_max / 4);
}

// The next moment for a policy with a history: no burst, and due work.
inline Moment CalmWithWorkDue(Policy* policy, const PolicyOptions& options,
                              RandomHistory* history) {
  Moment moment = AfterEvents(policy, history);
  SetCalm(options, &moment.pressure);
  moment.pressure.l0_due = moment.pressure.deep_due = true;
  return moment;
}

inline uint64_t ShareOf(uint64_t whole, double share) {
  return static_cast<uint64_t>(share * static_cast<double>(whole));
}

inline double Pace(const Directive& directive) {
  return directive.write_bytes_per_sec_max == 0
             ? std::numeric_limits<double>::infinity()
             : static_cast<double>(directive.write_bytes_per_sec_max);
}

}  // namespace lull::testing
