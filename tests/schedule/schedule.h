// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Schedule: a virtual machine that runs one thread at a time. The same seed gives the same order
// and times, whatever the real machine does.
//
// A thread of a schedule is a stack; they all take turns on the one thread that called Run. A turn
// can end at a step: where the thread locks, unlocks, waits, notifies, starts or joins a thread,
// sleeps, or offers the core. primitives.cc redirects these calls of the library and the tests.
//
// The runnable thread with the highest priority runs. At a step it draws a new priority with
// `switch_chance`. A small chance gives long turns, few preemptions and long waits, which find
// bugs; a large one gives a random walk. A thread that has run for kTurnStepsMax steps gets the
// lowest priority, so that a spinning thread cannot block the others.
//
// A step takes `step_nanos`. When no thread can run, time jumps to the first moment at which one
// can. If there is no such moment, or it is past the horizon, the run is stuck.
#pragma once

#include <pthread.h>
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/rng.h"

namespace lull::testing {

// The kind of a step. kNote is not a step but a line of the trace.
enum class Point : uint8_t {
  kLock,
  kUnlock,
  kSignalWait,
  kSignalWake,
  kStart,
  kJoin,
  kSleep,
  kYield,
  kNote,
};

class Schedule {
 public:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
  static constexpr uint64_t kTurnStepsMax = 1000;

  struct Options {
    uint64_t seed = 1;
    // If unset, drawn from the seed, from one in two to one in some hundred.
    std::optional<double> switch_chance{};
    // If unset, drawn from the seed, from 100 ns to 100 us.
    std::optional<uint64_t> step_nanos{};
    // A run that takes longer is stuck.
    uint64_t horizon_nanos = 600'000'000'000;
    uint64_t steps_max = 20'000'000;
    // Prints each step to the standard error.
    bool trace = false;
  };

  explicit Schedule(const Options& options);
  ~Schedule();
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  // Runs `body` as the thread "main", until it and all threads started have ended. False if they
  // are stuck. Then their stacks are never freed and their locks stay held, so the process should
  // exit soon.
  bool Run(std::function<void()> body);

  // Why Run returned false: what each thread waits for.
  const std::string& stuck() const { return stuck_; }
  uint64_t steps() const { return steps_; }
  uint64_t now_nanos() const { return now_nanos_; }
  // A hash of all steps and notes, with their threads and times.
  uint64_t hash() const { return hash_; }

  // The schedule that the calling code runs on; nullptr outside of Run.
  static Schedule* Current();

  // ---- for primitives.cc; on a thread of the schedule ----

  using Thread = uint32_t;  // in order of their start, from 0
  Thread running() const { return running_; }

  // `caller`: the address of the calling code, for the report of stuck threads.
  void Lock(pthread_mutex_t* mutex, const void* caller);
  bool TryLock(pthread_mutex_t* mutex);
  void Unlock(pthread_mutex_t* mutex);
  // Waits on an address as a futex does: the caller has read its value since the last step. Can
  // return early.
  void SignalWait(const void* signal, uint64_t nanos, const void* caller);
  void SignalWake(const void* signal);
  Thread Start(const std::string& name, std::function<void()> body);
  void Join(Thread thread);
  void Sleep(uint64_t nanos);
  // Lets all others run first.
  void Yield();

  // ---- for tests ----

  // Adds a note to the trace and its hash.
  void Note(std::string_view what, std::string_view which = {});

  // The calling thread takes no steps in `body`. REQUIRES: it locks no mutex that is held.
  void Uninterrupted(const std::function<void()>& body) {
    const bool outer = std::exchange(uninterrupted_, true);
    body();
    uninterrupted_ = outer;
  }

 private:
  struct Task;

  static void Enter();
  Task& Self() { return *tasks_[running_]; }
  void Step(Point point, const void* on);
  void Block(Point point, const void* on, uint64_t until_nanos, const void* caller);
  void Wake(const void* on);
  Task* Choose();
  void GoBehindAll(Task* task);
  void Record(Point point, const void* on, std::string_view text);
  std::string NumberOf(const void* object);
  std::string Describe();
  std::string DescribeWait(const Task& task);

  const Options options_;
  Rng rng_;
  const double switch_chance_;
  const uint64_t step_nanos_;
  std::vector<std::unique_ptr<Task>> tasks_;
  Thread running_ = 0;
  int64_t lowest_ = 0;  // lowest priority assigned so far
  uint64_t turn_steps_ = 0;
  uint64_t steps_ = 0;
  uint64_t now_nanos_ = 1'000'000'000;
  uint64_t hash_ = 0;
  bool uninterrupted_ = false;
  std::string stuck_;
  std::map<const void*, size_t> numbers_;  // numbers of mutexes and other objects, for texts
  ucontext_t scheduler_;
};

// What remains of libc's mutexes on a schedule: whether one is held. See primitives.cc.
bool RealTryLock(pthread_mutex_t* mutex);
void RealUnlock(pthread_mutex_t* mutex);

}  // namespace lull::testing
