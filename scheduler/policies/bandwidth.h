// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// T of SILK (Balmau and others, USENIX ATC 2019, section 5): the bytes a second that the device
// takes from clients and background work together. Given by the user, or measured as the largest
// that was seen.
//
// The measured maximum fades, but only in time that is evidence against it: while compactions ran,
// were not at their limit, and still not so much came together. Else a limit would lower the very
// maximum it is made from, and an idle night would leave nothing of it.
//
// One for each policy that limits background work; no clock, as a policy.
#pragma once

#include <limits>

#include "scheduler/policies/rates.h"
#include "scheduler/policy.h"

namespace lull {

class Bandwidth {
 public:
  /// `given_bytes_per_sec` of 0: to be measured. A rate counts that was kept up for `span_us`: a
  /// moment's is that of some cache.
  Bandwidth(uint64_t given_bytes_per_sec, uint64_t span_us, uint64_t half_life_us);

  void Observe(const Pressure& pressure, uint64_t now_us);
  /// Background work is limited to that much as of now. To be said again after each Observe.
  void NoteLimit(double bytes_per_sec);

  bool is_given() const { return given_bytes_per_sec_ > 0; }
  /// 0: not known yet.
  double bytes_per_sec() const { return is_given() ? given_bytes_per_sec_ : max_.value(); }
  /// Whether there was a span in which compactions ran all the time and nothing limited them. What
  /// is seen without that is what clients wanted.
  bool was_tried() const { return was_tried_; }

 private:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  double given_bytes_per_sec_;
  RateMeter all_;         // what clients and background work write
  RateMeter background_;  // of that, the background work
  FadingMaximum max_;
  bool was_tried_ = false;
  // Since the last span began:
  bool compactions_ran_ = false;
  bool compactions_always_ran_ = true;
  double limit_min_bytes_per_sec_ = kNoLimit;
};

}  // namespace lull
