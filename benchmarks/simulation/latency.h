// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// From queues to latencies. Two queues at two scales:
//
// - *Within a step* requests come at random, and wait for each other even when on average there is
//   room. That is an M/G/1 queue, and its waiting time has an exponential tail whose rate and
//   height follow from the service times (Cramer and Lundberg's asymptotics): WaitTail.
// - *Across steps* more comes than can be served, or nothing can be served at all: a backlog, in
//   order of arrival, in which each request's waiting time is known when it is served: Backlog.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace lull::sim {

/// Latencies with weights, in logarithmic buckets of 2 %.
class LatencyTally {
 public:
  void Add(double seconds, double weight);
  void Merge(const LatencyTally& other);
  void Clear() { *this = LatencyTally(); }

  double count() const { return count_; }
  double max_seconds() const { return max_seconds_; }
  double MeanSeconds() const { return count_ > 0 ? sum_seconds_ / count_ : 0; }
  /// Not exceeded by `share` of all; 0 when there are none.
  double Quantile(double share) const;

 private:
  static constexpr size_t kBuckets = 1600;  // 10 ns to about 16 hours
  std::array<double, kBuckets> weights_{};
  double count_ = 0;
  double sum_seconds_ = 0;
  double max_seconds_ = 0;
};

/// One kind of request: what share of all it is, and how long it takes to serve.
struct ServiceTime {
  double share = 0;
  double seconds = 0;
};

/// The distribution of waiting times in an M/G/1 queue with these services.
class WaitTail {
 public:
  /// `servers` of equal speed are taken for one that is as fast as all together, and that a request
  /// finds busy as often as it would find all of them busy (Erlang's formula).
  WaitTail(double arrivals_per_sec, std::span<const ServiceTime> services, int servers);

  double utilisation() const { return utilisation_; }
  /// The waiting time that `share` of the requests do not exceed.
  double Quantile(double share) const;

 private:
  double utilisation_ = 0;
  double wait_share_ = 0;  // of requests that wait at all
  double height_ = 0;      // P(wait > x) -> height * exp(-rate * x)
  double rate_ = 0;
};

/// Requests that wait for a server, in order of arrival; a fluid.
class Backlog {
 public:
  bool empty() const { return count_ <= 0; }
  double count() const { return count_; }
  /// `from` and `to`: seconds; not before what came last.
  void Arrive(double count, double from, double to);
  /// Some requests, and how long they waited.
  struct Waited {
    double count, seconds;
  };
  /// Serves those that have waited longest: `count` of them, if there are so many, evenly from
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
