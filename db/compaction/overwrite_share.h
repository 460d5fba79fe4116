// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OverwriteShare: the share of values that hide an older value of their key, as recent compactions
// have found it: only a search could tell for a single value. A program that first inserts and then
// overwrites changes it within a few merges, so older merges count less and less. No lock; the
// owner calls it under its mutex.
#pragma once

#include <algorithm>

namespace lull {

/// What a compaction found that merged values into the deepest level.
struct MergeFindings {
  double upper_values = 0;
  double dropped_values = 0;
  double deletions = 0;  ///< in its input; each hid a value
  /// Once findings cover this many values, they count half.
  double window = 0;
};

class OverwriteShare {
 public:
  void Observe(const MergeFindings& found) {
    upper_values_ += found.upper_values;
    overwritten_ += std::clamp(found.dropped_values - found.deletions, 0.0, found.upper_values);
    if (upper_values_ < found.window) return;
    upper_values_ /= 2;
    overwritten_ /= 2;
  }
  double value() const { return upper_values_ > 0 ? overwritten_ / upper_values_ : 0; }

 private:
  double upper_values_ = 0;
  double overwritten_ = 0;
};

}  // namespace lull
