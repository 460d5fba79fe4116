// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "leveldb/db.h"
#include "table/format.h"
#include "tests/db/recovery/repair_fixture.h"
#include "tests/db/support/store_files.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/option_sets.h"
#include "tests/table/table_test_util.h"

namespace lull {
namespace {

using testing::AllFiles;
using testing::CrashEnv;
using testing::CrashOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kStoreName;
using testing::LostFiles;
using testing::ReadStore;
using testing::RepairTest;
using testing::StoreFiles;
using testing::StoreReading;

TEST_F(RepairTest, WantsAStore) {
  const leveldb::Status status = leveldb::RepairDB(kStoreName, files_.options());
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  EXPECT_THAT(status.ToString(), HasSubstr(kStoreName));
  EXPECT_FALSE(leveldb::RepairDB("/nowhere", files_.options()).ok());
}

TEST_F(RepairTest, WantsTheLock) {
  files_.AddTable(1, "a@1=x");
  files_.WriteManifest(0);
  leveldb::FileLock* lock = nullptr;
  ASSERT_TRUE(env_.LockFile(LockFileName(kStoreName), &lock).ok());
  EXPECT_FALSE(leveldb::RepairDB(kStoreName, files_.options()).ok());
  ASSERT_TRUE(env_.UnlockFile(lock).ok());
  EXPECT_TRUE(leveldb::RepairDB(kStoreName, files_.options()).ok());
}

TEST_F(RepairTest, LeavesAHealthyStoreAlone) {
  files_.AddTable(0, "a@7=new c@8-");
  files_.AddTable(2, "a@1=old b@2=x c@3=y");
  files_.WriteManifest(0);
  const auto before = AllFiles(&env_);
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new b=x");
  EXPECT_EQ(AllFiles(&env_), before);
}

TEST_F(RepairTest, RefusesAnotherComparator) {
  files_.AddTable(1, "a@1=x");
  const uint64_t manifest = files_.WriteManifest(0);
  leveldb::Options options = files_.options();
  options.comparator = testing::ReverseComparator();
  const auto before = AllFiles(&env_);
  EXPECT_TRUE(leveldb::RepairDB(kStoreName, options).IsInvalidArgument());
  EXPECT_EQ(AllFiles(&env_), before);
  ASSERT_TRUE(env_.RemoveFile(CurrentFileName(kStoreName)).ok());
  EXPECT_TRUE(leveldb::RepairDB(kStoreName, options).IsInvalidArgument());
  EXPECT_TRUE(env_.FileExists(DescriptorFileName(kStoreName, manifest)));
}

TEST_F(RepairTest, TurnsWalsIntoL0Tables) {
  files_.AddTable(1, "a@1=old b@2=x");
  const uint64_t flushed = files_.AddWal({"b@2=flushed"});
  const uint64_t first = files_.AddWal({"a@3=mid c@4=y", "b@5-"});
  const uint64_t second = files_.AddWal({"a@6=new"});
  const uint64_t manifest = files_.WriteManifest(first);
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new c=y");
  EXPECT_EQ(reading.layout, "L0: [a..c] L1: [a..b]");
  EXPECT_EQ(reading.last_sequence, 6u);
  EXPECT_GT(reading.log_number, second) << "an open must not replay them again";
  const auto name = [](uint64_t number) { return LogFileName(kStoreName, number).substr(7); };
  EXPECT_THAT(LostFiles(&env_), ElementsAre(name(flushed), name(first), name(second),
                                            DescriptorFileName(kStoreName, manifest).substr(7)));
}

TEST_F(RepairTest, ADamagedTableKeepsItsLevelAndLosesOnlyTheBlock) {
  files_.AddTable(0, "b@9=new");
  files_.AddTable(1, "a@5=a1 b@6=b1 c@7- d@8=d1");
  const uint64_t damaged = files_.AddTable(2, "a@1=a2 b@2=b2 c@3=c2 e@4=e2");
  files_.WriteManifest(0);
  DamageAt(TablePath(damaged), "b2");
  const std::string original = AllFiles(&env_).at(TablePath(damaged));
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=a1 b=new d=d1 e=e2");
  EXPECT_EQ(reading.layout, "L0: [b..b] L1: [a..d] L2: [a..e]");
  const std::string lost = LostDirectoryName(kStoreName) + TablePath(damaged).substr(6);
  EXPECT_EQ(AllFiles(&env_).at(lost), original);
}

TEST_F(RepairTest, ADamagedL0TableDoesNotOvertakeNewerOnes) {
  files_.AddTable(0, "a@1=oldest z@1=z");
  const uint64_t damaged = files_.AddTable(0, "a@2=old b@3=gone c@4=c");
  files_.AddTable(0, "a@5=new");
  files_.AddTable(0, "a@6=newest c@7-");
  files_.WriteManifest(0);
  DamageAt(TablePath(damaged), "gone");
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=newest z=z");
  EXPECT_EQ(reading.layout, "L0: [a..c] [a..a] [a..c] [a..z]");
}

TEST_F(RepairTest, WithoutAnIndexBlocksAreFoundByTheirChecksums) {
  StoreFiles files(&env_, kStoreName);
  const uint64_t damaged = files.AddTable(1, "a@1=a1 b@2=b2 c@3- d@4=d4");
  files.WriteManifest(0);
  std::string whole;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, TablePath(damaged), &whole).ok());
  const size_t index = whole.find("d4") + 2 + 8 + kBlockTrailerBytes;  // or a meta block
  int last = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    SCOPED_TRACE("cut off at " + std::to_string(size));
    const auto env = env_.Crash(0, CrashOptions::KeepAll());
    leveldb::Options options = files_.options();
    options.env = env.get();
    ASSERT_TRUE(env->Truncate(TablePath(damaged), size));
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    const StoreReading reading = ReadStore(options, kStoreName);
    const std::string all = "a=a1 b=b2 d=d4";
    ASSERT_EQ(reading.text(), all.substr(0, reading.text().size()));
    const int entries = static_cast<int>(reading.found.size());
    ASSERT_GE(entries, last);
    last = entries;
    ASSERT_TRUE(size < index || reading.text() == all);
  }
  for (size_t at = index; at < whole.size(); ++at) {
    SCOPED_TRACE("damaged at " + std::to_string(at));
    const auto env = env_.Crash(0, CrashOptions::KeepAll());
    leveldb::Options options = files_.options();
    options.env = env.get();
    ASSERT_TRUE(env->Corrupt(TablePath(damaged), at, std::string(1, whole[at] ^ 0x10)));
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    ASSERT_EQ(ReadStore(options, kStoreName).text(), "a=a1 b=b2 d=d4");
  }
}

// A value can contain a whole table.
TEST_F(RepairTest, ATableInsideAValueIsNoPartOfTheTable) {
  StoreFiles other(&env_, "/other");
  std::string inner;
  const std::string inner_path = TableFileName("/other", other.AddTable(0, "x@9=inner y@9=inner"));
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, inner_path, &inner).ok());
  TableOutputs outputs(files_.context(), 0);
  ASSERT_TRUE(outputs.Add(MakeInternalKey("a", 1, ValueKind::kValue), inner).ok());
  ASSERT_TRUE(outputs.Add(MakeInternalKey("b", 2, ValueKind::kValue), "b").ok());
  ASSERT_TRUE(outputs.FinishTable().ok());
  outputs.Keep();
  const std::string path = TablePath(outputs.finished()[0].number);
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, path, &bytes).ok());
  ASSERT_TRUE(env_.Corrupt(path, bytes.size() - 1, "?"));  // the magic number
  ASSERT_TRUE(env_.Corrupt(path, 0, "?"));
  EXPECT_EQ(Repair().text(), "");
}

TEST_F(RepairTest, ATableWithoutAnIndexIsSetAside) {
  files_.AddTable(1, "a@5=x");
  const uint64_t damaged = files_.AddTable(2, "a@1=y b@2=z");
  files_.WriteManifest(0);
  ASSERT_TRUE(env_.Truncate(TablePath(damaged), 20));
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=x");
  EXPECT_EQ(reading.layout, "L1: [a..a]");
  EXPECT_THAT(LostFiles(&env_), ::testing::Contains(TablePath(damaged).substr(7)));
}

TEST_F(RepairTest, KeepsADamagedCurrentAside) {
  files_.AddTable(1, "a@5=a1");
  files_.WriteManifest(0);
  ASSERT_TRUE(env_.Corrupt(CurrentFileName(kStoreName), 0, "garbage"));
  EXPECT_EQ(Repair().text(), "a=a1");
  EXPECT_THAT(LostFiles(&env_), ::testing::Contains("CURRENT"));
}

TEST_F(RepairTest, FindsTheManifestWithoutCurrentAndKeepsATemporaryFileInItsWayAside) {
  files_.AddTable(1, "a@5=a1 b@6-");
  files_.AddTable(3, "a@1=a3 b@2=b3");
  const uint64_t manifest = files_.WriteManifest(0);
  ASSERT_TRUE(env_.RemoveFile(CurrentFileName(kStoreName)).ok());
  const std::string temp = TempFileName(kStoreName, manifest);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "unfinished", temp).ok());
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=a1");
  EXPECT_EQ(reading.layout, "L1: [a..b] L3: [a..b]");
  EXPECT_EQ(AllFiles(&env_).at(LostDirectoryName(kStoreName) + TempFileName("", manifest)),
            "unfinished");
}

TEST_F(RepairTest, OfTwoTablesWithOneNumberTheOneThatNobodyReadsIsSetAside) {
  const uint64_t number = files_.AddTable(1, "a@5=a1");
  files_.WriteManifest(0);
  const std::string twin = LegacyTableFileName(kStoreName, number);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "another", twin).ok());
  EXPECT_EQ(Repair().text(), "a=a1");
  EXPECT_THAT(LostFiles(&env_), ::testing::Contains(LegacyTableFileName("", number).substr(1)));
  EXPECT_FALSE(env_.FileExists(twin));
}

TEST_F(RepairTest, SequencesThatNoManifestCanHoldAreNotBelieved) {
  const std::string beyond = std::to_string(kMaxStoredSequence + 1);
  files_.AddTable(1, "a@5=a1 b@" + beyond + "=b1");
  files_.WriteManifest(files_.AddWal({"c@6=c1", "d@" + beyond + "=d1"}));
  EXPECT_EQ(Repair().text(), "a=a1 c=c1");
}

TEST_F(RepairTest, WithoutAManifestTheNewestSequenceWins) {
  // No order of these files gives the right answers for both a and b.
  files_.AddTable(1, "a@9=new b@1=old");
  files_.AddTable(2, "a@2=old b@8=new c@3=c");
  const uint64_t wal = files_.AddWal({"c@10- d@11=d"});
  const uint64_t manifest = files_.WriteManifest(wal);
  ASSERT_TRUE(env_.RemoveFile(DescriptorFileName(kStoreName, manifest)).ok());
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new b=new d=d");
  EXPECT_EQ(reading.layout, "L1: [a..d]");
  EXPECT_EQ(reading.last_sequence, 11u);
}

TEST_F(RepairTest, SalvagesDamagedTablesWithoutAManifestToo) {
  const uint64_t damaged = files_.AddTable(1, "a@9=new b@1=broken c@3=c");
  files_.AddTable(2, "a@2=old b@8-");
  const uint64_t manifest = files_.WriteManifest(0);
  DamageAt(TablePath(damaged), "broken");
  ASSERT_TRUE(env_.Truncate(DescriptorFileName(kStoreName, manifest), 3));
  EXPECT_EQ(Repair().text(), "a=new c=c");
}

TEST_F(RepairTest, WhatWasCompactedAwayDoesNotComeBack) {
  // A compaction merged b with its deletion, so neither is in the output. The inputs still existed
  // when a table of another level vanished.
  const uint64_t first = files_.AddTable(1, "b@7-");
  const uint64_t second = files_.AddTable(2, "a@1=a b@2=deleted");
  const uint64_t vanished = files_.AddTable(3, "x@1=x");
  const TableMeta output = files_.AddUnlisted("a@1=a", 2);
  VersionEdit compaction;
  compaction.deleted_tables = {{1, first}, {2, second}};
  compaction.new_tables = {output};
  files_.WriteManifest(0, compaction);
  ASSERT_TRUE(env_.RemoveFile(TablePath(first)).ok());
  ASSERT_TRUE(env_.RemoveFile(TablePath(vanished)).ok());
  EXPECT_EQ(Repair().text(), "a=a");
}

TEST_F(RepairTest, AWalThatWasFlushedDoesNotComeBack) {
  files_.AddWal({"b@2=deleted"});  // and dropped by a later compaction
  files_.AddTable(1, "a@1=a");
  const uint64_t vanished = files_.AddTable(3, "x@1=x");
  files_.WriteManifest(files_.AddWal({"c@9=c"}));
  ASSERT_TRUE(env_.RemoveFile(TablePath(vanished)).ok());
  EXPECT_EQ(Repair().text(), "a=a c=c");
}

TEST_F(RepairTest, AFileThatCannotBeOpenedEndsItWithNothingChanged) {
  testing::FaultEnv env(&env_);
  const uint64_t table = files_.AddTable(1, "a@1=a");
  const uint64_t wal = files_.AddWal({"b@2=b"});
  files_.WriteManifest(wal);
  leveldb::Options options = files_.options();
  options.env = &env;
  const auto before = AllFiles(&env_);
  for (const std::string& path : {TablePath(table), LogFileName(kStoreName, wal)}) {
    env.Heal();
    env.Arm({.kind = testing::FaultKind::kErrorSticky,
             .ops = testing::kOpenRead,
             .name_part = path.substr(sizeof(kStoreName))});
    EXPECT_THAT(leveldb::RepairDB(kStoreName, options).ToString(), HasSubstr(path));
    EXPECT_EQ(AllFiles(&env_), before);
  }
  EXPECT_EQ(Repair().text(), "a=a b=b");
}

TEST_F(RepairTest, InputsStandInForAnOutputThatCannotBeRead) {
  const uint64_t input = files_.AddTable(2, "a@1=a b@2=b");
  const TableMeta output = files_.AddUnlisted("a@1=a b@2=b", 3);
  VersionEdit compaction;
  compaction.deleted_tables = {{2, input}};
  compaction.new_tables = {output};
  files_.WriteManifest(0, compaction);
  ASSERT_TRUE(env_.RemoveFile(TablePath(output.number)).ok());
  EXPECT_EQ(Repair().text(), "a=a b=b");
}

TEST_F(RepairTest, AMoveIsNotACompaction) {
  const uint64_t moved = files_.AddTable(1, "a@1=a");
  const uint64_t vanished = files_.AddTable(3, "x@1=x");
  VersionEdit move;
  move.deleted_tables = {{1, moved}};
  move.new_tables = {{2, moved, 1, MakeInternalKey("a", 1, ValueKind::kValue),
                      MakeInternalKey("a", 1, ValueKind::kValue)}};
  files_.WriteManifest(0, move);
  ASSERT_TRUE(env_.RemoveFile(TablePath(vanished)).ok());
  EXPECT_EQ(Repair().text(), "a=a");
}

TEST_F(RepairTest, UnlistedTablesAreSetAsideWhereAllElseIsWhole) {
  files_.AddTable(1, "a@5=a1");
  const TableMeta unlisted = files_.AddUnlisted("a@9=z");
  files_.WriteManifest(0);
  EXPECT_EQ(Repair().text(), "a=a1");
  EXPECT_THAT(LostFiles(&env_), ::testing::Contains(TablePath(unlisted.number).substr(7)));
}

TEST_F(RepairTest, AnOldManifestHidesNothing) {
  files_.AddTable(1, "a@1=old b@2=b");
  files_.WriteManifest(0);
  files_.AddTable(0, "c@3=c");
  files_.AddTable(1, "a@4=new b@2=b");
  const uint64_t latest = files_.WriteManifest(0);
  ASSERT_TRUE(env_.RemoveFile(DescriptorFileName(kStoreName, latest)).ok());
  EXPECT_EQ(Repair().text(), "a=new b=b c=c");
}

// As above, but CURRENT too is old or names nothing.
TEST_F(RepairTest, ATableNewerThanTheManifestIsUsed) {
  for (const bool overlaps : {false, true}) {
    const auto env = CrashEnv().Crash(0, CrashOptions::KeepAll());
    StoreFiles files(env.get(), kStoreName);
    files.AddTable(1, "a@1=old b@2=b");
    files.WriteManifest(0);
    files.AddUnlisted(overlaps ? "a@4=new b@2=b" : "a@4=new");
    leveldb::Options options = files.options();
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    const StoreReading reading = ReadStore(options, kStoreName);
    EXPECT_EQ(reading.text(), "a=new b=b");
    EXPECT_EQ(reading.layout, overlaps ? "L1: [a..b]" : "L0: [a..a] L1: [a..b]");
  }
}

TEST_F(RepairTest, AFlushWhoseLogIsGoneIsUsed) {
  const uint64_t wal = files_.AddWal({"a@1=a"});
  files_.WriteManifest(wal);
  files_.AddUnlisted("a@1=a");
  ASSERT_TRUE(env_.RemoveFile(LogFileName(kStoreName, wal)).ok());
  EXPECT_EQ(Repair().text(), "a=a");
}

TEST_F(RepairTest, UnlistedTablesStandInForADamagedWal) {
  files_.AddTable(1, "a@1=old b@2=b");
  const uint64_t wal = files_.AddWal({"a@3=mid", "c@4=damaged", "a@5=new"});
  files_.AddUnlisted("a@5=new a@3=mid c@4=damaged");  // the flush of that WAL
  files_.AddTable(1, "x@9=x");
  files_.AddUnlisted("x@2=stale y@1=y");  // a compaction's output: must not override newer entries
  files_.WriteManifest(wal);
  DamageAt(LogFileName(kStoreName, wal), "damaged");
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new b=b c=damaged x=x");
  EXPECT_EQ(reading.layout, "L0: [a..c] L1: [a..b] [x..x]");
}

TEST_F(RepairTest, OverlappingLevelsAreMerged) {
  files_.AddTable(1, "a@9=new c@1=old");
  files_.AddTable(1, "b@5=b c@6=new");
  files_.WriteManifest(0);
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new b=b c=new");
}

// A store with every kind of file and damage.
void MakeDamagedStore(CrashEnv* env, bool without_manifest) {
  StoreFiles files(env, kStoreName);
  files.AddTable(0, "a@20=a0 m@21-");
  const uint64_t damaged = files.AddTable(0, "a@22=a1 broken@23=broken z@24=z0");
  files.AddTable(1, "a@10=x b@11=b1 m@12=m1");
  files.AddTable(2, "b@1=x c@2=c2 m@3=x");
  files.AddUnlisted("q@2=nothing");
  const uint64_t wal = files.AddWal({"a@30=a3", "d@31=d3 e@32-"});
  const uint64_t manifest = files.WriteManifest(wal);
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(env, TableFileName(kStoreName, damaged), &bytes).ok());
  ASSERT_TRUE(env->Corrupt(TableFileName(kStoreName, damaged), bytes.find("broken"), "?"));
  if (without_manifest) {
    ASSERT_TRUE(env->Truncate(DescriptorFileName(kStoreName, manifest), 5));
  }
  ASSERT_TRUE(env->SyncDirectory(kStoreName).ok());
}

// The worst order: renames survive, but not the creation of the tables that they make necessary.
CrashOptions RenamesFirst() {
  CrashOptions options;
  options.decide_entry = [](const testing::PendingEntry& entry) {
    return entry.op != testing::DiskOp::kCreate || entry.path.ends_with(".dbtmp");
  };
  return options;
}

// Whether the table with the unreadable part still exists after the store was opened. An open
// deletes files that the current MANIFEST does not need.
bool AnOpenKeepsTheDamagedTable(const CrashEnv& disk) {
  const auto env = disk.Crash(0, CrashOptions::KeepAll());
  leveldb::Options options;
  options.env = env.get();
  leveldb::DB* db = nullptr;
  leveldb::DB::Open(options, kStoreName, &db);  // or the open fails, and nothing is deleted
  delete db;
  const auto files = AllFiles(env.get());
  return std::any_of(files.begin(), files.end(), [](const auto& file) {
    return file.second.find("?roken") != std::string::npos;
  });
}

void CrashRepairAtEveryStep(bool without_manifest) {
  CrashEnv original;
  MakeDamagedStore(&original, without_manifest);
  if (::testing::Test::HasFatalFailure()) return;
  leveldb::Options options;
  std::string expected;
  uint64_t steps = 0;
  {
    const auto env = original.Crash(0, CrashOptions::KeepAll());
    options.env = env.get();
    const uint64_t before = env->steps();
    ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    steps = env->steps() - before;
    expected = ReadStore(options, kStoreName).text();
  }
  EXPECT_THAT(expected, HasSubstr("a=a3 b=b1 c=c2 d=d3"));
  EXPECT_THAT(expected, HasSubstr("z=z0"));
  ASSERT_GT(steps, 10u);
  for (uint64_t step = 0; step < steps; ++step) {
    for (uint64_t seed = 1; seed <= 7; ++seed) {
      SCOPED_TRACE("crash at step " + std::to_string(step) + ", seed " + std::to_string(seed));
      const auto env = original.Crash(0, CrashOptions::KeepAll());
      options.env = env.get();
      // With odd seeds, like an Env that syncs directories only on request.
      env->set_manifest_sync_covers_directory(seed % 2 == 0);
      env->SetCrashPoint(env->steps() + step);
      leveldb::RepairDB(kStoreName, options);
      const auto after = env->Crash(seed, seed == 7 ? RenamesFirst() : CrashOptions());
      options.env = after.get();
      // CURRENT never leads to tables that may be gone.
      ASSERT_TRUE(without_manifest || ReadStore(options, kStoreName).listed_files_exist);
      ASSERT_TRUE(AnOpenKeepsTheDamagedTable(*after));
      ASSERT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
      const StoreReading reading = ReadStore(options, kStoreName);
      ASSERT_EQ(reading.status.ToString(), "OK");
      ASSERT_EQ(reading.text(), expected);
    }
  }
}

TEST(RepairCrashTest, CanBeInterruptedAnywhereWhereLevelsAreKept) { CrashRepairAtEveryStep(false); }

TEST(RepairCrashTest, CanBeInterruptedAnywhereWhereTheyAreNot) { CrashRepairAtEveryStep(true); }

}  // namespace
}  // namespace lull
