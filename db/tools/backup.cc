// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// backup create, list, verify, restore and prune.
#include <ctime>
#include <string>
#include <vector>

#include "db/backup/backups.h"
#include "db/tools/commands.h"
#include "db/tools/progress.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "util/os.h"

namespace lull::tools {
namespace {

using leveldb::Status;

std::string TimeText(uint64_t unix_seconds) {
  const std::tm when = os::LocalTime(static_cast<std::time_t>(unix_seconds));
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &when));
}

/// "3 tables with 1.5 MiB".
std::string FilesText(uint64_t files, uint64_t bytes, const char* what = " tables") {
  return std::to_string(files) + what + " with " + BytesText(bytes);
}

int Print(const BackupInfo& backup, bool json) {
  return PrintResult(json,
                     {{"id", backup.id},
                      {"unix_seconds", backup.unix_seconds},
                      {"files", backup.files},
                      {"bytes", backup.bytes},
                      {"new_files", backup.new_files},
                      {"new_bytes", backup.new_bytes}},
                     "backup " + std::to_string(backup.id) + "  " + TimeText(backup.unix_seconds) +
                         "  " + FilesText(backup.files, backup.bytes) + ", " +
                         FilesText(backup.new_files, backup.new_bytes, " new"));
}

}  // namespace

int RunBackupCreate(const Invocation& call) {
  BackupInfo info;
  leveldb::Options options = OptionsOf(call);
  KeepTableFormat(call, &options);
  const Status status = BackUpFiles(options, call.store, call.backups,
                                    ShowProgress(call.json, "copying tables"), &info);
  return status.ok() ? Print(info, call.json) : Fail(status, call.json);
}

int RunBackupList(const Invocation& call) {
  std::vector<BackupInfo> backups;
  const Status status = ListBackups(leveldb::Env::Default(), call.backups, &backups);
  for (const BackupInfo& backup : backups) Print(backup, call.json);
  return status.ok() ? kDone : Fail(status, call.json);
}

int RunBackupVerify(const Invocation& call) {
  VerifiedBackups result;
  const Status status = VerifyBackups(leveldb::Env::Default(), call.backups, call.backup_id,
                                      ShowProgress(call.json, "verifying tables"), &result);
  if (!status.ok()) return Fail(status, call.json);
  Json damage = Json::array();
  std::string text;
  for (const Status& each : result.damage) {
    damage.push_back(each.ToString());
    text += "damage: " + each.ToString() + "\n";
  }
  PrintResult(call.json,
              {{"backups", result.backups},
               {"files", result.files},
               {"bytes", result.bytes},
               {"damage", damage}},
              text + std::to_string(result.backups) + " backups, " +
                  FilesText(result.files, result.bytes, " intact tables") + ", " +
                  std::to_string(damage.size()) + " errors");
  return damage.empty() ? kDone : kDamaged;
}

int RunBackupRestore(const Invocation& call) {
  BackupInfo info;
  const Status status =
      RestoreFrom(leveldb::Env::Default(), call.backups, call.backup_id, call.target,
                  ShowProgress(call.json, "restoring tables"), &info);
  if (!status.ok()) return Fail(status, call.json);
  return PrintResult(
      call.json,
      {{"store", call.target}, {"id", info.id}, {"files", info.files}, {"bytes", info.bytes}},
      call.target + ": backup " + std::to_string(info.id) + ", " +
          FilesText(info.files, info.bytes));
}

int RunBackupPrune(const Invocation& call) {
  PrunedBackups pruned;
  const Status status = PruneBackups(leveldb::Env::Default(), call.backups, call.keep, &pruned);
  if (!status.ok()) return Fail(status, call.json);
  return PrintResult(
      call.json, {{"backups", pruned.backups}, {"files", pruned.files}, {"bytes", pruned.bytes}},
      "removed " + std::to_string(pruned.backups) + " backups and " +
          FilesText(pruned.files, pruned.bytes));
}

}  // namespace lull::tools
