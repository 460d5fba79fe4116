// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DeviceWatch: finds out whether writes wait for a device that background work keeps busy. It sees
// a write that is under way and makes no progress, while sealed memtables exist or compactions run.
// A write that merely takes long, a sync on a hard disk for example, can look the same. So what
// follows from it must do little harm then: a limit on flushes still lets them keep up with
// clients. No thread, clock or lock, like a policy.
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
    const bool works = pressure.immutables + pressure.l0_running + pressure.deep_running > 0;
    if (now_us - moved_at_us_ >= kBlockedUs && works) busy_until_us_ = now_us + kBusyUs;
    is_busy_ = now_us < busy_until_us_;
  }

  /// Whether background work delayed writes within the minute before the last event.
  bool IsBusy() const { return is_busy_; }

 private:
  /// More than a tick of the monitor, so that a write which lost its core seldom counts.
  static constexpr uint64_t kBlockedUs = 15'000;
  static constexpr uint64_t kBusyUs = 60'000'000;

  uint64_t client_bytes_total_ = 0;
  uint64_t moved_at_us_ = 0;
  uint64_t busy_until_us_ = 0;
  bool is_busy_ = false;
};

}  // namespace lull
