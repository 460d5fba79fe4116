// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// No pause without end, for policies that pause compactions. Two rules, applied to a directive that
// is ready but for them:
//
// - Ageing. Work that is due and held up grows older with time, and younger with each slice that it
//   gets, by ten times as long as that took. At the age of pause_us_max it is granted, until its
//   age is nothing: whatever the clients do, a class gets one part in eleven of a worker's time.
//   What counts is work and not grants: a job that may run, and gets no worker, no bytes of a limit
//   or no CPU, is held up all the same. At twice that age it runs at normal CPU priority. A class
//   that may run and has no job is not held up by any policy: what it needs is another job's.
// - The way of L0. A paused deep job holds the ranges it works on. When L0 is granted, due, and
//   nevertheless not running, such a job may be what it waits for: then deep jobs run on until L0
//   has begun.
//
// One for each policy; no clock, as a policy.
#pragma once

#include <cstdint>

#include "scheduler/policy.h"

namespace lull {

/// How long one class of work has been kept waiting.
class PauseClock {
 public:
  enum class Standing { kNotDue, kFree, kHeldUp };
  enum class Verdict { kMayWait, kMustRun, kMustRunAtNormalPriority };

  explicit PauseClock(uint64_t pause_us_max) : pause_us_max_(pause_us_max) {}

  /// At `now_us`, when so many slices were ever run.
  Verdict Look(uint64_t slices_total, uint64_t now_us);
  /// How the work stands from the last look on.
  void Note(Standing standing) { standing_ = standing; }
  uint64_t age_us() const { return age_us_; }

 private:
  void Grow(uint64_t slices, uint64_t elapsed_us);

  uint64_t pause_us_max_;
  uint64_t seen_us_ = 0;
  uint64_t seen_slices_ = 0;
  uint64_t age_us_ = 0;
  Standing standing_ = Standing::kNotDue;
  Verdict verdict_ = Verdict::kMayWait;
};

class PauseLimit {
 public:
  explicit PauseLimit(const PolicyOptions& options)
      : workers_(options.compaction_threads),
        l0_(options.pause_us_max),
        deep_(options.pause_us_max) {}

  /// Whether deep compactions must run. kMustRunUnlimited: nor may their rate be limited, since
  /// they are at twice the age at which they had to run.
  enum class Deep { kMayWait, kMustRun, kMustRunUnlimited };

  /// Grants in `wanted` what must not wait any longer, at that priority or a higher one. Once an
  /// event, when all else is decided.
  Deep Apply(const Pressure& pressure, uint64_t now_us, CpuPriority cpu, Directive* wanted);
  /// Adds how old the two classes are.
  void AddTo(PolicyState* state) const {
    state->push_back({"l0_age_us", l0_.age_us()});
    state->push_back({"deep_age_us", deep_.age_us()});
  }

 private:
  bool L0IsBlocked(const Pressure& pressure, const Directive& wanted, uint64_t now_us);

  int workers_;
  PauseClock l0_;
  PauseClock deep_;
  bool l0_waits_ = false;
  uint64_t l0_waits_since_us_ = 0;
};

}  // namespace lull
