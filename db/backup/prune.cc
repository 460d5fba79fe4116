// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Removes old backups: first their lists, then, once that is durable, the copies of tables that no
// remaining list names. After an interruption the next prune removes the rest.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "db/backup/backup_directory.h"
#include "lull/backup.h"

namespace lull {
namespace {

using leveldb::Status;

/// Removes the copies of tables whose paths are not `needed`.
Status RemoveData(const BackupDirectory& directory, const std::set<std::string>& needed,
                  PrunedBackups* pruned) {
  std::vector<DataName> names;
  Status result = directory.ListData(&names);
  for (const DataName& name : names) {
    if (needed.contains(directory.DataPath(name))) continue;
    const Status removed = directory.env()->RemoveFile(directory.DataPath(name));
    if (removed.ok()) {
      ++pruned->files;
      pruned->bytes += name.sum.bytes;
    } else if (result.ok()) {
      result = removed;
    }
  }
  return result;
}

Status Prune(BackupDirectory* directory, uint64_t keep, PrunedBackups* pruned) {
  std::vector<uint64_t> ids;
  Status status = directory->ListIds(&ids);  // before the lock: there might be no directory
  if (status.ok()) status = directory->Lock();
  if (status.ok()) status = directory->ListIds(&ids);
  if (!status.ok()) return status;
  const size_t kept = static_cast<size_t>(std::min<uint64_t>(keep, ids.size()));
  const auto first_kept = ids.end() - static_cast<ptrdiff_t>(kept);
  std::set<std::string> needed;  // paths of copies
  for (auto id = first_kept; status.ok() && id != ids.end(); ++id) {
    BackupList list;
    status = directory->ReadList(*id, &list);
    for (const BackedUpTable& table : list.tables) needed.insert(directory->DataPath(table.data));
  }
  for (auto id = ids.begin(); status.ok() && id != first_kept; ++id) {
    status = directory->RemoveList(*id);
    if (status.ok()) ++pruned->backups;
  }
  if (status.ok()) status = directory->SyncLists();
  return status.ok() ? RemoveData(*directory, needed, pruned) : status;
}

}  // namespace

Status PruneBackups(leveldb::Env* env, const std::string& dir, uint64_t keep,
                    PrunedBackups* pruned) {
  PrunedBackups unread;
  if (pruned == nullptr) pruned = &unread;
  *pruned = {};
  if (env == nullptr) return Status::InvalidArgument("PruneBackups: env is null");
  if (keep == 0) return Status::InvalidArgument(dir, "PruneBackups must keep at least one backup");
  BackupDirectory directory(env, dir);
  return Prune(&directory, keep, pruned);
}

}  // namespace lull
