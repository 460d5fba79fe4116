// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A histogram of latencies: 64 linear buckets in every power of two of nanoseconds, so that any
// figure read from it is within 1 % of what was recorded, from 1 ns to more than an hour, in 19 KB
// and without allocating.
//
// One thread calls Add(); any thread may call Snapshot() at the same time and read the copy at
// leisure. Everything else belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lull::bench {

class Histogram {
 public:
  void Add(uint64_t latency_ns);

  // A copy taken while Add() may be running: each counter is whole, the last few additions may be
  // half seen.
  Histogram Snapshot() const;

  void Merge(const Histogram& other);

  // What was added after `earlier`, a snapshot of this same histogram. Its smallest and largest are
  // those of buckets.
  Histogram Since(const Histogram& earlier) const;

  uint64_t count() const { return count_; }
  double MeanUs() const;
  double StdDevUs() const;
  double MinUs() const;
  double MaxUs() const;

  // The latency that `percent` of the additions did not exceed; 0 when there are none.
  double PercentileUs(double percent) const;

  struct Point {
    double percent = 0;
    double us = 0;
  };
  // The percentiles that a curve is drawn from: tens, then ever closer to 100 as far as there are
  // additions to tell them apart; the last is the largest of all. Empty when nothing was added.
  std::vector<Point> Curve() const;

  // A percentile table as HdrHistogram's tools read it (.hgrm): value in microseconds, share,
  // count so far, 1 / (1 - share).
  std::string HgrmText() const;

  // The layout that LevelDB's db_bench prints for --histogram=1: totals, then one line for each
  // range of microseconds.
  std::string LevelDbText() const;

 private:
  static constexpr int kLinearBits = 6;
  static constexpr int kRangeBits = 42;  // larger values are counted as the largest
  static constexpr size_t kLinear = size_t{1} << kLinearBits;
  static constexpr size_t kBuckets = (kRangeBits - kLinearBits + 1) * kLinear;

  static size_t BucketOf(uint64_t ns);
  static double MiddleNs(size_t bucket);

  std::array<uint64_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t min_ns_ = UINT64_MAX;
  uint64_t max_ns_ = 0;
};

}  // namespace lull::bench
