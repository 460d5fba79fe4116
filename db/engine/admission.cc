// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/admission.h"

#include <algorithm>

#include "db/report/activity_stats.h"
#include "util/profiled_part.h"

namespace lull {
namespace {

// A sleep ends about 50 us late, so it is requested that much shorter.
constexpr uint64_t kLateNanos = 50'000;
constexpr uint64_t kSleepNanosMin = 5'000;
// A smaller debt is carried to the next write. One long sleep in thousands of writes paces them as
// well as many short ones, and no other write is delayed.
constexpr uint64_t kDebtNanosMin = 4'000'000;
// What is left of a debt when its sleep ends.
constexpr uint64_t kPaidNanosMax = 20'000;
// A sleeper that woke late has overpaid. Later writes use this credit, up to the maximum.
constexpr uint64_t kCreditNanosMax = 200'000;
// How often a sleeping writer checks whether the limit is gone.
constexpr uint64_t kStepNanos = 1'000'000;
// No write is delayed longer than this. Debt from an old, lower rate is forgiven. If writes still
// exceed a limit, the hard limits stop them.
constexpr uint64_t kWaitNanosMax = 20'000'000;

}  // namespace

uint64_t Admission::AwaitSlow(uint64_t bytes, uint64_t until_nanos) {
  const ProfiledPart part(CallPart::kDelay);
  held_.fetch_add(1, std::memory_order_relaxed);
  const uint64_t delay_us = delay_us_per_write_.load(std::memory_order_relaxed);
  const uint64_t rate = bytes_per_sec_max_.load(std::memory_order_relaxed);
  uint64_t too_long = 0;
  if (delay_us > 0) {
    too_long = AwaitDelay(std::min(delay_us, kWaitNanosMax / 1000) * 1000, until_nanos);
  } else if (rate > 0) {
    too_long = AwaitPayment(bytes, rate, until_nanos);
  }
  held_.fetch_sub(1, std::memory_order_relaxed);
  return too_long;
}

uint64_t Admission::AwaitDelay(uint64_t delay_nanos, uint64_t until_nanos) {
  const uint64_t now = clock_->NowNanos();
  if (until_nanos < now || until_nanos - now < delay_nanos) return delay_nanos;
  const SlowedWrite slowed(stats_);
  clock_->SleepForNanos(delay_nanos);
  return 0;
}

uint64_t Admission::AwaitPayment(uint64_t bytes, uint64_t rate, uint64_t until_nanos) {
  const uint64_t cost_nanos =
      static_cast<uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(rate));
  uint64_t now = clock_->NowNanos();
  uint64_t paid_until = paid_until_nanos_.load(std::memory_order_relaxed);
  uint64_t begin;
  do {
    begin = std::clamp(paid_until, now - std::min(now, kCreditNanosMax), now + kWaitNanosMax);
    if (begin > now + kDebtNanosMin && begin > until_nanos) return begin - now;
  } while (!paid_until_nanos_.compare_exchange_weak(paid_until, begin + cost_nanos,
                                                    std::memory_order_relaxed));
  // Wait until all earlier writes are paid for. This write's bytes delay the next one.
  if (begin <= now + kDebtNanosMin) return 0;
  const SlowedWrite slowed(stats_);
  do {
    const uint64_t owed = begin - now;
    clock_->SleepForNanos(
        std::clamp(owed - std::min(owed, kLateNanos), kSleepNanosMin, kStepNanos));
    now = clock_->NowNanos();
    if (bytes_per_sec_max_.load(std::memory_order_relaxed) == 0) {
      // The limit is gone; forgive the debt.
      paid_until_nanos_.store(now, std::memory_order_relaxed);
      break;
    }
  } while (begin > now + kPaidNanosMax);
  return 0;
}

}  // namespace lull
