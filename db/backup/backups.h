// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The operations on a directory of backups, for lull/backup.h and the program lull: the same, and
// with a report of their progress. Each runs on the caller's thread, and blocks while it reads and
// writes files. backup_directory.h has the invariants that hold between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/recovery/checkpoint.h"
#include "db/recovery/salvage.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "lull/backup.h"

namespace lull {

/// Makes a backup of the tables of an open store. `info` can be null.
leveldb::Status BackUpTables(const StoreContext& store, const CheckpointSource& source,
                             const std::string& dir, const WorkProgress& progress,
                             BackupInfo* info);

/// Makes a backup of the store in the directory `name`, from any process, without its LOCK. Another
/// process can write to the store meanwhile. The backup lacks writes that the other process has not
/// yet passed to the operating system. Entries in logs become a table. Corruption if a log or the
/// MANIFEST is damaged.
leveldb::Status BackUpFiles(const leveldb::Options& options, const std::string& name,
                            const std::string& dir, const WorkProgress& progress, BackupInfo* info);

struct VerifiedBackups {
  uint64_t backups = 0;  ///< lists that can be read
  uint64_t files = 0;    ///< tables that were read
  uint64_t bytes = 0;    ///< their size
  std::vector<leveldb::Status>
      damage;  ///< one for each file that is damaged, missing or unreadable
};

/// As VerifyBackup, but returns an error only if nothing could be verified.
leveldb::Status VerifyBackups(leveldb::Env* env, const std::string& dir, uint64_t id,
                              const WorkProgress& progress, VerifiedBackups* result);

/// As RestoreBackup. `info` gets the backup that was restored.
leveldb::Status RestoreFrom(leveldb::Env* env, const std::string& dir, uint64_t id,
                            const std::string& target, const WorkProgress& progress,
                            BackupInfo* info);

}  // namespace lull
