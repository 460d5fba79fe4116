// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The one home of threads: named, with a CPU class fixed at birth (a thread without privilege can
// leave the normal class but not return to it, so work changes class by moving between threads).
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lull {

enum class CpuClass {
  kNormal,
  kIdle,  ///< SCHED_IDLE: runs only on cores that nothing else wants
};

/// A running thread. The destructor joins.
class ThreadHandle {
 public:
  virtual ~ThreadHandle() = default;
};

/// Makes threads; tests inject their own. Thread-safe.
class ThreadFactory {
 public:
  virtual ~ThreadFactory() = default;
  /// `name` is cut to 15 characters, the kernel's limit. Ends the process if the system has no
  /// thread to give.
  virtual std::unique_ptr<ThreadHandle> Start(const std::string& name, CpuClass cpu_class,
                                              std::function<void()> body) = 0;
  /// One that nobody joins: `body` owns, or shares, all that it touches.
  virtual void StartDetached(const std::string& name, CpuClass cpu_class,
                             std::function<void()> body) = 0;
  static ThreadFactory* System();
};

/// Lets whoever waits for this core have it first; returns at once where nobody does.
void OfferCore();

/// Cores this process may use, at least 1.
int CoreCount();

/// A small number for the calling thread, dense from 0 in order of first call; for choosing
/// stripes.
unsigned ThreadOrdinal();

}  // namespace lull
