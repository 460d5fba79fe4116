// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/pause_limit.h"

#include <algorithm>

namespace lull {
namespace {

constexpr uint64_t kRejuvenation = 10;
// A job that was granted is in a worker's hands long before this.
constexpr uint64_t kBlockedUs = 20'000;

}  // namespace

bool PauseClock::MustRun(uint64_t now_us) {
  const uint64_t elapsed_us = now_us - std::min(now_us, seen_us_);
  seen_us_ = now_us;
  if (!due_) {
    age_us_ = 0;
  } else if (granted_) {
    age_us_ -= std::min(age_us_ / kRejuvenation, elapsed_us) * kRejuvenation;
    if (age_us_ < kRejuvenation) age_us_ = 0;
  } else {
    age_us_ = std::min(age_us_ + elapsed_us, pause_us_max_);
  }
  if (age_us_ >= pause_us_max_) must_run_ = true;
  if (age_us_ == 0) must_run_ = false;
  return must_run_;
}

void PauseClock::Note(bool due, bool granted) {
  due_ = due;
  granted_ = granted;
}

bool PauseLimit::L0IsBlocked(const Pressure& pressure, const Directive& wanted, uint64_t now_us) {
  if (!pressure.l0_due || pressure.l0_running > 0 || wanted.l0.jobs_max == 0) {
    l0_waits_ = false;
    return false;
  }
  if (!l0_waits_) {
    // It begins with a deep job that is paused, and lasts when that job runs again.
    if (pressure.deep_paused == 0) return false;
    l0_waits_ = true;
    l0_waits_since_us_ = now_us;
  }
  return now_us - l0_waits_since_us_ >= kBlockedUs;
}

bool PauseLimit::Apply(const Pressure& pressure, uint64_t now_us, CpuPriority cpu,
                       Directive* wanted) {
  if (l0_.MustRun(now_us) && wanted->l0.jobs_max == 0) wanted->l0 = {workers_, cpu};
  const bool deep_must_run = deep_.MustRun(now_us);
  const bool blocks = L0IsBlocked(pressure, *wanted, now_us);
  const bool granted = wanted->deep.jobs_max == 0 && (deep_must_run || blocks);
  if (granted) wanted->deep = {workers_, blocks ? wanted->l0.cpu : cpu};
  l0_.Note(pressure.l0_due, wanted->l0.jobs_max > 0);
  deep_.Note(pressure.deep_due, wanted->deep.jobs_max > 0);
  return granted;
}

}  // namespace lull
