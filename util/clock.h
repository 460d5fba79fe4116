// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The one home of time. Everything that needs to know what time it is holds a Clock*; tests pass a
// ManualClock.
#pragma once

#include <atomic>
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

  /// The machine's monotonic clock; lives for ever.
  static Clock* System();
};

/// Stands still until told otherwise; sleeping advances it at once. Thread-safe.
class ManualClock final : public Clock {
 public:
  uint64_t NowNanos() const override { return now_nanos_.load(std::memory_order_relaxed); }
  void SleepForNanos(uint64_t nanos) override { Advance(nanos); }
  void Advance(uint64_t nanos) { now_nanos_.fetch_add(nanos, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> now_nanos_{1};
};

/// Microseconds since 1970 by the machine's calendar clock, which may jump: for messages and
/// Env::NowMicros only.
uint64_t WallClockMicros();

}  // namespace lull
