// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// No pause without end, for policies that pause compactions. Two rules, applied to a directive that
// is ready but for them:
//
// - Ageing. Work that is due and paused grows older; work that may run grows younger, ten times as
//   fast. At the age of pause_us_max it is granted, until its age is nothing: whatever the clients
//   do, a class gets one part in eleven of the time.
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
  explicit PauseClock(uint64_t pause_us_max) : pause_us_max_(pause_us_max) {}

  /// Whether it must run now, given what the last Note said of the time until `now_us`.
  bool MustRun(uint64_t now_us);
  /// From `now_us` of the last MustRun on: whether work is due, and whether it may run.
  void Note(bool due, bool granted);

 private:
  uint64_t pause_us_max_;
  uint64_t seen_us_ = 0;
  uint64_t age_us_ = 0;
  bool due_ = false;
  bool granted_ = false;
  bool must_run_ = false;
};

class PauseLimit {
 public:
  explicit PauseLimit(const PolicyOptions& options)
      : workers_(options.compaction_threads),
        l0_(options.pause_us_max),
        deep_(options.pause_us_max) {}

  /// Grants in `wanted` what must not be paused any longer, at that priority. Once an event, when
  /// all else is decided. Returns whether deep compactions were granted here.
  bool Apply(const Pressure& pressure, uint64_t now_us, CpuPriority cpu, Directive* wanted);

 private:
  bool L0IsBlocked(const Pressure& pressure, const Directive& wanted, uint64_t now_us);

  int workers_;
  PauseClock l0_;
  PauseClock deep_;
  bool l0_waits_ = false;
  uint64_t l0_waits_since_us_ = 0;
};

}  // namespace lull
