// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/compaction_state.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/db/support/version_text.h"

namespace lull::testing {
namespace {

const leveldb::Status kDamage = leveldb::Status::Corruption("table 4");

// In the first, two tables of L1 are due; 9 lies between them, and 4 below 3. In the second, L0 is
// due.
constexpr char kTwoDeep[] = "L1: 1:[a..c]*6 2:[d..f]*6 3:[g..k]*6 L2: 9:[cc..cc] 4:[g..h]";
constexpr char kL0AndDeep[] = "L0: 5:[a..z] 6:[a..z] 7:[a..z] 8:[a..z] L1: 1:[a..c]*4 L2: 2:[a..k]";

class CompactionStateTest : public ::testing::Test {
 protected:
  std::optional<CompactionPlan> Take(JobClass job_class, const VersionRef& version) {
    std::optional<CompactionPlan> plan = job_class == JobClass::kManual
                                             ? state_.PickManual(*version, kDamage)
                                             : state_.Pick(job_class, *version);
    if (plan) {
      begun_ = state_.Begin(job_class, *plan, InternalOrder());
      EXPECT_NE(begun_, nullptr);
    }
    return plan;
  }

  ManualRequest* Request(int level, const UserRange& range = {}) {
    ManualRequest& request = requests_.emplace_back();
    request.level = level;
    request.range = range;
    state_.AddRequest(&request);
    return &request;
  }
  /// Installs what was taken last.
  void Install(const leveldb::Status& status = leveldb::Status::OK()) {
    state_.jobs().AwaitInstall(begun_);
    EXPECT_EQ(state_.jobs().BeginInstall(), begun_);
    EXPECT_EQ(state_.EndInstall(status).get(), begun_);
  }
  /// A deep job in the range, as the only part of its compaction.
  JobId Begin(const RunningRange& range) {
    CompactionPlan plan;
    plan.range = range;
    plan.output_level = range.output_level;
    Compaction* const deep = state_.Begin(JobClass::kDeep, std::move(plan), InternalOrder());
    deep->AddPart(std::make_unique<CompactionJob>(JobClass::kDeep, &context_, nullptr, deep->plan(),
                                                  LayoutOptions(), VersionFromText(""),
                                                  kMaxSequence, PartPlace{deep, 0, {}}));
    const JobId id{++jobs_begun_};
    EXPECT_TRUE(state_.jobs().BeginPart(JobClass::kDeep, id));
    return id;
  }

  std::deque<ManualRequest> requests_;
  StoreContext context_{leveldb::Options()};
  CompactionState state_{LayoutOptions()};
  Compaction* begun_ = nullptr;  // what was taken last
  uint64_t jobs_begun_ = 0;
};

TEST_F(CompactionStateTest, JobsKeepApartUntilTheyEnd) {
  const VersionRef version = VersionFromText(kTwoDeep);
  const auto first = Take(JobClass::kDeep, version);
  const Compaction* const begun = begun_;
  EXPECT_EQ(PlanText(first), "L1 1 move");
  EXPECT_FALSE(state_.IsIdle(*version, kMaxSequence));
  EXPECT_EQ(state_.Begin(JobClass::kDeep, *first, InternalOrder()), nullptr) << "it is taken";
  EXPECT_EQ(PlanText(Take(JobClass::kDeep, version)), "L1 2 move");
  EXPECT_EQ(PlanText(Take(JobClass::kDeep, version)), "nothing")
      << "a job already takes the excess";
  EXPECT_EQ(state_.Drop(begun).get(), begun);
  EXPECT_EQ(PlanText(Take(JobClass::kDeep, version)), "L1 1 move");
}

TEST_F(CompactionStateTest, AnInstallMovesThePointer) {
  const auto plan = Take(JobClass::kDeep, VersionFromText(kTwoDeep));
  Install();
  EXPECT_EQ(state_.pointers()[1], plan->next_pointer);
  EXPECT_EQ(PlanText(Take(JobClass::kDeep, VersionFromText(kTwoDeep))), "L1 2 move")
      << "continues from there";
}

TEST_F(CompactionStateTest, ASearchInVainIsNotRepeatedBeforeSomethingChanges) {
  const VersionRef none = VersionFromText("");
  const VersionRef due = VersionFromText(kTwoDeep);
  struct Row {
    const char* change;
    void (*make)(CompactionState& state);
    const char* then;
  };
  const std::vector<Row> rows = {
      {"nothing", [](CompactionState&) {}, "nothing"},
      {"Version", [](CompactionState& state) { state.VersionChanged(); }, "L1 1 move"},
      {"layout", [](CompactionState& state) { state.SetLayout(LayoutOptions()); }, "L1 1 move"},
      {"size of tables", [](CompactionState& state) { state.SetTableBytesMax(1 << 20); },
       "L1 1 move"},
      {"same size", [](CompactionState& state) { state.SetTableBytesMax(2 << 20); }, "nothing"},
      {"a range is free",
       [](CompactionState& state) {
         state.Drop(state.Begin(JobClass::kDeep, {}, InternalOrder()));
       },
       "L1 1 move"},
      {"a range is avoided",
       [](CompactionState& state) {
         state.Avoid({1, 2, "a", "c"}, UINT64_MAX);
       },
       "L1 2 move"},
  };
  for (const Row& row : rows) {
    CompactionState state{LayoutOptions()};
    EXPECT_EQ(PlanText(state.Pick(JobClass::kDeep, *none)), "nothing");
    row.make(state);
    EXPECT_EQ(PlanText(state.Pick(JobClass::kDeep, *due)), row.then) << row.change;
  }
}

TEST_F(CompactionStateTest, WhatCannotBeReadIsLeftAloneForItsTime) {
  const VersionRef version =
      VersionFromText("L1: 1:[a..c]*20 2:[d..f]*20 3:[g..k]*20 L2: 4:[g..h]");
  state_.Avoid({1, 2, "a", "c"}, 100);
  state_.Avoid({1, 2, "d", "f"}, 200);
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kDeep, *version)), "L1 3 + 4");
  EXPECT_FALSE(state_.ForgetReadable(99));
  EXPECT_FALSE(state_.ForgetReadable(100)) << "another is left";
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kDeep, *version)), "L1 1 move");
  EXPECT_TRUE(state_.ForgetReadable(200));
  EXPECT_FALSE(state_.ForgetReadable(300)) << "there was none";
}

TEST_F(CompactionStateTest, TellsWhetherL0WaitsForWhatCannotBeRead) {
  const VersionRef version = VersionFromText(kL0AndDeep);
  EXPECT_FALSE(state_.IsL0Unreadable(*version));
  Take(JobClass::kL0, version);
  EXPECT_FALSE(state_.IsL0Unreadable(*version)) << "a running job ends";
  state_.Avoid({0, 1, "m", "m"}, UINT64_MAX);
  EXPECT_TRUE(state_.IsL0Unreadable(*version));
}

TEST_F(CompactionStateTest, BlockersOfL0) {
  const VersionRef version = VersionFromText(kL0AndDeep);
  const JobId far = Begin({3, 4, "a", "z"});
  const JobId near = Begin({1, 2, "a", "c"});
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kL0, *version)), "nothing");
  EXPECT_EQ(state_.BlockersOfL0(*version, {near}), std::vector<JobId>{near});
  EXPECT_EQ(state_.BlockersOfL0(*version, {far, near}), std::vector<JobId>{near});
  // No job in the list can be asked to yield.
  EXPECT_TRUE(state_.BlockersOfL0(*version, {far}).empty());
  EXPECT_TRUE(state_.BlockersOfL0(*version, {near}).empty()) << "nothing has changed since";
  state_.VersionChanged();
  EXPECT_EQ(state_.BlockersOfL0(*version, {near}), std::vector<JobId>{near});
}

TEST_F(CompactionStateTest, AManualRequestGoesOnPieceByPiece) {
  state_.SetTableBytesMax(512 << 10);  // a step takes one table of 6 MiB
  const VersionRef version = VersionFromText(kTwoDeep);
  const ManualRequest* const request = Request(1, Range("a", "f"));
  EXPECT_EQ(PlanText(Take(JobClass::kManual, version)), "L1 1");
  EXPECT_EQ(PlanText(Take(JobClass::kManual, version)), "nothing") << "its piece is under way";
  Install();
  EXPECT_FALSE(request->done);
  EXPECT_EQ(*request->range.smallest, "c");

  const VersionRef after = VersionFromText("L1: 2:[d..f]*6 L2: 9:[a..c]");
  EXPECT_EQ(PlanText(Take(JobClass::kManual, after)), "L1 2");
  Install();
  EXPECT_TRUE(request->done);
  EXPECT_TRUE(request->status.ok());
  EXPECT_EQ(state_.request_count(), 0u);
}

TEST_F(CompactionStateTest, ARequestRewritesEachTableOnce) {
  state_.SetTableBytesMax(512 << 10);
  ManualRequest* const request = Request(2);
  request->rewrite_pass = 1;
  const VersionRef version = VersionFromText("L2: 1:[a..c]*6 2:[d..f]*6");
  EXPECT_EQ(PlanText(Take(JobClass::kManual, version)), "L2 1");
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kDeep, *VersionFromText("L1: 3:[b..b]*20"))), "nothing")
      << "the range is in use";
  Install();
  EXPECT_EQ(state_.pointers()[2], "");

  // The filter was removed meanwhile, so 3 does not belong to the pass.
  const VersionRef rewritten = VersionFromText("L2: 3:[a..c]*6 2:[d..f]*6");
  EXPECT_EQ(PlanText(Take(JobClass::kManual, rewritten)), "L2 2");
  Install();
  EXPECT_TRUE(request->done);
}

TEST_F(CompactionStateTest, AManualRequestEnds) {
  struct Row {
    const char* why;
    const char* version;
    std::optional<RunningRange> unreadable;
    bool ends;
    bool fails;
  };
  const std::vector<Row> rows = {
      {"nothing in range", "L1: 3:[g..k]", {}, true, false},
      {"all of it cannot be read", kTwoDeep, RunningRange{1, 2, "a", "f"}, true, true},
      {"it can begin", kTwoDeep, {}, false, false},
  };
  for (const Row& row : rows) {
    CompactionState state{LayoutOptions()};
    ManualRequest request;
    request.level = 1;
    request.range = Range("a", "f");
    state.AddRequest(&request);
    if (row.unreadable) state.Avoid(*row.unreadable, UINT64_MAX);
    state.PickManual(*VersionFromText(row.version), kDamage);
    EXPECT_EQ(request.done, row.ends) << row.why;
    EXPECT_EQ(request.status.IsCorruption(), row.fails) << row.why;
  }
}

TEST_F(CompactionStateTest, AFailedJobEndsItsRequestAlone) {
  const VersionRef version = VersionFromText(kTwoDeep);
  const ManualRequest* const failed = Request(1, Range("a", "c"));
  const ManualRequest* const next = Request(1, Range("d", "f"));
  Take(JobClass::kManual, version);
  Install(leveldb::Status::IOError("no space"));
  EXPECT_TRUE(failed->done);
  EXPECT_TRUE(failed->status.IsIOError());
  EXPECT_FALSE(next->done);
  EXPECT_EQ(PlanText(Take(JobClass::kManual, version)), "L1 2");
}

TEST_F(CompactionStateTest, NoJobBeginsWhereAManualRequestWaits) {
  state_.SetTableBytesMax(512 << 10);  // a step takes one table of 6 MiB
  const VersionRef version = VersionFromText(kTwoDeep);
  ASSERT_EQ(PlanText(Take(JobClass::kDeep, version)), "L1 1 move");
  const Compaction* const deep = begun_;
  ManualRequest* const request = Request(1, Range("a", "f"));
  EXPECT_EQ(PlanText(Take(JobClass::kManual, version)), "nothing") << "in conflict";
  state_.Drop(deep);
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kDeep, *version)), "L1 2 move") << "1 is kept free";
  state_.RemoveRequest(request);
  EXPECT_EQ(PlanText(state_.Pick(JobClass::kDeep, *version)), "L1 1 move");
}

// Its client gave up while the job ran.
TEST_F(CompactionStateTest, AJobWithoutItsRequestEndsLikeAnyOther) {
  const VersionRef version = VersionFromText(kTwoDeep);
  ManualRequest* const request = Request(1);
  Take(JobClass::kManual, version);
  state_.RemoveRequest(request);
  const ManualRequest* const other = Request(1, Range("g", "k"));
  Install(leveldb::Status::IOError("no space"));
  EXPECT_FALSE(request->done);
  EXPECT_FALSE(other->done) << "that job is not its own";
}

TEST_F(CompactionStateTest, OldDeletionsAreDueWhileClientsWrite) {
  const VersionRef version = VersionFromText("L1: 1:[a..c] L2: 2:[a..c]*9");
  SetContents(*version, 1, {9, 1, 5, /*deletions_since=*/6400});
  SetContents(*version, 2, {90, 0, 0, 0});
  state_.VersionChanged();
  const auto is_due = [&] {
    return state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kOldDeletions);
  };
  EXPECT_FALSE(is_due());
  state_.SetDeletePersist(64, 6400 + 32);
  EXPECT_FALSE(is_due());
  state_.SetDeletePersist(64, 6400 + 34);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(state_.IsIdle(*version, kMaxSequence));
  EXPECT_EQ(PlanText(state_.PickReclaim(*version, 5, ReclaimScope::kOldDeletions)), "L1 1 + 2");
  EXPECT_TRUE(state_.IsOld(6400));
  EXPECT_FALSE(state_.IsOld(6402));
  EXPECT_FALSE(state_.IsOld(6434 + 16)) << "the clock was set back a little";
  EXPECT_TRUE(state_.IsOld(6434 + 20)) << "it was ahead for longer than that";
  EXPECT_TRUE(state_.IsOld(0)) << "it is not known";
  state_.SetDeletePersist(64, 3);
  EXPECT_TRUE(state_.IsOld(0));
  EXPECT_FALSE(state_.IsOld(1)) << "the clock can begin in 1970";
  state_.SetDeletePersist(0, 99'999);
  EXPECT_FALSE(is_due());
}

TEST_F(CompactionStateTest, IsIdleWhenNothingIsDueAndNoDeletionHidesEntries) {
  EXPECT_TRUE(state_.IsIdle(*VersionFromText("L1: 1:[a..c]*9"), kMaxSequence));
  EXPECT_FALSE(state_.IsIdle(*VersionFromText("L1: 1:[a..c]*10"), kMaxSequence));
  const VersionRef version = VersionFromText("L1: 1:[a..c] L2: 2:[a..c]");
  EXPECT_FALSE(state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll));
  SetContents(*version, 1, {.entries = 9, .deletions = 9, .newest_deletion = 5});
  EXPECT_FALSE(state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll))
      << "it has not been told";
  state_.VersionChanged();
  EXPECT_TRUE(state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll));
  EXPECT_FALSE(state_.IsIdle(*version, kMaxSequence));
  EXPECT_TRUE(state_.IsIdle(*version, 4)) << "a snapshot needs the entries";
  const auto plan = state_.PickReclaim(*version, 5, ReclaimScope::kAll);
  EXPECT_EQ(PlanText(plan), "L1 1 + 2");
  const Compaction* const begun = state_.Begin(JobClass::kDeep, *plan, InternalOrder());
  ASSERT_NE(begun, nullptr);
  EXPECT_EQ(PlanText(state_.PickReclaim(*version, 5, ReclaimScope::kAll)), "nothing") << "it runs";
  state_.Drop(begun);
  state_.Avoid({1, 2, "b", "b"}, UINT64_MAX);
  EXPECT_TRUE(state_.IsIdle(*version, kMaxSequence)) << "it cannot be read";
}

}  // namespace
}  // namespace lull::testing
