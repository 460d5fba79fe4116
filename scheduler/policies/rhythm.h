// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Predicts the near future from the recent past: how long bursts last, how much debt they build,
// and how much of it the lulls in between pay off. A burst is a period of hard writing. The time
// until the next burst is its rest; the quiet parts of a rest are lulls. A rest shorter than a
// tenth of its burst is only a break in that burst. So is one that ends less than half a second
// after the burst began, because compactions could not follow so fast a change. The last few rounds
// are remembered, and the worst of them is the prediction.
//
// One per policy that learns; no clock, like a policy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lull {

class Rhythm {
 public:
  enum class Phase { kHard, kLight, kLull };

  /// Clients are in this phase from now on, and the store has this debt.
  void Observe(Phase phase, uint64_t debt_bytes, uint64_t now_us);
  /// The time since the last call belongs to no phase.
  void Skip(uint64_t debt_bytes, uint64_t now_us);

  /// Duration of the current burst; 0 in a rest.
  uint64_t burst_us() const { return phase_ == Phase::kHard ? seen_us_ - burst_began_us_ : 0; }
  /// Among finished bursts; 0 before the first.
  uint64_t LongestBurstUs() const;
  /// Predicted debt of the next burst, and predicted debt that the lulls before it pay off.
  uint64_t NextBurstDebtBytes() const;
  uint64_t NextLullsPayBytes() const;

 private:
  /// A burst and the rest after it.
  struct Round {
    uint64_t burst_us = 0;
    uint64_t built_bytes = 0;  // growth of the debt during the burst
    uint64_t lull_us = 0;      // quiet time in the rest
    uint64_t paying_us = 0;    // part of lull_us until the debt last fell
    uint64_t paid_bytes = 0;
  };
  static constexpr size_t kRounds = 4;

  void BeginBurst(uint64_t debt_bytes, uint64_t now_us);
  void PassLull(uint64_t debt_bytes, uint64_t elapsed_us);

  std::array<Round, kRounds> rounds_;  // the last ones
  uint64_t round_count_ = 0;
  Round round_;  // the current one

  Phase phase_ = Phase::kLull;
  bool began_ = false;  // true after the first burst began
  uint64_t seen_us_ = 0;
  uint64_t seen_debt_bytes_ = 0;
  uint64_t burst_began_us_ = 0;
  int64_t burst_began_debt_bytes_ = 0;  // as if skipped time had not changed the debt
  uint64_t rest_began_us_ = 0;
};

}  // namespace lull
