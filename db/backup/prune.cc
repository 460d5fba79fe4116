// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Removes old backups: first their lists, then, once that is durable, the copies of tables that no
// remaining list names. After an interruption the next prune removes the rest.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/backup/backup_directory.h"
#include "lull/backup.h"

namespace lull {
namespace {

using leveldb::Status;

class Pruner {
 public:
  Pruner(BackupDirectory* directory, PrunedBackups* pruned)
      : directory_(*directory), pruned_(*pruned) {}

  Status Run(uint64_t keep);

 private:
  Status ReadKept(uint64_t id);
  Status RemoveData();

  BackupDirectory& directory_;
  PrunedBackups& pruned_;
  std::set<std::string> needed_;  // paths of copies
};

Status Pruner::Run(uint64_t keep) {
  std::vector<uint64_t> ids;
  Status status = directory_.ListIds(&ids);  // before the lock: there might be no directory
  if (status.ok()) status = directory_.Lock();
  if (status.ok()) status = directory_.ListIds(&ids);
  if (!status.ok()) return status;
  const size_t kept = static_cast<size_t>(std::min<uint64_t>(keep, ids.size()));
  const auto first_kept = ids.end() - static_cast<ptrdiff_t>(kept);
  for (auto id = first_kept; status.ok() && id != ids.end(); ++id) status = ReadKept(*id);
  for (auto id = ids.begin(); status.ok() && id != first_kept; ++id) {
    status = directory_.RemoveList(*id);
    if (status.ok()) ++pruned_.backups;
  }
  if (status.ok()) status = directory_.SyncLists();
  return status.ok() ? RemoveData() : status;
}

Status Pruner::ReadKept(uint64_t id) {
  BackupList list;
  const Status status = directory_.ReadList(id, &list);
  for (const BackedUpTable& table : list.tables) needed_.insert(directory_.DataPath(table.data));
  return status;
}

Status Pruner::RemoveData() {
  std::vector<DataName> names;
  Status result = directory_.ListData(&names);
  for (const DataName& name : names) {
    if (needed_.contains(directory_.DataPath(name))) continue;
    const Status removed = directory_.env()->RemoveFile(directory_.DataPath(name));
    if (removed.ok()) {
      ++pruned_.files;
      pruned_.bytes += name.sum.bytes;
    } else if (result.ok()) {
      result = removed;
    }
  }
  return result;
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
  return Pruner(&directory, pruned).Run(keep);
}

}  // namespace lull
