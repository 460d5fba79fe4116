// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What RepairDB saves, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/wal/log_writer.h"
#include "leveldb/db.h"
#include "table/format.h"
#include "tests/db/support/memory_files.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_files.h"
#include "tests/db/support/table_names.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/option_sets.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::testing {
namespace {

using ::testing::HasSubstr;

class RepairTest : public ::testing::Test {
 protected:
  // Repairs twice; the second repair must change nothing.
  StoreReading Repair() {
    EXPECT_EQ(leveldb::RepairDB(kStoreName, files_.options()).ToString(), "OK");
    const StoreReading reading = ReadStore(files_.options(), kStoreName);
    EXPECT_EQ(reading.status.ToString(), "OK");
    const auto before = AllFiles(&env_, kStoreName);
    EXPECT_EQ(leveldb::RepairDB(kStoreName, files_.options()).ToString(), "OK");
    EXPECT_EQ(AllFiles(&env_, kStoreName), before) << "a second repair changes nothing";
    return reading;
  }

  std::set<std::string> LostFiles() {
    return NamesEndingIn(&env_, LostDirectoryName(kStoreName), "");
  }
  std::string TablePath(uint64_t number) const { return TableFileName(kStoreName, number); }

  // Flips a bit.
  void Flip(const std::string& path, size_t at, char bit) {
    ASSERT_TRUE(env_.Corrupt(path, at, std::string(1, FileBytes(&env_, path).at(at) ^ bit)));
  }
  // Damages the block that contains `value`.
  void DamageAt(const std::string& path, const std::string& value) {
    const size_t at = FileBytes(&env_, path).find(value);
    ASSERT_NE(at, std::string::npos);
    Flip(path, at, 0x40);
  }

  CrashEnv env_;
  StoreFiles files_{&env_, kStoreName};
};

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
  const auto before = AllFiles(&env_, kStoreName);
  EXPECT_EQ(Repair().text(), "a=new b=x");
  EXPECT_EQ(AllFiles(&env_, kStoreName), before);
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
  const auto name = [](uint64_t number) { return LogFileName("", number).substr(1); };
  EXPECT_THAT(LostFiles(), ::testing::ElementsAre(name(flushed), name(first), name(second),
                                                  DescriptorFileName("", manifest).substr(1)));
}

TEST_F(RepairTest, ADamagedTableKeepsItsLevelAndLosesOnlyTheBlock) {
  files_.AddTable(0, "b@9=new");
  files_.AddTable(1, "a@5=a1 b@6=b1 c@7- d@8=d1");
  const uint64_t damaged = files_.AddTable(2, "a@1=a2 b@2=b2 c@3=c2 e@4=e2");
  files_.WriteManifest(0);
  DamageAt(TablePath(damaged), "b2");
  const std::string original = AllFiles(&env_, kStoreName).at(TablePath(damaged));
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=a1 b=new d=d1 e=e2");
  EXPECT_EQ(reading.layout, "L0: [b..b] L1: [a..d] L2: [a..e]");
  const std::string lost = LostDirectoryName(kStoreName) + TablePath(damaged).substr(6);
  EXPECT_EQ(AllFiles(&env_, kStoreName).at(lost), original);
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
  const uint64_t damaged = files_.AddTable(1, "a@1=a1 b@2=b2 c@3- d@4=d4");
  files_.WriteManifest(0);
  const std::string whole = FileBytes(&env_, TablePath(damaged));
  const size_t index = whole.find("d4") + 2 + 8 + kBlockTrailerBytes;  // or a meta block
  const std::string all = "a=a1 b=b2 d=d4";
  const auto repaired = [&](const auto& change) {
    const auto env = env_.Crash(0, CrashOptions::KeepAll());
    leveldb::Options options = files_.options();
    options.env = env.get();
    EXPECT_TRUE(change(env.get()));
    EXPECT_EQ(leveldb::RepairDB(kStoreName, options).ToString(), "OK");
    return ReadStore(options, kStoreName).text();
  };
  size_t last = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    SCOPED_TRACE("cut off at " + std::to_string(size));
    const std::string text =
        repaired([&](CrashEnv* env) { return env->Truncate(TablePath(damaged), size); });
    ASSERT_GE(text.size(), last);
    last = text.size();
    ASSERT_EQ(text, all.substr(0, last));
    ASSERT_TRUE(size < index || text == all);
  }
  for (size_t at = index; at < whole.size(); ++at) {
    const std::string bad(1, whole[at] ^ 0x10);
    ASSERT_EQ(repaired([&](CrashEnv* env) { return env->Corrupt(TablePath(damaged), at, bad); }),
              all)
        << "damaged at " << at;
  }
}

// A value can contain a whole table.
TEST_F(RepairTest, ATableInsideAValueIsNoPartOfTheTable) {
  StoreFiles other(&env_, "/other");
  const std::string inner =
      FileBytes(&env_, TableFileName("/other", other.AddTable(0, "x@9=inner y@9=inner")));
  TableOutputs outputs(files_.context(), 0);
  ASSERT_TRUE(outputs.Add(MakeInternalKey("a", 1, ValueKind::kValue), inner).ok());
  ASSERT_TRUE(outputs.Add(MakeInternalKey("b", 2, ValueKind::kValue), "b").ok());
  ASSERT_TRUE(outputs.FinishTable().ok());
  outputs.Keep();
  const std::string path = TablePath(outputs.finished()[0].number);
  ASSERT_TRUE(env_.Corrupt(path, FileBytes(&env_, path).size() - 1, "?"));  // the magic number
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
  EXPECT_THAT(LostFiles(), ::testing::Contains(TablePath(damaged).substr(7)));
}

TEST_F(RepairTest, KeepsADamagedCurrentAside) {
  files_.AddTable(1, "a@5=a1");
  files_.WriteManifest(0);
  ASSERT_TRUE(env_.Corrupt(CurrentFileName(kStoreName), 0, "garbage"));
  EXPECT_EQ(Repair().text(), "a=a1");
  EXPECT_THAT(LostFiles(), ::testing::Contains("CURRENT"));
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
  EXPECT_EQ(
      AllFiles(&env_, kStoreName).at(LostDirectoryName(kStoreName) + TempFileName("", manifest)),
      "unfinished");
}

TEST_F(RepairTest, OfTwoTablesWithOneNumberTheOneThatNobodyReadsIsSetAside) {
  const uint64_t number = files_.AddTable(1, "a@5=a1");
  files_.WriteManifest(0);
  const std::string twin = LegacyTableFileName(kStoreName, number);
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "another", twin).ok());
  EXPECT_EQ(Repair().text(), "a=a1");
  EXPECT_THAT(LostFiles(), ::testing::Contains(LegacyTableFileName("", number).substr(1)));
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
  FaultEnv env(&env_);
  const uint64_t table = files_.AddTable(1, "a@1=a");
  const uint64_t wal = files_.AddWal({"b@2=b"});
  files_.WriteManifest(wal);
  leveldb::Options options = files_.options();
  options.env = &env;
  const auto before = AllFiles(&env_, kStoreName);
  for (const std::string& path : {TablePath(table), LogFileName(kStoreName, wal)}) {
    env.Heal();
    env.Arm({.kind = FaultKind::kErrorSticky,
             .ops = kOpenRead,
             .name_part = path.substr(sizeof(kStoreName))});
    EXPECT_THAT(leveldb::RepairDB(kStoreName, options).ToString(), HasSubstr(path));
    EXPECT_EQ(AllFiles(&env_, kStoreName), before);
  }
  EXPECT_EQ(Repair().text(), "a=a b=b");
}

// What replaced files that still exist, and how its table was damaged.
struct Replaced {
  bool is_flush;
  bool is_missing;
};

class OriginTest : public RepairTest, public ::testing::WithParamInterface<Replaced> {};

TEST_P(OriginTest, StandsInForWhatCannotBeRead) {
  files_.AddTable(3, "a@1=old d@2=d");
  VersionEdit edit;
  uint64_t log = 0;
  if (GetParam().is_flush) {
    log = files_.AddWal({"a@3=new b@4=damaged", "d@5-"});
    edit.log_number = files_.AddWal({"e@6=e"});
    edit.new_tables = {files_.AddUnlisted("a@3=new b@4=damaged d@5-", 0)};
  } else {
    edit.deleted_tables = {{1, files_.AddTable(1, "b@4=damaged d@5-")},
                           {2, files_.AddTable(2, "a@3=new")}};
    log = files_.AddWal({"e@6=e"});
    edit.new_tables = {files_.AddUnlisted("a@3=new b@4=damaged d@5-", 2)};
  }
  files_.WriteManifest(log, edit);
  const std::string path = TablePath(edit.new_tables[0].number);
  if (GetParam().is_missing) {
    ASSERT_TRUE(env_.RemoveFile(path).ok());
  } else {
    DamageAt(path, "damaged");
  }
  const StoreReading reading = Repair();
  EXPECT_EQ(reading.text(), "a=new b=damaged e=e");
  EXPECT_EQ(reading.layout, GetParam().is_flush ? "L0: [a..e] L3: [a..d]"
                                                : "L0: [e..e] L1: [b..d] L2: [a..a] L3: [a..d]");
}

INSTANTIATE_TEST_SUITE_P(All, OriginTest,
                         ::testing::Values(Replaced{true, true}, Replaced{true, false},
                                           Replaced{false, true}, Replaced{false, false}));

// LevelDB's first record has no log number.
TEST_F(RepairTest, AWalStandsInForATableThatAnOpenWrote) {
  files_.AddTable(1, "a@1=a");
  VersionEdit opened;
  files_.AddWal({"b@2=damaged", "c@3=c"});
  opened.new_tables = {files_.AddUnlisted("b@2=damaged c@3=c")};
  opened.log_number = files_.AddWal({});
  files_.WriteManifest(std::nullopt, opened);
  DamageAt(TablePath(opened.new_tables[0].number), "damaged");
  EXPECT_EQ(Repair().text(), "a=a b=damaged c=c");
}

// A damaged table keeps its level if the state before it had other contents, or if its WAL is gone
// or not newer than the tables.
TEST_F(RepairTest, NothingElseIsUndone) {
  enum class Origin { kIngested, kWalIsGone, kWalIsOld };
  for (const Origin origin : {Origin::kIngested, Origin::kWalIsGone, Origin::kWalIsOld}) {
    CrashEnv env;
    StoreFiles files(&env, kStoreName);
    files.AddTable(1, "a@5=a");
    const uint64_t log = files.AddWal({origin == Origin::kWalIsOld ? "a@1=stale" : "b@6=b"});
    VersionEdit edit;
    edit.new_tables = {files.AddUnlisted("b@6=b c@7=damaged", 2)};
    if (origin != Origin::kIngested) edit.log_number = files.AddWal({});
    files.WriteManifest(log, edit);
    if (origin == Origin::kWalIsGone) {
      ASSERT_TRUE(env.RemoveFile(LogFileName(kStoreName, log)).ok());
    }
    const std::string path = TableFileName(kStoreName, edit.new_tables[0].number);
    ASSERT_TRUE(env.Corrupt(path, FileBytes(&env, path).find("damaged"), "D"));
    ASSERT_EQ(leveldb::RepairDB(kStoreName, files.options()).ToString(), "OK");
    const StoreReading reading = ReadStore(files.options(), kStoreName);
    EXPECT_EQ(reading.text(), "a=a b=b");
    EXPECT_THAT(reading.layout, HasSubstr("L1: [a..a] L2: [b..b]"));
  }
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
  EXPECT_THAT(LostFiles(), ::testing::Contains(TablePath(unlisted.number).substr(7)));
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
    CrashEnv env;
    StoreFiles files(&env, kStoreName);
    files.AddTable(1, "a@1=old b@2=b");
    files.WriteManifest(0);
    files.AddUnlisted(overlaps ? "a@4=new b@2=b" : "a@4=new");
    ASSERT_EQ(leveldb::RepairDB(kStoreName, files.options()).ToString(), "OK");
    const StoreReading reading = ReadStore(files.options(), kStoreName);
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

// A log that ends early has no damage. What follows it shows that entries are missing.
TEST_F(RepairTest, UnlistedTablesStandInForAShorterWal) {
  using Records = std::vector<std::string>;
  for (const Records& left : {Records{}, Records{"a@3=a"}}) {
    for (const bool is_lulls : {false, true}) {
      SCOPED_TRACE(std::to_string(left.size()) + (is_lulls ? " Lull" : " LevelDB"));
      const auto preamble = [&](SequenceNumber first) {
        return is_lulls ? std::optional(first) : std::nullopt;
      };
      CrashEnv env;
      StoreFiles files(&env, kStoreName);
      const uint64_t shorter = files.AddWal(left, left.empty() ? std::nullopt : preamble(3));
      files.AddUnlisted("a@3=a b@4=b");  // its flush
      files.AddWal({"c@5=c"}, preamble(5));
      files.WriteManifest(shorter, {}, is_lulls ? 2 : 9);  // LevelDB's can be ahead of its logs
      ASSERT_EQ(leveldb::RepairDB(kStoreName, files.options()).ToString(), "OK");
      EXPECT_EQ(ReadStore(files.options(), kStoreName).text(), "a=a b=b c=c");
    }
  }
}

TEST_F(RepairTest, OverlappingLevelsAreMerged) {
  files_.AddTable(1, "a@9=new c@1=old");
  files_.AddTable(1, "b@5=b c@6=new");
  files_.WriteManifest(0);
  EXPECT_EQ(Repair().text(), "a=new b=b c=new");
}

// ---- what is intact but cannot be read is not damaged

// Without a MANIFEST that names it, only the files themselves show the comparator.
class RefusalTest : public RepairTest {
 protected:
  void ExpectRefusal(const std::string& cause) {
    const auto before = AllFiles(&env_, kStoreName);
    const leveldb::Status status = leveldb::RepairDB(kStoreName, options_);
    EXPECT_TRUE(status.IsInvalidArgument() || status.IsNotSupportedError()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr(cause));
    EXPECT_EQ(AllFiles(&env_, kStoreName), before);
    std::unique_ptr<leveldb::DB> db;
    EXPECT_FALSE(OpenAt(options_, kStoreName, &db).ok());
  }
  // Replaces the type of the table's first block, which ends before `next_block`, and its checksum.
  void SetCompression(const std::string& path, const std::string& next_block, char type) {
    std::string bytes = FileBytes(&env_, path);
    const size_t end = bytes.find(next_block) - kBlockTrailerBytes;
    bytes[end] = type;
    std::string crc;
    PutFixed32(&crc, crc32c::Mask(crc32c::Value(bytes.data(), end + 1)));
    ASSERT_TRUE(env_.Corrupt(path, end, type + crc));
  }

  leveldb::Options options_ = files_.options();
};

TEST_F(RefusalTest, AnotherComparator) {
  files_.AddTable(1, "a@1=x");
  files_.WriteManifest(0);
  options_.comparator = ReverseComparator();
  ExpectRefusal("was written with comparator leveldb.BytewiseComparator");
  ASSERT_TRUE(env_.RemoveFile(CurrentFileName(kStoreName)).ok());
  ExpectRefusal("was written with comparator leveldb.BytewiseComparator");
}

TEST_F(RefusalTest, IntactBlocksInAnotherOrderMeanAnotherComparator) {
  options_.comparator = ReverseComparator();
  for (const size_t block_bytes : {size_t{1}, size_t{4096}}) {  // in the index, in a block
    StoreFiles files(&env_, kStoreName);
    files.SetBlockBytes(block_bytes);
    const uint64_t table = files.AddTable(1, "a@1=x b@2=broken c@3=z");
    ASSERT_TRUE(env_.Truncate(DescriptorFileName(kStoreName, files.WriteManifest(0)), 3));
    ExpectRefusal("not in the order of comparator");
    if (block_bytes > 1) continue;
    DamageAt(TablePath(table), "broken");  // the blocks around it show the order
    ExpectRefusal("not in the order of comparator");
  }
}

TEST_F(RefusalTest, ADamagedManifestStillNamesTheComparator) {
  const uint64_t manifest = files_.WriteManifest(files_.AddWal({"b@1=x", "a@2=y"}));
  const std::string path = DescriptorFileName(kStoreName, manifest);
  for (const size_t at : {size_t{0}, size_t{6}, size_t{7}, size_t{8}, size_t{12}, size_t{40}}) {
    SCOPED_TRACE(at);
    Flip(path, at, 1);
    options_.comparator = ReverseComparator();
    ExpectRefusal("another comparator");
    Flip(path, at, 1);
  }
  Flip(path, 12, 1);  // in the name itself
  EXPECT_EQ(Repair().text(), "a=y b=x");
}

TEST_F(RefusalTest, AnUnknownCompressionIsNoDamage) {
  const uint64_t table = files_.AddTable(1, "a@1=first b@2=broken c@3=z");
  files_.WriteManifest(0);
  SetCompression(TablePath(table), std::string("\0\x09\6b", 4), 5);
  DamageAt(TablePath(table), "broken");
  const auto before = AllFiles(&env_, kStoreName);
  const leveldb::Status status = leveldb::RepairDB(kStoreName, options_);
  EXPECT_EQ(status.ToString(), "Not implemented: " + TablePath(table) +
                                   ": at offset 0: compression 5 is not supported");
  EXPECT_EQ(AllFiles(&env_, kStoreName), before);
}

TEST_F(RefusalTest, AStoreOfAnotherDatabaseIsNamed) {
  const char* const owners[][2] = {
      {"[Version]\n  rocksdb_version=9.1.0\n", "is a RocksDB store; use its tool ldb"},
      {"[Version]\n  pebble_version=0.1\n", "is a Pebble store; use its tool pebble"}};
  files_.AddTable(1, "a@1=x");
  files_.WriteManifest(0);
  ASSERT_TRUE(env_.RemoveFile(CurrentFileName(kStoreName)).ok());
  for (const auto& [text, message] : owners) {
    ASSERT_TRUE(
        leveldb::WriteStringToFile(&env_, text, std::string(kStoreName) + "/OPTIONS-000007").ok());
    for (const bool create : {false, true}) {
      options_.create_if_missing = create;
      std::unique_ptr<leveldb::DB> db;
      EXPECT_THAT(OpenAt(options_, kStoreName, &db).ToString(), HasSubstr(message));
    }
    ExpectRefusal(message);
  }
}

TEST_F(RefusalTest, SoIsAManifestWithTagsOfAnother) {
  files_.AddTable(1, "a@1=x");
  const std::string path = DescriptorFileName(kStoreName, files_.WriteManifest(0));
  WrittenFile file;
  log::Writer writer(std::make_unique<MemoryWritable>(&file));
  ASSERT_TRUE(writer.AddRecord("\x67\x01\x02").ok());  // 103: a new file with a checksum
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, file.bytes, path).ok());
  ExpectRefusal("unknown tag 103");
}

}  // namespace
}  // namespace lull::testing
