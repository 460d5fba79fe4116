// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// BackupWriter: makes one backup. The caller adds the tables and completes the backup; until then,
// earlier backups are all that the directory contains. Runs on the caller's thread. Holds the
// directory's lock from Begin until it is destroyed.
//
// A table of the newest earlier backup is not read again if its file has the same number, size and
// stamp. Any other table is copied unless a copy has the same bytes, such as one of an interrupted
// backup. Equal checksums are not enough.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "db/backup/backup_directory.h"
#include "db/backup/backup_list.h"
#include "db/base/context.h"
#include "db/recovery/file_content.h"
#include "db/version/version_edit.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "leveldb/status.h"
#include "lull/backup.h"

namespace lull {

class BackupWriter {
 public:
  /// `store` is the source; its Env has the backup, too.
  BackupWriter(const StoreContext* store, const std::string& dir)
      : store_(*store), directory_(store->env(), dir) {}

  leveldb::Status Begin();

  /// Whether the table was added, or the newest earlier backup might have it.
  bool Knows(uint64_t number) const { return added_.contains(number) || earlier_.contains(number); }
  /// Adds a table of the store, once: no two tables of a store have the same number. `opened`: its
  /// file, at the start, or null. Sets `*is_gone` and returns OK if it is null and the file does
  /// not exist.
  leveldb::Status AddTable(const TableMeta& table, std::unique_ptr<leveldb::SequentialFile> opened,
                           bool* is_gone);
  /// Writes entries that are in no table, in the order of internal keys, to a new one. Of each key
  /// only the newest is needed. Sets all of `*table` but the number and the level.
  leveldb::Status AddEntries(leveldb::Iterator* entries, TableMeta* table);

  /// Completes a backup of the tables in `edit`, all of them added. Fills in the rest of the edit.
  leveldb::Status Finish(VersionEdit edit, uint64_t next_file_number, BackupInfo* info);

 private:
  using Tables = std::map<uint64_t, BackedUpTable>;  // by number

  leveldb::Status Reuse(const TableMeta& table, const std::string& path,
                        const std::optional<FileStamp>& stamp, std::optional<DataName>* found);
  leveldb::Status Copy(const TableMeta& table, const std::string& path,
                       leveldb::SequentialFile* from, DataName* name);
  leveldb::Status CheckTable(uint64_t number, const std::string& path) const;
  bool IsThere(const DataName& name) const;
  leveldb::Status FindCopy(const std::string& path, const FileSum& sum,
                           std::optional<DataName>* found) const;
  leveldb::Status Publish(const FileSum& sum, DataName* name);
  leveldb::Status WriteEntries(leveldb::Iterator* entries, TableMeta* table);

  const StoreContext& store_;
  BackupDirectory directory_;
  std::multimap<uint64_t, DataName> copies_;  // of tables, by size
  Tables earlier_;                            // of the newest backup whose list can be read
  Tables added_;
  BackupInfo info_;
};

/// What to report if a backup failed with `status`: if space ran out, also what to do.
leveldb::Status ExplainFailure(const std::string& dir, const leveldb::Status& status);

}  // namespace lull
