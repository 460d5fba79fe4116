// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Compactions that free space: which are picked, and what is left in a store that rests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/compaction/overwrite_share.h"
#include "db/compaction/picker.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/scripted_store.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/manual_clock.h"

namespace lull::testing {
namespace {

// ---- the picker

using TablesContents = std::map<uint64_t, TableContents>;  // by table number

TableContents Of(uint64_t entries, uint64_t deletions) { return {entries, deletions, 7}; }

VersionRef VersionWith(const char* tables, const TablesContents& contents) {
  VersionRef version = VersionFromText(tables);
  for (const auto& [number, its] : contents) SetContents(*version, number, its);
  return version;
}

std::string ReclaimText(const VersionRef& version, const ReclaimRule& rule,
                        const std::vector<RunningRange>& running = {}) {
  return PlanText(PickReclaim(*version, running, {}, rule));
}

TEST(PickReclaim, Table) {
  struct Row {
    const char* what;
    const char* tables;
    TablesContents contents;
    const char* plan;
  };
  const std::vector<Row> rows = {
      {"a table of deletions goes to the entries",
       "L1: 1:[a..m] L2: 2:[a..z]*10",
       {{1, Of(1000, 1000)}, {2, Of(1000, 0)}},
       "L1 1 + 2"},
      {"too few of them are hidden",
       "L1: 1:[a..m] L2: 2:[a..z]*10",
       {{1, Of(1000, 200)}, {2, Of(1000, 0)}},
       "nothing"},
      {"the table itself is most of what is rewritten",
       "L1: 1:[a..m]*9 L2: 2:[a..z]",
       {{1, Of(1000, 500)}, {2, Of(100, 0)}},
       "nothing"},
      {"entries of unknown number are as large as those above",
       "L1: 1:[a..m] L2: 2:[a..z]*3",
       {{1, Of(1000, 1000)}},
       "L1 1 + 2"},
      {"the same, and they are too many",
       "L1: 1:[a..m] L2: 2:[a..z]*10",
       {{1, Of(1000, 1000)}},
       "nothing"},
      {"it goes on to them first", "L1: 1:[a..m] L4: 2:[a..z]", {{1, Of(9, 9)}}, "L1 1 move"},
      {"nothing is below", "L1: 1:[a..m] L2: 2:[x..z]", {{1, Of(8, 2)}}, "L1 1"},
      {"it is not worth a new MANIFEST record",
       "L1: 1:[a..m]*0.01 L2: 2:[a..z]*0.1",
       {{1, Of(1000, 1000)}, {2, Of(1000, 0)}},
       "nothing"},
      {"nothing is below, and little is gained", "L1: 1:[a..m]", {{1, Of(9, 2)}}, "nothing"},
      {"the deepest level needs no deletions", "L6: 1:[a..m]", {{1, Of(9, 9)}}, "nothing"},
      {"tables of L0 hide entries of each other",
       "L0: 2:[a..k] 1:[a..z]*5",
       {{1, Of(1000, 0)}, {2, Of(900, 900)}},
       "L0 2 1"},
      {"L0 hides entries of L1 too",
       "L0: 2:[a..k] 1:[a..z] L1: 3:[a..b]*9",
       {{1, Of(1000, 0)}, {2, Of(900, 900)}, {3, Of(100, 0)}},
       "L0 2 1 + 3"},
      {"contents are unknown", "L0: 2:[a..k] 1:[a..z]*5 L1: 3:[a..b]", {}, "nothing"},
      {"the one that frees most goes first",
       "L1: 1:[a..c] 2:[d..f] L2: 3:[a..c]*9 4:[d..f]*9",
       {{1, Of(50, 50)}, {2, Of(90, 90)}, {3, Of(100, 0)}, {4, Of(100, 0)}},
       "L1 2 + 4"},
      {"a table that continues a key goes along",
       "L1: 1:[a..c@9] 2:[c@5..f] L2: 3:[a..f]",
       {{1, Of(50, 50)}, {2, Of(90, 0)}, {3, Of(90, 0)}},
       "L1 1 2 + 3"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(ReclaimText(VersionWith(row.tables, row.contents), {7}), row.plan) << row.what;
}

TEST(PickReclaim, DeletionsThatASnapshotNeedsStay) {
  const auto version = VersionWith("L0: 2:[a..c] 1:[x..z] L1: 3:[a..c]", {{2, Of(9, 9)}});
  EXPECT_EQ(ReclaimText(version, {6}), "nothing");
  EXPECT_EQ(ReclaimText(version, {7}), "L0 2 1 + 3");
}

TEST(PickReclaim, TheNextBestIsPickedIfTheBestIsTaken) {
  const auto version =
      VersionWith("L1: 1:[a..c] 2:[d..f] L2: 3:[a..c]*9 4:[d..f]*9",
                  {{1, Of(50, 50)}, {2, Of(90, 90)}, {3, Of(100, 0)}, {4, Of(100, 0)}});
  EXPECT_EQ(ReclaimText(version, {7}, {{2, 3, "e", "e"}}), "L1 1 + 3");
  EXPECT_EQ(ReclaimText(version, {7}, {{1, 2, "a", "z"}}), "nothing");
}

TEST(PickReclaim, OverwrittenValuesCountOnceTheyAreMany) {
  const auto pick = [](uint64_t lower_values, double overwrite_share) {
    return ReclaimText(VersionWith("L1: 1:[a..m]*10 L2: 2:[a..z]*10",
                                   {{1, Of(1000, 0)}, {2, Of(lower_values, 0)}}),
                       {.oldest_snapshot = 7, .overwrite_share = overwrite_share});
  };
  EXPECT_EQ(pick(1000, 1), "L1 1 + 2") << "half of all";
  EXPECT_EQ(pick(1000, 0.9), "L1 1 + 2");
  EXPECT_EQ(pick(1000, 0.45), "nothing") << "22 % of all";
  EXPECT_EQ(pick(2000, 1), "L1 1 + 2") << "a third";
  EXPECT_EQ(pick(4000, 1), "nothing") << "a fifth";
  EXPECT_EQ(pick(1000, 0), "nothing");
}

TEST(OverwriteShare, IsWhatRecentMergesFound) {
  constexpr double kWindow = 1 << 20;
  OverwriteShare share;
  EXPECT_EQ(share.value(), 0);
  share.Observe({.upper_values = 1000, .dropped_values = 500, .window = kWindow});
  EXPECT_DOUBLE_EQ(share.value(), 0.5);
  share.Observe({.upper_values = 1000, .dropped_values = 500, .deletions = 500, .window = kWindow});
  EXPECT_DOUBLE_EQ(share.value(), 0.25);
  for (int merge = 0; merge < 20; ++merge)
    share.Observe({.upper_values = 1e6, .dropped_values = 1e6, .window = kWindow});
  EXPECT_GT(share.value(), 0.99);
  share.Observe({.upper_values = 1000, .dropped_values = 5000, .window = kWindow});
  EXPECT_LE(share.value(), 1);
}

TEST(OverwriteShare, FollowsASmallStoreThatBeginsToOverwrite) {
  OverwriteShare share;
  share.Observe({.upper_values = 600, .dropped_values = 0, .window = 100});
  for (int merge = 0; merge < 8; ++merge)
    share.Observe({.upper_values = 20, .dropped_values = 20, .window = 100});
  EXPECT_GT(share.value(), 0.7);
}

TEST(PickReclaim, OldDeletionsGoDownWhateverThatFrees) {
  const VersionRef version = VersionWith(
      "L1: 1:[a..m] L2: 2:[a..z]*10 L3: 3:[x..z]",
      {{1, {1000, 1, 7, /*deletions_since=*/100}}, {2, {1000, 2, 7, 50}}, {3, {1000, 0, 0, 0}}});
  const auto pick = [&](const ReclaimRule& rule) { return ReclaimText(version, rule); };
  EXPECT_EQ(pick({.oldest_snapshot = 7}), "nothing");
  EXPECT_EQ(pick({.oldest_snapshot = 7, .old = {.before = 50}}), "nothing");
  EXPECT_EQ(pick({.oldest_snapshot = 7, .old = {.before = 51}}), "L2 2 + 3");
  EXPECT_EQ(pick({.oldest_snapshot = 7, .old = {.before = 101}}), "L1 1 + 2 | 3");
  EXPECT_EQ(pick({.oldest_snapshot = 6, .old = {.before = 101}}), "nothing");
  const auto plan = PickReclaim(*version, {}, {}, {.old = {.before = 101}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->deletions_since.value(), 50u) << "its outputs have deletions of both";
  SetContents(*version, 2, {});
  EXPECT_EQ(PickReclaim(*version, {}, {}, {.old = {.before = 101}})->deletions_since, 0u)
      << "it is unknown what 2 has";
  SetContents(*version, 1, {1000, 1000, 7, 100});
  SetContents(*version, 2, {1000, 0, 0, 0});
  EXPECT_EQ(pick({}), "L1 1 + 2 | 3") << "it frees all of them";
  EXPECT_EQ(pick({.old = {.before = 100}, .only_old = true}), "nothing");
  EXPECT_EQ(pick({.old = {.before = 101}, .only_old = true}), "L1 1 + 2 | 3");
}

TEST(PickReclaim, OldDeletionsGoFromTheLastLevelToo) {
  const VersionRef version = VersionWith(
      "L6: 1:[a..m] 2:[n..z]", {{1, {9, 1, 7, /*deletions_since=*/100}}, {2, {9, 0, 0, 0}}});
  EXPECT_EQ(ReclaimText(version, {.old = {.before = 100}}), "nothing");
  const auto plan = PickReclaim(*version, {}, {}, {.old = {.before = 101}});
  EXPECT_EQ(PlanText(plan), "L6 1");
  EXPECT_TRUE(plan->is_rewrite());
}

TEST(PickReclaim, TheTimeOfNewDeletionsIsNotThatOfOthers) {
  const VersionRef version =
      VersionWith("L1: 1:[a..m]*11 L2: 2:[a..m]", {{1, {9, 0, 0, 0}}, {2, {9, 0, 0, 0}}});
  EXPECT_EQ(Pick(*version, JobClass::kDeep, {}, {}, {})->deletions_since, std::nullopt);
}

TEST(IsFlushToReclaimDue, IfItHidesAQuarterOfAllEntries) {
  // 200 values, and 40 deletions in tables.
  const VersionRef version = VersionWith("L0: 2:[a..c] L1: 1:[a..c] L2: 3:[a..f]",
                                         {{1, Of(50, 0)}, {2, Of(90, 40)}, {3, Of(100, 0)}});
  EXPECT_FALSE(IsFlushToReclaimDue(SpaceOf(*version), 9));
  EXPECT_TRUE(IsFlushToReclaimDue(SpaceOf(*version), 10));
  EXPECT_FALSE(IsFlushToReclaimDue(SpaceOf(*version), 0)) << "those in tables need no flush";
  EXPECT_FALSE(IsFlushToReclaimDue(SpaceOf(*VersionFromText("")), 50)) << "nothing to hide";
  SetContents(*version, 3, {});
  EXPECT_FALSE(IsFlushToReclaimDue(SpaceOf(*version), 1000)) << "it is not known how much 3 has";
}

// ---- a store

class ReclaimTest : public ScriptedStoreTest {
 protected:
  static constexpr int kKeys = 2000;

  /// Opens the store, and puts all entries into the deepest level with tables.
  void Fill() {
    Open();
    Write(0, kKeys);
    db_->CompactRange(nullptr, nullptr);
    ASSERT_GT(TableBytes(), kKeys * ValueOf(0).size());
  }
  uint64_t TableBytes() {
    const leveldb::Range all("", "\xff");
    uint64_t bytes = 0;
    db_->GetApproximateSizes(&all, 1, &bytes);
    return bytes;
  }
};

TEST_F(ReclaimTest, ASnapshotKeepsWhatWasDeleted) {
  Fill();
  const uint64_t bytes = TableBytes();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Delete(0, kKeys);
  Rest();
  EXPECT_GE(TableBytes(), bytes);
  db_->ReleaseSnapshot(snapshot);
  Rest();
  EXPECT_EQ(TableBytes(), 0u);
  EXPECT_EQ(ReadAll(db_.get()).size(), 0u);
}

// The deletions are flushed although their memtable is not full.
TEST_F(ReclaimTest, TheTablesAndLogsOfAnEmptyStoreGetSmall) {
  Fill();
  Delete(0, kKeys);
  // Preallocated, the current log takes more, and so does each prepared one.
  Await("the logs are small", [&] { return TableBytes() == 0 && TotalSize(".log") <= 256 << 10; });
  Write(0, kKeys);
  EXPECT_EQ(ReadAll(db_.get()).size(), size_t{kKeys});
}

TEST_F(ReclaimTest, DeletionsOfAnEarlierOpenCount) {
  Fill();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Delete(0, kKeys);
  Rest();
  db_->ReleaseSnapshot(snapshot);
  db_.reset();
  Open();
  // Preload runs at any time; WaitForIdle does not wait for it.
  while (TableBytes() > 0) Rest();
}

TEST_F(ReclaimTest, OverwrittenEntriesAreFreedInRest) {
  scheduling_.l0_trigger = 9;
  Fill();
  const uint64_t live = TableBytes();
  for (int round = 0; round < 9; ++round) {  // so that it is known that most values hide others
    Write(0, kKeys);
    db_->CompactRange(nullptr, nullptr);
  }
  for (int round = 0; round < 2; ++round) {
    Write(0, kKeys);
    Rest();
    EXPECT_LT(TableBytes(), 2 * live) << "L0 need not be due";
  }
  EXPECT_EQ(ReadAll(db_.get()).size(), size_t{kKeys});
}

// ---- delete_persist_seconds

class DeletePersistTest : public ReclaimTest {
 protected:
  DeletePersistTest() {
    pace_.clock = &clock_;  // it stands still, so the store does not rest
    scheduling_.delete_persist_seconds = 1000;
  }
  ~DeletePersistTest() override { db_.reset(); }

  void DeleteOneOfMany() {
    Fill();
    Delete(7, 8);
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  bool IsInTables(const std::string& bytes) {
    const std::set<std::string> tables = TableNames(&env_, name_);
    return std::any_of(tables.begin(), tables.end(), [&](const std::string& table) {
      return FileBytes(&env_, name_ + "/" + table).find(bytes) != std::string::npos;
    });
  }
  void AwaitGone(const std::string& value) {
    Await("the value is gone", [&] { return !IsInTables(value); });
  }

  ManualClock clock_;
};

TEST_F(DeletePersistTest, DeletionsInMemoryCount) {
  Fill();
  Delete(7, 8);
  env_.later_seconds = 600;
  AwaitGone(ValueOf(7));
}

TEST_F(DeletePersistTest, TheAgeIsThatOfEarlierOpensToo) {
  DeleteOneOfMany();
  env_.later_seconds = 400;
  AwaitObeyed();
  EXPECT_TRUE(IsInTables(ValueOf(7))) << "half of the time has not passed";
  db_.reset();
  Open();
  AwaitObeyed();
  EXPECT_TRUE(IsInTables(ValueOf(7)));
  env_.later_seconds = 600;
  AwaitGone(ValueOf(7));
  EXPECT_EQ(ReadAll(db_.get()).size(), size_t{kKeys - 1});
}

TEST_F(DeletePersistTest, ACompactionKeepsTheAge) {
  Fill();
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  Delete(7, 8);
  ASSERT_TRUE(Flush(db_.get()).ok());
  env_.later_seconds = 400;
  db_->CompactRange(nullptr, nullptr);  // the snapshot keeps the deletion, and the value
  ASSERT_GE(Space()["oldest_deletion_seconds"], 400);
  db_->ReleaseSnapshot(snapshot);
  AwaitObeyed();
  EXPECT_TRUE(IsInTables(ValueOf(7)));
  env_.later_seconds = 600;
  AwaitGone(ValueOf(7));
}

TEST_F(DeletePersistTest, AClockThatWasAheadDoesNotKeepDeletions) {
  env_.later_seconds = 100'000'000;
  DeleteOneOfMany();
  env_.later_seconds = 0;
  AwaitGone(ValueOf(7));
  env_.later_seconds = 100'000'000;
  Delete(8, 9);
  env_.later_seconds = 0;
  AwaitGone(ValueOf(8));
}

// The open leaves 32 tables open. They are the newest, without the deletion.
TEST_F(DeletePersistTest, AChangeIsObeyedForTablesThatNobodyHasOpened) {
  scheduling_.delete_persist_seconds = 0;
  scheduling_.l0_trigger = scheduling_.l0_slowdown = scheduling_.l0_stop = 60;
  options_.max_open_files = 74;
  DeleteOneOfMany();
  for (int i = 0; i < 40; ++i) {
    Write(kKeys + i, kKeys + i + 1);
    ASSERT_TRUE(Flush(db_.get()).ok());
  }
  db_.reset();
  env_.later_seconds = 1000;
  Open();
  AwaitObeyed();
  EXPECT_TRUE(IsInTables(ValueOf(7)));
  ASSERT_TRUE(SetOptions(db_.get(), "delete_persist_seconds=100").ok());
  AwaitGone(ValueOf(7));
}

}  // namespace
}  // namespace lull::testing
