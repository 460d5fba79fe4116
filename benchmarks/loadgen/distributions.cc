// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/distributions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benchmarks/loadgen/text.h"

namespace lull::loadgen {
namespace {

// log1p(x) / x and expm1(x) / x, with their limits near x = 0. There the integral of the power is a
// logarithm.
double Log1pOver(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x / 2; }
double Expm1Over(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x / 2; }

class UniformKeys final : public KeyChooser {
 public:
  explicit UniformKeys(const KeySpace& keys) : keys_(keys) {}
  uint64_t Draw(Rng& rng) override {
    return rng.Below(keys_.count.load(std::memory_order_relaxed));
  }

 private:
  const KeySpace& keys_;
};

// Ranks cover the keys that existed when the load began. If they covered inserted keys too, each
// insert would change which keys are hot.
class ZipfianKeys final : public KeyChooser {
 public:
  ZipfianKeys(const KeySpace& keys, double exponent)
      : initial_(keys.initial), zipf_(keys.initial, exponent) {}
  uint64_t Draw(Rng& rng) override { return Scatter(zipf_(rng), initial_); }

 private:
  const uint64_t initial_;
  const Zipf zipf_;
};

class LatestKeys final : public KeyChooser {
 public:
  LatestKeys(const KeySpace& keys, double exponent) : keys_(keys), zipf_(keys.initial, exponent) {}
  uint64_t Draw(Rng& rng) override {
    // At least keys.initial, so every rank is a key.
    return keys_.count.load(std::memory_order_relaxed) - 1 - zipf_(rng);
  }

 private:
  const KeySpace& keys_;
  const Zipf zipf_;
};

class MixgraphKeys final : public KeyChooser {
 public:
  MixgraphKeys(const KeySpace& keys, uint64_t seed) : count_(keys.initial) {
    std::vector<double> hotness;
    for (uint64_t i = 1; i <= kRanges; ++i) {
      const auto x = static_cast<double>(i);
      hotness.push_back(14.18 * std::exp(-2.917 * x) + 0.0164 * std::exp(-0.08082 * x));
    }
    Rng order(seed);
    std::shuffle(hotness.begin(), hotness.end(), order);
    range_ = std::discrete_distribution<uint64_t>(hotness.begin(), hotness.end());
  }

  uint64_t Draw(Rng& rng) override {
    const uint64_t range = range_(rng);
    const uint64_t begin = count_ * range / kRanges;
    const uint64_t size = count_ * (range + 1) / kRanges - begin;
    if (size == 0) return begin;
    // The power law gives the share of accesses to the hottest `rank` keys. It was fitted to 50
    // million keys; in a smaller range, ranks past the end wrap around.
    const double rank = std::pow(uniform_(rng) / kPowerA, 1 / kPowerB);
    return begin + Scatter(static_cast<uint64_t>(rank) % size, size);
  }

 private:
  static constexpr uint64_t kRanges = 30;
  static constexpr double kPowerA = 0.002312;
  static constexpr double kPowerB = 0.3467;

  const uint64_t count_;
  std::discrete_distribution<uint64_t> range_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

struct NamedKeys {
  std::string_view name;
  KeySpec::Kind kind;
  bool has_exponent;
};
constexpr NamedKeys kKeys[] = {{"uniform", KeySpec::Kind::kUniform, false},
                               {"zipfian", KeySpec::Kind::kZipfian, true},
                               {"latest", KeySpec::Kind::kLatest, true},
                               {"mixgraph", KeySpec::Kind::kMixgraph, false}};

}  // namespace

Zipf::Zipf(uint64_t n, double exponent) : n_(static_cast<double>(n)), exponent_(exponent) {
  integral_low_ = Integral(1.5) - 1;
  integral_high_ = Integral(n_ + 0.5);
  accept_within_ = 2 - IntegralInverse(Integral(2.5) - Density(2));
}

double Zipf::Integral(double x) const {
  const double log_x = std::log(x);
  return Expm1Over((1 - exponent_) * log_x) * log_x;
}

double Zipf::IntegralInverse(double y) const {
  // At the far end, rounding can push the argument of the logarithm below -1.
  const double t = std::max(-1.0, y * (1 - exponent_));
  return std::exp(Log1pOver(t) * y);
}

double Zipf::Density(double x) const { return std::pow(x, -exponent_); }

uint64_t Zipf::operator()(Rng& rng) const {
  std::uniform_real_distribution<double> area(integral_low_, integral_high_);
  for (;;) {
    const double y = area(rng);
    const double x = IntegralInverse(y);
    const double k = std::clamp(std::round(x), 1.0, n_);
    if (k - x <= accept_within_ || y >= Integral(k + 0.5) - Density(k)) {
      return static_cast<uint64_t>(k) - 1;
    }
  }
}

double Pareto::operator()(Rng& rng) {
  // The uniform number is in [0, 1), so the power stays finite.
  return scale_ * (std::pow(1 - uniform_(rng), -shape_) - 1) / shape_;
}

uint64_t Scatter(uint64_t rank, uint64_t n) {
  // A prime above every n, so coprime to n: multiplying by it permutes [0, n).
  constexpr uint64_t kPrime = 18446744073709551557u;
  constexpr uint64_t kShift = 0x9e3779b97f4a7c15u;  // keeps rank 0 away from key 0
  // For many n the prime is small modulo n, so multiply by a power of it.
  const unsigned __int128 step = kPrime % n;
  const unsigned __int128 square = step * step % n;
  const unsigned __int128 cube = square * step % n;
  return static_cast<uint64_t>((rank * cube + kShift) % n);
}

std::string ParseKeys(std::string_view text, KeySpec* spec) {
  const std::vector<std::string_view> parts = Split(text, ':');
  const std::string_view name = parts.empty() ? std::string_view() : parts[0];
  const auto* found = std::find_if(std::begin(kKeys), std::end(kKeys),
                                   [name](const NamedKeys& keys) { return keys.name == name; });
  if (found == std::end(kKeys)) {
    std::vector<std::string_view> names;
    for (const NamedKeys& keys : kKeys) names.push_back(keys.name);
    return "there is no key distribution " + Quoted(name) + DidYouMean(name, names);
  }
  spec->kind = found->kind;
  if (parts.size() == 1) return "";
  const auto exponent = ParseAmount(parts[1]);
  if (!found->has_exponent || parts.size() > 2 || !exponent || *exponent <= 0) {
    return Quoted(text) + " is not of the form NAME or NAME:EXPONENT";
  }
  spec->exponent = *exponent;
  return "";
}

std::unique_ptr<KeyChooser> MakeKeyChooser(const KeySpec& spec, const KeySpace& keys,
                                           uint64_t seed) {
  switch (spec.kind) {
    case KeySpec::Kind::kZipfian:
      return std::make_unique<ZipfianKeys>(keys, spec.exponent);
    case KeySpec::Kind::kLatest:
      return std::make_unique<LatestKeys>(keys, spec.exponent);
    case KeySpec::Kind::kMixgraph:
      return std::make_unique<MixgraphKeys>(keys, seed);
    case KeySpec::Kind::kUniform:
      break;
  }
  return std::make_unique<UniformKeys>(keys);
}

std::string SizeDistribution::Parse(std::string_view text, SizeDistribution* result) {
  constexpr std::string_view kForms =
      " is not of the form 400, uniform:MIN:MAX, lognormal:MEDIAN:SIGMA:MIN:MAX or "
      "pareto:SHAPE:SCALE:MIN:MAX";
  const std::vector<std::string_view> parts = Split(text, ':');
  std::vector<double> numbers;
  for (size_t i = parts.size() > 1 ? 1 : 0; i < parts.size(); ++i) {
    const auto number = ParseAmount(parts[i]);
    if (!number) return Quoted(text) + std::string(kForms);
    numbers.push_back(*number);
  }
  const std::string_view name = parts.size() > 1 ? parts[0] : std::string_view();
  const size_t expected = parts.size() == 1 ? 1 : name == "uniform" ? 2 : 4;
  if (numbers.size() != expected || (expected == 4 && (numbers[0] <= 0 || numbers[1] <= 0))) {
    return Quoted(text) + std::string(kForms);
  }
  const double min = expected == 4 ? numbers[2] : numbers.front();
  const double max = numbers.back();
  if (min > max) return Quoted(text) + ": MIN is above MAX";
  result->min_ = static_cast<uint64_t>(min);
  result->max_ = static_cast<uint64_t>(max);
  if (name == "lognormal") {
    result->law_ = std::lognormal_distribution<double>(std::log(numbers[0]), numbers[1]);
  } else if (name == "pareto") {
    result->law_ = Pareto(numbers[0], numbers[1]);
  } else if (expected < 4) {
    result->law_ = std::uniform_int_distribution<uint64_t>(result->min_, result->max_);
  } else {
    return Quoted(text) + std::string(kForms);
  }
  return "";
}

uint64_t SizeDistribution::Draw(Rng& rng) {
  const auto drawn = std::visit([&rng](auto& law) { return static_cast<double>(law(rng)); }, law_);
  return static_cast<uint64_t>(
      std::clamp(drawn, static_cast<double>(min_), static_cast<double>(max_)));
}

}  // namespace lull::loadgen
