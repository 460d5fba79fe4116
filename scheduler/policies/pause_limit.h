// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Bounds pauses, for policies that pause compactions. It applies two rules to a finished directive:
//
// - Ageing. Held-up due work ages with time. Each slice that it gets reduces its age by ten times
//   the duration of the slice. At the age of pause_us_max the class is granted until its age is 0.
//   So whatever clients do, a class gets 1/11 of a worker's time. Only executed work
//   counts, not grants: a granted job is still held up if it gets no worker, no bytes of a limit
//   or no CPU. At twice that age it runs at normal CPU priority. A granted class without a job is
//   not held up by a policy: it conflicts with another job.
// - Unblocking L0. A paused deep job keeps its key ranges reserved. If L0 is granted and due but
//   not running, such a job may block it. Then deep jobs run until L0 has begun.
//
// One per policy; no clock, like a policy.
#pragma once

#include <cstdint>

#include "scheduler/policy.h"

namespace lull {

/// Tracks how long one class of work has been held up.
class PauseClock {
 public:
  enum class Standing { kNotDue, kFree, kHeldUp };
  enum class Verdict { kMayWait, kMustRun, kMustRunAtNormalPriority };

  explicit PauseClock(uint64_t pause_us_max) : pause_us_max_(pause_us_max) {}

  /// Updates the age. `slices_total` is the number of slices ever run.
  Verdict Sample(uint64_t slices_total, uint64_t now_us);
  /// Sets the standing of the work from the last Sample on.
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

  /// Whether deep compactions must run. At twice pause_us_max: kMustRunInsteadOfL0 if L0 gets its
  /// work done meanwhile, so that it can wait; otherwise kMustRunFaster, with more than clients
  /// leave.
  enum class Deep { kMayWait, kMustRun, kMustRunInsteadOfL0, kMustRunFaster };

  /// Adds to `wanted` the grants that must not wait longer, at `cpu` or higher priority. Call once
  /// per event, after all other decisions.
  Deep Apply(const Pressure& pressure, uint64_t now_us, CpuPriority cpu, Directive* wanted);
  /// Adds the ages of the two classes.
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
