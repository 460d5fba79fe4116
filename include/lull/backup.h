// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Backups of a store in a directory of their own, which can be on another device. Each backup is
// the store at one moment. A table is copied once, however many backups contain it, so a backup
// costs what has changed since the previous one.
//
// Files in the directory never change after they are written, so any tool can copy it elsewhere
// while no function here writes to it. Use one directory for each store. Functions that write
// (CreateBackup, PruneBackups) lock the directory and fail with IOError while another one runs, in
// this or another process. The others need no lock and write nothing to the directory.
//
// After a crash at any moment, each backup is complete or absent, and the next CreateBackup uses
// the tables that were already copied. Files that are not from a backup are ignored, never removed.
//
// Every function can be called from any thread. `env` must not be null.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/export.h"
#include "leveldb/status.h"

namespace lull {

/// One backup.
struct BackupInfo {
  uint64_t id = 0;            ///< from 1; later backups have higher ids
  uint64_t unix_seconds = 0;  ///< when it was complete
  uint64_t files = 0;         ///< tables that it consists of
  uint64_t bytes = 0;         ///< their size
  uint64_t new_files = 0;     ///< tables that it copied; earlier backups already had the others
  uint64_t new_bytes = 0;     ///< their size
};

/// What PruneBackups removed.
struct PrunedBackups {
  uint64_t backups = 0;  ///< backups
  uint64_t files = 0;    ///< tables that no remaining backup needs
  uint64_t bytes = 0;    ///< their size
};

/// Adds a backup of the store to the directory `dir`, while writers and background work continue.
/// The backup contains every batch acknowledged before the call, and of those written during it the
/// first ones, possibly none, each completely. Flushes memtables first, so it fails where Flush
/// fails. Uses the Env of `db`, which must stay open during the call.
///
/// Creates `dir` if its parent exists. Reads all tables that the newest backup lacks, and verifies
/// their checksums: Corruption names a damaged one, and no backup is made.
///
/// On OK the backup is on stable storage, and `*info`, which can be null, describes it. After an
/// error, such as of a full disk, earlier backups are unharmed, and the tables copied so far stay
/// for the next call.
LEVELDB_EXPORT leveldb::Status CreateBackup(leveldb::DB* db, const std::string& dir,
                                            BackupInfo* info = nullptr);

/// Lists the backups in `dir`, oldest first. NotFound if it contains none. Corruption names a
/// backup that cannot be read; `*backups` then has the others.
LEVELDB_EXPORT leveldb::Status ListBackups(leveldb::Env* env, const std::string& dir,
                                           std::vector<BackupInfo>* backups);

/// Reads all files of the backup `id` and compares them with the checksums from when they were
/// written. 0: of all backups, each file once. Corruption names the first damaged or missing file
/// and the backups that need it; NotFound: there is no such backup.
LEVELDB_EXPORT leveldb::Status VerifyBackup(leveldb::Env* env, const std::string& dir, uint64_t id);

/// Writes the store as of the backup `id` to the directory `target`, and verifies checksums; 0: the
/// newest backup. `target` must be an empty directory, or must not exist while its parent does;
/// otherwise InvalidArgument. On OK the store is on stable storage; open it with the comparator and
/// filter policy of the original. On an error the call removes what it created. After a crash,
/// `target` contains the complete store or none.
LEVELDB_EXPORT leveldb::Status RestoreBackup(leveldb::Env* env, const std::string& dir, uint64_t id,
                                             const std::string& target);

/// Removes all but the newest `keep` backups, then the tables that no remaining backup needs, also
/// those of interrupted backups. `*pruned`, which can be null, tells what was removed, also after
/// an error. InvalidArgument if `keep` is 0. Corruption if a backup to keep cannot be read; then
/// nothing is removed.
LEVELDB_EXPORT leveldb::Status PruneBackups(leveldb::Env* env, const std::string& dir,
                                            uint64_t keep, PrunedBackups* pruned = nullptr);

}  // namespace lull
