// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lull::Random with the distributions of the benchmarks. One object belongs to one thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "util/random.h"

namespace lull::bench {

class Rng : public Random {
 public:
  using Random::Random;

  // The interface that <random> requires of a generator.
  using result_type = uint64_t;
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()() { return Next(); }

  // Uniform in [0, bound); 0 when bound is 0.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }

  // The wait until the next event of a Poisson process with this mean wait.
  double Exponential(double mean) {
    const double uniform = static_cast<double>(Next() >> 11) * 0x1p-53;  // in [0, 1)
    return -mean * std::log1p(-uniform);
  }
};

}  // namespace lull::bench
