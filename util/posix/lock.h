// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// File locks between processes and within this one. Uses fcntl record locks like LevelDB, so that
// the two exclude each other. Thread-safe.
//
// A process loses its record locks on a file when it closes any descriptor of that file. So the
// table records which files are locked, by inode and by name, and refuses a second lock without
// opening the file. If a concurrent rename makes it open a locked file, it keeps that descriptor
// until the lock is released. Other code in the process must not open lock files.
//
// The mutex is never held during I/O: a disk that hangs must not stop stores on other disks from
// opening and closing. An entry is in the table from before its file is opened until all
// descriptors of the file are closed.
//
// A forked child does not inherit its parent's locks, so it needs its own table.
#pragma once

#include <sys/types.h>

#include <list>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/mutex.h"
#include "util/posix/file.h"

namespace lull::posix {

class LockTable {
 public:
  /// Creates the file if it does not exist. Never blocks.
  leveldb::Status Lock(const std::string& name, leveldb::FileLock** result) LULL_EXCLUDES(mutex_);

  /// Deletes `lock`, which must come from Lock. In a forked child, it does not close the descriptor
  /// of a parent's lock: that would release a lock that the child took on the same file.
  leveldb::Status Unlock(leveldb::FileLock* lock) LULL_EXCLUDES(mutex_);

 private:
  /// Its creator uses `fd` without the mutex.
  struct Held {
    std::string name;
    bool is_identified = false;  // the next two are set
    dev_t device = 0;
    ino_t inode = 0;
    UniqueFd fd;
    std::vector<UniqueFd> kept_open;  // more descriptors of the same file
  };
  using Entry = std::list<Held>::iterator;
  class Token;

  leveldb::Status Acquire(Entry entry) LULL_EXCLUDES(mutex_);
  bool IsHeld(dev_t device, ino_t inode) LULL_EXCLUDES(mutex_);
  Held* FindLocked(dev_t device, ino_t inode) LULL_REQUIRES(mutex_);
  /// Closes the entry's descriptors, then removes it. Returns an error of closing `fd`, or 0.
  int Release(Entry entry) LULL_EXCLUDES(mutex_);

  Mutex mutex_;
  std::list<Held> held_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull::posix
