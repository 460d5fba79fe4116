// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A histogram of latencies, recorded by many threads at once. Each thread counts in the stripe of
// its ordinal, created at first use. So recording is one relaxed addition to a cache line that
// threads rarely share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "util/clock.h"
#include "util/latency_buckets.h"

namespace lull {

/// A copy of the counts at one moment.
class LatencySnapshot {
 public:
  uint64_t count() const { return count_; }
  double mean_nanos() const;
  double sum_nanos() const { return sum_nanos_; }  ///< sums bucket midpoints: within 0.8 %
  /// `share` is in 0..1: 0.99 is the 99th percentile. Returns 0 if nothing was recorded.
  double PercentileNanos(double share) const;
  /// The midpoint of the highest nonempty bucket.
  double MaxNanos() const { return PercentileNanos(1.0); }
  /// Number of values below 2^`exponent` nanoseconds. Exact, because buckets end there.
  uint64_t CountBelowPowerOfTwo(int exponent) const;

 private:
  friend class LatencyHistogram;
  std::vector<uint64_t> buckets_;
  uint64_t count_ = 0;
  double sum_nanos_ = 0;
};

class LatencyHistogram {
 public:
  LatencyHistogram() = default;
  ~LatencyHistogram();
  LatencyHistogram(const LatencyHistogram&) = delete;
  LatencyHistogram& operator=(const LatencyHistogram&) = delete;

  /// Any thread.
  void Record(uint64_t nanos);
  LatencySnapshot Snapshot() const;

 private:
  static constexpr unsigned kStripes = 16;
  using Stripe = std::array<std::atomic<uint64_t>, LatencyBuckets::kCount>;
  Stripe* MakeStripe(std::atomic<Stripe*>* place);

  std::array<std::atomic<Stripe*>, kStripes> stripes_{};
};

/// Records the time from construction to destruction. Does nothing, and reads no clock, if
/// `histogram` is null.
class LatencyTimer {
 public:
  LatencyTimer(LatencyHistogram* histogram, const Clock* clock)
      : histogram_(histogram),
        clock_(clock),
        began_nanos_(histogram == nullptr ? 0 : clock->NowNanos()) {}
  ~LatencyTimer() {
    if (histogram_ != nullptr) histogram_->Record(clock_->NowNanos() - began_nanos_);
  }
  LatencyTimer(const LatencyTimer&) = delete;
  LatencyTimer& operator=(const LatencyTimer&) = delete;

 private:
  LatencyHistogram* const histogram_;
  const Clock* const clock_;
  const uint64_t began_nanos_;
};

}  // namespace lull
