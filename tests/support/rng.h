// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The one random source of the test tools. It is a pure function of its seed on every platform and
// standard library, so a printed seed replays a failure anywhere. Not thread-safe. Recorded seeds
// name its stream, so it does not use that of util/random.h.
#pragma once

#include <cstdint>

namespace lull::testing {

// Scrambles a 64-bit value; neighbouring inputs give unrelated outputs.
inline uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

// Derives a seed for part `part` of a run with seed `seed`.
inline uint64_t SubSeed(uint64_t seed, uint64_t part) {
  return Mix(Mix(seed + 0x632be59bd9b4e019ULL) ^ (part * 0x9e3779b97f4a7c15ULL));
}

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return Mix(state_);
  }

  // A value in [0, limit). REQUIRES: limit > 0.
  uint64_t Below(uint64_t limit) { return Next() % limit; }

  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // True with the given probability; 0 and below is never, 1 and above is always.
  bool Chance(double probability) {
    return static_cast<double>(Next() >> 11) * 0x1p-53 < probability;
  }

 private:
  uint64_t state_;
};

}  // namespace lull::testing
