// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/model.h"
#include "tests/support/weaknesses.h"

namespace lull::testing {

using leveldb::Status;

namespace {

leveldb::Options SmallStore(leveldb::Env* env) {
  leveldb::Options options = UncompressedStore(env);
  options.write_buffer_size = 64 << 10;
  return options;
}

std::unique_ptr<leveldb::DB> Open(const leveldb::Options& options, Status* status = nullptr) {
  return OpenOrNull(options, kStoreName, status);
}

WriteOps OnePut(const std::string& key, size_t value_bytes = 100) {
  return {{key, key + std::string(value_bytes, 'v')}};
}

std::string LogKey(int number) { return "key" + std::to_string(1000 + number); }

// How the store opens and compares with the log.
CommitLog::Verdict OpenAndMatch(const leveldb::Options& options, const CommitLog& log) {
  Status s;
  const std::unique_ptr<leveldb::DB> db = Open(options, &s);
  if (db == nullptr) return {false, 0, "does not open: " + s.ToString()};
  return log.MatchesPrefix(db.get());
}

WeaknessVerdict ShownIfWrong(const CommitLog::Verdict& verdict) {
  return {!verdict.ok, verdict.detail};
}

leveldb::Options ExistingStore(leveldb::Env* env) {
  leveldb::Options options = SmallStore(env);
  options.create_if_missing = false;
  return options;
}

// The log with the data: the largest one, because the store can keep an empty one ready.
std::string LiveLog(leveldb::Env* env) {
  std::string best;
  uint64_t best_size = 0;
  for (const std::string& path : FilesEndingIn(env, kStoreName, ".log")) {
    uint64_t size = 0;
    if (env->GetFileSize(path, &size).ok() && (best.empty() || size > best_size)) {
      best = path;
      best_size = size;
    }
  }
  return best;
}

// The end of a log's records: its size without the trailing zeros.
uint64_t EndOfRecords(leveldb::Env* env, const std::string& path) {
  std::string bytes;
  leveldb::ReadFileToString(env, path, &bytes);
  return bytes.find_last_not_of('\0') + 1;
}

// Fills `log`'s store with synced writes that fit one memtable, and closes it.
void MakeStoreWithLog(CrashEnv* env, CommitLog* log, int commits, size_t value_bytes = 100) {
  leveldb::Options options = SmallStore(env);
  options.write_buffer_size = 4 << 20;
  const std::unique_ptr<leveldb::DB> db = Open(options);
  for (int i = 0; i < commits; ++i) log->Write(db.get(), OnePut(LogKey(i), value_bytes), true);
}

WeaknessVerdict W1RenameAfterUnlink() {
  CrashEnv env;
  CommitLog log;
  MakeStoreWithLog(&env, &log, 20);
  Open(SmallStore(&env)).reset();  // writes a new MANIFEST and unlinks the old one
  CrashOptions crash;
  crash.data_survival = 1;
  crash.decide_entry = [](const PendingEntry& entry) { return entry.op == DiskOp::kRemove; };
  const std::unique_ptr<CrashEnv> after = env.Crash(1, crash);
  return ShownIfWrong(OpenAndMatch(ExistingStore(after.get()), log));
}

// Unsynced writes until the memtable is switched, then one synced write while the flush is held;
// then a power loss.
WeaknessVerdict CrashAfterSwitch(const CrashOptions& crash) {
  CrashEnv env;
  CommitLog log;
  std::unique_ptr<leveldb::DB> db = Open(SmallStore(&env));
  env.HoldScheduledWork();
  for (int i = 0; i < 75; ++i) log.Write(db.get(), OnePut(LogKey(i), 1000), false);
  log.Write(db.get(), OnePut("synced"), true);
  const std::unique_ptr<CrashEnv> after = env.Crash(1, crash);
  env.ReleaseScheduledWork();
  db.reset();
  return ShownIfWrong(OpenAndMatch(SmallStore(after.get()), log));
}

WeaknessVerdict W2UnsyncedLogName() {
  // All bytes survive, so what is lost was lost with its name.
  return CrashAfterSwitch({.data_survival = 1, .entry_survival = 0});
}

WeaknessVerdict W3HoleBetweenLogs() {
  // All names survive, so what is lost was not synced.
  return CrashAfterSwitch({.data_survival = 0, .entry_survival = 1});
}

WeaknessVerdict W4WriteAfterFailedAppend() {
  for (const uint64_t room : {0, 3, 7, 20}) {
    CrashEnv disk;
    FaultEnv env(&disk);
    CommitLog log;
    std::unique_ptr<leveldb::DB> db = Open(SmallStore(&env));
    for (int i = 0; i < 5; ++i) log.Write(db.get(), OnePut(LogKey(i)), true);
    env.Arm({.kind = FaultKind::kNoSpace, .name_part = ".log", .bytes = room});
    log.Write(db.get(), OnePut("does not fit"), false);
    env.Heal();
    int acked = 0;
    for (int i = 5; i < 10; ++i) acked += log.Write(db.get(), OnePut(LogKey(i)), true).ok();
    const std::unique_ptr<CrashEnv> after = disk.Crash(1, CrashOptions::KeepAll());
    db.reset();
    const CommitLog::Verdict verdict = OpenAndMatch(SmallStore(after.get()), log);
    if (verdict.ok) continue;
    return {true, "room for " + std::to_string(room) + " bytes, then " + std::to_string(acked) +
                      " synced writes acked; after reopening: " + verdict.detail};
  }
  return {false, "every acked synced write was there after reopening"};
}

WeaknessVerdict W5ReadErrorAtOpen() {
  for (const bool paranoid : {false, true}) {
    for (const FaultKind kind : {FaultKind::kErrorOnce, FaultKind::kShortRead}) {
      for (const char* file : {".log", "MANIFEST"}) {
        CrashEnv disk;
        CommitLog log;
        MakeStoreWithLog(&disk, &log, 900);
        FaultEnv env(&disk);
        env.Arm({.kind = kind, .ops = kRead, .name_part = file});
        leveldb::Options options = SmallStore(&env);
        options.paranoid_checks = paranoid;
        Status s;
        Open(options, &s).reset();
        const CommitLog::Verdict verdict = OpenAndMatch(ExistingStore(&disk), log);
        if (verdict.ok) continue;
        return {true, std::string(FaultKindName(kind)) + " of " + file + " at open" +
                          (paranoid ? " (paranoid)" : "") + " gave \"" + s.ToString() +
                          "\"; the next, healthy open: " + verdict.detail};
      }
    }
  }
  return {false, "the healthy open after a faulty one found every synced write"};
}

WeaknessVerdict W6HoleAfterBadRecord() {
  CrashEnv env;
  CommitLog log;
  MakeStoreWithLog(&env, &log, 1000);
  const std::string path = LiveLog(&env);
  env.Corrupt(path, 40'000, "\xff\xfe\xfd");  // in the second 32 KiB block of four
  // Corruption can cost the later writes, but the rest must be a prefix.
  for (size_t i = 0; i < log.size(); ++i) log.SetFate(i, CommitLog::Fate::kAcked);
  Status s;
  std::unique_ptr<leveldb::DB> db = Open(SmallStore(&env), &s);
  if (db == nullptr) return {false, "open refuses: " + s.ToString()};
  const CommitLog::Verdict verdict = log.MatchesPrefix(db.get());
  return {!verdict.ok, "opens; " + verdict.detail};
}

WeaknessVerdict W7ReuseTornLog() {
  CrashEnv env;
  CommitLog log;
  MakeStoreWithLog(&env, &log, 50);
  const std::string path = LiveLog(&env);
  env.Truncate(path, EndOfRecords(&env, path) - 30);
  log.SetFate(log.size() - 1, CommitLog::Fate::kUnknown);  // the torn one
  leveldb::Options options = SmallStore(&env);
  options.write_buffer_size = 4 << 20;
  options.reuse_logs = true;
  Status s;
  std::unique_ptr<leveldb::DB> db = Open(options, &s);
  if (db == nullptr) return {true, "does not open: " + s.ToString()};
  for (int i = 100; i < 110; ++i) log.Write(db.get(), OnePut(LogKey(i)), true);
  db.reset();
  return ShownIfWrong(OpenAndMatch(options, log));
}

WeaknessVerdict W10MissingCurrent() {
  CrashEnv env;
  CommitLog log;
  MakeStoreWithLog(&env, &log, 200);
  Status s;
  std::unique_ptr<leveldb::DB> db = Open(SmallStore(&env), &s);
  db->CompactRange(nullptr, nullptr);
  db.reset();
  const std::vector<std::string> tables = FilesEndingIn(&env, kStoreName, ".ldb");
  env.RemoveFile(std::string(kStoreName) + "/CURRENT");
  db = Open(SmallStore(&env), &s);
  db.reset();
  const std::vector<std::string> left = FilesEndingIn(&env, kStoreName, ".ldb");
  const bool all_left = std::includes(left.begin(), left.end(), tables.begin(), tables.end());
  return {!all_left || tables.empty(), "open: " + s.ToString() + "; of " +
                                           std::to_string(tables.size()) + " tables " +
                                           std::to_string(left.size()) + " are left"};
}

// Renames and then reports a failure, as a network file system can.
class LyingRenameEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  Status RenameFile(const std::string& from, const std::string& to) override {
    Status s = target()->RenameFile(from, to);
    if (s.ok() && to.find("CURRENT") != std::string::npos) {
      return Status::IOError(to, "injected: the answer was lost");
    }
    return s;
  }
};

WeaknessVerdict W11LyingRename() {
  CrashEnv disk;
  CommitLog log;
  MakeStoreWithLog(&disk, &log, 20);
  LyingRenameEnv env(&disk);
  Status s;
  Open(SmallStore(&env), &s).reset();
  const CommitLog::Verdict verdict = OpenAndMatch(ExistingStore(&disk), log);
  return {!verdict.ok, "the faulty open gave \"" + s.ToString() +
                           "\"; the next, healthy open: " + verdict.detail};
}

}  // namespace

std::vector<Weakness> LogWeaknesses() {
  return {
      {"W1", "unlink of the old MANIFEST outruns the rename of CURRENT", W1RenameAfterUnlink},
      {"W2", "acked synced write in a WAL whose name is not durable", W2UnsyncedLogName},
      {"W3", "synced write outlives an older unsynced one in the previous WAL", W3HoleBetweenLogs},
      {"W4", "writes acked after a failed append vanish", W4WriteAfterFailedAppend},
      {"W5", "a read error of the WAL at open deletes data", W5ReadErrorAtOpen},
      {"W6", "a bad record in mid-log leaves a hole", W6HoleAfterBadRecord},
      {"W7", "reuse_logs appends after a torn record", W7ReuseTornLog},
      {"W10", "a missing CURRENT deletes every table", W10MissingCurrent},
      {"W11", "a rename that worked but reported failure loses the MANIFEST", W11LyingRename},
  };
}

}  // namespace lull::testing
