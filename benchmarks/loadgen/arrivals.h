// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Due times of one client's requests. An object belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/loadgen/load_shape.h"
#include "benchmarks/loadgen/rng.h"

namespace lull::loadgen {

struct Arrival {
  double due_seconds = 0;    // since the load began
  bool closed_loop = false;  // due as soon as the client is free, so never late
};

class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // The next request of a client that is free at `now_seconds`; nullopt after the load has ended.
  // Due times never decrease. In an open loop they do not depend on how late the client is.
  virtual std::optional<Arrival> Next(double now_seconds) = 0;
};

// One client's share of a Poisson process whose rate follows `shape`: each of n clients takes 1/n
// of the rate.
class PoissonArrivals final : public Arrivals {
 public:
  // `shape` must outlive the object.
  PoissonArrivals(const LoadShape& shape, int clients, uint64_t seed);
  std::optional<Arrival> Next(double now_seconds) override;

 private:
  const LoadShape& shape_;
  const double clients_;
  bench::Rng rng_;
  std::exponential_distribution<double> unit_{1};
  // Time left until the next request, on the clock of a Poisson process of rate 1. That clock
  // advances by `rate` each second, which gives the changing rate.
  double left_;
  size_t segment_ = 0;
  double segment_begin_ = 0;
  double at_ = 0;  // the last due time
};

// Recorded due times: client i of n takes the ith and then every nth.
class TraceArrivals final : public Arrivals {
 public:
  // `times` must outlive the object.
  TraceArrivals(const std::vector<double>& times, double duration, int client, int clients);
  std::optional<Arrival> Next(double now_seconds) override;

  // Reads a file with one time in seconds on each line, in order. Returns an error, empty if none.
  static std::string ReadFile(const std::string& path, std::vector<double>* times);

 private:
  const std::vector<double>& times_;
  const double duration_;
  size_t next_;
  const size_t step_;
};

}  // namespace lull::loadgen
