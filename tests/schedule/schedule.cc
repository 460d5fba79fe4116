// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/schedule.h"

#include <sys/mman.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <utility>

extern "C" const char __executable_start;  // from the linker: the program's first address

namespace lull::testing {
namespace {

constexpr double kSwitchChances[] = {1.0 / 2, 1.0 / 8, 1.0 / 64, 1.0 / 512};
constexpr uint64_t kStepNanos[] = {100, 1'000, 10'000, 100'000};
constexpr uint64_t kSpuriousOneIn = 64;

Schedule* current = nullptr;

constexpr size_t kStackBytes = 256 << 10;

// Stacks are reused.
std::vector<void*>& FreeStacks() {
  static auto* const stacks = new std::vector<void*>;
  return *stacks;
}

// With a guard page below it.
void* NewStack() {
  constexpr size_t kGuardBytes = 4096;
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0) {
    std::perror("schedule: no memory for a stack");
    std::abort();
  }
  return static_cast<char*>(memory) + kGuardBytes;
}

const char* NameOf(Point point) {
  static constexpr const char* kNames[] = {"lock", "unlock", "wait",  "wake", "start",
                                           "join", "sleep",  "yield", "note"};
  return kNames[static_cast<size_t>(point)];
}

std::string Millis(uint64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6f ms", static_cast<double>(nanos) / 1e6);
  return text;
}

// The place of a call that returns to `address`, as an offset for addr2line.
std::string Place(const void* address) {
  char text[32];
  const auto offset = static_cast<const char*>(address) - 1 - &__executable_start;
  std::snprintf(text, sizeof(text), "0x%tx", offset);
  return text;
}

}  // namespace

// A thread. It can run if it waits for nothing, or if its timeout is over.
struct Schedule::Task {
  std::string name;
  std::function<void()> body;
  void* stack = nullptr;
  ucontext_t context;
  int64_t priority = 0;
  bool ended = false;
  std::vector<const void*> holds;  // mutexes

  bool waits = false;
  Point waits_at = Point::kLock;
  const void* waits_on = nullptr;
  uint64_t until_nanos = kNever;
  const void* caller = nullptr;
};

Schedule* Schedule::Current() { return current; }

Schedule::Schedule(const Options& options)
    : options_(options),
      rng_(SubSeed(options.seed, 1)),
      switch_chance_(
          options.switch_chance.value_or(kSwitchChances[rng_.Below(std::size(kSwitchChances))])),
      step_nanos_(options.step_nanos.value_or(kStepNanos[rng_.Below(std::size(kStepNanos))])) {}

Schedule::~Schedule() = default;

bool Schedule::Run(std::function<void()> body) {
  Start("main", std::move(body));
  while (Task* const next = Choose()) {
    if (now_nanos_ > options_.horizon_nanos || steps_ > options_.steps_max) {
      stuck_ = "no end after " + std::to_string(steps_) + " steps and " + Millis(now_nanos_) +
               Describe();
      return false;
    }
    next->waits = false;
    turn_steps_ = 0;
    running_ = static_cast<Thread>(
        std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& t) { return t.get() == next; }) -
        tasks_.begin());
    current = this;
    swapcontext(&scheduler_, &next->context);
    current = nullptr;
    if (next->ended && next->stack != nullptr)
      FreeStacks().push_back(std::exchange(next->stack, nullptr));
  }
  const bool all_ended =
      std::all_of(tasks_.begin(), tasks_.end(), [](const auto& task) { return task->ended; });
  if (!all_ended) stuck_ = "deadlock after " + std::to_string(steps_) + " steps" + Describe();
  return all_ended;
}

// The entry point of each stack.
void Schedule::Enter() {
  Task& self = current->Self();
  self.body();
  self.body = nullptr;
  self.ended = true;
  current->Wake(&self);
}

Schedule::Thread Schedule::Start(const std::string& name, std::function<void()> body) {
  auto task = std::make_unique<Task>();
  task->name = name;
  task->body = std::move(body);
  if (FreeStacks().empty()) FreeStacks().push_back(NewStack());
  task->stack = FreeStacks().back();
  FreeStacks().pop_back();
  task->priority = static_cast<int64_t>(rng_.Next() >> 2);
  getcontext(&task->context);
  task->context.uc_stack.ss_sp = task->stack;
  task->context.uc_stack.ss_size = kStackBytes;
  task->context.uc_link = &scheduler_;
  makecontext(&task->context, &Schedule::Enter, 0);
  tasks_.push_back(std::move(task));
  const auto started = static_cast<Thread>(tasks_.size() - 1);
  if (current != nullptr) Step(Point::kStart, tasks_.back().get());
  return started;
}

// ---- steps -------------------------------------------------------------------------------------

void Schedule::Step(Point point, const void* on) {
  if (uninterrupted_) return;
  Record(point, on, {});
  ++steps_;
  now_nanos_ += step_nanos_;
  Task& self = Self();
  if (rng_.Chance(switch_chance_)) self.priority = static_cast<int64_t>(rng_.Next() >> 2);
  if (++turn_steps_ > kTurnStepsMax) GoBehindAll(&self);
  if (Choose() != &self) swapcontext(&self.context, &scheduler_);
}

void Schedule::GoBehindAll(Task* task) { task->priority = --lowest_; }

// Waits for a wake or until `until_nanos`.
void Schedule::Block(Point point, const void* on, uint64_t until_nanos, const void* caller) {
  Task& self = Self();
  if (uninterrupted_) {
    std::fprintf(stderr, "schedule: %s must wait inside Uninterrupted\n", self.name.c_str());
    std::abort();
  }
  Record(point, on, "waits");
  ++steps_;
  self.waits = true;
  self.waits_at = point;
  self.waits_on = on;
  self.until_nanos = until_nanos;
  self.caller = caller;
  swapcontext(&self.context, &scheduler_);
}

void Schedule::Wake(const void* on) {
  for (const auto& task : tasks_) {
    if (!task->waits || task->waits_on != on) continue;
    task->waits = false;
    task->waits_on = nullptr;
  }
}

// The runnable thread of highest priority, after advancing time if needed; nullptr if there is
// none.
Schedule::Task* Schedule::Choose() {
  while (true) {
    Task* best = nullptr;
    uint64_t first_nanos = kNever;
    for (const auto& task : tasks_) {
      if (task->ended) continue;
      if (task->waits && task->until_nanos > now_nanos_) {
        first_nanos = std::min(first_nanos, task->until_nanos);
      } else if (best == nullptr || task->priority > best->priority) {
        best = task.get();
      }
    }
    if (best != nullptr || first_nanos == kNever) return best;
    now_nanos_ = first_nanos;
  }
}

// ---- what threads do ---------------------------------------------------------------------------

// The mutex itself knows whether it is held.
void Schedule::Lock(pthread_mutex_t* mutex, const void* caller) {
  Step(Point::kLock, mutex);
  while (!RealTryLock(mutex)) Block(Point::kLock, mutex, kNever, caller);
  Self().holds.push_back(mutex);
}

bool Schedule::TryLock(pthread_mutex_t* mutex) {
  Step(Point::kLock, mutex);
  if (!RealTryLock(mutex)) return false;
  Self().holds.push_back(mutex);
  return true;
}

void Schedule::Unlock(pthread_mutex_t* mutex) {
  std::erase(Self().holds, mutex);
  RealUnlock(mutex);
  Wake(mutex);
  Step(Point::kUnlock, mutex);
}

void Schedule::SignalWait(const void* signal, uint64_t nanos, const void* caller) {
  uint64_t until_nanos = nanos == kNever ? kNever : now_nanos_ + nanos;
  if (rng_.OneIn(kSpuriousOneIn)) until_nanos = now_nanos_;
  Block(Point::kSignalWait, signal, until_nanos, caller);
}

void Schedule::SignalWake(const void* signal) {
  Wake(signal);
  Step(Point::kSignalWake, signal);
}

void Schedule::Join(Thread thread) {
  Task* const other = tasks_[thread].get();
  Step(Point::kJoin, other);
  while (!other->ended) Block(Point::kJoin, other, kNever, nullptr);
}

void Schedule::Sleep(uint64_t nanos) { Block(Point::kSleep, &Self(), now_nanos_ + nanos, nullptr); }

void Schedule::Yield() {
  GoBehindAll(&Self());
  Step(Point::kYield, nullptr);
}

// ---- trace and reports ------------------------------------------------------------------------

void Schedule::Note(std::string_view what, std::string_view which) {
  for (const char c : what) hash_ = Mix(hash_ + static_cast<unsigned char>(c));
  for (const char c : which) hash_ = Mix(hash_ + static_cast<unsigned char>(c));
  Record(Point::kNote, nullptr, options_.trace ? std::string(what) + " " + std::string(which) : "");
}

// Addresses differ from run to run, so they are not in the hash.
void Schedule::Record(Point point, const void* on, std::string_view text) {
  hash_ = Mix(hash_ ^ (now_nanos_ << 12 | uint64_t{running_} << 4 | static_cast<uint64_t>(point)));
  if (!options_.trace) return;
  std::string line = point == Point::kNote ? "" : NameOf(point);
  if (on != nullptr) line += " " + NumberOf(on);
  if (!text.empty()) line += (line.empty() ? "" : " ") + std::string(text);
  std::fprintf(stderr, "%9" PRIu64 " %14s  %-14s %s\n", steps_, Millis(now_nanos_).c_str(),
               Self().name.c_str(), line.c_str());
}

// Threads have names; other objects get a number in order of their appearance.
std::string Schedule::NumberOf(const void* object) {
  for (const auto& task : tasks_) {
    if (task.get() == object) return task->name;
  }
  return "#" + std::to_string(numbers_.emplace(object, numbers_.size() + 1).first->second);
}

std::string Schedule::DescribeWait(const Task& task) {
  if (!task.waits) return "can run";
  std::string text = std::string("waits: ") + NameOf(task.waits_at);
  if (task.waits_at != Point::kSleep) text += " " + NumberOf(task.waits_on);
  for (const auto& other : tasks_) {
    if (task.waits_at == Point::kLock &&
        std::count(other->holds.begin(), other->holds.end(), task.waits_on) > 0) {
      text += ", which " + other->name + " holds";
    }
  }
  if (task.until_nanos != kNever) text += ", until " + Millis(task.until_nanos);
  if (task.caller != nullptr) text += ", at " + Place(task.caller);
  return text;
}

std::string Schedule::Describe() {
  std::string text;
  for (const auto& task : tasks_) {
    if (!task->ended) text += "\n  " + task->name + " " + DescribeWait(*task);
  }
  return text;
}

}  // namespace lull::testing
