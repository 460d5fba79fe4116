// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/coins.h"

#include <cmath>
#include <cstring>
#include <utility>

namespace lull::bench {
namespace {

constexpr size_t kHashWords = 4;
constexpr uint64_t kHashStream = 0xd1342543de82ef95u;   // odd; keeps keys and values apart
constexpr uint64_t kValueStream = 0xaf251af3b0f025b5u;  // likewise

// Splits off the part of `amount` that is due: the whole coins.
uint64_t TakeWhole(double* amount) {
  const auto whole = static_cast<uint64_t>(*amount);
  *amount -= static_cast<double>(whole);
  return whole;
}

// The lowest 2^16 bits decide one property of a coin, and higher bits others.
bool Chance(uint64_t bits, double share) {
  return static_cast<double>(bits & 0xffff) < share * 0x1p16;
}

size_t ValueBytes(uint64_t bits) {
  const size_t amount =
      Chance(bits, coins::kSmallAmounts) ? coins::kSmallAmountBytes : coins::kAmountBytes;
  const uint64_t script_bits = bits >> 16;
  size_t script = coins::kHashBytes;
  if (Chance(script_bits, coins::kTaproot)) {
    script = coins::kTaprootBytes;
  } else if (Chance(script_bits, coins::kTaproot + coins::kSegWit)) {
    script = coins::kSegWitBytes;
  }
  return coins::kHeightBytes + amount + script;
}

}  // namespace

std::string_view CoinText::Key(uint64_t coin) {
  Rng rng(seed_ + coin / coins::kOutputsPerTransaction * kHashStream);
  key_[0] = 'C';
  for (size_t i = 0; i < kHashWords; ++i) {
    const uint64_t word = rng.Next();
    std::memcpy(key_.data() + 1 + i * sizeof(word), &word, sizeof(word));
  }
  key_.back() = static_cast<char>(coin % coins::kOutputsPerTransaction);
  return {key_.data(), key_.size()};
}

std::string_view CoinText::Value(uint64_t coin) {
  static_assert(sizeof(value_) >= coins::kValueBytesMax);
  Rng rng(seed_ ^ (coin + 1) * kValueStream);
  const size_t size = ValueBytes(rng.Next());
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    const uint64_t word = rng.Next();
    std::memcpy(value_.data() + i, &word, sizeof(word));
  }
  return {value_.data(), size};
}

CoinTrace::CoinTrace(uint64_t seed, uint32_t loaded, double scale)
    : rng_(seed),
      loaded_(loaded),
      created_per_block_(scale * loaded / coins::kSet * coins::kCreatedPerDay /
                         coins::kBlocksPerDay),
      spent_per_block_(created_per_block_ * coins::kSpentPerDay / coins::kCreatedPerDay) {
  old_.resize(loaded);
  for (uint32_t i = 0; i < loaded; ++i) old_[i] = i;
}

void CoinTrace::AddBlock(std::vector<uint64_t>* reads) {
  if (blocks_.size() > coins::kBlocksPerMonth) {
    old_.insert(old_.end(), blocks_.front().begin(), blocks_.front().end());
    blocks_.erase(blocks_.begin());
    ++first_block_;
  }
  blocks_.emplace_back();
  created_due_ += created_per_block_;
  for (uint64_t n = TakeWhole(&created_due_); n > 0; --n)
    blocks_.back().push_back(static_cast<uint32_t>(loaded_ + created_++));
  spent_due_ += spent_per_block_;
  for (uint64_t n = TakeWhole(&spent_due_); n > 0; --n) Spend(reads);
  missing_due_ += created_per_block_ * coins::kMissingPerCreated;
  for (uint64_t n = TakeWhole(&missing_due_); n > 0; --n) reads->push_back(kNoCoin + missing_++);
}

void CoinTrace::Spend(std::vector<uint64_t>* reads) {
  const uint64_t newest = next_block() - 1;
  const uint64_t age = DrawAge();
  uint32_t coin = 0;
  uint64_t block = 0;
  const bool recent = age <= newest && Take(newest - age, &block, &coin);
  if (!recent) {
    if (old_.empty()) return;  // a tiny set
    coin = TakeFrom(old_);
  }
  ++spent_;
  if (!recent || block < first_cached_) reads->push_back(coin);
  if (!recent || block < first_unwritten_) erases_.push_back(coin);
}

// In blocks. Uniform within an hour; beyond, uniform in the logarithm of the age.
uint64_t CoinTrace::DrawAge() {
  const double share = Uniform();
  const double within = Uniform();
  const auto between = [within](double from, double to) {
    return static_cast<uint64_t>(from * std::pow(to / from, within));
  };
  if (share < coins::kSpentWithinHour)
    return static_cast<uint64_t>(within * coins::kBlocksPerFlush);
  if (share < coins::kSpentWithinDay) return between(coins::kBlocksPerFlush, coins::kBlocksPerDay);
  if (share < coins::kSpentWithinMonth)
    return between(coins::kBlocksPerDay, coins::kBlocksPerMonth);
  return UINT64_MAX;
}

bool CoinTrace::Take(uint64_t block, uint64_t* from, uint32_t* coin) {
  for (uint64_t next = block + 1; next > first_block_; --next) {
    std::vector<uint32_t>& unspent = blocks_[next - 1 - first_block_];
    if (unspent.empty()) continue;
    *from = next - 1;
    *coin = TakeFrom(unspent);
    return true;
  }
  return false;
}

uint32_t CoinTrace::TakeFrom(std::vector<uint32_t>& list) {
  std::swap(list[rng_.Below(list.size())], list.back());
  const uint32_t coin = list.back();
  list.pop_back();
  return coin;
}

std::vector<CoinTrace::Change> CoinTrace::Flush() {
  std::vector<Change> changes;
  for (const uint32_t coin : erases_) changes.push_back({coin, true});
  erases_.clear();
  for (; first_unwritten_ < next_block(); ++first_unwritten_)
    for (const uint32_t coin : blocks_[first_unwritten_ - first_block_])
      changes.push_back({coin, false});
  for (size_t i = changes.size(); i > 1; --i) std::swap(changes[i - 1], changes[rng_.Below(i)]);
  return changes;
}

}  // namespace lull::bench
