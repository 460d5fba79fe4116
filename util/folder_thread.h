// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Creates files on behalf of threads of idle CPU priority.
//
// The kernel locks a directory while it creates a file in it. If an idle-priority thread loses its
// core at that point, every other create, rename and unlink in the directory blocks until the
// thread runs again. With two busy cores and an fsync every millisecond, a create took up to 783
// ms. With creates and unlinks at normal priority it took at most 33 ms, all of it I/O. An
// unprivileged thread cannot return to normal priority, so a separate thread of normal priority
// makes the call.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "leveldb/status.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {

/// Thread-safe.
class FolderThread {
 public:
  FolderThread() = default;
  /// REQUIRES: no Run is in progress.
  ~FolderThread();
  FolderThread(const FolderThread&) = delete;
  FolderThread& operator=(const FolderThread&) = delete;

  /// Starts the thread, which inherits the normal priority of the caller. Call once.
  leveldb::Status Start();
  /// Returns the instance shared by all stores of this process; starts it if necessary.
  static leveldb::Status Shared(std::shared_ptr<FolderThread>* result);

  /// Runs `work` and returns when it is done. Only callers of idle priority switch to the other
  /// thread.
  void Run(const std::function<void()>& work) LULL_EXCLUDES(mutex_);

 private:
  struct Request {
    const std::function<void()>* work;
    bool done = false;
  };

  void Loop() LULL_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::deque<Request*> requests_ LULL_GUARDED_BY(mutex_);
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<ThreadHandle> thread_;
};

}  // namespace lull
