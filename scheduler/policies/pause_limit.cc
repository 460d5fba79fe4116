// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/pause_limit.h"

#include <algorithm>

namespace lull {
namespace {

constexpr uint64_t kRejuvenation = 10;
constexpr uint64_t kSliceUs = 1'000;
// A granted job reaches a worker long before this.
constexpr uint64_t kBlockedUs = 20'000;

}  // namespace

PauseClock::Verdict PauseClock::Sample(uint64_t slices_total, uint64_t now_us) {
  // Too short for a slice to complete: wait for the next Sample.
  const bool counts = standing_ == Standing::kHeldUp;
  if (counts && now_us - std::min(now_us, seen_us_) < kSliceUs) return verdict_;
  Grow(slices_total - std::min(slices_total, seen_slices_), now_us - std::min(now_us, seen_us_));
  seen_us_ = now_us;
  seen_slices_ = slices_total;
  if (age_us_ >= 2 * pause_us_max_) {
    verdict_ = Verdict::kMustRunAtNormalPriority;
  } else if (age_us_ >= pause_us_max_) {
    verdict_ = std::max(verdict_, Verdict::kMustRun);
  } else if (age_us_ == 0) {
    verdict_ = Verdict::kMayWait;
  }
  return verdict_;
}

/// Accounts for the time since the last Sample.
void PauseClock::Grow(uint64_t slices, uint64_t elapsed_us) {
  if (standing_ == Standing::kNotDue) {
    age_us_ = 0;
    return;
  }
  // The slices of several workers can add up to more than the elapsed time.
  const uint64_t worked_us = standing_ == Standing::kFree
                                 ? elapsed_us
                                 : std::min(slices, elapsed_us / kSliceUs) * kSliceUs;
  age_us_ += elapsed_us - worked_us;
  age_us_ -= std::min(age_us_, kRejuvenation * worked_us);
  age_us_ = std::min(age_us_, 2 * pause_us_max_);
}

bool PauseLimit::L0IsBlocked(const Pressure& pressure, const Directive& wanted, uint64_t now_us) {
  if (!pressure.l0_due || pressure.l0_running > 0 || wanted.l0.jobs_max == 0) {
    l0_waits_ = false;
    return false;
  }
  if (!l0_waits_) {
    // Starts when a deep job is paused; continues when that job runs again.
    if (pressure.deep_paused == 0) return false;
    l0_waits_ = true;
    l0_waits_since_us_ = now_us;
  }
  return now_us - l0_waits_since_us_ >= kBlockedUs;
}

PauseLimit::Deep PauseLimit::Apply(const Pressure& pressure, uint64_t now_us, CpuPriority cpu,
                                   Directive* wanted) {
  using Verdict = PauseClock::Verdict;
  const Verdict l0 = l0_.Sample(pressure.l0_slices_total, now_us);
  const Verdict deep = deep_.Sample(pressure.deep_slices_total, now_us);
  const auto apply = [&](Verdict verdict, Grant* grant) {
    if (verdict == Verdict::kMayWait) return;
    if (grant->jobs_max == 0) *grant = {workers_, cpu};
    if (verdict == Verdict::kMustRunAtNormalPriority) grant->cpu = CpuPriority::kNormal;
  };
  apply(l0, &wanted->l0);
  apply(deep, &wanted->deep);
  const bool clears_way = L0IsBlocked(pressure, *wanted, now_us) && wanted->deep.jobs_max == 0;
  if (clears_way) wanted->deep = {workers_, wanted->l0.cpu};
  const auto standing = [](bool due, const Grant& grant, int jobs) {
    if (!due) return PauseClock::Standing::kNotDue;
    return grant.jobs_max == 0 || jobs > 0 ? PauseClock::Standing::kHeldUp
                                           : PauseClock::Standing::kFree;
  };
  l0_.Note(standing(pressure.l0_due, wanted->l0, pressure.l0_running));
  deep_.Note(
      standing(pressure.deep_due, wanted->deep, pressure.deep_running + pressure.deep_paused));
  if (deep == Verdict::kMustRunAtNormalPriority) {
    const bool l0_can_wait = pressure.l0_due && l0 == Verdict::kMayWait;
    return l0_can_wait ? Deep::kMustRunInsteadOfL0 : Deep::kMustRunFaster;
  }
  return clears_way || deep == Verdict::kMustRun ? Deep::kMustRun : Deep::kMayWait;
}

}  // namespace lull
