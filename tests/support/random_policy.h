// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A policy that tries to break the mechanism: arbitrary directives, which change every few
// milliseconds. Under it a store may be slow, but must lose nothing.
//
// Invariants: of any kStretchesMax stretches one grants everything and slows nothing, so whatever
// waits for a bad directive to end waits for about a tenth of a second, or a second if the
// directive asks for no ticks. Directives depend only on the seed and the events.
#pragma once

#include <cstdint>
#include <limits>

#include "scheduler/policy.h"
#include "tests/support/rng.h"

namespace lull::testing {

class RandomPolicy final : public Policy {
 public:
  explicit RandomPolicy(uint64_t seed) : rng_(seed) {}

  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) override {
    if (now_us < stretch_ends_us_) return directive_;
    stretch_ends_us_ = now_us + rng_.Below(kStretchUsMax);
    stretch_ = (stretch_ + 1) % kStretchesMax;
    directive_ = stretch_ == 0 ? Generous() : Anything(pressure);
    directive_.tick = stretch_ == 0 || !rng_.OneIn(64);
    return directive_;
  }

  static constexpr uint64_t kStretchesMax = 4;
  static constexpr uint64_t kStretchUsMax = 30'000;

 private:
  static Directive Generous() {
    Directive wanted;
    wanted.l0 = wanted.deep = {kMany, CpuPriority::kNormal};
    wanted.compactions_max = kMany;
    return wanted;
  }

  Directive Anything(const Pressure& pressure) {
    Directive wanted;
    wanted.l0 = AnyGrant();
    wanted.deep = AnyGrant();
    wanted.compactions_max = AnyCount();
    if (rng_.OneIn(3)) {
      wanted.rate = {uint64_t{1} << rng_.Below(40), rng_.Next() >> rng_.Below(64)};
    }
    if (rng_.OneIn(3)) wanted.table_bytes = AnySize();
    if (rng_.OneIn(3)) wanted.memtable_bytes = AnySize();
    wanted.absorb = rng_.OneIn(2);
    wanted.offers_core = rng_.OneIn(2);
    if (rng_.OneIn(3)) wanted.flush_bytes_min = AnyFlush(pressure);
    if (rng_.OneIn(4)) wanted.flush_bytes_per_sec_max = uint64_t{1} << (10 + rng_.Below(20));
    if (rng_.OneIn(3)) wanted.immutables_max = static_cast<int>(1 + rng_.Below(4));
    if (rng_.OneIn(3)) wanted.l0_stop = static_cast<int>(1 + rng_.Below(16));
    if (rng_.OneIn(4)) {
      if (rng_.OneIn(2)) wanted.delay_us_per_write = rng_.Below(1000);
      wanted.write_bytes_per_sec_max = uint64_t{1} << (18 + rng_.Below(20));
      wanted.cause = static_cast<StallCause>(1 + rng_.Below(3));
    }
    return wanted;
  }

  int AnyCount() {
    if (rng_.OneIn(4)) return kMany;
    return static_cast<int>(rng_.Below(4));
  }
  Grant AnyGrant() {
    return {rng_.OneIn(3) ? 0 : AnyCount(),
            rng_.OneIn(2) ? CpuPriority::kNormal : CpuPriority::kIdle};
  }
  /// From sizes that fill a table with one or two entries, to sizes that never fill.
  uint64_t AnySize() { return uint64_t{4096} << rng_.Below(14); }
  uint64_t AnyFlush(const Pressure& pressure) {
    if (rng_.OneIn(3)) return std::numeric_limits<uint64_t>::max();
    return rng_.Below(2 * pressure.memory_budget_bytes + 1);
  }

  static constexpr int kMany = 1000;

  Rng rng_;
  uint64_t stretch_ = 0;
  uint64_t stretch_ends_us_ = 0;
  Directive directive_;
};

}  // namespace lull::testing
