// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Admission: delays writes as the policy's directive demands. A writer calls it before it joins the
// writers' queue, so a delay blocks no other writer. Without a delay, the cost is one atomic load.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/policy.h"
#include "util/clock.h"

namespace lull {

class ActivityStats;

class Admission {
 public:
  /// `stats` counts the delayed writes; can be null.
  explicit Admission(Clock* clock, ActivityStats* stats = nullptr) : clock_(clock), stats_(stats) {}

  /// Monitor only.
  void Apply(const Directive& directive) {
    delay_us_per_write_.store(directive.delay_us_per_write, std::memory_order_relaxed);
    bytes_per_sec_max_.store(directive.write_bytes_per_sec_max, std::memory_order_relaxed);
    cause_.store(directive.cause, std::memory_order_relaxed);
    restrained_.store(directive.delay_us_per_write > 0 || directive.write_bytes_per_sec_max > 0,
                      std::memory_order_relaxed);
  }

  /// Delays the calling thread, which is about to write `bytes`, for at most about 20 ms, and
  /// returns 0. If the delay would last beyond `until_nanos` of the clock, returns at once how many
  /// nanoseconds it would last, as if there had been no call. Any thread that holds no lock.
  uint64_t Await(uint64_t bytes, uint64_t until_nanos = UINT64_MAX) {
    return restrained_.load(std::memory_order_relaxed) ? AwaitSlow(bytes, until_nanos) : 0;
  }
  /// Why writes are delayed. Any thread.
  StallCause cause() const { return cause_.load(std::memory_order_relaxed); }

  /// Whether a write is delayed now. Any thread.
  bool HoldsWrites() const { return held_.load(std::memory_order_relaxed) > 0; }

 private:
  uint64_t AwaitSlow(uint64_t bytes, uint64_t until_nanos);
  uint64_t AwaitDelay(uint64_t delay_nanos, uint64_t until_nanos);
  uint64_t AwaitPayment(uint64_t bytes, uint64_t rate, uint64_t until_nanos);

  Clock* const clock_;
  ActivityStats* const stats_;
  std::atomic<bool> restrained_{false};
  std::atomic<StallCause> cause_{StallCause::kNone};
  std::atomic<int> held_{0};
  std::atomic<uint64_t> delay_us_per_write_{0};
  std::atomic<uint64_t> bytes_per_sec_max_{0};
  // Clock time at which all writes admitted so far fit within the current rate.
  std::atomic<uint64_t> paid_until_nanos_{0};
};

}  // namespace lull
