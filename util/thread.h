// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The only source of threads. A thread has a name and a fixed CPU class: an unprivileged thread can
// leave the normal class but not return to it. So work changes class by moving to another thread.
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
  kNormal,  ///< with short time slices, where the kernel has them
  kIdle,    ///< runs only on otherwise idle cores, where the system has such a class
};

/// A running thread. The destructor joins it.
class ThreadHandle {
 public:
  virtual ~ThreadHandle() = default;
};

/// Ends the process with a message if `status` is an error. For functions that cannot return one.
inline void AbortUnlessOk(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "lull: %s\n", status.ToString().c_str());
  std::abort();
}

/// Creates threads; tests pass their own. Thread-safe.
class ThreadFactory {
 public:
  virtual ~ThreadFactory() = default;
  /// Truncates `name` to 15 characters, the kernel's limit. IOError if the system cannot create a
  /// thread.
  virtual leveldb::Status TryStart(const std::string& name, CpuClass cpu_class,
                                   std::function<void()> body,
                                   std::unique_ptr<ThreadHandle>* result) = 0;
  /// Like TryStart, but nobody joins the thread: `body` must own or share everything it uses.
  virtual leveldb::Status TryStartDetached(const std::string& name, CpuClass cpu_class,
                                           std::function<void()> body) = 0;
  /// Like TryStart, for callers that cannot continue without the thread: a failure ends the
  /// process.
  std::unique_ptr<ThreadHandle> Start(const std::string& name, CpuClass cpu_class,
                                      std::function<void()> body) {
    std::unique_ptr<ThreadHandle> result;
    AbortUnlessOk(TryStart(name, cpu_class, std::move(body), &result));
    return result;
  }
  static ThreadFactory* System();
};

/// Yields this core to a waiting thread; returns at once if no thread waits.
void OfferCore();

/// One turn of a loop that watches memory for a moment; tens of nanoseconds where the processor has
/// an instruction for it.
inline void PauseCore() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Number of cores that this process can use; at least 1.
int CoreCount();

/// A small number that identifies the calling thread: counts from 0 in order of first call. Used to
/// select stripes.
unsigned ThreadOrdinal();

}  // namespace lull
