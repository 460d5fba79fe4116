// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The project's mutex and condition variable, with annotations for clang's thread-safety analysis.
#pragma once

#include <cstdint>
#include <mutex>

#include "util/thread_annotations.h"
#include "util/wake_signal.h"

namespace lull {

class LULL_CAPABILITY("mutex") Mutex {
 public:
  void Lock() LULL_ACQUIRE() { mutex_.lock(); }
  void Unlock() LULL_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class LULL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LULL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() LULL_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Not the standard one: its limited waits end at a time of a clock. If that clock stands still or
/// jumps, they last for ever or not at all.
class CondVar {
 public:
  /// Can wake spuriously: call it in a loop that checks the condition.
  void Wait(Mutex& mutex) LULL_REQUIRES(mutex) { WaitFor(mutex, WakeSignal::kForEver); }

  /// Like Wait, for at most `nanos`.
  void WaitFor(Mutex& mutex, uint64_t nanos) LULL_REQUIRES(mutex) {
    const uint32_t ticket = signal_.Ticket();
    mutex.Unlock();
    signal_.Wait(ticket, nanos);
    mutex.Lock();
  }

  void NotifyAll() { signal_.Wake(); }

 private:
  WakeSignal signal_;
};

}  // namespace lull
