// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/silk_policy.h"

#include <algorithm>
#include <cmath>

namespace lull {
namespace {

constexpr uint64_t kTicksOfBandwidth = 100;
// Shares of a measured bandwidth; the paper's constants relate to its own device.
constexpr double kUrgentShareMax = 0.25;
constexpr double kReserveShareMax = 0.05;
// What flushes can write at least, as a share of what clients write.
constexpr double kFlushShareMin = 1.25;
// Clients that pause for one or two ticks are not quiet.
constexpr uint64_t kQuietTicks = 20;

}  // namespace

SilkPolicy::SilkPolicy(const PolicyOptions& options)
    : options_(options),
      writes_(options.silk.tick_us),
      reads_(options.silk.tick_us),
      bandwidth_(options.silk.bandwidth_bytes_per_sec, options.silk.tick_us * kTicksOfBandwidth,
                 options.silk.half_life_us),
      pauses_(options) {}

/// Scales a constant of the paper to this device. Without it, on a measured device slower than the
/// paper's, the least load would pause deep compactions, because urgent work would keep its 50
/// MiB/s.
double SilkPolicy::Scaled(uint64_t bytes_per_sec, double share_max) const {
  const auto constant = static_cast<double>(bytes_per_sec);
  return bandwidth_.is_given()
             ? constant
             : std::max(1.0, std::min(constant, share_max * bandwidth_.bytes_per_sec()));
}

void SilkPolicy::Allot() {
  const SilkConstants& silk = options_.silk;
  const double bandwidth = bandwidth_.bytes_per_sec();
  const double reserve = Scaled(silk.reserve_bytes_per_sec, kReserveShareMax);
  const double change = Scaled(silk.change_bytes_per_sec_min, kReserveShareMax);
  const double urgent = Scaled(silk.urgent_bytes_per_sec_min, kUrgentShareMax);
  quiet_us_ = clients_bytes_per_sec_ <= reserve ? quiet_us_ + writes_.span_us() : 0;
  const bool clients_are_quiet = quiet_us_ >= kQuietTicks * silk.tick_us;
  is_limited_ = bandwidth > 0 && (bandwidth_.is_given() || !clients_are_quiet);
  if (!is_limited_) {
    deep_is_paused_ = false;
    return;
  }
  const double left = bandwidth - clients_bytes_per_sec_ - reserve;
  const double limit = std::max(left, urgent);
  const bool moved = std::abs(limit - limit_bytes_per_sec_) >= change;
  if (limit_bytes_per_sec_ < urgent || moved) limit_bytes_per_sec_ = limit;
  bandwidth_.NoteLimit(limit_bytes_per_sec_);
  urgent_bytes_per_sec_ = urgent;
  if (left <= urgent) deep_is_paused_ = true;
  if (left > urgent && (left >= urgent + change || clients_are_quiet)) deep_is_paused_ = false;
}

void SilkPolicy::Measure(const Pressure& pressure, uint64_t now_us) {
  bandwidth_.Observe(pressure, now_us);
  const bool ended = writes_.Sample(pressure.client_bytes_total, now_us);
  if (!reads_.Sample(pressure.client_read_bytes_total, now_us) || !ended) return;
  clients_bytes_per_sec_ = std::max(writes_.bytes_per_sec(), reads_.bytes_per_sec());
  Allot();
}

Directive SilkPolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) {
  Measure(pressure, now_us);
  Directive wanted;
  wanted.compactions_max = options_.compaction_threads;
  wanted.l0_stops_blockers = true;
  wanted.immutables_max = options_.silk.immutables_max;
  wanted.l0_stop = options_.l0_stop;
  const Grant all{options_.compaction_threads, CpuPriority::kNormal};
  wanted.l0 = all;
  const bool regardless = pressure.GoesFirst() || pressure.debt_bytes >= options_.debt_bytes_max;
  if (regardless || !deep_is_paused_) wanted.deep = all;
  // Work that runs regardless of the bandwidth must not wait for its share.
  const bool limited =
      pauses_.Apply(pressure, now_us, CpuPriority::kNormal, &wanted) == PauseLimit::Deep::kMayWait;
  if (limited && !regardless && is_limited_) {
    wanted.rate = {static_cast<uint64_t>(limit_bytes_per_sec_),
                   static_cast<uint64_t>(urgent_bytes_per_sec_)};
    // A flush gets all of it, and enough to end before the next memtable is full, but not more.
    wanted.flush_bytes_per_sec_max =
        Whole(std::max(limit_bytes_per_sec_, kFlushShareMin * writes_.bytes_per_sec()));
  }
  // Without users of the limit no tick is needed, so an idle store lets the monitor sleep.
  wanted.tick = clients_bytes_per_sec_ > 0 || pressure.HasWork();
  return wanted;
}

PolicyState SilkPolicy::State() const {
  PolicyState state = {
      {"bandwidth_bytes_per_sec", Whole(bandwidth_.bytes_per_sec())},
      {"clients_bytes_per_sec", Whole(clients_bytes_per_sec_)},
      {"limited", is_limited_},
      {"limit_bytes_per_sec", Whole(limit_bytes_per_sec_)},
      {"urgent_bytes_per_sec", Whole(urgent_bytes_per_sec_)},
      {"deep_paused", deep_is_paused_},
  };
  pauses_.AddTo(&state);
  return state;
}

}  // namespace lull
