// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/rhythm.h"

#include <algorithm>

namespace lull {
namespace {

constexpr uint64_t kBreakShare = 10;
constexpr uint64_t kRoundUsMin = 500'000;

}  // namespace

void Rhythm::Observe(Phase phase, uint64_t debt_bytes, uint64_t now_us) {
  if (phase_ == Phase::kLull && began_) PassLull(debt_bytes, now_us - seen_us_);
  if (phase == Phase::kHard && phase_ != Phase::kHard) BeginBurst(debt_bytes, now_us);
  if (phase_ == Phase::kHard) {
    round_.burst_us = now_us - burst_began_us_;
    const int64_t built = static_cast<int64_t>(debt_bytes) - burst_began_debt_bytes_;
    round_.built_bytes = static_cast<uint64_t>(std::max<int64_t>(built, 0));
    if (phase != Phase::kHard) rest_began_us_ = now_us;
  }
  phase_ = phase;
  seen_us_ = now_us;
  seen_debt_bytes_ = debt_bytes;
}

void Rhythm::Skip(uint64_t debt_bytes, uint64_t now_us) {
  burst_began_us_ += now_us - seen_us_;
  rest_began_us_ += now_us - seen_us_;
  burst_began_debt_bytes_ += static_cast<int64_t>(debt_bytes - seen_debt_bytes_);
  seen_us_ = now_us;
  seen_debt_bytes_ = debt_bytes;
}

void Rhythm::PassLull(uint64_t debt_bytes, uint64_t elapsed_us) {
  round_.lull_us += elapsed_us;
  if (debt_bytes >= seen_debt_bytes_) return;
  round_.paid_bytes += seen_debt_bytes_ - debt_bytes;
  round_.paying_us = round_.lull_us;
}

void Rhythm::BeginBurst(uint64_t debt_bytes, uint64_t now_us) {
  if (began_ && now_us - burst_began_us_ < kRoundUsMin) return;
  if (began_ && (now_us - rest_began_us_) * kBreakShare < round_.burst_us) return;
  if (began_) rounds_[round_count_++ % kRounds] = round_;
  began_ = true;
  round_ = Round();
  burst_began_us_ = now_us;
  burst_began_debt_bytes_ = static_cast<int64_t>(debt_bytes);
}

uint64_t Rhythm::LongestBurstUs() const {
  uint64_t longest = 0;
  for (const Round& round : rounds_) longest = std::max(longest, round.burst_us);
  return longest;
}

uint64_t Rhythm::NextBurstDebtBytes() const {
  uint64_t most = 0;
  for (const Round& round : rounds_) most = std::max(most, round.built_bytes);
  return most;
}

uint64_t Rhythm::NextLullsPayBytes() const {
  if (round_count_ == 0) return 0;
  uint64_t shortest_us = rounds_[0].lull_us;
  double paid = 0;
  double paying_us = 0;
  for (size_t i = 0; i < std::min<uint64_t>(round_count_, kRounds); ++i) {
    shortest_us = std::min(shortest_us, rounds_[i].lull_us);
    paid += static_cast<double>(rounds_[i].paid_bytes);
    paying_us += static_cast<double>(rounds_[i].paying_us);
  }
  if (paying_us == 0) return 0;
  return static_cast<uint64_t>(paid / paying_us * static_cast<double>(shortest_us));
}

}  // namespace lull
