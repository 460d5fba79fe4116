// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "util/thread.h"

namespace lull {

LatencyHistogram::~LatencyHistogram() {
  for (auto& place : stripes_) delete place.load(std::memory_order_acquire);
}

LatencyHistogram::Stripe* LatencyHistogram::MakeStripe(std::atomic<Stripe*>* place) {
  auto made = std::make_unique<Stripe>();
  Stripe* present = nullptr;
  if (place->compare_exchange_strong(present, made.get(), std::memory_order_acq_rel)) {
    return made.release();
  }
  return present;
}

void LatencyHistogram::Record(uint64_t nanos) {
  std::atomic<Stripe*>& place = stripes_[ThreadOrdinal() % kStripes];
  Stripe* stripe = place.load(std::memory_order_acquire);
  if (stripe == nullptr) stripe = MakeStripe(&place);
  (*stripe)[LatencyBuckets::Of(nanos)].fetch_add(1, std::memory_order_relaxed);
}

LatencySnapshot LatencyHistogram::Snapshot() const {
  LatencySnapshot snapshot;
  snapshot.buckets_.assign(LatencyBuckets::kCount, 0);
  for (const auto& place : stripes_) {
    const Stripe* const stripe = place.load(std::memory_order_acquire);
    if (stripe == nullptr) continue;
    for (size_t i = 0; i < LatencyBuckets::kCount; ++i) {
      snapshot.buckets_[i] += (*stripe)[i].load(std::memory_order_relaxed);
    }
  }
  for (size_t i = 0; i < LatencyBuckets::kCount; ++i) {
    snapshot.count_ += snapshot.buckets_[i];
    snapshot.sum_nanos_ += static_cast<double>(snapshot.buckets_[i]) * LatencyBuckets::MiddleOf(i);
  }
  return snapshot;
}

double LatencySnapshot::mean_nanos() const {
  return count_ == 0 ? 0 : sum_nanos_ / static_cast<double>(count_);
}

double LatencySnapshot::PercentileNanos(double share) const {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  const uint64_t rank = std::clamp<uint64_t>(wanted, 1, count_);
  uint64_t seen = 0;
  size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  return LatencyBuckets::MiddleOf(bucket);
}

uint64_t LatencySnapshot::CountBelowPowerOfTwo(int exponent) const {
  if (buckets_.empty()) return 0;
  const size_t end = exponent >= LatencyBuckets::kExponentMax
                         ? LatencyBuckets::kCount
                         : LatencyBuckets::Of(uint64_t{1} << exponent);
  uint64_t count = 0;
  for (size_t i = 0; i < end; ++i) count += buckets_[i];
  return count;
}

}  // namespace lull
