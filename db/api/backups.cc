// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The functions of lull/backup.h, except PruneBackups (db/backup/prune.cc).
#include "db/backup/backups.h"

#include <string>
#include <vector>

#include "db/backup/backup_directory.h"
#include "db/recovery/checkpoint.h"
#include "db/store/store.h"
#include "lull/backup.h"

namespace lull {

using leveldb::Status;

/// Pins the tables, then copies them without a lock of the store.
Status CreateBackup(leveldb::DB* db, const std::string& dir, BackupInfo* info) {
  Store* store = nullptr;
  Status status = Store::Of(db, "CreateBackup", &store);
  if (!status.ok()) return status;
  CheckpointSource source;
  status = store->PinTables(&source);
  return status.ok() ? BackUpTables(store->context(), source, dir, nullptr, info) : status;
}

Status ListBackups(leveldb::Env* env, const std::string& dir, std::vector<BackupInfo>* backups) {
  backups->clear();
  if (env == nullptr) return Status::InvalidArgument("ListBackups: env is null");
  const BackupDirectory directory(env, dir);
  std::vector<uint64_t> ids;
  Status result = directory.ListIds(&ids);
  for (const uint64_t id : ids) {
    BackupList list;
    const Status status = directory.ReadList(id, &list);
    if (status.ok()) {
      backups->push_back(list.info);
    } else if (result.ok() && !status.IsNotFound()) {  // a prune can remove lists meanwhile
      result = status;
    }
  }
  return result;
}

Status VerifyBackup(leveldb::Env* env, const std::string& dir, uint64_t id) {
  if (env == nullptr) return Status::InvalidArgument("VerifyBackup: env is null");
  VerifiedBackups result;
  const Status status = VerifyBackups(env, dir, id, nullptr, &result);
  return status.ok() && !result.damage.empty() ? result.damage.front() : status;
}

Status RestoreBackup(leveldb::Env* env, const std::string& dir, uint64_t id,
                     const std::string& target) {
  if (env == nullptr) return Status::InvalidArgument("RestoreBackup: env is null");
  BackupInfo info;
  return RestoreFrom(env, dir, id, target, nullptr, &info);
}

}  // namespace lull
