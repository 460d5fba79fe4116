// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Freshness: how long ago a stats file was current. A file has only a calendar time, and the
// calendar can jump. So only the first look trusts it: later ones measure with the
// reader's monotonic clock how long the file has not changed. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lull::tools {

class Freshness {
 public:
  /// Returns the age of the text in seconds. `uptime_seconds` and `written_seconds` are from the
  /// text, `wall_seconds` and `now_nanos` are the reader's clocks.
  double Observe(double uptime_seconds, double written_seconds, double wall_seconds,
                 uint64_t now_nanos) {
    const double by_calendar = std::max(0.0, wall_seconds - written_seconds);
    const double elapsed = static_cast<double>(now_nanos - now_nanos_) / 1e9;
    if (!seen_) {
      age_seconds_ = by_calendar;
    } else if (uptime_seconds != uptime_seconds_) {
      age_seconds_ = std::min(by_calendar, elapsed);  // it was written since the last look
    } else {
      age_seconds_ += elapsed;
    }
    seen_ = true;
    uptime_seconds_ = uptime_seconds;
    now_nanos_ = now_nanos;
    return age_seconds_;
  }

 private:
  bool seen_ = false;
  double uptime_seconds_ = 0;
  double age_seconds_ = 0;
  uint64_t now_nanos_ = 0;
};

}  // namespace lull::tools
