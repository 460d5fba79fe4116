// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// When the requests of one client are due. An object belongs to one thread.
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
  double due_seconds = 0;    // from the beginning of the load
  bool closed_loop = false;  // due as soon as the client is free: there is no lateness
};

class Arrivals {
 public:
  virtual ~Arrivals() = default;
  // The next request, for a client that is free at `now_seconds`; none when the load is over. Due
  // times never fall. How late the client is does not change when open-loop requests are due.
  virtual std::optional<Arrival> Next(double now_seconds) = 0;
};

// One client's share of a Poisson process whose rate follows a shape: with n clients each takes an
// nth of the rate, and together they make the whole process.
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
  // A Poisson process of changing rate is one of rate 1 whose time runs as fast as the rate says:
  // what is left of that time until the next request.
  double left_;
  size_t segment_ = 0;
  double segment_begin_ = 0;
  double at_ = 0;  // the last due time
};

// Recorded due times: client i of n takes the ith, and then every nth.
class TraceArrivals final : public Arrivals {
 public:
  // `times` must outlive the object.
  TraceArrivals(const std::vector<double>& times, double duration, int client, int clients);
  std::optional<Arrival> Next(double now_seconds) override;

  // Reads a file with a time in seconds on each line, in order. Returns what is wrong with it.
  static std::string ReadFile(const std::string& path, std::vector<double>* times);

 private:
  const std::vector<double>& times_;
  const double duration_;
  size_t next_;
  const size_t step_;
};

}  // namespace lull::loadgen
