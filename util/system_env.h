// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SystemEnv: the part of Env::Default() that is the same on all systems: threads and time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>

#include "leveldb/env.h"
#include "util/clock.h"
#include "util/env_extension.h"
#include "util/fork.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {

/// Runs functions one at a time on one thread. The thread starts at the first Add and never ends.
class BackgroundQueue {
 public:
  /// If the thread cannot start, functions wait for the next Add, which tries again. Schedule
  /// cannot return an error, and running the function here could deadlock on locks that the caller
  /// holds.
  void Add(void (*function)(void*), void* argument) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    pending_.push_back({function, argument});
    not_empty_.NotifyAll();
    if (thread_ != nullptr) return;
    const leveldb::Status status = ThreadFactory::System()->TryStart(
        "leveldb-env", CpuClass::kNormal, [this] { RunForEver(); }, &thread_);
    if (!status.ok())
      std::fprintf(stderr,
                   "lull: Env::Schedule: %s; scheduled work waits until a later call starts it\n",
                   status.ToString().c_str());
  }

 private:
  struct Work {
    void (*function)(void*);
    void* argument;
  };

  [[noreturn]] void RunForEver() LULL_EXCLUDES(mutex_) {
    while (true) {
      const Work work = TakeNext();
      work.function(work.argument);
    }
  }

  Work TakeNext() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (pending_.empty()) not_empty_.Wait(mutex_);
    const Work work = pending_.front();
    pending_.pop_front();
    return work;
  }

  Mutex mutex_;
  CondVar not_empty_;
  std::deque<Work> pending_ LULL_GUARDED_BY(mutex_);
  std::unique_ptr<ThreadHandle> thread_ LULL_GUARDED_BY(mutex_);
};

class SystemEnv : public leveldb::Env, public EnvExtension {
 public:
  SystemEnv() : EnvExtension(this) {}

  void Schedule(void (*function)(void*), void* argument) override {
    background.Get().Add(function, argument);
  }
  void StartThread(void (*function)(void*), void* argument) override {
    AbortUnlessOk(ThreadFactory::System()->TryStartDetached(
        "leveldb-user", CpuClass::kNormal, [function, argument] { function(argument); }));
  }
  uint64_t NowMicros() override { return WallClockMicros(); }
  void SleepForMicroseconds(int micros) override {
    if (micros > 0) Clock::System()->SleepForNanos(static_cast<uint64_t>(micros) * 1000);
  }

 private:
  static inline constinit PerProcess<BackgroundQueue> background;  // outlives an open directory
};

}  // namespace lull
