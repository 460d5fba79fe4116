// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/load.h"

#include <algorithm>
#include <cmath>

namespace lull::sim {
namespace {

double Uniform(bench::Rng& rng) { return static_cast<double>(rng.Next() >> 11) * 0x1p-53; }

double Between(bench::Rng& rng, double low, double high) {
  return low + (high - low) * Uniform(rng);
}

/// Approximately normal and cheap: the sum of twelve uniform numbers.
double Normal(bench::Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Uniform(rng);
  return sum;
}

}  // namespace

uint64_t DrawPoisson(bench::Rng& rng, double mean) {
  if (mean <= 0) return 0;
  if (mean > 60) {
    return static_cast<uint64_t>(std::max(0.0, std::round(mean + std::sqrt(mean) * Normal(rng))));
  }
  // Counts events until their gaps fill the interval, using a product of uniform numbers.
  const double limit = std::exp(-mean);
  uint64_t count = 0;
  for (double product = Uniform(rng); product > limit; product *= Uniform(rng)) ++count;
  return count;
}

std::vector<Phase> NutanixLikeTrace(uint64_t seed, double seconds) {
  bench::Rng rng(seed);
  std::vector<Phase> phases;
  for (double at = 0; at < seconds;) {
    // The maximum of two uniform numbers has the mean 2/3: 5 s + 2/3 of 15 s = 15 s.
    const double valley = 5 + 15 * std::max(Uniform(rng), Uniform(rng));
    phases.push_back({valley, Between(rng, 100, 500)});
    const double draw = Uniform(rng);
    const double peak = Uniform(rng) < 0.9 ? Between(rng, 10, 20) : 100 + 300 * draw * draw;
    phases.push_back({peak, Between(rng, 17'000, 21'000)});
    at += valley + peak;
  }
  return phases;
}

}  // namespace lull::sim
