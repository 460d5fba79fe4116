// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Creates files for threads of idle CPU priority.
//
// The kernel holds a folder's lock while it creates a file in it. A thread of idle priority that
// loses its core there blocks every other create, rename and unlink in the folder until it gets a
// core again. With two busy cores and an fsync every millisecond, a create took up to 783 ms; with
// the creates and unlinks at normal priority, at most 33 ms, which was I/O. A thread without
// privilege cannot return to normal priority, so a thread that never left it makes the call.
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
  /// REQUIRES: no Run is under way.
  ~FolderThread();
  FolderThread(const FolderThread&) = delete;
  FolderThread& operator=(const FolderThread&) = delete;

  /// REQUIRES: the calling thread is of normal priority, which the new thread inherits. Called
  /// once.
  leveldb::Status Start();
  /// The one that the stores of this process share, started if there is none.
  static leveldb::Status Shared(std::shared_ptr<FolderThread>* result);

  /// Runs `work` and returns when it is done. Only a caller of idle priority changes threads.
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
