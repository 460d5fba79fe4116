// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/backup/backup_writer.h"

#include <utility>
#include <vector>

#include "db/base/dbformat.h"
#include "db/base/filename.h"
#include "db/recovery/salvage.h"
#include "table/table_writer.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

Status BackupWriter::Begin() {
  Status status = directory_.CreateAndLock();
  if (!status.ok()) return status;
  std::vector<uint64_t> ids;
  status = directory_.ListIds(&ids);
  if (!status.ok() && !status.IsNotFound()) return status;
  info_.id = ids.empty() ? 1 : ids.back() + 1;
  // A list that cannot be read only costs the reading of tables.
  for (auto id = ids.rbegin(); id != ids.rend() && earlier_.empty(); ++id) {
    BackupList list;
    if (!directory_.ReadList(*id, &list).ok()) continue;
    for (const BackedUpTable& table : list.tables) earlier_.emplace(table.number, table);
  }
  std::vector<DataName> names;
  status = directory_.ListData(&names);
  for (const DataName& name : names) copies_.emplace(name.sum.bytes, name);
  return status;
}

Status BackupWriter::AddTable(const TableMeta& table,
                              std::unique_ptr<leveldb::SequentialFile> opened, bool* is_gone) {
  *is_gone = false;
  if (added_.contains(table.number)) return Status::OK();
  const std::string path = ExistingTableFileName(store_.env(), store_.name, table.number);
  const std::optional<FileStamp> stamp = store_.StampOf(path);
  std::optional<DataName> name;
  Status status = Reuse(table, path, stamp, &name);
  if (status.ok() && !name && opened == nullptr) {
    status = OpenForReading(store_.env(), path, &opened);
    if (status.IsNotFound()) {
      *is_gone = true;
      return Status::OK();
    }
  }
  if (status.ok() && !name) status = Copy(table, path, opened.get(), &name.emplace());
  if (status.ok()) added_.emplace(table.number, BackedUpTable{table.number, *name, stamp});
  return status;
}

/// Finds a copy of the table. Reads the file only if there might be one.
Status BackupWriter::Reuse(const TableMeta& table, const std::string& path,
                           const std::optional<FileStamp>& stamp, std::optional<DataName>* found) {
  if (!copies_.contains(table.file_bytes)) return Status::OK();
  const auto earlier = earlier_.find(table.number);
  if (stamp && earlier != earlier_.end() && earlier->second.stamp == stamp &&
      earlier->second.bytes() == table.file_bytes && IsThere(earlier->second.data)) {
    *found = earlier->second.data;
    return Status::OK();
  }
  FileSum sum;
  const Status status = SumFile(store_.env(), path, &sum);
  // If the file is gone, only the opened one can be copied.
  if (!status.ok()) return status.IsNotFound() ? Status::OK() : status;
  return FindCopy(path, sum, found);
}

/// Whether the copy exists and has the size that its name says.
bool BackupWriter::IsThere(const DataName& name) const {
  uint64_t bytes = 0;
  return store_.env()->GetFileSize(directory_.DataPath(name), &bytes).ok() &&
         bytes == name.sum.bytes;
}

/// Finds a copy of the file at `path`, whose sum is `sum`. `*found`: nullopt if no copy has the
/// same bytes.
Status BackupWriter::FindCopy(const std::string& path, const FileSum& sum,
                              std::optional<DataName>* found) const {
  found->reset();
  const auto [begin, end] = copies_.equal_range(sum.bytes);
  for (auto candidate = begin; candidate != end; ++candidate) {
    const DataName& name = candidate->second;
    if (name.sum != sum) continue;
    bool same = false;
    const Status status = SameContent(store_.env(), path, directory_.DataPath(name), &same);
    if (!status.ok() && !status.IsNotFound()) return status;
    if (!same) continue;
    *found = name;
    break;
  }
  return Status::OK();
}

Status BackupWriter::Copy(const TableMeta& table, const std::string& path,
                          leveldb::SequentialFile* from, DataName* name) {
  const std::string temp = directory_.TempDataPath();
  FileSum sum;
  Status status = CopyContent(store_.env(), from, temp, &sum);
  if (!status.ok()) return status;
  if (sum.bytes != table.file_bytes) {
    status = Status::Corruption(path, "has " + std::to_string(sum.bytes) + " bytes, not " +
                                          std::to_string(table.file_bytes));
  }
  if (status.ok()) {
    status = CheckTable(table.number, temp);
    if (status.IsCorruption())
      status = Status::Corruption(path, "the copy of it is damaged: " + status.ToString());
  }
  if (status.ok()) status = Publish(sum, name);
  if (!status.ok()) store_.env()->RemoveFile(temp);
  return status;
}

/// Verifies the checksums of a table's blocks.
Status BackupWriter::CheckTable(uint64_t number, const std::string& path) const {
  TableScan scan;
  const Status status = ScanTable(store_, number, path, &scan);
  return status.ok() ? scan.damage : status;
}

/// Gives the new copy at the temporary path its name. If there is already a copy of the same
/// content, removes the new one.
Status BackupWriter::Publish(const FileSum& sum, DataName* name) {
  leveldb::Env* const env = store_.env();
  const std::string temp = directory_.TempDataPath();
  std::optional<DataName> found;
  Status status = FindCopy(temp, sum, &found);
  if (!status.ok()) return status;
  *name = found.value_or(DataName{sum, 0});
  if (found) return env->RemoveFile(temp);
  while (env->FileExists(directory_.DataPath(*name))) ++name->twin;
  status = env->RenameFile(temp, directory_.DataPath(*name));
  if (!status.ok()) return status;
  copies_.emplace(sum.bytes, *name);
  ++info_.new_files;
  info_.new_bytes += sum.bytes;
  return status;
}

Status BackupWriter::WriteEntries(leveldb::Iterator* entries, TableMeta* table) {
  std::unique_ptr<leveldb::WritableFile> file;
  Status status = NewDataFile(store_.env(), directory_.TempDataPath(), &file);
  if (!status.ok()) return status;
  TableWriter writer(store_.WriteOptions(), file.get());
  const leveldb::Comparator* const comparator = store_.options.comparator;
  for (entries->SeekToFirst(); entries->Valid() && writer.status().ok(); entries->Next()) {
    const Slice key = entries->key();
    const bool is_older = !table->largest.empty() &&
                          comparator->Compare(UserKeyOf(key), UserKeyOf(table->largest)) == 0;
    if (is_older) continue;
    if (table->smallest.empty()) table->smallest = key.ToString();
    table->largest = key.ToString();
    writer.Add(key, entries->value());
  }
  status = entries->status();
  if (status.ok()) {
    status = writer.Finish();
  } else {
    writer.Abandon();
  }
  table->file_bytes = writer.FileBytes();
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  return status;
}

Status BackupWriter::AddEntries(leveldb::Iterator* entries, TableMeta* table) {
  const std::string temp = directory_.TempDataPath();
  table->smallest.clear();
  table->largest.clear();
  Status status = WriteEntries(entries, table);
  FileSum sum;
  if (status.ok()) status = SumFile(store_.env(), temp, &sum);
  if (status.ok() && sum.bytes != table->file_bytes)
    status = Status::IOError(temp, "does not have the size that was written");
  DataName name;
  if (status.ok()) status = Publish(sum, &name);
  if (!status.ok()) {
    store_.env()->RemoveFile(temp);
    return status;
  }
  added_.emplace(table->number, BackedUpTable{table->number, name, std::nullopt});
  return status;
}

Status BackupWriter::Finish(VersionEdit edit, uint64_t next_file_number, BackupInfo* info) {
  BackupList list;
  edit.comparator = store_.options.comparator->Name();
  edit.log_number = 0;  // no WAL
  edit.prev_log_number = 0;
  edit.next_file_number = next_file_number + 1;  // of the restored MANIFEST: next_file_number
  for (const TableMeta& table : edit.new_tables) {
    list.tables.push_back(added_.at(table.number));
    ++info_.files;
    info_.bytes += table.file_bytes;
  }
  info_.unix_seconds = store_.WallSeconds();
  list.info = info_;
  list.edit = std::move(edit);
  Status status = directory_.SyncData();
  if (status.ok()) status = directory_.WriteList(list);
  if (status.ok() && info != nullptr) *info = info_;
  return status;
}

Status ExplainFailure(const std::string& dir, const Status& status) {
  if (!IsOutOfResources(status)) return status;
  return Status::IOError(
      dir + ": the backup is not complete; the next one continues with the tables copied so far",
      status.ToString());
}

}  // namespace lull
