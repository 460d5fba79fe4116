// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes a backup as a store: a copy of each table, a MANIFEST with the list's record, and CURRENT.
// Verifies the checksums of what it copies. Knows no comparator: the record is written as it is.
#include <memory>
#include <utility>

#include "db/backup/backup_directory.h"
#include "db/backup/backups.h"
#include "db/backup/file_content.h"
#include "db/base/filename.h"
#include "db/recovery/new_store_directory.h"
#include "db/wal/log_writer.h"

namespace lull {
namespace {

using leveldb::Status;

class Restorer {
 public:
  Restorer(const BackupDirectory* from, const std::string& target)
      : from_(*from), env_(from->env()), target_(target), directory_(env_, target) {}

  Status Restore(const BackupList& list, const BackupProgress& progress) {
    Status status = directory_.Make();
    if (!status.ok()) return status;
    status = WriteFiles(list, progress);
    if (!status.ok()) directory_.TakeBack();
    return status;
  }

 private:
  Status WriteFiles(const BackupList& list, const BackupProgress& progress);
  Status CopyTable(const BackedUpTable& table);
  Status WriteManifest(const VersionEdit& edit, uint64_t number);

  const BackupDirectory& from_;
  leveldb::Env* const env_;
  const std::string target_;
  NewStoreDirectory directory_;
};

Status Restorer::WriteFiles(const BackupList& list, const BackupProgress& progress) {
  Status status;
  for (const BackedUpTable& table : list.tables) {
    status = CopyTable(table);
    if (!status.ok()) return status;
    if (progress) progress(list.info.bytes, table.bytes());
  }
  const uint64_t number = *list.edit.next_file_number - 1;
  status = WriteManifest(list.edit, number);
  if (status.ok()) status = directory_.Sync();
  return status.ok() ? directory_.Commit(number) : status;
}

Status Restorer::CopyTable(const BackedUpTable& table) {
  const std::string path = from_.DataPath(table.data);
  leveldb::SequentialFile* raw = nullptr;
  Status status = env_->NewSequentialFile(path, &raw);
  if (status.IsNotFound()) return Status::Corruption(path, "is missing");
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::SequentialFile> file(raw);
  const std::string to = TableFileName(target_, table.number);
  FileSum sum;
  status = CopyContent(env_, file.get(), to, &sum);
  if (status.ok() && sum != table.data.sum)
    status = Status::Corruption(path, "its content does not match its size and checksum");
  return status;
}

Status Restorer::WriteManifest(const VersionEdit& edit, uint64_t number) {
  const std::string path = DescriptorFileName(target_, number);
  leveldb::WritableFile* raw = nullptr;
  Status status = env_->NewWritableFile(path, &raw);
  if (!status.ok()) return status;
  log::Writer writer{std::unique_ptr<leveldb::WritableFile>(raw)};
  std::string record;
  edit.EncodeTo(&record);
  status = writer.AddRecord(record);
  if (status.ok()) status = writer.Sync();
  if (status.ok()) status = writer.Close();
  return status;
}

}  // namespace

Status RestoreFrom(leveldb::Env* env, const std::string& dir, uint64_t id,
                   const std::string& target, const BackupProgress& progress, BackupInfo* info) {
  const BackupDirectory directory(env, dir);
  if (id == 0) {
    std::vector<uint64_t> ids;
    const Status status = directory.ListIds(&ids);
    if (!status.ok()) return status;
    id = ids.back();
  }
  BackupList list;
  Status status = directory.ReadList(id, &list);
  if (!status.ok()) return status;
  status = Restorer(&directory, target).Restore(list, progress);
  if (status.IsCorruption() && !env->FileExists(directory.ListPath(id)))
    return Status::NotFound(dir, "backup " + std::to_string(id) + " was removed meanwhile");
  if (status.ok()) *info = list.info;
  return status;
}

}  // namespace lull
