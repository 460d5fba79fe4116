// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DeviceWatch: finds out whether writes wait for a device that a flush keeps busy. It sees a write
// that is under way and makes no progress, while sealed memtables exist. A write that merely takes
// long, a sync on a hard disk for example, can look the same; a limit on flushes then does no harm,
// since it still lets them keep up with clients. No thread, clock or lock, like a policy.
#pragma once

#include <cstdint>
#include <utility>

#include "scheduler/policy.h"

namespace lull {

class DeviceWatch {
 public:
  /// Call at each event. `slowed`: the last directive slowed writes, which looks the same.
  void Observe(const Pressure& pressure, bool slowed, uint64_t now_us) {
    const bool moved = pressure.client_bytes_total !=
                       std::exchange(client_bytes_total_, pressure.client_bytes_total);
    if (moved || slowed || !pressure.write_under_way) moved_at_us_ = now_us;
    if (now_us - moved_at_us_ >= kBlockedUs && pressure.immutables > 0)
      busy_until_us_ = now_us + kBusyUs;
  }

  /// Whether flushes delayed writes within the last minute.
  bool IsBusy(uint64_t now_us) const { return now_us < busy_until_us_; }

 private:
  /// More than a tick of the monitor, so that a write which lost its core seldom counts.
  static constexpr uint64_t kBlockedUs = 15'000;
  static constexpr uint64_t kBusyUs = 60'000'000;

  uint64_t client_bytes_total_ = 0;
  uint64_t moved_at_us_ = 0;
  uint64_t busy_until_us_ = 0;
};

}  // namespace lull
