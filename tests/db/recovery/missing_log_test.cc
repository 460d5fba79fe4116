// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Logs that someone deleted, or a backup lost. An open must notice each one with entries if a later
// log exists, whatever used sequences besides the logs: an ingestion, DeleteRange, an earlier
// process, a new log after a failed one. It must not miss logs that a flush removed.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/wal/wal_reader.h"
#include "lull/lull.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "tests/support/table_files.h"

namespace lull::testing {
namespace {

/// Runs a history, one letter for each step:
///   w  a write           d  DeleteRange, of keys that nothing else has    f  a flush
///   i  an ingestion      s  the next log begins, and nothing is flushed   o  a reopen
///   y  a synced write    a  the log fails; the next write begins another one
class History {
 public:
  void Run(const std::string& steps) {
    Open();
    for (const char step : steps) ASSERT_NO_FATAL_FAILURE(Take(step)) << step;
  }
  std::unique_ptr<CrashEnv> Kill() { return disk_.Crash(0, CrashOptions::KeepAll()); }
  int writes() const { return writes_; }

 private:
  void Open() {
    db_.reset();
    faults_.Heal();
    ASSERT_TRUE(IsOk(OpenAt(SmallOptions(&faults_), kStoreName, &db_, "own_coordinator=true")));
    HoldFlushes();
  }
  void HoldFlushes() {
    faults_.Arm({.kind = FaultKind::kErrorSticky, .ops = kOpenWrite, .name_part = ".ldb"});
  }
  leveldb::Status Write(bool sync) {
    return db_->Put(Synced(sync), "w" + std::to_string(1000 + writes_), "value");
  }
  void Take(char step) {
    const leveldb::Slice begin("x"), end("y");
    switch (step) {
      case 'a':
        faults_.Heal();
        ASSERT_TRUE(IsOk(Flush(db_.get())));
        faults_.Arm({.kind = FaultKind::kErrorOnce, .ops = kAppend, .name_part = ".log"});
        ASSERT_FALSE(Write(false).ok());
        [[fallthrough]];
      case 'w':
      case 'y':
        ASSERT_TRUE(IsOk(Write(step == 'y')));
        ++writes_;
        if (step == 'a') HoldFlushes();
        return;
      case 'i': {
        const std::string path = "/table" + std::to_string(tables_);
        const std::string key = "t" + std::to_string(tables_++);
        ASSERT_TRUE(IsOk(BuildTable(SmallOptions(&disk_), path, {{key, "ingested"}})));
        ASSERT_TRUE(IsOk(IngestTables(db_.get(), {path})));
        return;
      }
      case 'd':
        ASSERT_TRUE(IsOk(DeleteRange(db_.get(), &begin, &end)));
        return;
      case 's':
        Flush(db_.get());  // fails after the switch
        return;
      case 'f':
        faults_.Heal();
        ASSERT_TRUE(IsOk(Flush(db_.get())));
        HoldFlushes();
        return;
      default:
        Open();
    }
  }

  CrashEnv disk_;
  FaultEnv faults_{&disk_};
  std::unique_ptr<leveldb::DB> db_;
  int writes_ = 0;
  int tables_ = 0;
};

struct NeededLogs {
  std::vector<std::string> paths;  // of those with records, oldest first
  bool first_is_named = false;     // by the MANIFEST
};

NeededLogs FindNeededLogs(CrashEnv* disk) {
  const StoreReading manifest = ReadStore(SmallOptions(disk), kStoreName);
  NeededLogs logs;
  for (const std::string& name : NamesEndingIn(disk, kStoreName, ".log")) {
    const std::string path = std::string(kStoreName) + "/" + name;
    const uint64_t number = ParseFileName(name)->number;
    WalReader reader(std::make_unique<MemorySequential>(FileBytes(disk, path)), path);
    leveldb::Slice record;
    if (number < manifest.log_number || !reader.ReadRecord(&record)) continue;
    if (logs.paths.empty()) logs.first_is_named = number == manifest.log_number;
    logs.paths.push_back(path);
  }
  return logs;
}

int EntriesIn(CrashEnv* disk, const std::string& path) {
  WalReader reader(std::make_unique<MemorySequential>(FileBytes(disk, path)), path);
  leveldb::Slice record;
  int entries = 0;
  while (reader.ReadRecord(&record)) entries += static_cast<int>(batch::CountOf(record));
  return entries;
}

/// Opens `disk`. Its writes must be a prefix. Fewer than `writes` must have been reported, and all
/// of them if `is_whole`.
void ExpectNoSilentLoss(CrashEnv* disk, int writes, bool is_whole, bool paranoid) {
  leveldb::Options options = SmallOptions(disk);
  options.paranoid_checks = paranoid;
  std::unique_ptr<leveldb::DB> db;
  const leveldb::Status status = OpenAt(options, kStoreName, &db);
  if (!status.ok()) {
    ASSERT_TRUE(status.IsCorruption() && !is_whole) << status.ToString();
    return;
  }
  int found = 0;
  int newest = -1;
  for (const auto& [key, value] : ReadAll(db.get())) {
    if (key[0] != 'w') continue;
    ++found;
    newest = std::stoi(key.substr(1)) - 1000;
  }
  db.reset();
  ASSERT_EQ(newest + 1, found) << "a write is missing before a later one";
  const bool is_reported = disk->FileExists(LostDirectoryName(kStoreName));
  ASSERT_EQ(is_reported, !is_whole);
  if (is_whole) {
    ASSERT_EQ(found, writes);
  }
}

/// Removes each choice of the needed logs.
void RemoveLogsAfter(const std::string& steps) {
  SCOPED_TRACE(steps);
  History history;
  ASSERT_NO_FATAL_FAILURE(history.Run(steps));
  // One kill: the store goes on, and a flush that a reopen began may remove a log at any time.
  const auto killed = history.Kill();
  const NeededLogs logs = FindNeededLogs(killed.get());
  for (unsigned removed = 0; removed < 1u << logs.paths.size(); ++removed) {
    const auto disk = killed->Crash(0, CrashOptions::KeepAll());
    bool lacks_entries = false;
    bool is_noticed = false;
    std::string names;
    for (size_t i = 0; i < logs.paths.size(); ++i) {
      const bool has_entries = EntriesIn(disk.get(), logs.paths[i]) > 0;
      if ((removed >> i & 1) == 0) {
        is_noticed = is_noticed || (lacks_entries && has_entries);
        continue;
      }
      lacks_entries = lacks_entries || has_entries;
      is_noticed = is_noticed || (i == 0 && logs.first_is_named);
      names += " " + logs.paths[i];
      ASSERT_TRUE(disk->RemoveFile(logs.paths[i]).ok());
    }
    // Nothing shows that the newest logs are missing, or one without entries.
    if (removed != 0 && !is_noticed) continue;
    SCOPED_TRACE("without" + names);
    for (const bool paranoid : {false, true}) {
      const auto copy = disk->Crash(0, CrashOptions::KeepAll());
      ASSERT_NO_FATAL_FAILURE(
          ExpectNoSilentLoss(copy.get(), history.writes(), removed == 0, paranoid));
    }
  }
}

TEST(MissingLogTest, IsNoticedAroundIngestions) {
  // The ingestion is before, in and after the log that is missing, and in more than one.
  for (const char* steps :
       {"iwswsw", "wiswsw", "wswisw", "wswswi", "wswsisw", "wiswiswi", "dsdwisw", "awswiw"}) {
    ASSERT_NO_FATAL_FAILURE(RemoveLogsAfter(steps));
  }
}

TEST(MissingLogTest, IsNoticedInAnyHistory) {
  Rng rng(11);
  for (uint64_t history = 0; history < Strided(200, 12); ++history) {
    std::string steps;
    for (int log = 0; log < 4; ++log) {
      for (uint64_t i = rng.Below(4); i > 0; --i) steps += "wwyid"[rng.Below(5)];
      steps += "ssssssfoa"[rng.Below(9)];
    }
    ASSERT_NO_FATAL_FAILURE(RemoveLogsAfter(steps + "wi"));
  }
}

}  // namespace
}  // namespace lull::testing
