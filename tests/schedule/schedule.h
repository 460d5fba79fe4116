// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Schedule: a machine on which threads run one at a time, in an order and at times that a seed
// decides. The same seed gives the same run, whatever the real machine does.
//
// A thread of a schedule is a stack; all of them take turns on the one thread that called Run. A
// turn may end where the thread locks, unlocks, waits, notifies, starts or joins a thread, sleeps,
// or offers the core: at a step. Between two steps nothing else happens. primitives.cc leads there
// what the library and the tests call, so that they need not know of it.
//
// Who runs: each thread has a priority, and of those that can run the one with the highest does. At
// a step the running thread draws a new one with `switch_chance`: a small chance gives long turns,
// few preemptions and threads that wait for long, which is where bugs are found; a large one gives
// a random walk. Whoever has run for kTurnStepsMax steps goes behind all others, so that a thread
// that spins is not waited for in vain.
//
// What time it is: a step takes `step_nanos`. When no thread can run, time jumps to the first at
// which one can. If there is none, or the horizon is reached first, the run is stuck.
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
#include <vector>

#include "tests/support/rng.h"

namespace lull::testing {

// What happens at a step. Not kNote: that is no step, but a line of the trace.
enum class Point : uint8_t {
  kLock,
  kUnlock,
  kWait,
  kNotify,
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
    // Unset: drawn from the seed, from one in two to one in some hundred.
    std::optional<double> switch_chance;
    // Unset: drawn from the seed, from 100 ns to 100 us.
    std::optional<uint64_t> step_nanos;
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

  // Runs `body` as the thread "main", until it and all threads that were started have ended. False
  // if they are stuck. Their stacks then stay as they are, and what they hold stays held: the
  // process had better end soon.
  bool Run(std::function<void()> body);

  // Why Run returned false: what each thread waits for.
  const std::string& stuck() const { return stuck_; }
  uint64_t steps() const { return steps_; }
  uint64_t now_nanos() const { return now_nanos_; }
  // Of all steps and notes: which thread took them, and when.
  uint64_t hash() const { return hash_; }

  // The one that the calling code runs on; nullptr outside of Run.
  static Schedule* Current();

  // ---- for primitives.cc; on a thread of the schedule ----

  using Thread = uint32_t;  // in order of their start, from 0
  Thread running() const { return running_; }

  // `caller`: the address of the code that wants it; for the report of who is stuck where.
  void Lock(pthread_mutex_t* mutex, const void* caller);
  bool TryLock(pthread_mutex_t* mutex);
  void Unlock(pthread_mutex_t* mutex);
  // False if the time came before a notification. May return early without either.
  bool Wait(const void* condition, pthread_mutex_t* mutex, uint64_t until_nanos,
            const void* caller);
  void NotifyOne(const void* condition);
  void NotifyAll(const void* condition);
  // Waits on an address as a futex does: the caller has looked at its value since the last step.
  void SignalWait(const void* signal, uint64_t nanos, const void* caller);
  void SignalWake(const void* signal);
  Thread Start(const std::string& name, std::function<void()> body);
  void Join(Thread thread);
  void Sleep(uint64_t nanos);
  // Lets all others run first.
  void Yield();

  // ---- for tests ----

  // Adds to the trace, and to its hash.
  void Note(std::string_view what, std::string_view which = {});

  // While one lives, the calling thread takes no steps. REQUIRES: it then locks nothing that is
  // held.
  class Uninterrupted {
   public:
    Uninterrupted() : schedule_(Current()), outer_(schedule_->uninterrupted_) {
      schedule_->uninterrupted_ = true;
    }
    ~Uninterrupted() { schedule_->uninterrupted_ = outer_; }
    Uninterrupted(const Uninterrupted&) = delete;
    Uninterrupted& operator=(const Uninterrupted&) = delete;

   private:
    Schedule* const schedule_;
    const bool outer_;
  };

 private:
  struct Task;

  static void Enter();
  Task& Self() { return *tasks_[running_]; }
  void Step(Point point, const void* on);
  bool Block(Point point, const void* on, uint64_t until_nanos, const void* caller);
  void Wake(const void* on);
  void SwitchOut();
  Task* Choose();
  void Relock(pthread_mutex_t* mutex, const void* caller);
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
  int64_t lowest_ = 0;  // priority ever given
  uint64_t turn_steps_ = 0;
  uint64_t steps_ = 0;
  uint64_t now_nanos_ = 1'000'000'000;
  uint64_t hash_ = 0;
  bool uninterrupted_ = false;
  std::string stuck_;
  std::map<const void*, size_t> numbers_;  // of locks and the like, for texts
  ucontext_t scheduler_;
};

}  // namespace lull::testing
