// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/rates.h"

#include <algorithm>
#include <cmath>

namespace lull {

double Progress(double value, double from, double to) {
  if (to <= from) return value >= to ? 1.0 : 0.0;
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

bool RateMeter::Sample(uint64_t total, uint64_t now_us) {
  const uint64_t elapsed_us = now_us - began_us_;
  if (begun_ && elapsed_us < span_us_min_) return false;
  const bool ended = begun_;
  if (ended) {
    const uint64_t grown = total - std::min(total, began_total_);
    span_us_ = elapsed_us;
    bytes_per_sec_ = static_cast<double>(grown) * 1e6 / static_cast<double>(elapsed_us);
  }
  begun_ = true;
  began_us_ = now_us;
  began_total_ = total;
  return ended;
}

void SmoothedValue::Follow(double value, uint64_t elapsed_us) {
  const double weight = 1.0 - std::exp(-static_cast<double>(elapsed_us) / time_constant_us_);
  value_ += weight * (value - value_);
}

void FadingMaximum::Fade(uint64_t elapsed_us) {
  value_ *= std::exp2(-static_cast<double>(elapsed_us) / half_life_us_);
}

}  // namespace lull
