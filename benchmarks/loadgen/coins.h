// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What Bitcoin Core writes to and reads from its database of unspent coins, the chainstate: a
// random trace whose shares follow published figures. Reads and writes nothing itself. The same
// arguments give the same trace. One object belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "benchmarks/loadgen/rng.h"

namespace lull::bench {

namespace coins {

// The set of unspent coins (UTXO set) has 173 million (Mempool Research, 2025). A day creates a
// million, 2.8 per transaction (Bitcoin outputs per day, 2019), and the set grew from 64.5 million
// at the end of 2019: by 55,000 a day.
inline constexpr double kSet = 173e6;
inline constexpr double kCreatedPerDay = 1e6;
inline constexpr double kSpentPerDay = kCreatedPerDay - 55e3;
inline constexpr uint64_t kOutputsPerTransaction = 3;

// Age of spent coins. A day and a month: Liu, Zhang and Zhao, "Deciphering Bitcoin Blockchain Data
// by Cohort Analysis", 2022. An hour: 43 % of those of a day, in a survey of 75,000 spent coins,
// 2017, which has 71 % for a day.
inline constexpr double kSpentWithinDay = 0.80;
inline constexpr double kSpentWithinMonth = 0.95;
inline constexpr double kSpentWithinHour = 0.43 * kSpentWithinDay;

// Since version 30 (2025), Bitcoin Core writes its cache of coins every 50 to 70 minutes and
// empties it when it is full. Before, it wrote and emptied it once a day.
inline constexpr int kBlocksPerFlush = 6;
inline constexpr int kFlushesPerDay = 24;
inline constexpr int kBlocksPerDay = kBlocksPerFlush * kFlushesPerDay;
inline constexpr int kBlocksPerMonth = 30 * kBlocksPerDay;

// Reads of coins that do not exist, by transactions whose parent is unknown, per created coin. An
// assumption, without a published figure.
inline constexpr double kMissingPerCreated = 0.05;

// A key: 'C', the transaction's hash, the number of the output. A value: height (3 bytes), amount,
// compressed script. 49 % of amounts are below 1000 sats (Mempool Research, 2025), which takes 2
// bytes. Scripts: a quarter are Taproot (2024); of the others, 17 % are native SegWit and most of
// the rest are hashes of keys or scripts (2022). The values are random bytes, because Bitcoin Core
// obfuscates them and stores them without compression.
inline constexpr size_t kKeyBytes = 34;
inline constexpr size_t kHeightBytes = 3;
inline constexpr double kSmallAmounts = 0.49;
inline constexpr size_t kSmallAmountBytes = 2;
inline constexpr size_t kAmountBytes = 4;
inline constexpr double kTaproot = 0.23;
inline constexpr size_t kTaprootBytes = 35;
inline constexpr double kSegWit = 0.17 * (1 - kTaproot);
inline constexpr size_t kSegWitBytes = 23;
inline constexpr size_t kHashBytes = 21;
inline constexpr size_t kValueBytesMax = kHeightBytes + kAmountBytes + kTaprootBytes;

}  // namespace coins

// The entry of a coin in the database. Coins have numbers in the order of their creation; those of
// one transaction are neighbours. A view is valid until the next call of the same function.
class CoinText {
 public:
  explicit CoinText(uint64_t seed) : seed_(seed) {}

  std::string_view Key(uint64_t coin);
  std::string_view Value(uint64_t coin);

 private:
  const uint64_t seed_;
  std::array<char, coins::kKeyBytes> key_{};
  std::array<char, 48> value_{};  // whole words, at least kValueBytesMax
};

class CoinTrace {
 public:
  // A coin that no block ever creates.
  static constexpr uint64_t kNoCoin = uint64_t{1} << 40;

  struct Change {
    uint32_t coin = 0;
    bool spent = false;  // erase it; otherwise put it
  };

  // Starts with `loaded` coins, 0 to loaded - 1, in the database. A day creates and spends the real
  // share of them, times `scale`.
  CoinTrace(uint64_t seed, uint32_t loaded, double scale);

  // Creates and spends the coins of a block. Appends those that the node must read from the
  // database: spent coins that are not in its cache, and some that do not exist (>= kNoCoin).
  void AddBlock(std::vector<uint64_t>* reads);

  // What has changed since the last flush, in random order, as in the node's hash map. A coin that
  // was created and spent in between does not occur.
  std::vector<Change> Flush();

  // Later spends of coins that exist now are reads.
  void EmptyCache() { first_cached_ = next_block(); }

  uint64_t created() const { return created_; }  // by blocks
  uint64_t spent() const { return spent_; }
  uint64_t live() const { return loaded_ + created_ - spent_; }

  // Calls `what(coin)` for each unspent coin.
  template <typename What>
  void ForEachLive(const What& what) const {
    for (const uint32_t coin : old_) what(coin);
    for (const auto& block : blocks_)
      for (const uint32_t coin : block) what(coin);
  }

 private:
  uint64_t next_block() const { return first_block_ + blocks_.size(); }
  void Spend(std::vector<uint64_t>* reads);
  uint64_t DrawAge();
  // Removes a random coin of the block or, without one, of an older block; true if `coin` is set.
  bool Take(uint64_t block, uint64_t* from, uint32_t* coin);
  uint32_t TakeFrom(std::vector<uint32_t>& list);
  double Uniform() { return static_cast<double>(rng_.Next() >> 11) * 0x1p-53; }

  Rng rng_;
  const uint64_t loaded_;
  const double created_per_block_;
  const double spent_per_block_;

  std::vector<uint32_t> old_;  // unspent coins from before the blocks below, in any order
  std::vector<std::vector<uint32_t>> blocks_;  // unspent coins of the blocks of the last month
  uint64_t first_block_ = 0;                   // number of blocks_.front()
  uint64_t first_unwritten_ = 0;               // blocks from here are only in the cache
  uint64_t first_cached_ = 0;                  // coins of older blocks are not in the cache
  std::vector<uint32_t> erases_;               // spent since the last flush, and in the database

  uint64_t created_ = 0;
  uint64_t spent_ = 0;
  uint64_t missing_ = 0;
  double created_due_ = 0;
  double spent_due_ = 0;
  double missing_due_ = 0;
};

}  // namespace lull::bench
