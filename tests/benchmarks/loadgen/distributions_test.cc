// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Each distribution against its arithmetic. Seeds are fixed; tolerances are about five standard
// deviations, so that a correct implementation passes with any seed.
#include "benchmarks/loadgen/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace lull::loadgen {
namespace {

constexpr int kDraws = 200'000;

// Five standard deviations of the share of an event of probability `p` in kDraws.
double Slack(double p) { return 5 * std::sqrt(p * (1 - p) / kDraws); }

class DistributionTest : public ::testing::Test {
 protected:
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__, "seed 9"};
  Rng rng_{9};
};
class KeysTest : public DistributionTest {};
class SizesTest : public DistributionTest {};
class ZipfTest : public DistributionTest, public ::testing::WithParamInterface<double> {};

TEST_P(ZipfTest, RanksComeAsOftenAsTheLawSays) {
  constexpr uint64_t kRanks = 1000;
  const double exponent = GetParam();
  const Zipf zipf(kRanks, exponent);
  std::vector<int> count(kRanks);
  for (int i = 0; i < kDraws; ++i) ++count.at(zipf(rng_));
  double norm = 0;
  for (uint64_t rank = 0; rank < kRanks; ++rank) norm += std::pow(rank + 1, -exponent);
  for (const uint64_t rank : {0, 1, 2, 9, 99, 999}) {
    const double expected = std::pow(rank + 1, -exponent) / norm;
    EXPECT_NEAR(static_cast<double>(count[rank]) / kDraws, expected, Slack(expected)) << rank;
  }
  double tail = 0;  // sum of the upper half
  double drawn = 0;
  for (uint64_t rank = kRanks / 2; rank < kRanks; ++rank) {
    tail += std::pow(rank + 1, -exponent) / norm;
    drawn += count[rank];
  }
  EXPECT_NEAR(drawn / kDraws, tail, Slack(tail));
}

// At 1 the integral of the power becomes a logarithm.
INSTANTIATE_TEST_SUITE_P(Exponents, ZipfTest, ::testing::Values(0.5, 0.99, 1.0, 1.5));

TEST_F(DistributionTest, ZipfOfOneRankAndVeryManyRanks) {
  const Zipf one(1, 0.99);
  const Zipf many(uint64_t{1} << 40, 0.99);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(one(rng_), 0u);
    EXPECT_LT(many(rng_), uint64_t{1} << 40);
  }
}

TEST_F(DistributionTest, ParetosQuantilesAreThoseOfTheLaw) {
  Pareto pareto(0.2615, 25.45);
  std::vector<double> drawn(kDraws);
  for (double& x : drawn) x = pareto(rng_);
  std::sort(drawn.begin(), drawn.end());
  for (const double share : {0.1, 0.5, 0.9, 0.99}) {
    const double quantile = 25.45 / 0.2615 * (std::pow(1 - share, -0.2615) - 1);
    const auto below = std::lower_bound(drawn.begin(), drawn.end(), quantile) - drawn.begin();
    EXPECT_NEAR(static_cast<double>(below) / kDraws, share, Slack(share));
  }
}

TEST(ScatterTest, PermutesAndSpreads) {
  for (const uint64_t n : {1u, 2u, 7u, 1000u, 4096u}) {
    std::set<uint64_t> seen;
    for (uint64_t rank = 0; rank < n; ++rank) seen.insert(Scatter(rank, n));
    EXPECT_EQ(seen.size(), n);
    EXPECT_LT(*seen.rbegin(), n);
  }
  // Neighbouring ranks are not neighbouring keys.
  int close = 0;
  for (uint64_t rank = 0; rank < 1000; ++rank) {
    const auto a = static_cast<int64_t>(Scatter(rank, 1'000'000));
    const auto b = static_cast<int64_t>(Scatter(rank + 1, 1'000'000));
    close += std::abs(a - b) < 1000 ? 1 : 0;
  }
  EXPECT_LT(close, 10);
}

TEST(ScatterTest, SpreadsTheFirstRanksOfAHugeRangeEvenly) {
  constexpr uint64_t kRange = 10'000'000'000'000'000;
  std::set<uint64_t> seen;
  std::vector<int> tenths(10);
  for (uint64_t rank = 0; rank < 10'000; ++rank) {
    const uint64_t scattered = Scatter(rank, kRange);
    seen.insert(scattered);
    ++tenths.at(scattered / (kRange / 10));
  }
  EXPECT_EQ(seen.size(), 10'000u);
  for (const int count : tenths) EXPECT_NEAR(count, 1000, 50);
}

std::unique_ptr<KeyChooser> Chooser(const char* text, const KeySpace& keys) {
  KeySpec spec;
  EXPECT_EQ(ParseKeys(text, &spec), "");
  return MakeKeyChooser(spec, keys, 301);
}

TEST_F(KeysTest, UniformReachesEveryKeyAlike) {
  const KeySpace keys(100);
  const auto chooser = Chooser("uniform", keys);
  std::vector<int> count(100);
  for (int i = 0; i < kDraws; ++i) ++count.at(chooser->Draw(rng_));
  const auto [least, most] = std::minmax_element(count.begin(), count.end());
  EXPECT_NEAR(static_cast<double>(*least) / kDraws, 0.01, Slack(0.01));
  EXPECT_NEAR(static_cast<double>(*most) / kDraws, 0.01, Slack(0.01));
}

TEST_F(KeysTest, ZipfianKeepsItsHotKeysWhenOthersAreInserted) {
  KeySpace keys(1000);
  const auto chooser = Chooser("zipfian:0.99", keys);
  keys.count = 2000;
  const uint64_t hottest = Scatter(0, 1000);
  int hits = 0;
  for (int i = 0; i < kDraws; ++i) hits += chooser->Draw(rng_) == hottest ? 1 : 0;
  double norm = 0;
  for (int rank = 1; rank <= 1000; ++rank) norm += std::pow(rank, -0.99);
  EXPECT_NEAR(static_cast<double>(hits) / kDraws, 1 / norm, Slack(1 / norm));
}

TEST_F(KeysTest, LatestFollowsTheInserts) {
  KeySpace keys(1000);
  const auto chooser = Chooser("latest", keys);
  for (const uint64_t count : {1000u, 5000u}) {
    keys.count = count;
    int newest = 0;
    for (int i = 0; i < 10'000; ++i) {
      const uint64_t key = chooser->Draw(rng_);
      ASSERT_LT(key, count);
      ASSERT_GE(key, count - 1000);
      newest += key == count - 1 ? 1 : 0;
    }
    EXPECT_GT(newest, 1000) << "of 10,000; rank 1 of 1,000 has a share of 0.13";
  }
}

TEST_F(KeysTest, MixgraphHasHotRangesAndHotKeysInThem) {
  constexpr uint64_t kKeys = 30'000;
  const KeySpace keys(kKeys);
  const auto chooser = Chooser("mixgraph", keys);
  std::vector<int> in_range(30);
  std::vector<int> of_key(kKeys);
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t key = chooser->Draw(rng_);
    ++in_range.at(key / 1000);
    ++of_key.at(key);
  }
  double sum = 0;
  std::vector<double> weights;
  for (int x = 1; x <= 30; ++x) {
    weights.push_back(14.18 * std::exp(-2.917 * x) + 0.0164 * std::exp(-0.08082 * x));
    sum += weights.back();
  }
  std::sort(in_range.rbegin(), in_range.rend());
  for (size_t x = 0; x < 30; x += 7) {
    const double expected = weights[x] / sum;
    EXPECT_NEAR(static_cast<double>(in_range[x]) / kDraws, expected, 2 * Slack(expected)) << x;
  }
  // Within a range, rank r is drawn with a * ((r + 1)^b - r^b); ranks beyond the range are spread
  // evenly over all keys.
  const int hottest = *std::max_element(of_key.begin(), of_key.end());
  const double expected = weights[0] / sum * 0.002312 * std::pow(1, 0.3467);
  EXPECT_GT(static_cast<double>(hottest) / kDraws, expected);
}

TEST_F(KeysTest, TheSeedOfTheLoadSettlesWhichRangesAreHot) {
  const KeySpace keys(30'000);
  KeySpec spec{KeySpec::Kind::kMixgraph};
  const auto hottest = [&](uint64_t seed) {
    Rng rng_(1);
    const auto chooser = MakeKeyChooser(spec, keys, seed);
    std::vector<int> in_range(30);
    for (int i = 0; i < 10'000; ++i) ++in_range.at(chooser->Draw(rng_) / 1000);
    return std::max_element(in_range.begin(), in_range.end()) - in_range.begin();
  };
  EXPECT_EQ(hottest(1), hottest(1));
  EXPECT_NE(hottest(1), hottest(2));
}

SizeDistribution Sizes(const char* text) {
  SizeDistribution sizes;
  EXPECT_EQ(SizeDistribution::Parse(text, &sizes), "") << text;
  return sizes;
}

TEST_F(SizesTest, FixedAndUniform) {
  SizeDistribution fixed = Sizes("400");
  EXPECT_EQ(fixed.Draw(rng_), 400u);
  EXPECT_EQ(fixed.max(), 400u);
  SizeDistribution uniform = Sizes("uniform:3:5");
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(uniform.Draw(rng_));
  EXPECT_EQ(seen, std::set<uint64_t>({3, 4, 5}));
}

TEST_F(SizesTest, LognormalHasItsMedianAndItsBounds) {
  SizeDistribution sizes = Sizes("lognormal:400:0.4:250:1000");
  int below_median = 0;
  int at_min = 0;
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t size = sizes.Draw(rng_);
    ASSERT_GE(size, 250u);
    ASSERT_LE(size, 1000u);
    below_median += size < 400 ? 1 : 0;
    at_min += size == 250 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(below_median) / kDraws, 0.5, Slack(0.5));
  // The share of the normal distribution below ln(251 / 400) / 0.4.
  const double clamped = 0.5 * std::erfc(-std::log(251.0 / 400) / 0.4 / std::sqrt(2.0));
  EXPECT_NEAR(static_cast<double>(at_min) / kDraws, clamped, Slack(clamped));
}

TEST_F(SizesTest, ParetoIsClamped) {
  SizeDistribution sizes = Sizes("pareto:2.517:14.236:1:100");
  uint64_t most = 0;
  for (int i = 0; i < 1000; ++i) most = std::max(most, sizes.Draw(rng_));
  EXPECT_EQ(most, 100u);
  EXPECT_EQ(sizes.max(), 100u);
}

TEST(ParsingTest, WrongWordsAreNamedWithTheNearestRightOne) {
  KeySpec spec;
  EXPECT_EQ(ParseKeys("zipfain", &spec),
            "there is no key distribution 'zipfain'; did you mean 'zipfian'?");
  EXPECT_NE(ParseKeys("uniform:2", &spec), "");
  EXPECT_NE(ParseKeys("zipfian:0", &spec), "");
  EXPECT_NE(ParseKeys("", &spec), "");
  SizeDistribution sizes;
  for (const char* text : {"", "x", "-1", "1:2", "uniform:5", "uniform:5:3", "gauss:1:2:3:4",
                           "lognormal:400:0.4:250", "pareto:0:1:1:2", "lognormal:0:1:1:2"}) {
    EXPECT_NE(SizeDistribution::Parse(text, &sizes), "") << text;
  }
}

}  // namespace
}  // namespace lull::loadgen
