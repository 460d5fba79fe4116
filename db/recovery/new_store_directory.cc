// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/new_store_directory.h"

#include <optional>
#include <vector>

#include "db/base/filename.h"
#include "db/base/store_mark.h"
#include "util/file_util.h"

namespace lull {
namespace {

/// Whether an attempt can leave this file before it has marked its directory.
bool PrecedesMark(const std::string& name) {
  const std::optional<ParsedFileName> parsed = ParseFileName(name);
  return parsed && (parsed->kind == FileKind::kLock || parsed->kind == FileKind::kTemp);
}

bool IsRegularFile(leveldb::Env* env, const std::string& name) {
  return env->FileExists(name) && !IsNoFile(env, name);
}

class NewStoreDirectory {
 public:
  NewStoreDirectory(leveldb::Env* env, const std::string& dir) : env_(env), dir_(dir) {}

  leveldb::Status Make();
  leveldb::Status Commit(uint64_t manifest_number);
  /// After a failure of any call but Make.
  void TakeBack();

 private:
  leveldb::Status CheckIsEmpty();
  leveldb::Status Begin();
  void Unlock();

  leveldb::Env* const env_;
  const std::string dir_;
  leveldb::FileLock* lock_ = nullptr;
  bool is_ours_ = false;  // this attempt or an earlier one created the directory
};

/// Fails if the directory has files that no earlier attempt created. Sets is_ours_ if one did.
leveldb::Status NewStoreDirectory::CheckIsEmpty() {
  std::vector<std::string> names;
  const leveldb::Status status = env_->GetChildren(dir_, &names);
  if (!status.ok()) return status;
  const bool is_marked = ReadMark(env_, dir_) != StoreMark::kNone;
  is_ours_ = is_ours_ || is_marked;
  for (const std::string& name : names) {
    if (name == "." || name == ".." || PrecedesMark(name) || (is_marked && ParseFileName(name)))
      continue;
    return leveldb::Status::InvalidArgument(
        dir_, "the directory of the new store must be empty, but contains " + name);
  }
  return status;
}

leveldb::Status NewStoreDirectory::Make() {
  if (dir_.empty()) return leveldb::Status::InvalidArgument("the name of the new store is empty");
  leveldb::Status status = CheckIsEmpty();
  if (status.IsNotFound()) {
    status = env_->CreateDir(dir_);
    is_ours_ = status.ok();
    if (status.IsNotFound())
      return leveldb::Status::InvalidArgument(dir_, "its parent directory does not exist");
  }
  if (status.IsIOError() && IsRegularFile(env_, dir_))
    return leveldb::Status::InvalidArgument(dir_, "is a file, not a directory");
  if (status.IsIOError() && IsRegularFile(env_, ParentDirectoryName(dir_)))
    return leveldb::Status::InvalidArgument(dir_, "its parent is a file, not a directory");
  if (status.ok()) status = env_->LockFile(LockFileName(dir_), &lock_);
  if (status.ok()) status = Begin();
  if (!status.ok() && is_ours_) env_->RemoveDir(dir_);  // fails unless it is empty
  return status;
}

/// REQUIRES: the LOCK is held. Releases it after a failure.
leveldb::Status NewStoreDirectory::Begin() {
  leveldb::Status status = CheckIsEmpty();  // another process may have finished meanwhile
  if (!status.ok()) {
    Unlock();
    return status;
  }
  status = RemoveStoreFiles(env_, dir_);
  if (status.ok()) status = WriteMark(env_, dir_, StoreMark::kUnfinished);
  if (!status.ok()) TakeBack();
  return status;
}

leveldb::Status NewStoreDirectory::Commit(uint64_t manifest_number) {
  // The name of a directory that already existed is its creator's responsibility.
  leveldb::Status status =
      is_ours_ ? SyncNamesIn(env_, ParentDirectoryName(dir_)) : leveldb::Status::OK();
  if (status.ok()) status = SetCurrentFile(env_, dir_, manifest_number);
  if (status.ok()) Unlock();
  return status;
}

void NewStoreDirectory::TakeBack() {
  // CURRENT can name the MANIFEST if only the last sync failed.
  leveldb::Status status;
  if (env_->FileExists(CurrentFileName(dir_)) && ReadMark(env_, dir_) == StoreMark::kNone)
    status = WriteMark(env_, dir_, StoreMark::kUnfinished);
  if (status.ok()) status = RemoveStoreFiles(env_, dir_);
  Unlock();
  if (status.ok() && is_ours_) env_->RemoveDir(dir_);
}

/// Unlinks the LOCK while it is held: later, another process might hold a new one.
void NewStoreDirectory::Unlock() {
  env_->RemoveFile(LockFileName(dir_));
  env_->UnlockFile(lock_);
}

}  // namespace

leveldb::Status WriteNewStore(leveldb::Env* env, const std::string& dir, uint64_t manifest_number,
                              const std::function<leveldb::Status()>& write_files) {
  NewStoreDirectory directory(env, dir);
  leveldb::Status status = directory.Make();
  if (!status.ok()) return status;
  status = write_files();
  if (status.ok()) status = directory.Commit(manifest_number);
  if (!status.ok()) directory.TakeBack();
  return status;
}

}  // namespace lull
