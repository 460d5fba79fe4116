// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DeleteRange and DeleteFilesInRange: which tables go, and what is visible afterwards.
// sweep_test.cc tests what crashes and faults leave.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db/compaction/compaction_state.h"
#include "db/compaction/range_removal.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/lull.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/table_names.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"
#include "tests/support/rng.h"
#include "tests/support/scenario.h"
#include "tests/support/setting.h"
#include "tests/support/sweep.h"

namespace lull {
namespace {

using leveldb::Slice;
using testing::Contents;
using testing::IsOk;
using testing::ReadAll;
using testing::RemoveRange;
using testing::VersionFromText;

// ---- which tables go

KeyBounds Span(const std::string& begin, const std::string& end) {
  KeyBounds span;
  if (!begin.empty()) span.begin = begin;
  if (!end.empty()) span.end = end;
  return span;
}

std::string Show(const RangeRemoval& removal) {
  std::string text;
  for (const auto& [level, number] : removal.edit.deleted_tables)
    text += "L" + std::to_string(level) + ":" + std::to_string(number) + " ";
  return text + "of " + std::to_string(removal.removed_bytes >> 20) + ", " +
         std::to_string(removal.left_files) + " left of " +
         std::to_string(removal.left_bytes >> 20);
}

struct RemovalRow {
  const char* what;
  const char* tables;
  const char* begin;
  const char* end;
  const char* all_inside;
  const char* hides_nothing;
};

TEST(RangeRemoval, Table) {
  const std::vector<RemovalRow> rows = {
      {"the end does not belong to the range", "L1: 1:[a..c] 2:[d..f] 3:[g..k]*2", "c", "k",
       "L1:2 of 1, 2 left of 3", "L1:2 of 1, 2 left of 3"},
      {"the begin does", "L1: 1:[a..b] 2:[c..f]", "c", "g", "L1:2 of 1, 0 left of 0",
       "L1:2 of 1, 0 left of 0"},
      {"no bounds", "L0: 5:[a..z] L1: 1:[a..c]*3", "", "", "L1:1 L0:5 of 4, 0 left of 0",
       "L1:1 L0:5 of 4, 0 left of 0"},
      {"an older table stays under a newer one", "L1: 5:[d..f] L2: 1:[a..e]", "c", "k",
       "L1:5 of 1, 1 left of 1", "of 0, 2 left of 2"},
      {"the table beside the older one hides nothing", "L1: 5:[d..f] 6:[g..h] L2: 1:[a..e]", "c",
       "k", "L1:6 L1:5 of 2, 1 left of 1", "L1:6 of 1, 2 left of 2"},
      {"what hides a table that stays must stay too", "L0: 9:[f..g] L1: 5:[d..f] L2: 1:[a..e]", "c",
       "k", "L1:5 L0:9 of 2, 1 left of 1", "of 0, 3 left of 3"},
      {"of two tables in L0 the newer one hides the older", "L0: 9:[d..f] 8:[a..e]", "c", "k",
       "L0:9 of 1, 1 left of 1", "of 0, 2 left of 2"},
      {"the older one hides nothing", "L0: 9:[a..e] 8:[d..f]", "c", "k", "L0:8 of 1, 1 left of 1",
       "L0:8 of 1, 1 left of 1"},
      {"neighbors with a key in common: the first is newer", "L1: 1:[c..f@9] 2:[f@3..p]", "c", "k",
       "L1:1 of 1, 1 left of 1", "of 0, 2 left of 2"},
  };
  for (const RemovalRow& row : rows) {
    const VersionRef version = VersionFromText(row.tables);
    const KeyBounds span = Span(row.begin, row.end);
    EXPECT_EQ(Show(RemoveAllInside(*version, span)), row.all_inside) << row.what;
    EXPECT_EQ(Show(RemoveWhatHidesNothing(*version, span, {})), row.hides_nothing) << row.what;
  }
}

TEST(RangeRemoval, LeavesWhatJobsUse) {
  const VersionRef version = VersionFromText("L1: 5:[d..f] 6:[m..n] L2: 1:[e..g] 2:[m..n]");
  const KeyBounds all = Span("", "");
  EXPECT_EQ(Show(RemoveWhatHidesNothing(*version, all, {{2, 3, "a", "f"}})),
            "L2:2 L1:6 of 2, 2 left of 2");
  EXPECT_EQ(Show(RemoveWhatHidesNothing(*version, all, {{0, 1, "m", "o"}})),
            "L2:2 L2:1 L1:5 of 3, 1 left of 1");
}

class CountingComparator final : public leveldb::Comparator {
 public:
  int Compare(const Slice& a, const Slice& b) const override {
    ++compares;
    return a.compare(b);
  }
  const char* Name() const override { return "tests.counting"; }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  mutable uint64_t compares = 0;
};

// Half of the tables are in use, and between each two of them is one that hides nothing.
TEST(RangeRemoval, TakesLittleMoreThanLinearTime) {
  constexpr int kTables = 1000;
  std::string tables = "L1:";
  for (int i = 0; i < 2 * kTables; ++i) {
    if (i == kTables) tables += " L2:";
    const std::string key = std::to_string(1000 + 2 * (i % kTables) + (i < kTables ? 1 : 0));
    tables += " " + std::to_string(i + 1) + ":[" + key + ".." + key + "]";
  }
  const CountingComparator user_order;
  const VersionRef version = testing::Applied(
      std::make_shared<const Version>(KeyOrder(&user_order, KeyOrder::Keys::kInternal)),
      testing::EditFromText(tables));
  user_order.compares = 0;
  std::vector<RunningRange> running;
  for (int i = 0; i < kTables; ++i) {
    const std::string key = std::to_string(1000 + 2 * i);
    running.push_back({2, 3, key, key});
  }
  EXPECT_EQ(Show(RemoveWhatHidesNothing(*version, Span("", ""), running)).substr(0, 20),
            "L1:1000 L1:999 L1:99");
  EXPECT_LT(user_order.compares, 3u * kTables * 50);
  user_order.compares = 0;
  EXPECT_EQ(*TouchedRange(*version, Span("1500", "2500"))->smallest, "1500");
  EXPECT_LT(user_order.compares, 100u) << "the store's mutex is held";
}

TEST(RangeRemoval, TouchedRangeIsWhatTablesHave) {
  const VersionRef version = VersionFromText("L0: 9:[b..f] L3: 1:[k..q]");
  const auto touched = [&](const char* begin, const char* end) {
    const auto range = TouchedRange(*version, Span(begin, end));
    return range ? *range->smallest + ".." + *range->largest : std::string("none");
  };
  EXPECT_EQ(touched("", ""), "b..q");
  EXPECT_EQ(touched("c", "l"), "c..l");
  EXPECT_EQ(touched("g", ""), "k..q");
  EXPECT_EQ(touched("g", "k"), "none");
}

TEST(Withholding, LetsNoJobBegin) {
  LayoutOptions layout;
  layout.l0_trigger = 1;
  CompactionState compaction_state(layout);
  const VersionRef shallow = VersionFromText("L0: 9:[b..f] L1: 1:[a..d]");
  ASSERT_TRUE(compaction_state.Pick(JobClass::kL0, *shallow));
  EXPECT_TRUE(compaction_state.Withhold(shallow->order(), {"b", "c"}));
  EXPECT_TRUE(compaction_state.withholds());
  EXPECT_FALSE(compaction_state.Pick(JobClass::kL0, *shallow));

  const VersionRef deep = VersionFromText("L4: 2:[c..e]*60000 3:[m..q]*60000");
  compaction_state.VersionChanged();
  const auto plan = compaction_state.Pick(JobClass::kDeep, *deep);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->upper.front()->number(), 3u) << "beside the range";
  ASSERT_NE(compaction_state.Begin(JobClass::kDeep, *plan, deep->order()), nullptr);
  EXPECT_FALSE(compaction_state.Withhold(deep->order(), {"b", "n"})) << "a job runs in it";
  compaction_state.EndWithholding();
  EXPECT_FALSE(compaction_state.withholds());
  EXPECT_TRUE(compaction_state.Pick(JobClass::kL0, *shallow));
}

// ---- a store

std::string KeyOf(int i) {
  std::string text = std::to_string(i);
  return "key" + std::string(6 - text.size(), '0') + text;
}

uint64_t TableBytes(leveldb::DB* db) {
  const leveldb::Range all("", "\xff");
  uint64_t bytes = 0;
  db->GetApproximateSizes(&all, 1, &bytes);
  return bytes;
}

class DeleteRangeTest : public ::testing::Test {
 protected:
  void Open(leveldb::Env* env = leveldb::Env::Default()) {
    leveldb::Options options = testing::SmallOptions(env);
    options.compression = leveldb::kNoCompression;
    db_.reset();
    ASSERT_TRUE(
        IsOk(testing::OpenAt(options, name_, &db_, "own_coordinator=true;table_bytes_max=64K")));
  }
  void Put(int from, int to, const std::string& value) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(IsOk(db_->Put({}, KeyOf(i), value)));
      model_[KeyOf(i)] = value;
    }
  }
  /// Writes all keys twice: the tables of flushes can be large, and would move down as a whole.
  void MakeSmallTables(int count) {
    Put(0, count, std::string(500, 'a'));
    ASSERT_TRUE(Flush(db_.get()).ok());
    Put(0, count, std::string(500, 'b'));
    db_->CompactRange(nullptr, nullptr);
  }
  void DeleteRange(int from, int to) {
    ASSERT_TRUE(IsOk(RemoveRange(db_.get(), {KeyOf(from), KeyOf(to)}, /*files_only=*/false)));
    model_.erase(model_.lower_bound(KeyOf(from)), model_.lower_bound(KeyOf(to)));
  }
  void ExpectModel() { EXPECT_TRUE(ReadAll(db_.get()) == model_); }

  const std::string name_ = testing::FreshDirectory("delete_range");
  std::unique_ptr<leveldb::DB> db_;
  Contents model_;
};

TEST_F(DeleteRangeTest, RemovesWholeTablesAndTheKeysAtTheEnds) {
  Open();
  MakeSmallTables(6000);
  const uint64_t before = TableBytes(db_.get());
  DeleteRange(1003, 5007);
  ExpectModel();
  EXPECT_LT(TableBytes(db_.get()), before * 4 / 10) << "without a compaction";
  Open();
  ExpectModel();
}

TEST_F(DeleteRangeTest, RunsBesideWritersCompactionsAndCheckpoints) {
  Open();
  std::atomic<bool> ends{false};
  auto writer = testing::InThread([&] {
    testing::Rng rng(3);
    const std::string value(100, 'w');
    while (!ends.load()) {
      const int i = 100'000 + static_cast<int>(rng.Below(20'000));
      ASSERT_TRUE(db_->Put({}, KeyOf(i), value).ok());
    }
  });
  const auto expect_model = [this](Contents contents) {
    contents.erase(contents.lower_bound(KeyOf(100'000)), contents.end());
    EXPECT_TRUE(contents == model_);
  };
  for (int round = 0; round < 5; ++round) {
    Put(0, 1000, std::string(500, static_cast<char>('a' + round)));
    if (round % 3 == 1) db_->CompactRange(nullptr, nullptr);
    DeleteRange(100 * round, 1000);
    if (round % 2 == 1) {
      const std::string copy = testing::FreshDirectory("delete_range_copy");
      ASSERT_TRUE(CreateCheckpoint(db_.get(), copy).ok());
      expect_model(testing::ReadStore(leveldb::Env::Default(), copy));
    }
  }
  ends.store(true);
  writer.reset();
  expect_model(ReadAll(db_.get()));
}

TEST_F(DeleteRangeTest, FilesInRangeGoAtOnce) {
  Open();
  MakeSmallTables(6000);
  ASSERT_TRUE(WaitForIdle(db_.get()).ok()) << "it leaves tables that a compaction uses";
  const uint64_t before = TableBytes(db_.get());
  const std::string begin = KeyOf(1000), end = KeyOf(5000);
  const Slice from(begin), to(end);
  DeletedFiles deleted;
  ASSERT_TRUE(DeleteFilesInRange(db_.get(), &from, &to, &deleted).ok());
  EXPECT_GT(deleted.files, 10u);
  EXPECT_GT(deleted.bytes, before / 2);
  EXPECT_GE(deleted.files_left, 1u);
  EXPECT_LE(deleted.files_left, 2u) << "the tables at the ends";
  EXPECT_NEAR(static_cast<double>(TableBytes(db_.get()) + deleted.bytes),
              static_cast<double>(before), 1000);
  Contents left = ReadAll(db_.get());
  for (const auto& [key, value] : left) EXPECT_EQ(model_[key], value);
  for (const auto& [key, value] : model_)
    EXPECT_TRUE((key >= begin && key < end) || left.contains(key)) << key;
  ASSERT_TRUE(DeleteFilesInRange(db_.get(), &from, &to, &deleted).ok());
  EXPECT_EQ(deleted.files, 0u) << "nothing is left to remove";
}

TEST(DeleteRangeCalls, NeedAnOpenStore) {
  DeletedFiles deleted;
  deleted.files = 7;
  EXPECT_TRUE(DeleteFilesInRange(nullptr, nullptr, nullptr, &deleted).IsInvalidArgument());
  EXPECT_EQ(deleted.files, 0u);
  EXPECT_TRUE(DeleteRange(nullptr, nullptr, nullptr).IsInvalidArgument());
}

// ---- what snapshots see meanwhile

/// What a snapshot sees must not change.
class CheckedSnapshot {
 public:
  explicit CheckedSnapshot(leveldb::DB* db)
      : db_(db), snapshot_(db->GetSnapshot()), seen_(ReadAll(db, snapshot_)) {}
  ~CheckedSnapshot() { db_->ReleaseSnapshot(snapshot_); }
  CheckedSnapshot(const CheckedSnapshot&) = delete;
  CheckedSnapshot& operator=(const CheckedSnapshot&) = delete;

  const Contents& seen() const { return seen_; }
  void Check() const {
    EXPECT_TRUE(ReadAll(db_, snapshot_) == seen_);
    for (const auto& [key, value] : seen_)
      ASSERT_EQ(testing::ReadValue(db_, key, snapshot_), value) << key;
  }

 private:
  leveldb::DB* const db_;
  const leveldb::Snapshot* const snapshot_;
  const Contents seen_;
};

class SnapshotRemovalTest : public DeleteRangeTest, public ::testing::WithParamInterface<bool> {
 protected:
  void Delete(int from, int to) {
    for (int i = from; i < to; ++i) ASSERT_TRUE(IsOk(db_->Delete({}, KeyOf(i))));
  }
  void Rest() {
    ASSERT_TRUE(IsOk(Flush(db_.get())));
    ASSERT_TRUE(IsOk(WaitForIdle(db_.get())));
  }
  /// The files only, if the parameter says so.
  void Remove(int from, int to) {
    ASSERT_TRUE(IsOk(RemoveRange(db_.get(), {KeyOf(from), KeyOf(to)}, /*files_only=*/GetParam())));
  }
};

// Old values in a table that reaches beyond the range; above it newer values and deletions, in a
// table inside the range.
TEST_P(SnapshotRemovalTest, ASnapshotKeepsWhatItSees) {
  Open();
  Put(0, 1000, "old");
  db_->CompactRange(nullptr, nullptr);
  const CheckedSnapshot oldest(db_.get());
  Put(0, 300, "new");
  Delete(300, 600);
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  const CheckedSnapshot before(db_.get());
  Remove(0, 900);
  before.Check();
  const CheckedSnapshot between(db_.get());
  Put(100, 200, "newer");
  ASSERT_TRUE(IsOk(Flush(db_.get())));
  Remove(0, 900);
  Put(0, 900, "newest");
  db_->CompactRange(nullptr, nullptr);
  for (const CheckedSnapshot* const snapshot : {&oldest, &before, &between}) snapshot->Check();
  if (!GetParam()) {
    EXPECT_EQ(between.seen().size(), 100u) << "the range was empty";
  }
  EXPECT_EQ(ReadAll(db_.get()).size(), 1000u);
}

TEST_P(SnapshotRemovalTest, AReleasedSnapshotKeepsNoFiles) {
  Open();
  const auto tables = [&] { return testing::TableNames(leveldb::Env::Default(), name_).size(); };
  MakeSmallTables(900);
  Rest();
  {
    const CheckedSnapshot snapshot(db_.get());
    Remove(0, 900);
    Rest();
    EXPECT_GT(tables(), 5u);
    snapshot.Check();
  }
  Rest();
  EXPECT_EQ(tables(), 0u);
}

// The snapshot is taken when the range is deleted, except for the tables that are about to be
// removed. No write comes after that, so later iterators have its sequence. They find the range
// empty, and tell others to jump over it, but the snapshot must not.
TEST_P(SnapshotRemovalTest, ASnapshotDuringTheRemovalKeepsWhatItSees) {
  testing::CrashEnv memory;
  testing::FaultEnv env(&memory);
  Open(&env);
  Put(400, 500, "value");
  db_->CompactRange(nullptr, nullptr);
  Put(300, 400, "value");
  Delete(0, 300);
  EXPECT_EQ(ReadAll(db_.get()).size(), 200u) << "now writes are checked for empty ranges";
  const leveldb::Snapshot* snapshot = nullptr;
  env.set_before_operation([&](testing::IoOp op, const std::string& path) {
    if (op == testing::kSync && path.find("MANIFEST") != path.npos) snapshot = db_->GetSnapshot();
  });
  Remove(0, 900);
  env.set_before_operation({});
  const size_t stays = GetParam() ? 100 : 0;
  for (int scan = 0; scan < 3; ++scan) EXPECT_EQ(ReadAll(db_.get()).size(), stays);
  EXPECT_EQ(ReadAll(db_.get(), snapshot).size(), stays + 100);
  db_->ReleaseSnapshot(snapshot);
  db_.reset();
}

INSTANTIATE_TEST_SUITE_P(Calls, SnapshotRemovalTest, ::testing::Bool(),
                         [](const auto& call) { return call.param ? "Files" : "Range"; });

// ---- crashes and faults

// Old values in a table that reaches beyond the range; newer ones and deletions above it, in tables
// inside the range; others in memory, unsynced.
void DeleteOverOldValues(testing::ScenarioStore* store) {
  store->PutRange(0, 60, 300);
  store->CompactAll();
  for (int i = 7; i < 52; i += 3) {
    store->Delete(i, false);
    store->Put(i + 1, 3, false);
  }
  store->Flush();
  for (int i = 0; i < 60; i += 5) store->Put(i, 5, false);
  store->Put(60, 6, true);
  store->Put(61, 8, false);
  store->CountFromHere();
  store->DeleteRange(7, 52);
  store->DeleteRange(7, 52);  // does the rest if the first has failed
  store->Put(62, 5, true);
}

const testing::Scenario kOverOldValues{"OverOldValues", 0, DeleteOverOldValues};

TEST(DeleteRangeCrash, AtEveryStepLeavesNoOldValue) {
  testing::SweepOptions options;
  options.brief = true;
  options.stride = 1;
  options.random_states = static_cast<int>(testing::Strided(50));
  const testing::SweepReport report = CrashSweep(kOverOldValues, options);
  EXPECT_EQ(report.violations, 0u) << report.first_violation;
  EXPECT_GT(report.states, 5 * testing::Strided(50));
}

TEST(DeleteRangeFault, AFailureIsToldAndNothingComesBack) {
  testing::SweepOptions options;
  options.brief = true;
  options.stride += 2;
  for (const testing::FaultKind kind : testing::kAllFaultKinds) {
    const testing::SweepReport report = FaultSweep(kOverOldValues, kind, options);
    EXPECT_EQ(report.violations, 0u) << report.first_violation;
  }
}

}  // namespace
}  // namespace lull
