// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// backup create, list, verify, restore and prune.
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "db/backup/backups.h"
#include "db/tools/commands.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "util/os.h"

namespace lull::tools {
namespace {

using leveldb::Status;

/// Shows progress from the first call on, when the total is known.
class LateProgress {
 public:
  explicit LateProgress(const char* what) : what_(what) {}

  BackupProgress Callback() {
    return [this](uint64_t total_bytes, uint64_t step_bytes) {
      if (!shown_) shown_.emplace(what_, total_bytes);
      shown_->Advance(step_bytes);
    };
  }

 private:
  const char* const what_;
  std::optional<Progress> shown_;
};

unsigned long long Printable(uint64_t number) { return number; }

std::string TimeText(uint64_t unix_seconds) {
  const std::tm when = os::LocalTime(static_cast<std::time_t>(unix_seconds));
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &when));
}

void Print(const BackupInfo& backup, bool json) {
  if (json) {
    PrintJson({{"id", backup.id},
               {"unix_seconds", backup.unix_seconds},
               {"files", backup.files},
               {"bytes", backup.bytes},
               {"new_files", backup.new_files},
               {"new_bytes", backup.new_bytes}});
    return;
  }
  std::printf("backup %llu  %s  %llu tables with %s, %llu new with %s\n", Printable(backup.id),
              TimeText(backup.unix_seconds).c_str(), Printable(backup.files),
              BytesText(backup.bytes).c_str(), Printable(backup.new_files),
              BytesText(backup.new_bytes).c_str());
}

}  // namespace

int RunBackupCreate(const Invocation& call) {
  BackupInfo info;
  Status status;
  {
    LateProgress progress("copying tables");
    status = BackUpFiles(OptionsOf(call), call.store, call.backups, progress.Callback(), &info);
  }
  if (!status.ok()) return Fail(status, call.json);
  Print(info, call.json);
  return kDone;
}

int RunBackupList(const Invocation& call) {
  std::vector<BackupInfo> backups;
  const Status status = ListBackups(leveldb::Env::Default(), call.backups, &backups);
  for (const BackupInfo& backup : backups) Print(backup, call.json);
  return status.ok() ? kDone : Fail(status, call.json);
}

int RunBackupVerify(const Invocation& call) {
  VerifiedBackups result;
  Status status;
  {
    LateProgress progress("verifying tables");
    status = VerifyBackups(leveldb::Env::Default(), call.backups, call.backup_id,
                           progress.Callback(), &result);
  }
  if (!status.ok()) return Fail(status, call.json);
  std::vector<std::string> damage;
  for (const Status& each : result.damage) damage.push_back(each.ToString());
  if (call.json) {
    PrintJson({{"backups", result.backups},
               {"files", result.files},
               {"bytes", result.bytes},
               {"damage", Json(damage)}});
  } else {
    for (const std::string& line : damage) std::printf("damage: %s\n", line.c_str());
    std::printf("%llu backups, %llu intact tables with %s, %zu errors\n", Printable(result.backups),
                Printable(result.files), BytesText(result.bytes).c_str(), damage.size());
  }
  return damage.empty() ? kDone : kDamaged;
}

int RunBackupRestore(const Invocation& call) {
  BackupInfo info;
  Status status;
  {
    LateProgress progress("restoring tables");
    status = RestoreFrom(leveldb::Env::Default(), call.backups, call.backup_id, call.target,
                         progress.Callback(), &info);
  }
  if (!status.ok()) return Fail(status, call.json);
  if (call.json) {
    PrintJson(
        {{"store", call.target}, {"id", info.id}, {"files", info.files}, {"bytes", info.bytes}});
  } else {
    std::printf("%s: backup %llu, %llu tables with %s\n", call.target.c_str(), Printable(info.id),
                Printable(info.files), BytesText(info.bytes).c_str());
  }
  return kDone;
}

int RunBackupPrune(const Invocation& call) {
  PrunedBackups pruned;
  const Status status = PruneBackups(leveldb::Env::Default(), call.backups, call.keep, &pruned);
  if (!status.ok()) return Fail(status, call.json);
  if (call.json) {
    PrintJson({{"backups", pruned.backups}, {"files", pruned.files}, {"bytes", pruned.bytes}});
  } else {
    std::printf("removed %llu backups and %llu tables with %s\n", Printable(pruned.backups),
                Printable(pruned.files), BytesText(pruned.bytes).c_str());
  }
  return kDone;
}

}  // namespace lull::tools
