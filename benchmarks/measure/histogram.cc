// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/histogram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <vector>

namespace lull::bench {
namespace {

// With one writer, a plain atomic store suffices: a reader never sees half a counter.
uint64_t Peek(const uint64_t& counter) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(counter)).load(std::memory_order_relaxed);
}
void Poke(uint64_t& counter, uint64_t value) {
  std::atomic_ref<uint64_t>(counter).store(value, std::memory_order_relaxed);
}

double MiddleUs(size_t bucket) { return LatencyBuckets::MiddleOf(bucket) / 1e3; }

// Bounds of the printed ranges, in microseconds: 1 to 9 by ones, then the same sixteen steps in
// every decade.
std::vector<double> PrintedEdges() {
  std::vector<double> edges;
  for (int i = 0; i < 10; ++i) edges.push_back(i);
  for (double decade = 1; decade < 1e9; decade *= 10) {
    for (int step : {10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90}) {
      edges.push_back(step * decade);
    }
  }
  return edges;
}

}  // namespace

void Histogram::Add(uint64_t latency_ns) {
  uint64_t& bucket = buckets_[LatencyBuckets::Of(latency_ns)];
  Poke(bucket, bucket + 1);
  Poke(count_, count_ + 1);
  Poke(sum_ns_, sum_ns_ + latency_ns);
  if (latency_ns < min_ns_) Poke(min_ns_, latency_ns);
  if (latency_ns > max_ns_) Poke(max_ns_, latency_ns);
}

Histogram Histogram::Snapshot() const {
  Histogram copy;
  for (size_t i = 0; i < buckets_.size(); ++i) copy.buckets_[i] = Peek(buckets_[i]);
  copy.count_ = Peek(count_);
  copy.sum_ns_ = Peek(sum_ns_);
  copy.min_ns_ = Peek(min_ns_);
  copy.max_ns_ = Peek(max_ns_);
  return copy;
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

Histogram Histogram::Since(const Histogram& earlier) const {
  Histogram difference;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    const uint64_t added = buckets_[i] - earlier.buckets_[i];
    if (added == 0) continue;
    difference.buckets_[i] = added;
    difference.count_ += added;
    const auto middle_ns = static_cast<uint64_t>(LatencyBuckets::MiddleOf(i));
    difference.min_ns_ = std::min(difference.min_ns_, middle_ns);
    difference.max_ns_ = middle_ns;
  }
  difference.sum_ns_ = sum_ns_ - earlier.sum_ns_;
  return difference;
}

double Histogram::MeanUs() const {
  return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_) / 1e3;
}

double Histogram::StdDevUs() const {
  if (count_ == 0) return 0;
  const double mean = MeanUs();
  double squares = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    const double off = MiddleUs(i) - mean;
    squares += off * off * static_cast<double>(buckets_[i]);
  }
  return std::sqrt(squares / static_cast<double>(count_));
}

double Histogram::MinUs() const { return count_ == 0 ? 0 : static_cast<double>(min_ns_) / 1e3; }
double Histogram::MaxUs() const { return static_cast<double>(max_ns_) / 1e3; }

double Histogram::PercentileUs(double percent) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<uint64_t>(std::ceil(percent / 100 * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0) return std::clamp(MiddleUs(i), MinUs(), MaxUs());
  }
  return MaxUs();
}

std::vector<Histogram::Point> Histogram::Curve() const {
  std::vector<Point> curve;
  if (count_ == 0) return curve;
  for (int tens = 0; tens < 90; tens += 10) curve.push_back({tens * 1.0, PercentileUs(tens)});
  // 90, 95, 98; 99, 99.5, 99.8; ... while at least one value lies above.
  for (double beyond = 10; beyond / 100 * static_cast<double>(count_) >= 1; beyond /= 10) {
    for (const double part : {1.0, 0.5, 0.2}) {
      curve.push_back({100 - beyond * part, PercentileUs(100 - beyond * part)});
    }
  }
  curve.push_back({100, MaxUs()});
  return curve;
}

std::string Histogram::HgrmText() const {
  char line[160];
  std::string text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    seen += buckets_[i];
    const double share = static_cast<double>(seen) / static_cast<double>(count_);
    const bool last = seen == count_;
    const double us = last ? MaxUs() : std::clamp(MiddleUs(i), MinUs(), MaxUs());
    int length = std::snprintf(line, sizeof(line), "%12.3f %14.12f %10llu", us, share,
                               static_cast<unsigned long long>(seen));
    text.append(line, static_cast<size_t>(length));
    if (!last) {
      length = std::snprintf(line, sizeof(line), " %14.2f", 1 / (1 - share));
      text.append(line, static_cast<size_t>(length));
    }
    text += '\n';
  }
  std::snprintf(line, sizeof(line),
                "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    "
                "= %12llu]\n",
                MeanUs(), StdDevUs(), MaxUs(), static_cast<unsigned long long>(count_));
  return text + line;
}

std::string Histogram::LevelDbText() const {
  char line[160];
  std::snprintf(line, sizeof(line),
                "Count: %llu  Average: %.4f  StdDev: %.2f\nMin: %.4f  Median: %.4f  Max: %.4f\n",
                static_cast<unsigned long long>(count_), MeanUs(), StdDevUs(), MinUs(),
                PercentileUs(50), MaxUs());
  std::string text = line;
  text.append(54, '-').append("\n");
  if (count_ == 0) return text;

  const std::vector<double> edges = PrintedEdges();
  std::vector<uint64_t> printed(edges.size(), 0);
  for (size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end(), MiddleUs(i));
    printed[static_cast<size_t>(above - edges.begin()) - 1] += buckets_[i];
  }
  const double share = 100.0 / static_cast<double>(count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < printed.size(); ++i) {
    if (printed[i] == 0) continue;
    seen += printed[i];
    const double percent = share * static_cast<double>(printed[i]);
    const double upper = i + 1 < edges.size() ? edges[i + 1] : HUGE_VAL;
    std::snprintf(line, sizeof(line), "[ %7.0f, %7.0f ) %7llu %7.3f%% %7.3f%% ", edges[i], upper,
                  static_cast<unsigned long long>(printed[i]), percent,
                  share * static_cast<double>(seen));
    text.append(line).append(static_cast<size_t>(percent / 5 + 0.5), '#').append("\n");
  }
  return text;
}

}  // namespace lull::bench
