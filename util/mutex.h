// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The project's mutex and condition variable: the standard ones, with annotations for clang's
// thread-safety analysis.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "util/thread_annotations.h"

namespace lull {

class LULL_CAPABILITY("mutex") Mutex {
 public:
  void Lock() LULL_ACQUIRE() { mutex_.lock(); }
  void Unlock() LULL_RELEASE() { mutex_.unlock(); }
  bool TryLock() LULL_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
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

class CondVar {
 public:
  /// Can wake spuriously: call it in a loop that checks the condition.
  void Wait(Mutex& mutex) LULL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();
  }

  /// Like Wait, for at most `nanos`.
  void WaitFor(Mutex& mutex, uint64_t nanos) LULL_REQUIRES(mutex) {
    std::unique_lock<std::mutex> held(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(held, std::chrono::nanoseconds(nanos));
    held.release();
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace lull
