// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// File locks between processes and within this one. They exclude those of LevelDB, and are excluded
// by them: both are record locks on the whole file. Thread-safe.
//
// Where the system can, a lock belongs to the open file (open file description locks). Other
// systems give a process record locks that it loses as soon as it closes any descriptor of the
// file, even one that a backup or another library opened. For their sake the table records which
// files are locked, by inode and by absolute name, and refuses a second lock without opening the
// file. If a concurrent rename makes it open a locked file, it keeps that descriptor until the lock
// is released.
//
// The mutex is never held during I/O: a disk that hangs must not stop stores on other disks from
// opening and closing. An entry is in the table from before its file is opened until all
// descriptors of the file are closed.
//
// A forked child does not share its parent's locks, so it needs its own table. It closes the
// descriptors of its parent's locks at once: otherwise the files would stay locked until it ends
// too.
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
  LockTable();

  /// Creates the file if it does not exist. Never blocks.
  leveldb::Status Lock(const Path& path, leveldb::FileLock** result) LULL_EXCLUDES(mutex_);

  /// See EnvExtension::CheckLock.
  leveldb::Status Check(leveldb::FileLock* lock) const;

  /// Deletes `lock`, which must come from Lock. Does nothing to a parent's lock in a forked child.
  leveldb::Status Unlock(leveldb::FileLock* lock) LULL_EXCLUDES(mutex_);

 private:
  /// Its creator uses `path` and `fd` without the mutex.
  struct Held {
    Held(std::string real_name_in, Path path_in)
        : real_name(std::move(real_name_in)), path(std::move(path_in)) {}

    const std::string real_name;
    const Path path;
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
