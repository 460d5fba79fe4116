// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StatsThread: updates the stats files of a process, once a second each. Stores share the thread if
// they are on the same file system and their stats files too: usually all stores of a process. A
// file system that hangs so stops only the files of stores that hang with it, and the age of those
// files tells so. No other work runs on the thread, and nothing waits for it but the close of the
// store whose file it updates at that moment.
//
// It has normal priority: it takes a store's mutex for a moment and creates a file, and an
// idle-priority thread that loses its core meanwhile would block others (flush_thread.h).
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "leveldb/status.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {

class StatsFile;

class StatsThread {
 public:
  /// The thread of the file systems `mounts`, of this process. The first store starts it, and it
  /// ends when the last reference is released. IOError if it cannot start.
  static leveldb::Status Get(const std::string& mounts, uint64_t interval_nanos,
                             std::shared_ptr<StatsThread>* result);

  /// REQUIRES: `interval_nanos` is not 0. Use Get.
  explicit StatsThread(uint64_t interval_nanos) : interval_nanos_(interval_nanos) {}
  ~StatsThread();

  /// Updates `file` once in every interval, until Remove.
  void Add(StatsFile* file) LULL_EXCLUDES(mutex_);
  /// Returns when the thread no longer uses `file`.
  void Remove(StatsFile* file) LULL_EXCLUDES(mutex_);

 private:
  void Loop() LULL_EXCLUDES(mutex_);
  void UpdateAllLocked() LULL_REQUIRES(mutex_);

  const uint64_t interval_nanos_;
  Mutex mutex_;
  CondVar changed_;
  std::set<StatsFile*> files_ LULL_GUARDED_BY(mutex_);
  StatsFile* updated_ LULL_GUARDED_BY(mutex_) = nullptr;  // at this moment
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<ThreadHandle> thread_;
};

}  // namespace lull
