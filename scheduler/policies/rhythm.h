// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the recent past says of the near future: how long bursts last, how much debt they leave, and
// how much of it the lulls between them pay off. A burst is a stretch of hard writing; what follows
// until the next one is its rest, of which the quiet parts are lulls. A rest shorter than a tenth
// of its burst is a break in that burst, and so is one that ends less than half a second after the
// burst began: what changes so fast is no rhythm that compactions could follow. The last few rounds
// are remembered, and the worst of them is expected.
//
// One for each policy that learns; no clock, as a policy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lull {

class Rhythm {
 public:
  enum class Phase { kHard, kLight, kLull };

  /// The clients are in this phase from now on, and the store has this debt.
  void Observe(Phase phase, uint64_t debt_bytes, uint64_t now_us);

  /// Of the burst that goes on; 0 in a rest.
  uint64_t burst_us() const { return phase_ == Phase::kHard ? seen_us_ - burst_began_us_ : 0; }
  /// Of the bursts that ended; 0 before the first.
  uint64_t LongestBurstUs() const;
  /// What the next burst may add to the debt, and what the lulls before it may take away.
  uint64_t NextBurstDebtBytes() const;
  uint64_t NextLullsPayBytes() const;

 private:
  /// One burst and the rest after it.
  struct Round {
    uint64_t burst_us = 0;
    uint64_t built_bytes = 0;  // debt at the burst's end less that at its beginning
    uint64_t lull_us = 0;      // quiet time in the rest
    uint64_t paying_us = 0;    // of that, the time until the debt last fell
    uint64_t paid_bytes = 0;
  };
  static constexpr size_t kRounds = 4;

  void BeginBurst(uint64_t debt_bytes, uint64_t now_us);
  void PassLull(uint64_t debt_bytes, uint64_t elapsed_us);

  std::array<Round, kRounds> rounds_;  // the last ones
  uint64_t round_count_ = 0;
  Round round_;  // the present one

  Phase phase_ = Phase::kLull;
  bool began_ = false;  // whether there has been a burst
  uint64_t seen_us_ = 0;
  uint64_t seen_debt_bytes_ = 0;
  uint64_t burst_began_us_ = 0;
  uint64_t burst_began_debt_bytes_ = 0;
  uint64_t rest_began_us_ = 0;
};

}  // namespace lull
