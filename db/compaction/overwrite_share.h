// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OverwriteShare: the share of values that hide an older value of their key, as recent compactions
// have found it: only a search could tell for a single value. No lock; the owner calls it under its
// mutex.
#pragma once

#include <algorithm>

namespace lull {

class OverwriteShare {
 public:
  /// A compaction merged `upper_values` values into the deepest level, and dropped `dropped_values`
  /// in all. `deletions`: those in its input, which hid a value each.
  void Observe(double upper_values, double dropped_values, double deletions) {
    upper_values_ += upper_values;
    overwritten_ += std::clamp(dropped_values - deletions, 0.0, upper_values);
    if (upper_values_ < kRecentValues) return;
    upper_values_ /= 2;
    overwritten_ /= 2;
  }
  double value() const { return upper_values_ > 0 ? overwritten_ / upper_values_ : 0; }

 private:
  static constexpr double kRecentValues = 1 << 20;
  double upper_values_ = 0;
  double overwritten_ = 0;
};

}  // namespace lull
