// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/backup/backup_directory.h"

#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr char kTempName[] = "/new.tmp";

std::string WithoutEndingSlash(std::string dir) {
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
  return dir;
}

}  // namespace

BackupDirectory::BackupDirectory(leveldb::Env* env, std::string dir)
    : env_(env), dir_(WithoutEndingSlash(std::move(dir))) {}

BackupDirectory::~BackupDirectory() {
  if (lock_ != nullptr) env_->UnlockFile(lock_);
}

std::string BackupDirectory::TempDataPath() const { return DataDirectory() + kTempName; }
std::string BackupDirectory::TempListPath() const { return ListDirectory() + kTempName; }
std::string BackupDirectory::ListPath(uint64_t id) const {
  return ListDirectory() + "/" + PaddedNumber(id);
}

Status BackupDirectory::ListIds(std::vector<uint64_t>* ids) const {
  ids->clear();
  std::vector<std::string> names;
  const Status status = env_->GetChildren(ListDirectory(), &names);
  if (!status.ok() && !status.IsNotFound()) return status;
  for (const std::string& name : names) {
    Slice rest(name);
    uint64_t id = 0;
    if (ConsumeDecimal(&rest, &id) && id > 0 && PaddedNumber(id) == name) ids->push_back(id);
  }
  std::sort(ids->begin(), ids->end());
  return ids->empty() ? Status::NotFound(dir_, "contains no backups") : Status::OK();
}

Status BackupDirectory::ReadList(uint64_t id, BackupList* list) const {
  const std::string path = ListPath(id);
  std::string text;
  Status status = leveldb::ReadFileToString(env_, path, &text);
  if (status.IsNotFound())
    return Status::NotFound(dir_, "there is no backup " + std::to_string(id));
  if (status.ok()) status = list->FromText(path, text);
  if (status.ok() && list->info.id != id)
    status = Status::Corruption(path, "is the list of backup " + std::to_string(list->info.id));
  return status;
}

Status BackupDirectory::ListData(std::vector<DataName>* names) const {
  names->clear();
  std::vector<std::string> children;
  const Status status = env_->GetChildren(DataDirectory(), &children);
  for (const std::string& child : children) {
    if (const auto name = DataName::FromText(child)) names->push_back(*name);
  }
  return status.IsNotFound() ? Status::OK() : status;
}

Status BackupDirectory::MakeDirectory(const std::string& directory) const {
  return env_->FileExists(directory) ? Status::OK() : env_->CreateDir(directory);
}

Status BackupDirectory::CreateAndLock() {
  if (dir_.empty()) return Status::InvalidArgument("the name of the backup directory is empty");
  bool is_store = false;
  Status status = FindFile(env_, CurrentFileName(dir_), &is_store);
  if (is_store)
    return Status::InvalidArgument(dir_, "is a store; choose another directory for its backups");
  const bool is_new = !env_->FileExists(dir_);
  if (status.ok()) status = MakeDirectory(dir_);
  if (status.ok()) status = Lock();
  if (status.ok()) status = MakeDirectory(DataDirectory());
  if (status.ok()) status = MakeDirectory(ListDirectory());
  // Also if an interrupted call made it.
  if (status.ok()) status = Sync(dir_);
  if (!status.ok()) return status;
  // The parent of an older directory need not be accessible.
  const Status named = Sync(ParentDirectoryName(dir_));
  return is_new ? named : status;
}

Status BackupDirectory::Lock() {
  const Status status = env_->LockFile(LockFileName(dir_), &lock_);
  if (!status.ok()) {
    return Status::IOError(
        dir_, "cannot be locked; another backup or prune may be running: " + status.ToString());
  }
  for (const std::string& path : {TempDataPath(), TempListPath()}) {
    if (!env_->FileExists(path)) continue;
    const Status removed = env_->RemoveFile(path);
    if (!removed.ok()) return removed;
  }
  return status;
}

Status BackupDirectory::WriteList(const BackupList& list) {
  const std::string temp = TempListPath();
  Status status = WriteStringToFileSync(env_, list.ToText(), temp);
  if (!status.ok()) return status;  // the temp file is already removed
  status = env_->RenameFile(temp, ListPath(list.info.id));
  if (!status.ok()) {
    env_->RemoveFile(temp);
    return status;
  }
  return SyncLists();
}

}  // namespace lull
