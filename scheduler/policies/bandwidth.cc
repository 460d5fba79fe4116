// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/bandwidth.h"

#include <algorithm>

namespace lull {
namespace {

// Background work that uses this share of its limit is held back by the limit.
constexpr double kReached = 0.9;

}  // namespace

Bandwidth::Bandwidth(uint64_t given_bytes_per_sec, uint64_t span_us, uint64_t half_life_us)
    : given_bytes_per_sec_(static_cast<double>(given_bytes_per_sec)),
      all_(span_us),
      background_(span_us),
      max_(half_life_us) {}

void Bandwidth::Observe(const Pressure& pressure, uint64_t now_us, bool device_is_busy) {
  if (is_given()) return;
  const bool run = pressure.l0_running + pressure.deep_running > 0;
  compactions_ran_ |= run;
  compactions_always_ran_ &= run;
  const bool ended =
      all_.Sample(pressure.client_bytes_total + pressure.background_bytes_total, now_us);
  if (!background_.Sample(pressure.background_bytes_total, now_us) || !ended) return;
  const bool limit_was_reached = background_.bytes_per_sec() >= kReached * limit_min_bytes_per_sec_;
  const bool tried = compactions_always_ran_ && !limit_was_reached;
  if (tried && device_is_busy) {
    max_.Halve();
  } else if (compactions_ran_ && !limit_was_reached) {
    max_.Fade(all_.span_us());
  }
  max_.Raise(all_.bytes_per_sec());
  was_tried_ |= tried;
  compactions_ran_ = false;
  compactions_always_ran_ = true;
  limit_min_bytes_per_sec_ = kNoLimit;
}

void Bandwidth::NoteLimit(double bytes_per_sec) {
  limit_min_bytes_per_sec_ = std::min(limit_min_bytes_per_sec_, bytes_per_sec);
}

}  // namespace lull
