// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A policy for tests: always returns the directive that the test set, and records the pressure that
// it received. The test calls Script from any thread; the store's monitor calls the policies.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "scheduler/policy.h"
#include "tests/support/event_count.h"
#include "util/mutex.h"

namespace lull::testing {

/// Noted after each decision of a scripted policy, and after any other event that such a test
/// awaits.
inline EventCount& ScriptedEvents() {
  static EventCount events;
  return events;
}

/// Shared by the successive policies of a store; outlives the store.
class Script {
 public:
  Script() { Set(Everything()); }

  /// Every job may run.
  static Directive Everything() {
    Directive wanted;
    wanted.l0 = wanted.deep = {4, CpuPriority::kNormal};
    wanted.compactions_max = 4;
    return wanted;
  }

  static Directive Nothing() { return {}; }

  /// `tick`: asks it again even if nothing happens.
  void Set(Directive wanted, bool tick = true) {
    wanted.tick = tick;
    MutexLock lock(mutex_);
    directive_ = wanted;
  }
  /// The number of decisions so far.
  uint64_t asked() const { return asked_.load(); }
  Directive Wanted() {
    MutexLock lock(mutex_);
    return directive_;
  }
  Pressure Seen() {
    MutexLock lock(mutex_);
    return seen_;
  }

  std::unique_ptr<Policy> Make() { return std::make_unique<Follower>(this); }
  /// For Store::Open.
  std::unique_ptr<Policy> Make(const std::string& policy, const PolicyOptions& options) {
    MutexLock lock(mutex_);
    policy_ = policy;
    options_ = options;
    made_.fetch_add(1);
    return std::make_unique<Follower>(this);
  }
  /// The number of policies made so far, and the name of the last one.
  int made() const { return made_.load(); }
  std::string policy() {
    MutexLock lock(mutex_);
    return policy_;
  }
  PolicyOptions options() {
    MutexLock lock(mutex_);
    return options_;
  }

  /// Waits until `holds()`. It is called after each decision and each Note.
  template <class Predicate>
  void Await(const std::string& what, Predicate holds) {
    ScriptedEvents().Await(what, holds);
  }
  void Note() { ScriptedEvents().Note(); }
  /// Waits for `count` decisions of the monitor from now on. When the last begins, the earlier ones
  /// are carried out.
  void AwaitDecisions(uint64_t count) {
    const uint64_t asked = asked_.load();
    Await("decisions", [&] { return asked_.load() >= asked + count; });
  }
  /// Waits until the last directive set is in force.
  void AwaitObeyed() { AwaitDecisions(2); }

 private:
  class Follower final : public Policy {
   public:
    explicit Follower(Script* script) : script_(script) {}
    Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
      return script_->Decide(pressure);
    }

   private:
    Script* const script_;
  };

  Directive Decide(const Pressure& pressure) {
    Directive wanted;
    {
      MutexLock lock(mutex_);
      seen_ = pressure;
      wanted = directive_;
      asked_.fetch_add(1);  // under the lock: a decision counted after a Set uses its directive
    }
    ScriptedEvents().Note();
    return wanted;
  }

  Mutex mutex_;
  Directive directive_ LULL_GUARDED_BY(mutex_);
  Pressure seen_ LULL_GUARDED_BY(mutex_);
  std::string policy_ LULL_GUARDED_BY(mutex_);
  PolicyOptions options_ LULL_GUARDED_BY(mutex_);
  std::atomic<int> made_{0};
  std::atomic<uint64_t> asked_{0};
};

}  // namespace lull::testing
