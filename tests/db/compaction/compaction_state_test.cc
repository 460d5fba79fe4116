// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/compaction_state.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/db/support/version_text.h"

namespace lull {
namespace {

using testing::InternalOrder;
using testing::KeyFromText;
using testing::Numbers;
using testing::Range;
using testing::SetContents;
using testing::VersionFromText;

const leveldb::Status kDamage = leveldb::Status::Corruption("table 4");

std::string Show(const std::optional<CompactionPlan>& plan) {
  if (!plan) return "nothing";
  std::string text = "L" + std::to_string(plan->level) + " " + Numbers(plan->upper);
  if (!plan->lower.empty()) text += " + " + Numbers(plan->lower);
  return text;
}

// In the first, two tables of L1 are due; 9 lies between them, and 4 below 3. In the second, L0 is
// due.
constexpr char kTwoDeep[] = "L1: 1:[a..c]*6 2:[d..f]*6 3:[g..k]*6 L2: 9:[cc..cc] 4:[g..h]";
constexpr char kL0AndDeep[] = "L0: 5:[a..z] 6:[a..z] 7:[a..z] 8:[a..z] L1: 1:[a..c]*4 L2: 2:[a..k]";

class CompactionStateTest : public ::testing::Test {
 protected:
  std::optional<CompactionPlan> Take(JobClass job_class, const VersionRef& version) {
    std::optional<CompactionPlan> plan = job_class == JobClass::kManual
                                             ? compaction_state_.PickManual(*version, kDamage)
                                             : compaction_state_.Pick(job_class, *version);
    if (plan) {
      begun_ = compaction_state_.Begin(job_class, *plan, InternalOrder());
      EXPECT_NE(begun_, nullptr);
    }
    return plan;
  }

  ManualRequest* Request(int level, const UserRange& range = {}) {
    ManualRequest& request = requests_.emplace_back();
    request.level = level;
    request.range = range;
    compaction_state_.AddRequest(&request);
    return &request;
  }
  /// Installs what was taken last.
  void Install(const leveldb::Status& status = leveldb::Status::OK()) {
    compaction_state_.jobs().AwaitInstall(begun_);
    EXPECT_EQ(compaction_state_.jobs().BeginInstall(), begun_);
    EXPECT_EQ(compaction_state_.EndInstall(status).get(), begun_);
  }
  /// A deep job in the range, as the only part of its compaction.
  JobId Begin(const RunningRange& range) {
    CompactionPlan plan;
    plan.range = range;
    plan.output_level = range.output_level;
    Compaction* const deep =
        compaction_state_.Begin(JobClass::kDeep, std::move(plan), InternalOrder());
    deep->AddPart(std::make_unique<CompactionJob>(JobClass::kDeep, &context_, nullptr, deep->plan(),
                                                  LayoutOptions(), VersionFromText(""),
                                                  kMaxSequence, PartPlace{deep, 0, {}}));
    const JobId id{++jobs_begun_};
    EXPECT_TRUE(compaction_state_.jobs().BeginPart(JobClass::kDeep, id));
    return id;
  }

  std::deque<ManualRequest> requests_;
  StoreContext context_{leveldb::Options()};
  CompactionState compaction_state_{LayoutOptions()};
  Compaction* begun_ = nullptr;  // what was taken last
  uint64_t jobs_begun_ = 0;
};

TEST_F(CompactionStateTest, JobsKeepApartUntilTheyEnd) {
  const VersionRef version = VersionFromText(kTwoDeep);
  const auto first = Take(JobClass::kDeep, version);
  const Compaction* const begun = begun_;
  EXPECT_EQ(Show(first), "L1 1");
  EXPECT_FALSE(compaction_state_.IsIdle(*version, kMaxSequence));
  EXPECT_EQ(compaction_state_.Begin(JobClass::kDeep, *first, InternalOrder()), nullptr)
      << "it is taken";
  EXPECT_EQ(Show(Take(JobClass::kDeep, version)), "L1 2");
  EXPECT_EQ(Show(Take(JobClass::kDeep, version)), "nothing") << "a job already takes the excess";
  EXPECT_EQ(compaction_state_.Drop(begun).get(), begun);
  EXPECT_EQ(Show(Take(JobClass::kDeep, version)), "L1 1");
}

TEST_F(CompactionStateTest, AnInstallMovesThePointer) {
  const auto plan = Take(JobClass::kDeep, VersionFromText(kTwoDeep));
  Install();
  EXPECT_EQ(compaction_state_.pointers()[1], plan->next_pointer);
  EXPECT_EQ(Show(Take(JobClass::kDeep, VersionFromText(kTwoDeep))), "L1 2")
      << "continues from there";
}

TEST_F(CompactionStateTest, ASearchInVainIsNotRepeatedBeforeSomethingChanges) {
  const VersionRef none = VersionFromText("");
  const VersionRef due = VersionFromText(kTwoDeep);
  struct Row {
    const char* change;
    std::function<void(CompactionState*)> make;
    const char* then;
  };
  const std::vector<Row> rows = {
      {"nothing", [](CompactionState*) {}, "nothing"},
      {"Version", [](CompactionState* compaction_state) { compaction_state->VersionChanged(); },
       "L1 1"},
      {"layout",
       [](CompactionState* compaction_state) { compaction_state->SetLayout(LayoutOptions()); },
       "L1 1"},
      {"size of tables",
       [](CompactionState* compaction_state) { compaction_state->SetTableBytesMax(1 << 20); },
       "L1 1"},
      {"same size",
       [](CompactionState* compaction_state) { compaction_state->SetTableBytesMax(2 << 20); },
       "nothing"},
      {"a range is free",
       [](CompactionState* compaction_state) {
         compaction_state->Drop(compaction_state->Begin(JobClass::kDeep, {}, InternalOrder()));
       },
       "L1 1"},
      {"a range is avoided",
       [](CompactionState* compaction_state) {
         compaction_state->Avoid({1, 2, "a", "c"}, UINT64_MAX);
       },
       "L1 2"},
  };
  for (const Row& row : rows) {
    CompactionState compaction_state{LayoutOptions()};
    EXPECT_EQ(Show(compaction_state.Pick(JobClass::kDeep, *none)), "nothing");
    row.make(&compaction_state);
    EXPECT_EQ(Show(compaction_state.Pick(JobClass::kDeep, *due)), row.then) << row.change;
  }
}

TEST_F(CompactionStateTest, WhatCannotBeReadIsLeftAloneForItsTime) {
  const VersionRef version =
      VersionFromText("L1: 1:[a..c]*20 2:[d..f]*20 3:[g..k]*20 L2: 4:[g..h]");
  compaction_state_.Avoid({1, 2, "a", "c"}, 100);
  compaction_state_.Avoid({1, 2, "d", "f"}, 200);
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kDeep, *version)), "L1 3 + 4");
  EXPECT_FALSE(compaction_state_.ForgetReadable(99));
  EXPECT_FALSE(compaction_state_.ForgetReadable(100)) << "another is left";
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kDeep, *version)), "L1 1");
  EXPECT_TRUE(compaction_state_.ForgetReadable(200));
  EXPECT_FALSE(compaction_state_.ForgetReadable(300)) << "there was none";
}

TEST_F(CompactionStateTest, TellsWhetherL0WaitsForWhatCannotBeRead) {
  const VersionRef version = VersionFromText(kL0AndDeep);
  EXPECT_FALSE(compaction_state_.IsL0Unreadable(*version));
  const auto running = Take(JobClass::kL0, version);
  EXPECT_FALSE(compaction_state_.IsL0Unreadable(*version)) << "a running job ends";
  compaction_state_.Avoid({0, 1, "m", "m"}, UINT64_MAX);
  EXPECT_TRUE(compaction_state_.IsL0Unreadable(*version));
}

TEST_F(CompactionStateTest, BlockersOfL0) {
  const VersionRef version = VersionFromText(kL0AndDeep);
  const JobId far = Begin({3, 4, "a", "z"});
  const JobId near = Begin({1, 2, "a", "c"});
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kL0, *version)), "nothing");
  EXPECT_EQ(compaction_state_.BlockersOfL0(*version, {near}), std::vector<JobId>{near});
  EXPECT_EQ(compaction_state_.BlockersOfL0(*version, {far, near}), std::vector<JobId>{near});
  // No job in the list can be asked to yield.
  EXPECT_TRUE(compaction_state_.BlockersOfL0(*version, {far}).empty());
  EXPECT_TRUE(compaction_state_.BlockersOfL0(*version, {near}).empty())
      << "nothing has changed since";
  compaction_state_.VersionChanged();
  EXPECT_EQ(compaction_state_.BlockersOfL0(*version, {near}), std::vector<JobId>{near});
}

TEST_F(CompactionStateTest, AManualRequestGoesOnPieceByPiece) {
  compaction_state_.SetTableBytesMax(512 << 10);  // a step takes one table of 6 MiB
  const VersionRef version = VersionFromText(kTwoDeep);
  const ManualRequest* const request = Request(1, Range("a", "f"));
  const auto first = Take(JobClass::kManual, version);
  EXPECT_EQ(Show(first), "L1 1");
  EXPECT_EQ(Show(Take(JobClass::kManual, version)), "nothing") << "its piece is under way";
  Install();
  EXPECT_FALSE(request->done);
  EXPECT_EQ(*request->range.smallest, "c");

  const VersionRef after = VersionFromText("L1: 2:[d..f]*6 L2: 9:[a..c]");
  const auto second = Take(JobClass::kManual, after);
  EXPECT_EQ(Show(second), "L1 2");
  Install();
  EXPECT_TRUE(request->done);
  EXPECT_TRUE(request->status.ok());
  EXPECT_EQ(compaction_state_.request_count(), 0u);
}

TEST_F(CompactionStateTest, ARequestRewritesEachTableOnce) {
  compaction_state_.SetTableBytesMax(512 << 10);
  ManualRequest* const request = Request(2);
  request->rewrite_pass = 1;
  const auto first = Take(JobClass::kManual, VersionFromText("L2: 1:[a..c]*6 2:[d..f]*6"));
  EXPECT_EQ(Show(first), "L2 1");
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kDeep, *VersionFromText("L1: 3:[b..b]*20"))),
            "nothing")
      << "the range is in use";
  Install();
  EXPECT_EQ(compaction_state_.pointers()[2], "");

  // The filter was removed meanwhile, so 3 does not belong to the pass.
  const auto second = Take(JobClass::kManual, VersionFromText("L2: 3:[a..c]*6 2:[d..f]*6"));
  EXPECT_EQ(Show(second), "L2 2");
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
    CompactionState compaction_state{LayoutOptions()};
    ManualRequest request;
    request.level = 1;
    request.range = Range("a", "f");
    compaction_state.AddRequest(&request);
    if (row.unreadable) compaction_state.Avoid(*row.unreadable, UINT64_MAX);
    compaction_state.PickManual(*VersionFromText(row.version), kDamage);
    EXPECT_EQ(request.done, row.ends) << row.why;
    EXPECT_EQ(request.status.IsCorruption(), row.fails) << row.why;
  }
}

TEST_F(CompactionStateTest, AFailedJobEndsItsRequestAlone) {
  const VersionRef version = VersionFromText(kTwoDeep);
  const ManualRequest* const failed = Request(1, Range("a", "c"));
  const ManualRequest* const next = Request(1, Range("d", "f"));
  const auto plan = Take(JobClass::kManual, version);
  Install(leveldb::Status::IOError("no space"));
  EXPECT_TRUE(failed->done);
  EXPECT_TRUE(failed->status.IsIOError());
  EXPECT_FALSE(next->done);
  EXPECT_EQ(Show(Take(JobClass::kManual, version)), "L1 2");
}

TEST_F(CompactionStateTest, NoJobBeginsWhereAManualRequestWaits) {
  compaction_state_.SetTableBytesMax(512 << 10);  // a step takes one table of 6 MiB
  const VersionRef version = VersionFromText(kTwoDeep);
  const auto running = Take(JobClass::kDeep, version);
  ASSERT_EQ(Show(running), "L1 1");
  const Compaction* const deep = begun_;
  ManualRequest* const request = Request(1, Range("a", "f"));
  EXPECT_EQ(Show(Take(JobClass::kManual, version)), "nothing") << "in conflict";
  compaction_state_.Drop(deep);
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kDeep, *version)), "L1 2") << "1 is kept free";
  compaction_state_.RemoveRequest(request);
  EXPECT_EQ(Show(compaction_state_.Pick(JobClass::kDeep, *version)), "L1 1");
}

// Its client gave up while the job ran.
TEST_F(CompactionStateTest, AJobWithoutItsRequestEndsLikeAnyOther) {
  const VersionRef version = VersionFromText(kTwoDeep);
  ManualRequest* const request = Request(1);
  Take(JobClass::kManual, version);
  compaction_state_.RemoveRequest(request);
  const ManualRequest* const other = Request(1, Range("g", "k"));
  Install(leveldb::Status::IOError("no space"));
  EXPECT_FALSE(request->done);
  EXPECT_FALSE(other->done) << "that job is not its own";
}

TEST_F(CompactionStateTest, OldDeletionsAreDueWhileClientsWrite) {
  const VersionRef version = VersionFromText("L1: 1:[a..c] L2: 2:[a..c]*9");
  SetContents(*version, 1, {9, 1, 5, /*deletions_since=*/6400});
  SetContents(*version, 2, {90, 0, 0, 0});
  compaction_state_.VersionChanged();
  const auto is_due = [&] {
    return compaction_state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kOldDeletions);
  };
  EXPECT_FALSE(is_due());
  compaction_state_.SetDeletePersist(64, 6400 + 32);
  EXPECT_FALSE(is_due());
  compaction_state_.SetDeletePersist(64, 6400 + 34);
  EXPECT_TRUE(is_due());
  EXPECT_FALSE(compaction_state_.IsIdle(*version, kMaxSequence));
  EXPECT_EQ(Show(compaction_state_.PickReclaim(*version, 5, ReclaimScope::kOldDeletions)),
            "L1 1 + 2");
  EXPECT_TRUE(compaction_state_.IsOld(6400));
  EXPECT_FALSE(compaction_state_.IsOld(6402));
  EXPECT_FALSE(compaction_state_.IsOld(6434 + 16)) << "the clock was set back a little";
  EXPECT_TRUE(compaction_state_.IsOld(6434 + 20)) << "it was ahead for longer than that";
  EXPECT_TRUE(compaction_state_.IsOld(0)) << "it is not known";
  compaction_state_.SetDeletePersist(64, 3);
  EXPECT_TRUE(compaction_state_.IsOld(0));
  EXPECT_FALSE(compaction_state_.IsOld(1)) << "the clock can begin in 1970";
  compaction_state_.SetDeletePersist(0, 99'999);
  EXPECT_FALSE(is_due());
}

TEST_F(CompactionStateTest, IsIdleWhenNothingIsDueAndNoDeletionHidesEntries) {
  EXPECT_TRUE(compaction_state_.IsIdle(*VersionFromText("L1: 1:[a..c]*9"), kMaxSequence));
  EXPECT_FALSE(compaction_state_.IsIdle(*VersionFromText("L1: 1:[a..c]*10"), kMaxSequence));
  const VersionRef version = VersionFromText("L1: 1:[a..c] L2: 2:[a..c]");
  EXPECT_FALSE(compaction_state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll));
  SetContents(*version, 1, {.entries = 9, .deletions = 9, .newest_deletion = 5});
  EXPECT_FALSE(compaction_state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll))
      << "it has not been told";
  compaction_state_.VersionChanged();
  EXPECT_TRUE(compaction_state_.IsReclaimDue(*version, kMaxSequence, ReclaimScope::kAll));
  EXPECT_FALSE(compaction_state_.IsIdle(*version, kMaxSequence));
  EXPECT_TRUE(compaction_state_.IsIdle(*version, 4)) << "a snapshot needs the entries";
  const auto plan = compaction_state_.PickReclaim(*version, 5, ReclaimScope::kAll);
  EXPECT_EQ(Show(plan), "L1 1 + 2");
  const Compaction* const begun = compaction_state_.Begin(JobClass::kDeep, *plan, InternalOrder());
  ASSERT_NE(begun, nullptr);
  EXPECT_EQ(Show(compaction_state_.PickReclaim(*version, 5, ReclaimScope::kAll)), "nothing")
      << "it runs";
  compaction_state_.Drop(begun);
  compaction_state_.Avoid({1, 2, "b", "b"}, UINT64_MAX);
  EXPECT_TRUE(compaction_state_.IsIdle(*version, kMaxSequence)) << "it cannot be read";
}

}  // namespace
}  // namespace lull
