// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/coins.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lull::bench {
namespace {

constexpr uint64_t kSeed = 7;
constexpr uint32_t kLoaded = 200'000;
constexpr double kScale = 20;  // 23,000 coins a day
constexpr int kDays = 5;

// The database as it should be after each flush.
using Model = std::map<uint32_t, std::string>;

class CoinTraceTest : public ::testing::Test {
 protected:
  CoinTraceTest() {
    for (uint32_t coin = 0; coin < kLoaded; ++coin) model_[coin] = text_.Value(coin);
  }

  void Day() {
    for (int hour = 0; hour < coins::kFlushesPerDay; ++hour) {
      for (int block = 0; block < coins::kBlocksPerFlush; ++block) trace_.AddBlock(&reads_);
      CheckReads();
      Apply();
    }
    trace_.EmptyCache();
  }

  // Every coin is read at most once, because it is read when it is spent.
  void CheckReads() {
    for (const uint64_t coin : std::exchange(reads_, {})) {
      if (coin >= CoinTrace::kNoCoin) {
        ++missing_;
        continue;
      }
      EXPECT_TRUE(model_.contains(static_cast<uint32_t>(coin)));
      EXPECT_TRUE(read_.insert(coin).second);
    }
  }

  void Apply() {
    for (const CoinTrace::Change& change : trace_.Flush()) {
      if (change.spent) {
        EXPECT_EQ(model_.erase(change.coin), 1u);
        ++erased_;
      } else {
        EXPECT_TRUE(model_.emplace(change.coin, text_.Value(change.coin)).second);
      }
    }
  }

  CoinTrace trace_{kSeed, kLoaded, kScale};
  CoinText text_{kSeed};
  Model model_;
  std::vector<uint64_t> reads_;
  std::set<uint64_t> read_;
  uint64_t missing_ = 0;
  uint64_t erased_ = 0;
};

TEST_F(CoinTraceTest, FlushesWriteTheUnspentCoinsAndSharesAreThoseOfTheConstants) {
  SCOPED_TRACE("seed 7");
  for (int day = 0; day < kDays; ++day) {
    Day();
    std::set<uint32_t> live;
    trace_.ForEachLive([&live](uint32_t coin) { EXPECT_TRUE(live.insert(coin).second); });
    ASSERT_EQ(live.size(), trace_.live());
    ASSERT_EQ(live.size(), model_.size());
    for (const auto& [coin, value] : model_) ASSERT_TRUE(live.contains(coin));
  }
  const double created = kScale * kDays * coins::kCreatedPerDay / coins::kSet * kLoaded;
  EXPECT_NEAR(static_cast<double>(trace_.created()), created, 2);
  const auto spent = static_cast<double>(trace_.spent());
  EXPECT_NEAR(spent, created * coins::kSpentPerDay / coins::kCreatedPerDay, 2);
  EXPECT_NEAR(static_cast<double>(missing_), created * coins::kMissingPerCreated, 2);
  // Coins are read if they are older than a day or, for half of those of a day, from the day
  // before.
  const double read_share = static_cast<double>(read_.size()) / spent;
  EXPECT_GT(read_share, 1 - coins::kSpentWithinDay);
  EXPECT_LT(read_share, 1 - coins::kSpentWithinHour);
  // A coin that is spent within an hour lives for 2.5 blocks on average, so it survives the end of
  // an hour with a probability of 2.5 / 6, and never reaches the database otherwise.
  const double erased_share = static_cast<double>(erased_) / spent;
  EXPECT_NEAR(erased_share, 1 - coins::kSpentWithinHour * 3.5 / 6, 0.01);
}

TEST(CoinTraceAgesTest, AgesAreThoseOfTheConstants) {
  SCOPED_TRACE("seed 7");
  constexpr int kWarmUpDays = 31;
  CoinTrace trace(kSeed, kLoaded, kScale);
  std::vector<uint64_t> reads;
  // With the cache emptied before each block, all spent coins of older blocks are read.
  std::vector<uint64_t> created;  // after each block
  uint64_t within_hour = 0;
  uint64_t within_day = 0;
  uint64_t within_month = 0;
  uint64_t spent = 0;
  for (uint64_t block = 0; block < (kWarmUpDays + 2) * coins::kBlocksPerDay; ++block) {
    trace.EmptyCache();
    const uint64_t spent_before = trace.spent();
    reads.clear();
    trace.AddBlock(&reads);
    created.push_back(kLoaded + trace.created());
    if (block < kWarmUpDays * coins::kBlocksPerDay) continue;
    const uint64_t now = trace.spent() - spent_before;
    spent += now;
    within_hour += now;
    within_day += now;
    within_month += now;
    for (const uint64_t coin : reads) {
      if (coin >= CoinTrace::kNoCoin) continue;
      const auto younger = [&](uint64_t blocks) { return coin >= created[block - blocks]; };
      if (!younger(coins::kBlocksPerFlush)) --within_hour;
      if (!younger(coins::kBlocksPerDay)) --within_day;
      if (!younger(coins::kBlocksPerMonth)) --within_month;
    }
  }
  const auto share = [spent](uint64_t n) {
    return static_cast<double>(n) / static_cast<double>(spent);
  };
  EXPECT_NEAR(share(within_hour), coins::kSpentWithinHour, 0.01);
  EXPECT_NEAR(share(within_day), coins::kSpentWithinDay, 0.01);
  EXPECT_NEAR(share(within_month), coins::kSpentWithinMonth, 0.01);
}

TEST(CoinTraceSeedTest, TheSameSeedGivesTheSameTrace) {
  const auto record = [](uint64_t seed) {
    CoinTrace trace(seed, 10'000, 100);
    std::vector<uint64_t> record;
    for (int flush = 0; flush < 3; ++flush) {
      for (int block = 0; block < coins::kBlocksPerFlush; ++block) trace.AddBlock(&record);
      for (const CoinTrace::Change& change : trace.Flush())
        record.push_back(change.coin * 2 + (change.spent ? 1 : 0));
    }
    return record;
  };
  EXPECT_EQ(record(3), record(3));
  EXPECT_NE(record(3), record(4));
}

TEST(CoinTextTest, KeysDifferAndValuesHaveTheSizesOfTheConstants) {
  SCOPED_TRACE("seed 7");
  constexpr uint64_t kCoins = 30'000;
  CoinText text(kSeed);
  std::set<std::string> keys;
  double bytes = 0;
  for (uint64_t coin = 0; coin < kCoins; ++coin) {
    const std::string key(text.Key(coin));
    ASSERT_EQ(key.size(), coins::kKeyBytes);
    ASSERT_TRUE(keys.insert(key).second);
    const std::string value(text.Value(coin));
    ASSERT_LE(value.size(), coins::kValueBytesMax);
    ASSERT_EQ(value, CoinText(kSeed).Value(coin));
    bytes += static_cast<double>(value.size());
  }
  const double amount = coins::kSmallAmounts * coins::kSmallAmountBytes +
                        (1 - coins::kSmallAmounts) * coins::kAmountBytes;
  const double script = coins::kTaproot * coins::kTaprootBytes +
                        coins::kSegWit * coins::kSegWitBytes +
                        (1 - coins::kTaproot - coins::kSegWit) * coins::kHashBytes;
  EXPECT_NEAR(bytes / kCoins, coins::kHeightBytes + amount + script, 0.2);
}

TEST(CoinTextTest, CoinsOfATransactionAreNeighbours) {
  CoinText text(kSeed);
  const std::string first(text.Key(0));
  EXPECT_EQ(first.substr(0, 33), text.Key(coins::kOutputsPerTransaction - 1).substr(0, 33));
  EXPECT_NE(first.substr(0, 33), text.Key(coins::kOutputsPerTransaction).substr(0, 33));
}

}  // namespace
}  // namespace lull::bench
