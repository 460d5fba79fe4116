// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// BackupDirectory: the directory of a store's backups.
//
//   LOCK             locked while a process writes to the directory
//   data/NAME        a table, named after its content (DataName)
//   backups/NNNNNN   the list of backup NNNNNN
//   data/new.tmp, backups/new.tmp   a file that is being written
//
// Invariants
// - A file gets its final name after its bytes are durable, and then never changes.
// - A list gets its final name after the names of its tables are durable. So each list that exists
//   is a complete backup, after any crash.
// - A prune makes the removal of lists durable before it removes tables.
// - Only files with names as above are removed.
//
// One thread. Writers hold the lock. Readers need none: they can see a backup disappear, but only
// as a whole, because its list disappears first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/backup/backup_list.h"
#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/file_util.h"

namespace lull {

class BackupDirectory {
 public:
  BackupDirectory(leveldb::Env* env, std::string dir);
  ~BackupDirectory();
  BackupDirectory(const BackupDirectory&) = delete;
  BackupDirectory& operator=(const BackupDirectory&) = delete;

  leveldb::Env* env() const { return env_; }
  const std::string& dir() const { return dir_; }
  std::string DataPath(const DataName& name) const { return DataDirectory() + "/" + name.ToText(); }
  std::string TempDataPath() const;
  std::string ListPath(uint64_t id) const;

  // ---- readers

  /// The ids of all lists, ascending, also of those that cannot be read. NotFound if there is no
  /// list.
  leveldb::Status ListIds(std::vector<uint64_t>* ids) const;
  leveldb::Status ReadList(uint64_t id, BackupList* list) const;
  /// All copies of tables, also those that no list names.
  leveldb::Status ListData(std::vector<DataName>* names) const;

  // ---- writers

  /// Creates what is missing of the directory, and locks it. Removes temporary files.
  leveldb::Status CreateAndLock();
  /// Locks a directory that exists. Removes temporary files.
  leveldb::Status Lock();
  /// Makes the names in data/ durable.
  leveldb::Status SyncData() const { return Sync(DataDirectory()); }
  /// Completes a backup. REQUIRES: its tables and their names are durable; no list has this id.
  leveldb::Status WriteList(const BackupList& list);
  /// Removes a list; durable after SyncLists.
  leveldb::Status RemoveList(uint64_t id) { return env_->RemoveFile(ListPath(id)); }
  leveldb::Status SyncLists() const { return Sync(ListDirectory()); }

 private:
  std::string DataDirectory() const { return dir_ + "/data"; }
  std::string ListDirectory() const { return dir_ + "/backups"; }
  std::string TempListPath() const;
  leveldb::Status Sync(const std::string& directory) const { return SyncNamesIn(env_, directory); }
  leveldb::Status MakeDirectory(const std::string& directory) const;

  leveldb::Env* const env_;
  const std::string dir_;
  leveldb::FileLock* lock_ = nullptr;
};

}  // namespace lull
