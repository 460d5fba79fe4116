// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/latency.h"

#include <algorithm>
#include <cmath>

namespace lull::sim {
namespace {

constexpr double kSmallest = 1e-8;
constexpr double kNobody = 1e-3;  // a smaller amount of the fluid is a rounding error
const double kLogStep = std::log(1.02);
constexpr double kUtilisationMax = 0.995;  // above it, the steady state is practically unreachable

/// Erlang's C: the probability that all servers are busy.
double AllBusy(int servers, double load) {
  double blocked = 1;  // Erlang's B, computed recursively
  for (int i = 1; i <= servers; ++i) blocked = load * blocked / (i + load * blocked);
  const double utilisation = load / servers;
  return blocked / (1 - utilisation * (1 - blocked));
}

}  // namespace

void LatencyTally::Add(double seconds, double weight) {
  const double position = seconds <= kSmallest ? 0 : std::log(seconds / kSmallest) / kLogStep;
  const size_t bucket = std::min(static_cast<size_t>(position), kBuckets - 1);
  weights_[bucket] += weight;
  count_ += weight;
  sum_seconds_ += weight * seconds;
  max_seconds_ = std::max(max_seconds_, seconds);
}

void LatencyTally::Merge(const LatencyTally& other) {
  for (size_t i = 0; i < kBuckets; ++i) weights_[i] += other.weights_[i];
  count_ += other.count_;
  sum_seconds_ += other.sum_seconds_;
  max_seconds_ = std::max(max_seconds_, other.max_seconds_);
}

double LatencyTally::Quantile(double share) const {
  double left = share * count_;
  for (size_t i = 0; i < kBuckets; ++i) {
    if (weights_[i] <= 0) continue;
    left -= weights_[i];
    if (left <= count_ * 1e-6) {
      return std::min(kSmallest * std::exp((static_cast<double>(i) + 0.5) * kLogStep),
                      max_seconds_);
    }
  }
  return max_seconds_;
}

WaitTail::WaitTail(double arrivals_per_sec, std::span<const ServiceTime> services, int servers) {
  double mean = 0;
  double longest = 0;
  for (const ServiceTime& service : services) {
    mean += service.share * service.seconds / servers;
    if (service.share > 0) longest = std::max(longest, service.seconds / servers);
  }
  utilisation_ = arrivals_per_sec * mean;
  if (utilisation_ <= 0) return;
  const double scale = std::min(1.0, kUtilisationMax / utilisation_);
  const double arrivals = arrivals_per_sec * scale;
  const double load = utilisation_ * scale;
  wait_share_ = AllBusy(servers, load * servers);

  // The rate solves f(r) = arrivals * (E[exp(r S)] - 1) - r = 0 for r > 0. f is convex and negative
  // between its two roots, so Newton's method from the right cannot overshoot.
  const auto moments = [&](double rate, double* transform, double* slope) {
    *transform = *slope = 0;
    for (const ServiceTime& service : services) {
      const double seconds = service.seconds / servers;
      const double grown = service.share * std::exp(rate * seconds);
      *transform += grown;
      *slope += grown * seconds;
    }
  };
  double transform = 0;
  double slope = 0;
  double rate = 0.1 / longest;
  for (moments(rate, &transform, &slope);
       arrivals * (transform - 1) <= rate && rate * longest < 600;
       moments(rate, &transform, &slope))
    rate *= 2;
  for (int i = 0; i < 60; ++i) {
    moments(rate, &transform, &slope);
    const double step = (arrivals * (transform - 1) - rate) / (arrivals * slope - 1);
    rate -= step;
    if (std::abs(step) < 1e-9 * rate) break;
  }
  moments(rate, &transform, &slope);
  rate_ = rate;
  height_ = (1 - load) / (arrivals * slope - 1) * (wait_share_ / load);
}

double WaitTail::Quantile(double share) const {
  const double above = 1 - share;
  if (above >= wait_share_ || rate_ <= 0) return 0;
  // Near zero the true distribution begins at wait_share_, not at the height of its tail.
  return std::max(0.0, std::log(height_ / above) / rate_);
}

void Backlog::Arrive(double count, double from, double to) {
  if (count <= 0) return;
  count_ += count;
  constexpr double kGroupSeconds = 5e-3;  // arrivals closer than this form one group
  if (!waiting_.empty() && to - waiting_.back().from < kGroupSeconds) {
    waiting_.back().count += count;
    waiting_.back().to = to;
    return;
  }
  waiting_.push_back({count, from, to});
}

void Backlog::Serve(double count, double from, double to, std::vector<Waited>* waited) {
  constexpr int kParts = 4;
  const double total = std::min(count, count_);
  double done = 0;
  while (!waiting_.empty() && total - done > 1e-9) {
    Group& group = waiting_.front();
    const double taken = std::min(group.count, total - done);
    const double split = group.from + (group.to - group.from) * taken / group.count;
    for (int i = 0; i < kParts; ++i) {
      const double middle = (i + 0.5) / kParts;
      const double arrived = group.from + (split - group.from) * middle;
      const double served = from + (to - from) * (done + taken * middle) / count;
      waited->push_back({taken / kParts, std::max(0.0, served - arrived)});
    }
    done += taken;
    group.count -= taken;
    group.from = split;
    if (group.count <= 1e-9) waiting_.pop_front();
  }
  count_ -= done;
  if (waiting_.empty() || count_ < kNobody) {
    waiting_.clear();
    count_ = 0;
  }
}

}  // namespace lull::sim
