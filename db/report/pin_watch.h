// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// PinWatch: decides when LOG reports readers or snapshots that keep much disk space for long. A
// state machine without a clock, a lock or files. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/report/stats_report.h"

namespace lull {

class PinWatch {
 public:
  static constexpr uint64_t kLookEveryNanos = 60'000'000'000;
  static constexpr uint64_t kAgeMinNanos = 600'000'000'000;
  static constexpr uint64_t kLineEveryNanos = 600'000'000'000;

  explicit PinWatch(uint64_t bytes_min) : bytes_min_(bytes_min) {}

  /// 0: look now. To find what is pinned takes time, so once a minute suffices.
  uint64_t UntilNextLook(uint64_t now_nanos) const {
    return now_nanos < next_look_nanos_ ? next_look_nanos_ - now_nanos : 0;
  }
  /// Returns the lines to log: at most one for readers and one for snapshots in ten minutes.
  std::vector<std::string> Sample(uint64_t now_nanos, const SpaceReport::Pins& readers,
                                  const SpaceReport::Pins& snapshots);

 private:
  bool IsDue(uint64_t now_nanos, const SpaceReport::Pins& pins, uint64_t* next_nanos) const;

  const uint64_t bytes_min_;
  uint64_t next_look_nanos_ = 0;
  uint64_t next_reader_line_nanos_ = 0;
  uint64_t next_snapshot_line_nanos_ = 0;
};

}  // namespace lull
