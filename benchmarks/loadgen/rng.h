// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Random numbers for the benchmarks (SplitMix64): a few cycles per number. A seed gives the same
// sequence on every machine and standard library. One object belongs to one thread.
#pragma once

#include <cmath>
#include <cstdint>

namespace lull::bench {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  // The interface that <random> requires of a generator.
  using result_type = uint64_t;
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return UINT64_MAX; }
  uint64_t operator()() { return Next(); }

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound); 0 when bound is 0.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
  }

  // The wait until the next event of a Poisson process with this mean wait.
  double Exponential(double mean) {
    const double uniform = static_cast<double>(Next() >> 11) * 0x1p-53;  // in [0, 1)
    return -mean * std::log1p(-uniform);
  }

 private:
  uint64_t state_;
};

}  // namespace lull::bench
