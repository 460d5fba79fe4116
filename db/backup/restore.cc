// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes a backup as a store: a copy of each table, a MANIFEST with the list's record, and CURRENT.
// Verifies the checksums of what it copies. Knows no comparator: the record is written as it is.
#include <memory>

#include "db/backup/backup_directory.h"
#include "db/backup/backups.h"
#include "db/base/filename.h"
#include "db/recovery/file_content.h"
#include "db/recovery/new_store_directory.h"
#include "db/wal/log_writer.h"
#include "util/file_util.h"

namespace lull {
namespace {

using leveldb::Status;

Status CopyTable(leveldb::Env* env, const BackedUpTable& table, const std::string& from,
                 const std::string& to) {
  std::unique_ptr<leveldb::SequentialFile> file;
  Status status = OpenForReading(env, from, &file);
  if (status.IsNotFound()) return Status::Corruption(from, "is missing");
  if (!status.ok()) return status;
  FileSum sum;
  status = CopyContent(env, file.get(), to, &sum);
  if (status.ok() && sum != table.data.sum)
    status = Status::Corruption(from, "its content does not match its size and checksum");
  return status;
}

Status WriteManifest(leveldb::Env* env, const VersionEdit& edit, const std::string& path) {
  leveldb::WritableFile* raw = nullptr;
  Status status = env->NewWritableFile(path, &raw);
  if (!status.ok()) return status;
  log::Writer writer{std::unique_ptr<leveldb::WritableFile>(raw)};
  std::string record;
  edit.EncodeTo(&record);
  status = writer.AddRecord(record);
  if (status.ok()) status = writer.Sync();
  if (status.ok()) status = writer.Close();
  return status;
}

Status WriteFiles(const BackupDirectory& backups, const BackupList& list, const std::string& target,
                  uint64_t manifest_number, const WorkProgress& progress) {
  leveldb::Env* const env = backups.env();
  for (const BackedUpTable& table : list.tables) {
    const Status status =
        CopyTable(env, table, backups.DataPath(table.data), TableFileName(target, table.number));
    if (!status.ok()) return status;
    if (progress) progress(list.info.bytes, table.bytes());
  }
  const Status status = WriteManifest(env, list.edit, DescriptorFileName(target, manifest_number));
  return status.ok() ? SyncNamesIn(env, target) : status;
}

}  // namespace

Status RestoreFrom(leveldb::Env* env, const std::string& dir, uint64_t id,
                   const std::string& target, const WorkProgress& progress, BackupInfo* info) {
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
  const uint64_t number = *list.edit.next_file_number - 1;
  status = WriteNewStore(env, target, number,
                         [&] { return WriteFiles(directory, list, target, number, progress); });
  if (status.IsCorruption() && !env->FileExists(directory.ListPath(id)))
    return Status::NotFound(dir, "backup " + std::to_string(id) + " was removed meanwhile");
  if (status.ok()) *info = list.info;
  return status;
}

Status RestoreBackup(leveldb::Env* env, const std::string& dir, uint64_t id,
                     const std::string& target) {
  if (env == nullptr) return Status::InvalidArgument("RestoreBackup: env is null");
  BackupInfo info;
  return RestoreFrom(env, dir, id, target, nullptr, &info);
}

}  // namespace lull
