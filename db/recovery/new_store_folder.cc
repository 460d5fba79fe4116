// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/new_store_folder.h"

#include "db/filename.h"

namespace lull {

leveldb::Status NewStoreFolder::Make() {
  if (dir_.empty()) return leveldb::Status::InvalidArgument("the name of the new store is empty");
  std::vector<std::string> names;
  const leveldb::Status listed = env_->GetChildren(dir_, &names);
  if (!listed.ok() && !listed.IsNotFound()) return listed;
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  if (!names.empty()) {
    return leveldb::Status::InvalidArgument(
        dir_, "the directory of the new store must be empty, but contains " + names[0]);
  }
  const leveldb::Status made = env_->CreateDir(dir_);
  made_folder_ = made.ok();
  return listed.ok() ? listed : made;
}

leveldb::Status NewStoreFolder::Commit(uint64_t manifest_number) {
  // The name of a directory that already existed is its creator's responsibility.
  if (made_folder_) {
    const leveldb::Status status = SyncFolder(ParentFolderName(dir_));
    if (!status.ok()) return status;
  }
  WillCreate(TempFileName(dir_, manifest_number));
  return SetCurrentFile(env_, dir_, manifest_number);
}

void NewStoreFolder::TakeBack() {
  const std::string current = CurrentFileName(dir_);
  if (env_->FileExists(current)) {
    leveldb::Status status = env_->RemoveFile(current);
    if (status.ok()) status = Sync();
    if (!status.ok()) return;
  }
  for (const std::string& path : created_) {
    if (env_->FileExists(path)) env_->RemoveFile(path);
  }
  if (made_folder_) env_->RemoveDir(dir_);
}

}  // namespace lull
