// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Computes latencies from queues. There are two queues, at two scales:
//
// - *Within a step*, requests arrive at random and wait for each other even if there is enough
//   capacity on average. This is an M/G/1 queue. Its waiting time has an exponential tail, whose
//   rate and height follow from the service times (Cramer-Lundberg asymptotics): WaitTail.
// - *Across steps*, more requests arrive than can be served, or service is blocked. This is a
//   backlog in order of arrival; each request's wait is known when it is served: Backlog.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace lull::sim {

/// Weighted latencies, in logarithmic buckets of 2 %.
class LatencyTally {
 public:
  void Add(double seconds, double weight);
  void Merge(const LatencyTally& other);
  void Clear() { *this = LatencyTally(); }

  double count() const { return count_; }
  double max_seconds() const { return max_seconds_; }
  double MeanSeconds() const { return count_ > 0 ? sum_seconds_ / count_ : 0; }
  /// The latency that `share` of all do not exceed; 0 when empty.
  double Quantile(double share) const;

 private:
  static constexpr size_t kBuckets = 1600;  // 10 ns to about 16 hours
  std::array<double, kBuckets> weights_{};
  double count_ = 0;
  double sum_seconds_ = 0;
  double max_seconds_ = 0;
};

/// One kind of request: its share of all requests, and its service time.
struct ServiceTime {
  double share = 0;
  double seconds = 0;
};

/// The distribution of waiting times in an M/G/1 queue with these service times.
class WaitTail {
 public:
  /// Treats `servers` of equal speed as one server with their combined speed. The probability that
  /// it is busy is that of all of them being busy (Erlang's formula).
  WaitTail(double arrivals_per_sec, std::span<const ServiceTime> services, int servers);

  double utilisation() const { return utilisation_; }
  /// The waiting time that `share` of the requests do not exceed.
  double Quantile(double share) const;

 private:
  double utilisation_ = 0;
  double wait_share_ = 0;  // share of requests that wait at all
  double height_ = 0;      // P(wait > x) -> height * exp(-rate * x)
  double rate_ = 0;
};

/// Waiting requests in order of arrival, as a fluid.
class Backlog {
 public:
  bool empty() const { return count_ <= 0; }
  double count() const { return count_; }
  /// `from` and `to`: seconds, not before those of the previous call.
  void Arrive(double count, double from, double to);
  /// A number of requests and their waiting time.
  struct Waited {
    double count, seconds;
  };
  /// Serves the `count` requests that have waited longest, or all if there are fewer, evenly from
  /// `from` to `to`. Appends to `waited`.
  void Serve(double count, double from, double to, std::vector<Waited>* waited);

 private:
  struct Group {
    double count, from, to;
  };
  std::deque<Group> waiting_;
  double count_ = 0;
};

}  // namespace lull::sim
