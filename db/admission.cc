// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/admission.h"

#include <algorithm>
#include <optional>

namespace lull {
namespace {

// A sleep costs about 60 us whatever its length: debts below this are carried to the next write.
constexpr uint64_t kDebtNanosMin = 200'000;
// A sleeper looks this often whether the pressure is gone.
constexpr uint64_t kStepNanos = 1'000'000;
// No write is held up longer than this: what was owed at a rate that has passed is forgiven, and a
// limit that pacing does not keep is kept by the hard ones.
constexpr uint64_t kWaitNanosMax = 20'000'000;

}  // namespace

void Admission::AwaitSlow(uint64_t bytes) {
  held_.fetch_add(1, std::memory_order_relaxed);
  const uint64_t delay_us = delay_us_per_write_.load(std::memory_order_relaxed);
  const uint64_t rate = bytes_per_sec_max_.load(std::memory_order_relaxed);
  if (delay_us > 0) {
    const SlowedWrite slowed(stats_);
    clock_->SleepForNanos(std::min(delay_us, kWaitNanosMax / 1000) * 1000);
  } else if (rate > 0) {
    AwaitPayment(bytes, rate);
  }
  held_.fetch_sub(1, std::memory_order_relaxed);
}

void Admission::AwaitPayment(uint64_t bytes, uint64_t rate) {
  const uint64_t cost_nanos =
      static_cast<uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(rate));
  uint64_t now = clock_->NowNanos();
  uint64_t paid_until = paid_until_nanos_.load(std::memory_order_relaxed);
  uint64_t begin;
  do {
    begin = std::clamp(paid_until, now, now + kWaitNanosMax);
  } while (!paid_until_nanos_.compare_exchange_weak(paid_until, begin + cost_nanos,
                                                    std::memory_order_relaxed));
  std::optional<SlowedWrite> slowed;
  if (now + kDebtNanosMin < begin) slowed.emplace(stats_);
  // The write waits until those before it are paid for; its own bytes are the next one's wait.
  while (now + kDebtNanosMin < begin && bytes_per_sec_max_.load(std::memory_order_relaxed) > 0) {
    clock_->SleepForNanos(std::min(begin - now, kStepNanos));
    now = clock_->NowNanos();
  }
  // Released early: nobody pays for what the release forgave.
  if (now < begin) paid_until_nanos_.store(now, std::memory_order_relaxed);
}

}  // namespace lull
