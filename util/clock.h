// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The only source of time. Code that needs the time holds a Clock*; tests pass a ManualClock.
#pragma once

#include <cstdint>

namespace lull {

class Clock {
 public:
  virtual ~Clock() = default;

  /// Monotonic nanoseconds from an arbitrary start. Any thread.
  virtual uint64_t NowNanos() const = 0;

  /// Blocks the calling thread. REQUIRES: no mutex is held.
  virtual void SleepForNanos(uint64_t nanos) = 0;

  uint64_t NowMicros() const { return NowNanos() / 1000; }

  /// The monotonic clock of this machine; never destroyed.
  static Clock* System();
};

/// Clock::System() is past this time: a thread has waited until then, without a clock. The system's
/// clock can stand still or go back, in programs that run with a false time. A loop of waits until
/// some time nevertheless ends. Any thread.
void NotePassed(uint64_t nanos);

/// Microseconds since 1970 from the calendar clock, which can stand still or jump. Use only for
/// messages and Env::NowMicros.
uint64_t WallClockMicros();

}  // namespace lull
