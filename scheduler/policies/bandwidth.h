// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// T of SILK (Balmau and others, USENIX ATC 2019, section 5): the bytes per second that the device
// accepts from clients and background work together. Either given by the user, or measured as the
// highest rate seen.
//
// The measured maximum fades only during spans that contradict it: compactions ran below their
// limit, and the rate was still lower. Otherwise a limit would lower the maximum that it is
// computed from, and an idle night would erase it. On a busy device a higher rate came from a
// cache. There a span in which compactions ran all the time lowers the maximum to the rate seen,
// but at most to half.
//
// One per policy that limits background work; no clock, like a policy.
#pragma once

#include <limits>

#include "scheduler/policies/rates.h"
#include "scheduler/policy.h"

namespace lull {

class Bandwidth {
 public:
  /// `given_bytes_per_sec` 0: measure it. Only rates sustained for `span_us` count, because shorter
  /// ones can come from a cache.
  Bandwidth(uint64_t given_bytes_per_sec, uint64_t span_us, uint64_t half_life_us);

  /// `device_is_busy`: clients wait for the device, so it limits compactions, not the CPU.
  void Observe(const Pressure& pressure, uint64_t now_us, bool device_is_busy = false);
  /// Background work is limited to this rate from now on. Call again after each Observe.
  void NoteLimit(double bytes_per_sec);

  bool is_given() const { return given_bytes_per_sec_ > 0; }
  /// 0: unknown.
  double bytes_per_sec() const { return is_given() ? given_bytes_per_sec_ : max_.value(); }
  /// True after a span in which compactions ran all the time, below their limit. Otherwise the rate
  /// seen only shows what clients asked for.
  bool was_tried() const { return was_tried_; }

 private:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  double given_bytes_per_sec_;
  RateMeter all_;         // written by clients and background work
  RateMeter background_;  // part of it written by background work
  FadingMaximum max_;
  bool was_tried_ = false;
  // Since the start of the current span:
  bool compactions_ran_ = false;
  bool compactions_always_ran_ = true;
  double limit_min_bytes_per_sec_ = kNoLimit;
};

}  // namespace lull
