// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DestroyDB: removes the files that a store has written, and no others. Files in lost/ stay, and
// with them the directory: they were unreadable once, and have no other copy.

#include <algorithm>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace leveldb {
namespace {

bool IsOfStore(const std::string& name) {
  const auto parsed = lull::ParseFileName(name);
  return parsed && parsed->kind != lull::FileKind::kLock &&
         parsed->kind != lull::FileKind::kInfoLog;
}

Status RemoveStore(Env* env, const std::string& name) {
  Status status = lull::WriteMark(env, name, lull::StoreMark::kDestroyed);
  // On a full disk, an interruption can leave files of no store that RepairDB would collect.
  const std::string current = lull::CurrentFileName(name);
  if (lull::IsOutOfResources(status))
    status = env->FileExists(current) ? env->RemoveFile(current) : Status::OK();
  return status.ok() ? lull::RemoveStoreFiles(env, name) : status;
}

}  // namespace

Status DestroyDB(const std::string& name, const Options& options) {
  Env* const env = options.env;
  if (env == nullptr) return Status::InvalidArgument(name, "Options::env is null");
  std::vector<std::string> names;
  bool exists = false;
  Status result = env->GetChildren(name, &names);
  if (!result.ok()) {
    const Status found = lull::FindFile(env, name, &exists);
    return found.ok() && !exists ? found : result;
  }

  const std::string lock_name = lull::LockFileName(name);
  FileLock* lock = nullptr;
  result = env->LockFile(lock_name, &lock);
  if (!result.ok()) return result;
  if (std::any_of(names.begin(), names.end(), IsOfStore)) result = RemoveStore(env, name);
  for (const std::string& log : {lull::InfoLogFileName(name), lull::OldInfoLogFileName(name)}) {
    if (result.ok() && env->FileExists(log)) result = env->RemoveFile(log);
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
