// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Lists and verifies backups. To verify reads each list, and each copy of a table that a list names
// once. Takes no lock. A prune can remove backups meanwhile, so what is missing counts only while a
// list needs it.
#include <algorithm>
#include <map>
#include <utility>

#include "db/backup/backup_directory.h"
#include "db/backup/backups.h"
#include "db/recovery/file_content.h"

namespace lull {
namespace {

using leveldb::Status;

class Verifier {
 public:
  Verifier(leveldb::Env* env, const std::string& dir, VerifiedBackups* result)
      : directory_(env, dir), result_(*result) {}

  Status Run(uint64_t id, const WorkProgress& progress);

 private:
  using Users = std::vector<uint64_t>;  // ids of backups

  void ReadList(uint64_t id);
  void VerifyData(const std::string& path, const FileSum& expected, const Users& users);
  bool IsNeeded(const Users& users) const {
    return std::any_of(users.begin(), users.end(), [this](uint64_t id) {
      return directory_.env()->FileExists(directory_.ListPath(id));
    });
  }

  const BackupDirectory directory_;
  VerifiedBackups& result_;
  std::map<std::string, std::pair<FileSum, Users>> data_;  // by path
  uint64_t total_bytes_ = 0;
};

Status Verifier::Run(uint64_t id, const WorkProgress& progress) {
  std::vector<uint64_t> ids;
  const Status status = directory_.ListIds(&ids);
  if (!status.ok()) return status;
  if (id != 0) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      return Status::NotFound(directory_.dir(), "there is no backup " + std::to_string(id));
    ids = {id};
  }
  for (const uint64_t each : ids) ReadList(each);
  for (const auto& [path, what] : data_) {
    VerifyData(path, what.first, what.second);
    if (progress) progress(total_bytes_, what.first.bytes);
  }
  return status;
}

void Verifier::ReadList(uint64_t id) {
  BackupList list;
  const Status status = directory_.ReadList(id, &list);
  if (!status.ok()) {
    if (IsNeeded({id})) result_.damage.push_back(status);
    return;
  }
  ++result_.backups;
  for (const BackedUpTable& table : list.tables) {
    auto& [sum, users] = data_[directory_.DataPath(table.data)];
    if (users.empty()) total_bytes_ += table.bytes();
    sum = table.data.sum;
    if (users.empty() || users.back() != id) users.push_back(id);
  }
}

void Verifier::VerifyData(const std::string& path, const FileSum& expected, const Users& users) {
  FileSum sum;
  const Status status = SumFile(directory_.env(), path, &sum);
  if (status.ok() && sum == expected) {
    ++result_.files;
    result_.bytes += sum.bytes;
    return;
  }
  if (!IsNeeded(users)) return;
  std::string needed_by = users.size() == 1 ? "; needed by backup" : "; needed by backups";
  for (const uint64_t id : users) needed_by += " " + std::to_string(id);
  if (status.IsNotFound()) {
    result_.damage.push_back(Status::Corruption(path, "is missing" + needed_by));
  } else if (!status.ok()) {
    result_.damage.push_back(Status::IOError(path, status.ToString() + needed_by));
  } else if (sum.bytes != expected.bytes) {
    result_.damage.push_back(
        Status::Corruption(path, "has " + std::to_string(sum.bytes) + " bytes, not " +
                                     std::to_string(expected.bytes) + needed_by));
  } else {
    result_.damage.push_back(
        Status::Corruption(path, "its content does not match its checksum" + needed_by));
  }
}

}  // namespace

Status VerifyBackups(leveldb::Env* env, const std::string& dir, uint64_t id,
                     const WorkProgress& progress, VerifiedBackups* result) {
  *result = {};
  return Verifier(env, dir, result).Run(id, progress);
}

Status VerifyBackup(leveldb::Env* env, const std::string& dir, uint64_t id) {
  if (env == nullptr) return Status::InvalidArgument("VerifyBackup: env is null");
  VerifiedBackups result;
  const Status status = VerifyBackups(env, dir, id, nullptr, &result);
  return status.ok() && !result.damage.empty() ? result.damage.front() : status;
}

Status ListBackups(leveldb::Env* env, const std::string& dir, std::vector<BackupInfo>* backups) {
  backups->clear();
  if (env == nullptr) return Status::InvalidArgument("ListBackups: env is null");
  const BackupDirectory directory(env, dir);
  std::vector<uint64_t> ids;
  Status result = directory.ListIds(&ids);
  for (const uint64_t id : ids) {
    BackupList list;
    const Status status = directory.ReadList(id, &list);
    if (status.ok()) {
      backups->push_back(list.info);
    } else if (result.ok() && !status.IsNotFound()) {  // a prune can remove lists meanwhile
      result = status;
    }
  }
  return result;
}

}  // namespace lull
