// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The latencies of one client: a value of 19 KB that can be copied, merged and subtracted, with the
// exact sum, minimum and maximum. It never allocates. util/latency_histogram.h, for many threads
// at once, keeps only buckets.
//
// One thread calls Add(). Any thread can call Snapshot() concurrently and read the copy. Everything
// else is for one thread only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "util/latency_buckets.h"

namespace lull::bench {

class Histogram {
 public:
  void Add(uint64_t latency_ns);

  // A copy that can be taken while Add() runs. Each counter is consistent, but the last few values
  // may be missing from some counters.
  Histogram Snapshot() const;

  void Merge(const Histogram& other);

  // The values added after `earlier`, a snapshot of this same histogram. Minimum and maximum are
  // rounded to a bucket.
  Histogram Since(const Histogram& earlier) const;

  uint64_t count() const { return count_; }
  double MeanUs() const;
  double StdDevUs() const;
  double MinUs() const;
  double MaxUs() const;

  // The latency that `percent` of the values did not exceed; 0 when there are none.
  double PercentileUs(double percent) const;

  struct Point {
    double percent = 0;
    double us = 0;
  };
  // The percentiles of a curve: tens, then values ever closer to 100 while there are enough values
  // to distinguish them, then the maximum. Empty when nothing was added.
  std::vector<Point> Curve() const;

  // A percentile table in the format of HdrHistogram's tools (.hgrm): value in microseconds, share,
  // cumulative count, 1 / (1 - share).
  std::string HgrmText() const;

  // The format that LevelDB's db_bench prints for --histogram=1: totals, then one line for each
  // range of microseconds.
  std::string LevelDbText() const;

 private:
  std::array<uint64_t, LatencyBuckets::kCount> buckets_{};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t min_ns_ = UINT64_MAX;
  uint64_t max_ns_ = 0;
};

}  // namespace lull::bench
