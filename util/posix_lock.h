// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Locks on files between processes (fcntl record locks, as LevelDB takes them, so that the two
// exclude each other) and within this one. Thread-safe.
//
// A process loses its record locks on a file when it closes any descriptor of that file. So the
// table knows which files are locked here, by identity as well as by name, refuses a second lock
// without opening the file, and keeps a descriptor that it opened all the same until the lock is
// released. Others in the process must leave lock files alone.
//
// A forked child has none of its parent's locks, so it needs a table of its own.
#pragma once

#include <sys/types.h>

#include <list>
#include <string>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/mutex.h"
#include "util/posix_file.h"

namespace lull::posix {

class LockTable {
 public:
  /// Creates the file if need be. Never waits.
  leveldb::Status Lock(const std::string& name, leveldb::FileLock** result) LULL_EXCLUDES(mutex_);

  /// Deletes `lock`, which came from Lock. In a forked child, the parent's lock stays: its
  /// descriptor is left open, since closing it would release a lock that the child took itself.
  leveldb::Status Unlock(leveldb::FileLock* lock) LULL_EXCLUDES(mutex_);

 private:
  struct Held {
    std::string name;
    dev_t device;
    ino_t inode;
    UniqueFd fd;
    std::vector<UniqueFd> kept_open;  // further descriptors of the same file
  };
  class Token;

  Held* FindByNameLocked(const std::string& name) LULL_REQUIRES(mutex_);
  Held* FindByIdentityLocked(dev_t device, ino_t inode) LULL_REQUIRES(mutex_);

  Mutex mutex_;
  std::list<Held> held_ LULL_GUARDED_BY(mutex_);
};

}  // namespace lull::posix
