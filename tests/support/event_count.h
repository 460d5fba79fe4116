// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An event that a test waits for instead of sleeping. A thread that changes something calls Note
// after the change; a waiting thread checks its condition again after each Note. Note can be called
// from any thread with any lock held. The state that the condition reads must have its own locks or
// atomics.
//
// No wait is endless: after a minute, far longer than a loaded machine needs, Await fails the test
// and reports what it waited for.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "util/clock.h"
#include "util/mutex.h"

namespace lull::testing {

inline constexpr uint64_t kWaitNanosMax = 60'000'000'000;

class EventCount {
 public:
  /// Something happened. Does not access this object after count() shows it.
  void Note() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyAll();
  }

  /// How often Note was called.
  uint64_t count() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return count_;
  }

  /// Waits until `holds()` returns true. Calls it on this thread, with no lock held. Returns false
  /// after the minute; the test has failed then.
  template <class Predicate>
  bool Await(const std::string& what, Predicate holds) LULL_EXCLUDES(mutex_) {
    if (AwaitFor(kWaitNanosMax, holds)) return true;
    ADD_FAILURE() << "did not happen within a minute: " << what;
    return false;
  }

  /// As Await, but without a failure: returns false if it did not hold within `nanos`.
  template <class Predicate>
  bool AwaitFor(uint64_t nanos, Predicate holds) LULL_EXCLUDES(mutex_) {
    const uint64_t deadline = Clock::System()->NowNanos() + nanos;
    for (;;) {
      const uint64_t seen = count();  // before the check, or an event could be missed
      if (holds()) return true;
      if (!AwaitAnother(seen, deadline)) return false;
    }
  }

 private:
  bool AwaitAnother(uint64_t seen, uint64_t deadline) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (count_ == seen) {
      const uint64_t now = Clock::System()->NowNanos();
      if (now >= deadline) return false;
      changed_.WaitFor(mutex_, deadline - now);
    }
    return true;
  }

  Mutex mutex_;
  CondVar changed_;
  uint64_t count_ LULL_GUARDED_BY(mutex_) = 0;
};

}  // namespace lull::testing
