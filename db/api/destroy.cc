// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DestroyDB: removes the files that a store has written, and no others. Files in lost/ stay, and
// with them the directory: they were unreadable once, and have no other copy. Only the notes of
// WALs in lost/ are removed, since they are about this store only.

#include <optional>
#include <string>
#include <vector>

#include "db/filename.h"
#include "db/recovery/lost_files.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"

namespace leveldb {
namespace {

Status RemoveNotes(Env* env, const std::string& lost) {
  std::vector<std::string> names;
  env->GetChildren(lost, &names);  // fails if there is no lost/
  Status result;
  for (const std::string& child : names) {
    if (!child.ends_with(lull::kReplayedToSuffix)) continue;
    const Status removed = env->RemoveFile(lost + "/" + child);
    if (result.ok()) result = removed;
  }
  return result;
}

}  // namespace

Status DestroyDB(const std::string& name, const Options& options) {
  Env* const env = options.env;
  if (env == nullptr) return Status::InvalidArgument(name, "Options::env is null");
  std::vector<std::string> names;
  if (!env->GetChildren(name, &names).ok()) return Status::OK();

  const std::string lock_name = lull::LockFileName(name);
  FileLock* lock = nullptr;
  Status result = env->LockFile(lock_name, &lock);
  if (!result.ok()) return result;

  // Remove CURRENT first: without it, the rest after an interruption is no store.
  const std::string current_name = lull::CurrentFileName(name);
  if (env->FileExists(current_name)) result = env->RemoveFile(current_name);
  if (result.ok()) result = RemoveNotes(env, lull::LostFolderName(name));
  if (result.ok()) {
    for (const std::string& child : names) {
      const std::optional<lull::ParsedFileName> parsed = lull::ParseFileName(child);
      if (!parsed || parsed->kind == lull::FileKind::kLock ||
          parsed->kind == lull::FileKind::kCurrent) {
        continue;
      }
      const Status removed = env->RemoveFile(name + "/" + child);
      if (result.ok()) result = removed;
    }
  }

  // Unlink the LOCK while it is held: later, another process might hold a new one. If the Env
  // cannot unlink an open file, try again after the unlock.
  const bool unlinked = result.ok() && env->RemoveFile(lock_name).ok();
  const Status unlocked = env->UnlockFile(lock);
  if (!result.ok()) return result;
  if (!unlinked) env->RemoveFile(lock_name);
  env->RemoveDir(name);  // fails, as it must, if it contains other files
  return unlocked;
}

}  // namespace leveldb
