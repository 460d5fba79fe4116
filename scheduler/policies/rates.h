// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Arithmetic shared by policies: rates of growing totals, fading maxima, positions on a ramp. Plain
// values without a clock; each belongs to one policy. Time never decreases.
#pragma once

#include <cstdint>

namespace lull {

/// Position of `value` between `from` and `to`, clamped to [0, 1].
double Progress(double value, double from, double to);

/// 0 if `whole` is 0.
inline double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

/// A measured rate as an integer, for people to read.
inline uint64_t Whole(double value) { return static_cast<uint64_t>(value); }

/// Converts growing totals to bytes per second, over spans of a minimum length.
class RateMeter {
 public:
  explicit RateMeter(uint64_t span_us_min) : span_us_min_(span_us_min) {}

  /// Returns true at the end of a span: then bytes_per_sec() and span_us() describe it. The first
  /// call starts the first span. A total that decreased counts as unchanged.
  bool Sample(uint64_t total, uint64_t now_us);

  double bytes_per_sec() const { return bytes_per_sec_; }
  uint64_t span_us() const { return span_us_; }

 private:
  uint64_t span_us_min_;
  bool begun_ = false;
  uint64_t began_us_ = 0;
  uint64_t began_total_ = 0;
  uint64_t span_us_ = 0;
  double bytes_per_sec_ = 0;
};

/// Exponential smoothing: after a step it reaches 63 % of it within the time constant.
class SmoothedValue {
 public:
  explicit SmoothedValue(uint64_t time_constant_us)
      : time_constant_us_(static_cast<double>(time_constant_us)) {}
  void Follow(double value, uint64_t elapsed_us);
  double value() const { return value_; }

 private:
  double time_constant_us_;
  double value_ = 0;
};

/// The largest value seen; older values count less.
class FadingMaximum {
 public:
  explicit FadingMaximum(uint64_t half_life_us)
      : half_life_us_(static_cast<double>(half_life_us)) {}
  void Fade(uint64_t elapsed_us);
  void Halve() { value_ /= 2; }
  void Raise(double value) { value_ = value > value_ ? value : value_; }
  double value() const { return value_; }

 private:
  double half_life_us_;
  double value_ = 0;
};

}  // namespace lull
