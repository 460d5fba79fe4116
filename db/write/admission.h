// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How fast clients may write: what the policy's directive says, made into delays. A writer asks
// before it joins the writers' queue, so that a delay holds up nobody else; when nothing is to be
// delayed, that is one load.
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/policy.h"
#include "util/clock.h"

namespace lull {

class ActivityStats;

class Admission {
 public:
  /// `stats`, which may be null, hears of every write that is delayed.
  explicit Admission(Clock* clock, ActivityStats* stats = nullptr) : clock_(clock), stats_(stats) {}

  /// Monitor only.
  void Apply(const Directive& directive) {
    delay_us_per_write_.store(directive.delay_us_per_write, std::memory_order_relaxed);
    bytes_per_sec_max_.store(directive.write_bytes_per_sec_max, std::memory_order_relaxed);
    restrained_.store(directive.delay_us_per_write > 0 || directive.write_bytes_per_sec_max > 0,
                      std::memory_order_relaxed);
  }

  /// Any thread that is about to write `bytes`; it holds no lock.
  void Await(uint64_t bytes) {
    if (restrained_.load(std::memory_order_relaxed)) AwaitSlow(bytes);
  }

  /// Whether a write is held up now. Any thread.
  bool HoldsWrites() const { return held_.load(std::memory_order_relaxed) > 0; }

 private:
  void AwaitSlow(uint64_t bytes);
  void AwaitPayment(uint64_t bytes, uint64_t rate);

  Clock* const clock_;
  ActivityStats* const stats_;
  std::atomic<bool> restrained_{false};
  std::atomic<int> held_{0};
  std::atomic<uint64_t> delay_us_per_write_{0};
  std::atomic<uint64_t> bytes_per_sec_max_{0};
  // The time at which everything admitted so far will have been paid for at the present rate.
  std::atomic<uint64_t> paid_until_nanos_{0};
};

}  // namespace lull
