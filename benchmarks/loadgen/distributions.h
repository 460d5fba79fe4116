// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Random keys and sizes for a load: key numbers (uniform, Zipfian, latest, mixgraph) and lengths
// (fixed, uniform, lognormal, Pareto). Uses the standard library's distributions where they exist.
// An object belongs to one thread; the same seed gives the same numbers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>

#include "benchmarks/loadgen/rng.h"

namespace lull::loadgen {

using bench::Rng;

// Ranks 0, 1, … n - 1; rank r has a probability proportional to 1 / (r + 1)^exponent. Sampled by
// rejection-inversion (Hoermann and Derflinger, 1996): exact for every n, in constant time and
// memory. REQUIRES: n >= 1, exponent > 0.
class Zipf {
 public:
  Zipf(uint64_t n, double exponent);
  uint64_t operator()(Rng& rng) const;

 private:
  double Integral(double x) const;         // of the density x^-exponent, up to a constant
  double IntegralInverse(double y) const;  // Integral(IntegralInverse(y)) == y
  double Density(double x) const;

  double n_;
  double exponent_;
  double integral_low_;   // where the first rank's share begins
  double integral_high_;  // where the last rank's share ends
  double accept_within_;  // accept a candidate this close below its rank without the full test
};

// The generalised Pareto distribution with location 0: P(X > x) = (1 + shape * x / scale)^(-1 /
// shape). REQUIRES: shape > 0, scale > 0.
class Pareto {
 public:
  Pareto(double shape, double scale) : shape_(shape), scale_(scale) {}
  double operator()(Rng& rng);

 private:
  double shape_;
  double scale_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

// Scatters ranks over [0, n). A bijection, so that hot ranks do not become adjacent keys.
uint64_t Scatter(uint64_t rank, uint64_t n);

// The keys of a store: numbers [0, count). Inserts increase `count`. Any thread.
struct KeySpace {
  explicit KeySpace(uint64_t initial_in) : initial(initial_in), count(initial_in) {}
  const uint64_t initial;
  std::atomic<uint64_t> count;
};

// Which keys a load uses.
//   uniform        all keys equally often
//   zipfian        by rank, with ranks scattered over all keys (as in YCSB)
//   latest         by rank, counted back from the last inserted key (as in YCSB)
//   mixgraph       30 key ranges whose hotness is a sum of two exponentials; within a range, a
//                  power law (Cao et al., FAST 2020, with the parameters of RocksDB's own example)
struct KeySpec {
  enum class Kind { kUniform, kZipfian, kLatest, kMixgraph };
  Kind kind = Kind::kUniform;
  double exponent = 0.99;  // of zipfian and latest
};

// "uniform", "zipfian", "zipfian:0.8", "latest", "latest:0.8", "mixgraph". Returns an error, empty
// if `text` is valid.
std::string ParseKeys(std::string_view text, KeySpec* spec);

class KeyChooser {
 public:
  virtual ~KeyChooser() = default;
  virtual uint64_t Draw(Rng& rng) = 0;
};

// `keys` must outlive the chooser. `seed` determines what all threads of a load share, such as
// which ranges are hot.
std::unique_ptr<KeyChooser> MakeKeyChooser(const KeySpec& spec, const KeySpace& keys,
                                           uint64_t seed);

// Lengths of values in bytes, or of scans in entries.
class SizeDistribution {
 public:
  SizeDistribution() = default;  // always 0

  // "400"                            always
  // "uniform:MIN:MAX"
  // "lognormal:MEDIAN:SIGMA:MIN:MAX" SIGMA of the logarithm; clamped, which keeps the median
  // "pareto:SHAPE:SCALE:MIN:MAX"     generalised Pareto, clamped
  // Returns an error, empty if `text` is valid.
  static std::string Parse(std::string_view text, SizeDistribution* result);

  uint64_t Draw(Rng& rng);
  uint64_t max() const { return max_; }

 private:
  std::variant<std::uniform_int_distribution<uint64_t>, std::lognormal_distribution<double>, Pareto>
      law_{std::uniform_int_distribution<uint64_t>(0, 0)};
  uint64_t min_ = 0;
  uint64_t max_ = 0;
};

}  // namespace lull::loadgen
