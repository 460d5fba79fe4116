// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The only source of randomness: a small seeded generator (SplitMix64) with the same sequence on
// every machine. Not thread-safe.
#pragma once

#include <cstdint>

namespace lull {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n). REQUIRES: n > 0.
  uint64_t Uniform(uint64_t n) { return Next() % n; }
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace lull
