// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Log-linear buckets of latencies in nanoseconds, 64 per power of two: the midpoint of a bucket is
// within 0.8 % of every value in it, from 1 ns to more than an hour.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lull {

// Each value below 2^kSubBits has its own bucket. For a larger one, the position of the highest bit
// selects a group of 2^kSubBits buckets, and the next kSubBits bits select the bucket.
struct LatencyBuckets {
  static constexpr int kSubBits = 6;
  static constexpr int kExponentMax = 42;  // larger values count as the largest one
  static constexpr size_t kSub = size_t{1} << kSubBits;
  static constexpr size_t kCount = (kExponentMax - kSubBits + 1) * kSub;

  static size_t Of(uint64_t nanos) {
    nanos = std::min(nanos, (uint64_t{1} << kExponentMax) - 1);
    const int shift = std::max(static_cast<int>(std::bit_width(nanos)) - 1 - kSubBits, 0);
    return static_cast<size_t>(shift) * kSub + static_cast<size_t>(nanos >> shift);
  }
  static uint64_t LowestOf(size_t bucket) {
    const size_t shift = std::max<size_t>(bucket / kSub, 1) - 1;
    return uint64_t{bucket - shift * kSub} << shift;
  }
  static double MiddleOf(size_t bucket) {
    return static_cast<double>(LowestOf(bucket) + LowestOf(bucket + 1) - 1) / 2;
  }
};

}  // namespace lull
