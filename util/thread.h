// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The one home of threads: named, with a CPU class fixed at birth (a thread without privilege can
// leave the normal class but not return to it, so work changes class by moving between threads).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/status.h"

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

/// Ends the process with a message; for functions that have no way to report `status`.
inline void AbortUnlessOk(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "lull: %s\n", status.ToString().c_str());
  std::abort();
}

/// Makes threads; tests inject their own. Thread-safe.
class ThreadFactory {
 public:
  virtual ~ThreadFactory() = default;
  /// `name` is cut to 15 characters, the kernel's limit. IOError if the system refuses a thread.
  virtual leveldb::Status TryStart(const std::string& name, CpuClass cpu_class,
                                   std::function<void()> body,
                                   std::unique_ptr<ThreadHandle>* result) = 0;
  /// As TryStart; nobody joins the thread: `body` owns, or shares, all that it touches.
  virtual leveldb::Status TryStartDetached(const std::string& name, CpuClass cpu_class,
                                           std::function<void()> body) = 0;
  /// As TryStart, for callers that cannot go on without the thread: a failure ends the process.
  std::unique_ptr<ThreadHandle> Start(const std::string& name, CpuClass cpu_class,
                                      std::function<void()> body) {
    std::unique_ptr<ThreadHandle> result;
    AbortUnlessOk(TryStart(name, cpu_class, std::move(body), &result));
    return result;
  }
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
