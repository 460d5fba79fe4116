// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Connects the library's threads to the schedule. The library is the normal build; the linker
// redirects its calls to this file:
//
//   util/thread.h, clock.h, wake_signal.h   their functions are defined here, so that the archive's
//                                           definitions are not linked
//   std::mutex                              (util/mutex.h, and the test tools) calls libc, and the
//                                           linker redirects that to the functions below: --wrap,
//                                           in CMakeLists.txt
//
// On a thread of a schedule these functions are its steps. Elsewhere, in the code that sets up runs
// and checks results, they behave as usual, but there are no threads.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/schedule/schedule.h"
#include "util/clock.h"
#include "util/thread.h"
#include "util/wake_signal.h"

// ---- mutexes -----------------------------------------------------------------------------------

namespace lull::testing {

using SteadyTime = std::chrono::steady_clock::time_point;

// The linker's names for the original functions and for their replacements.
#define LULL_REAL(symbol) __asm__("__real_" symbol)
#define LULL_WRAP(symbol) __asm__("__wrap_" symbol)

int LibcLock(pthread_mutex_t* mutex) LULL_REAL("pthread_mutex_lock");
int LibcTryLock(pthread_mutex_t* mutex) LULL_REAL("pthread_mutex_trylock");
int LibcUnlock(pthread_mutex_t* mutex) LULL_REAL("pthread_mutex_unlock");
SteadyTime LibraryNow() LULL_REAL("_ZNSt6chrono3_V212steady_clock3nowEv");

int MutexLock(pthread_mutex_t* mutex) LULL_WRAP("pthread_mutex_lock");
int MutexTryLock(pthread_mutex_t* mutex) LULL_WRAP("pthread_mutex_trylock");
int MutexUnlock(pthread_mutex_t* mutex) LULL_WRAP("pthread_mutex_unlock");
SteadyTime SteadyNow() LULL_WRAP("_ZNSt6chrono3_V212steady_clock3nowEv");

bool RealTryLock(pthread_mutex_t* mutex) { return LibcTryLock(mutex) == 0; }
void RealUnlock(pthread_mutex_t* mutex) { LibcUnlock(mutex); }

namespace {

// REQUIRES: on a thread of a schedule; the operation makes no sense elsewhere.
Schedule* Here(const char* what) {
  if (Schedule* const schedule = Schedule::Current()) return schedule;
  std::fprintf(stderr, "schedule: %s outside of Schedule::Run\n", what);
  std::abort();
}

}  // namespace

int MutexLock(pthread_mutex_t* mutex) {
  Schedule* const schedule = Schedule::Current();
  if (schedule == nullptr) return LibcLock(mutex);
  schedule->Lock(mutex, __builtin_return_address(0));
  return 0;
}

int MutexTryLock(pthread_mutex_t* mutex) {
  Schedule* const schedule = Schedule::Current();
  if (schedule == nullptr) return LibcTryLock(mutex);
  return schedule->TryLock(mutex) ? 0 : EBUSY;
}

int MutexUnlock(pthread_mutex_t* mutex) {
  Schedule* const schedule = Schedule::Current();
  if (schedule == nullptr) return LibcUnlock(mutex);
  schedule->Unlock(mutex);
  return 0;
}

SteadyTime SteadyNow() {
  Schedule* const schedule = Schedule::Current();
  if (schedule == nullptr) return LibraryNow();
  return SteadyTime(std::chrono::nanoseconds(schedule->now_nanos()));
}

namespace {

class ScheduledThread final : public ThreadHandle {
 public:
  explicit ScheduledThread(Schedule::Thread thread) : thread_(thread) {}
  ~ScheduledThread() override { Here("a join")->Join(thread_); }

 private:
  const Schedule::Thread thread_;
};

class ScheduledThreads final : public ThreadFactory {
 public:
  leveldb::Status TryStart(const std::string& name, CpuClass, std::function<void()> body,
                           std::unique_ptr<ThreadHandle>* result) override {
    *result = std::make_unique<ScheduledThread>(Here("a thread")->Start(name, std::move(body)));
    return leveldb::Status::OK();
  }
  leveldb::Status TryStartDetached(const std::string& name, CpuClass,
                                   std::function<void()> body) override {
    Here("a thread")->Start(name, std::move(body));
    return leveldb::Status::OK();
  }
};

class ScheduledClock final : public Clock {
 public:
  uint64_t NowNanos() const override {
    const Schedule* const schedule = Schedule::Current();
    return schedule == nullptr ? 1 : schedule->now_nanos();
  }
  void SleepForNanos(uint64_t nanos) override { Here("a sleep")->Sleep(nanos); }
};

}  // namespace
}  // namespace lull::testing

// ---- util/thread.h, clock.h, wake_signal.h ------------------------------------------------------

namespace lull {

using testing::Schedule;

ThreadFactory* ThreadFactory::System() {
  static testing::ScheduledThreads threads;
  return &threads;
}

void OfferCore() {
  if (Schedule* const schedule = Schedule::Current()) schedule->Yield();
}

int CoreCount() { return 4; }

unsigned ThreadOrdinal() {
  const Schedule* const schedule = Schedule::Current();
  return schedule == nullptr ? 0 : schedule->running();
}

Clock* Clock::System() {
  static testing::ScheduledClock clock;
  return &clock;
}

uint64_t WallClockMicros() { return Clock::System()->NowMicros(); }

void WakeSignal::Wait(uint32_t ticket, uint64_t nanos) {
  if (Ticket() != ticket) return;
  waiters_.fetch_add(1, std::memory_order_relaxed);
  testing::Here("a wait")->SignalWait(this, nanos, __builtin_return_address(0));
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void WakeSignal::WakeSleepers() {
  if (Schedule* const schedule = Schedule::Current()) schedule->SignalWake(this);
}

}  // namespace lull
