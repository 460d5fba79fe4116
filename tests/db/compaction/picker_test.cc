// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/picker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/comparator.h"
#include "tests/db/support/version_text.h"
#include "tests/support/units.h"

namespace lull::testing {
namespace {

std::string PickL0(const std::string& tables, const LayoutOptions& layout = {},
                   const std::vector<RunningRange>& running = {},
                   const CompactPointers& pointers = {}) {
  return PlanText(Pick(*VersionFromText(tables), JobClass::kL0, running, pointers, layout));
}
std::string PickDeep(const std::string& tables, const LayoutOptions& layout = {},
                     const std::vector<RunningRange>& running = {},
                     const CompactPointers& pointers = {}) {
  return PlanText(Pick(*VersionFromText(tables), JobClass::kDeep, running, pointers, layout));
}

CompactPointers PointerAt(int level, const std::string& key) {
  CompactPointers pointers;
  pointers[level] = KeyFromText(key, 1);
  return pointers;
}

TEST(LevelTargets, GrowTenfoldAndTheDeepestIsUnlimited) {
  const auto targets = LevelTargets(LayoutOptions());
  EXPECT_EQ(targets[0], 0u);
  EXPECT_EQ(targets[1], 10 * kMiB);
  EXPECT_EQ(targets[2], 100 * kMiB);
  EXPECT_EQ(targets[5], 100000 * kMiB);
  EXPECT_EQ(targets[6], UINT64_MAX);
  const LayoutOptions huge{.growth_factor = 1e12};
  EXPECT_EQ(LevelTargets(huge)[5], UINT64_MAX);
}

TEST(Pick, ByOverlapTakesWhatRewritesLeast) {
  const LayoutOptions layout{.pick_by_overlap = true};
  // Overlapped bytes below for each byte of their own: 0.75, 0.5 and 2.
  const std::string tables =
      "L1: 1:[a..c]*4 2:[d..f]*6 3:[g..k]*2 L2: 4:[a..b]*3 5:[d..e]*3 6:[g..h]*2 7:[i..k]*2";
  EXPECT_EQ(PickDeep(tables, layout), "L1 2 + 5");
  EXPECT_EQ(PickDeep(tables, layout, {}, PointerAt(1, "f")), "L1 2 + 5")
      << "the pointer is ignored";
  // A running job already takes the excess.
  EXPECT_EQ(PickDeep(tables, layout, {{1, 2, "d", "f"}}), "nothing");
  EXPECT_EQ(PickDeep(tables, layout, {{2, 3, "d", "d"}}), "L1 1 + 4");
  EXPECT_EQ(PickDeep(tables, layout, {{2, 3, "a", "f"}}), "L1 3 + 6 7");
  // The first of equals; a table with nothing below costs nothing.
  EXPECT_EQ(PickDeep("L1: 1:[a..c]*6 2:[d..f]*6 3:[g..k]*2 L2: 5:[a..a]", layout), "L1 2 move");
}

TEST(Pick, MovesWhatExceedsTheTargetInOneJob) {
  const std::string l1 =
      "L1: 1:[a..b]*4 2:[c..d]*4 3:[e..f]*4 4:[g..h]*4 5:[i..j]*4";  // 10 MiB above the target
  EXPECT_EQ(PickDeep(l1), "L1 1 2 3 move");
  EXPECT_EQ(PickDeep(l1, {}, {}, PointerAt(1, "h")), "L1 5 move") << "no wrap to the first table";
  EXPECT_EQ(PickDeep(l1 + " L2: 8:[d..d]"), "L1 1 move");
  EXPECT_EQ(PickDeep(l1 + " L2: 8:[dd..dd]"), "L1 1 2 move")
      << "a table below in a gap ends the move";
  EXPECT_EQ(PickDeep(l1 + " L3: 8:[c..d]*21"), "L1 1 move")
      << "a table with much overlap two levels below does not move";
  // A running job already takes a part of the excess, or the range.
  EXPECT_EQ(PickDeep(l1, {}, {{1, 2, "g", "h"}}), "L1 1 2 move");
  EXPECT_EQ(PickDeep(l1, {}, {{2, 3, "e", "e"}}), "L1 1 move");
}

TEST(Conflicts, NeedASharedLevelAndASharedKey) {
  const KeyOrder order = InternalOrder();
  const std::vector<RunningRange> running = {{1, 2, "d", "h"}};
  EXPECT_TRUE(Conflicts(order, {1, 2, "h", "k"}, running));
  EXPECT_TRUE(Conflicts(order, {1, 2, "a", "d"}, running));
  EXPECT_TRUE(Conflicts(order, {1, 2, "e", "f"}, running));
  EXPECT_TRUE(Conflicts(order, {1, 2, "a", "z"}, running));
  EXPECT_FALSE(Conflicts(order, {1, 2, "i", "k"}, running));
  EXPECT_FALSE(Conflicts(order, {1, 2, "a", "c"}, running));
  EXPECT_TRUE(Conflicts(order, {0, 1, "e", "f"}, running)) << "its output is the other's input";
  EXPECT_TRUE(Conflicts(order, {2, 3, "e", "f"}, running));
  EXPECT_FALSE(Conflicts(order, {3, 4, "e", "f"}, running));
  EXPECT_FALSE(Conflicts(order, {1, 2, "e", "f"}, {}));
}

TEST(Pick, NothingIsDue) {
  EXPECT_EQ(PickL0(""), "nothing");
  EXPECT_EQ(PickDeep(""), "nothing");
  EXPECT_EQ(PickL0("L0: 1:[a..b] 2:[a..b] 3:[a..b] L1: 4:[a..b]*9.9"), "nothing");
  EXPECT_EQ(PickDeep("L0: 1:[a..b] 2:[a..b] 3:[a..b] L1: 4:[a..b]*9.9"), "nothing");
  EXPECT_EQ(PickDeep("L6: 4:[a..b]*900000"), "nothing");
  const LayoutOptions zero{.l0_trigger = 0};
  EXPECT_EQ(PickL0("", zero), "nothing");
}

TEST(Pick, L0WaitsForADeepLevelThatIsMoreUrgent) {
  const std::string l0 = "L0: 1:[a..b] 2:[a..b] 3:[a..b] 4:[a..b] ";
  EXPECT_EQ(PickL0(l0 + "L1: 5:[x..z]*10"), "L0 4 3 2 1") << "L0 wins ties";
  EXPECT_EQ(PickL0(l0 + "L1: 5:[x..z]*11"), "L1 5 move");
  EXPECT_EQ(PickL0(l0 + "L1: 5:[x..z]*11 L2: 6:[d..e]*120"), "L2 6 move");
  EXPECT_EQ(PickL0(l0 + "L1: 5:[x..z]*11", {}, {{1, 2, "x", "z"}}), "L0 4 3 2 1")
      << "a job already moves it";
  EXPECT_EQ(PickL0("L0: 1:[a..b] L1: 5:[x..z]*11"), "nothing") << "L0 is not due";
}

// Otherwise successive L0 jobs, each over all of L1, would leave deep jobs no table of it, however
// many workers there are: L1 would grow without limit.
TEST(Pick, WhereL0MayGrowADeepLevelGoesFirstOnceItIsLargerThanL0AndItsJobs) {
  const LayoutOptions layout{.l0_job_bytes_max = 64 * kMiB};
  const std::string l0 = "L0: 1:[a..b] 2:[a..b] 3:[a..b] 4:[a..b]";
  const std::string long_l0 = "L0: 1:[a..b]*20 2:[a..b]*20 3:[a..b]*20 4:[a..b]*20";
  EXPECT_EQ(PickL0(l0 + " L1: 5:[x..z]*64", layout), "L0 4 3 2 1");
  EXPECT_EQ(PickDeep(l0 + " L1: 5:[x..z]*64", layout), "L1 5 move");
  EXPECT_EQ(PickL0(l0 + " L1: 5:[x..z]*65", layout), "L1 5 move");
  EXPECT_EQ(PickL0(long_l0 + " L1: 5:[x..z]*80", layout), "L0 4 3 2 1");
  EXPECT_EQ(PickL0(long_l0 + " L1: 5:[x..z]*81", layout), "L1 5 move");
  EXPECT_EQ(PickL0(l0 + " L1: 5:[x..z]*65 L2: 6:[d..e]*660", layout), "L2 6 move");
  EXPECT_EQ(PickL0(l0 + " L2: 6:[d..e]*630", layout), "L0 4 3 2 1");
  EXPECT_EQ(PickL0(l0 + " L1: 5:[x..z]*65", layout, {{1, 2, "x", "z"}}), "L0 4 3 2 1")
      << "a job already moves it";
}

TEST(Pick, L0TakesWhatOverlapsAndTheTablesBelow) {
  EXPECT_EQ(PickL0("L0: 1:[a..e] 2:[d..g] 3:[f..k] 4:[r..s] L1: 5:[a..b] 6:[j..m] 7:[n..z]"
                   " L2: 8:[l..m] 9:[n..o]"),
            "L0 3 2 1 + 5 6 | 8");
}

TEST(Pick, L0GoesRoundByPointer) {
  const std::string tables = "L0: 1:[x..z] 2:[m..o] 3:[a..c] 4:[p..q]";
  EXPECT_EQ(PickL0(tables), "L0 3 move");
  EXPECT_EQ(PickL0(tables, {}, {}, PointerAt(0, "c")), "L0 2 move");
  EXPECT_EQ(PickL0(tables, {}, {}, PointerAt(0, "q")), "L0 1 move");
  EXPECT_EQ(PickL0(tables, {}, {}, PointerAt(0, "zz")), "L0 3 move");
}

TEST(Pick, L0JobsOnDisjointRangesRunAtOnce) {
  const std::string tables = "L0: 1:[a..c] 2:[b..d] 3:[m..n] 4:[n..p] L1: 5:[c..e]";
  const std::vector<RunningRange> first = {{0, 1, "a", "e"}};
  EXPECT_EQ(Pick(*VersionFromText(tables), JobClass::kL0, {}, {}, {})->range, first[0]);
  EXPECT_EQ(PickL0(tables, {}, first), "L0 4 3");
  EXPECT_EQ(PickL0(tables, {}, {first[0], {0, 1, "m", "p"}}), "nothing");
}

TEST(Pick, OldestL0TablesUpToTheJobsSize) {
  LayoutOptions layout{.l0_job_bytes_max = 2 * kMiB};
  const std::string tables =
      "L0: 1:[a..c] 2:[b..d] 3:[a..z] 4:[c..e] L1: 5:[a..a]*0.5 6:[e..f]*0.5";
  EXPECT_EQ(PickL0(tables, layout), "L0 2 1 + 5");
  layout.l0_job_bytes_max = 2 * kMiB + 1;
  EXPECT_EQ(PickL0(tables, layout), "L0 3 2 1 + 5 6");
  layout.l0_job_bytes_max = kMiB / 2;
  EXPECT_EQ(PickL0(tables, layout), "L0 2 1 + 5") << "half of L0";
  layout.l0_job_bytes_max = 1;
  EXPECT_EQ(PickL0(tables, layout), "L0 1 + 5");
  // At least the size of L1.
  EXPECT_EQ(PickL0("L0: 1:[a..c] 2:[b..d] 3:[a..z] 4:[c..e] L1: 5:[a..b]*3", layout),
            "L0 3 2 1 + 5");
}

TEST(Pick, NoOlderOverlappingL0TableStaysBehind) {
  LayoutOptions layout{.l0_job_bytes_max = 1};
  // 1 is busy, so 2 is the oldest that can go; 3 overlaps 1 and must wait.
  const std::string tables = "L0: 1:[a..c] 2:[m..n] 3:[b..n] 4:[p..q]";
  EXPECT_EQ(PickL0(tables, layout, {{0, 1, "a", "c"}}), "L0 2 move");
  EXPECT_EQ(PickL0(tables, layout, {{0, 1, "a", "c"}, {0, 1, "m", "n"}}), "L0 4 move");
  layout.l0_job_bytes_max = 2 * kMiB;
  EXPECT_EQ(PickL0(tables, layout, {{0, 1, "a", "c"}}), "L0 4 2");
}

TEST(Pick, DeepLevelsInOrderOfNeed) {
  const std::string tables = "L1: 1:[a..b]*11 L2: 2:[c..d]*300 L3: 3:[c..d]*900";
  EXPECT_EQ(PickDeep(tables), "L2 2 + 3");
  EXPECT_EQ(PickDeep(tables, {}, {{2, 3, "c", "d"}}), "L1 1 move");
}

TEST(Pick, DeepGoesRoundByPointer) {
  const std::string tables = "L1: 1:[a..b]*4 2:[c..d]*4 3:[e..f]*4 L2: 4:[a..c] 5:[d..g]";
  const LayoutOptions plain{.expanded_inputs_tables_max = 0};
  EXPECT_EQ(PickDeep(tables, plain), "L1 1 + 4");
  EXPECT_EQ(PickDeep(tables, plain, {}, PointerAt(1, "b")), "L1 2 + 4 5");
  EXPECT_EQ(PickDeep(tables, plain, {}, PointerAt(1, "d")), "L1 3 + 5");
  EXPECT_EQ(PickDeep(tables, plain, {}, PointerAt(1, "f")), "L1 1 + 4");
}

TEST(Pick, DeepPassesOverTablesInUse) {
  const std::string tables = "L1: 1:[a..b]*9 2:[c..d]*9 3:[e..f]*9 L2: 4:[a..c] 5:[d..e] 6:[f..g]";
  // 4, in use, blocks both tables above it.
  EXPECT_EQ(PickDeep(tables, {}, {{2, 3, "a", "c"}}), "L1 3 + 5 6");
  EXPECT_EQ(PickDeep(tables, {}, {{2, 3, "a", "g"}}), "nothing");
}

TEST(Pick, WhatIsOnItsWayDownIsNotExcess) {
  const std::string tables = "L1: 1:[a..b]*9 2:[c..d]*9";
  EXPECT_EQ(PickDeep(tables), "L1 1 move");
  EXPECT_EQ(PickDeep(tables, {}, {{1, 2, "a", "b"}}), "nothing");
  EXPECT_EQ(PickDeep("L1: 1:[a..b]*9 2:[c..d]*10", {}, {{1, 2, "a", "b"}}), "L1 2 move");
}

TEST(Pick, UpperInputsAreWidenedWhereItIsFree) {
  const std::string tables = "L1: 1:[a..c]*4 2:[d..e]*4 3:[f..h]*4 L2: 4:[b..f] 5:[g..k]";
  EXPECT_EQ(PickDeep(tables), "L1 1 + 4") << "3 would bring 5 in";
  const std::string fits = "L1: 1:[a..c]*4 2:[d..e]*4 3:[f..h]*4 L2: 4:[b..e] 5:[g..k]";
  EXPECT_EQ(PickDeep(fits), "L1 1 2 + 4");
  LayoutOptions small;
  small.expanded_inputs_tables_max = 4;  // 8 MiB, but 1, 2 and 4 have more: 9
  EXPECT_EQ(PickDeep(fits, small), "L1 1 + 4");
  EXPECT_EQ(PickDeep(fits, {}, {{0, 1, "d", "d"}}), "L1 3 + 5");
  // Widened to 2 it would conflict; without 2 it does not.
  const std::string reaches = "L1: 1:[a..c]*6 2:[d..m]*6 L2: 4:[b..e] 5:[n..p]";
  EXPECT_EQ(PickDeep(reaches), "L1 1 2 + 4");
  EXPECT_EQ(PickDeep(reaches, {}, {{0, 1, "k", "l"}}), "L1 1 + 4");
}

TEST(Pick, ATrivialMoveNeedsRoomBelowTheLevelBelow) {
  const std::string tables = "L1: 1:[a..z]*11 L3: 2:[a..k]*10 3:[l..z]*";
  EXPECT_EQ(PickDeep(tables + "10"), "L1 1 | 2 3 move");
  EXPECT_EQ(PickDeep(tables + "11"), "L1 1 | 2 3");
  EXPECT_EQ(PickDeep("L1: 1:[a..z]*11 L2: 2:[c..d]"), "L1 1 + 2");
}

TEST(Pick, SaysWhatTheJobTouchesAndWhereToGoOn) {
  const auto version = VersionFromText("L1: 1:[d..f]*11 2:[x..z] L2: 3:[a..d]*2 4:[f..k]*3");
  const auto plan = Pick(*version, JobClass::kDeep, {}, {}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->output_level, 2);
  EXPECT_EQ(plan->range.input_level, 1);
  EXPECT_EQ(plan->range.output_level, 2);
  EXPECT_EQ(plan->range.smallest_user, "a");
  EXPECT_EQ(plan->range.largest_user, "k");
  EXPECT_EQ(plan->input_bytes, 16 * kMiB);
  EXPECT_EQ(plan->next_pointer, KeyFromText("f", 1));
}

ManualPick Manual(const std::string& tables, int level, const UserRange& range,
                  const std::vector<RunningRange>& running = {}) {
  return PickManual(*VersionFromText(tables), level, range, running, {});
}

TEST(PickManual, GoesInStepsOfEightTables) {
  const std::string tables = "L1: 1:[a..b]*8 2:[c..d]*8 3:[e..f]*8 4:[g..h]*8 L2: 5:[a..k]";
  const LayoutOptions layout{.expanded_inputs_tables_max = 0};
  const auto version = VersionFromText(tables);
  ManualPick pick = PickManual(*version, 1, Range("a", "h"), {}, layout);
  EXPECT_EQ(PlanText(pick.plan), "L1 1 2 + 5");
  EXPECT_EQ(pick.next_begin, "d");
  // In a store the tables up to "d" are gone by then; here the range leaves them out.
  pick = PickManual(*version, 1, Range("d0", "h"), {}, layout);
  EXPECT_EQ(PlanText(pick.plan), "L1 3 4 + 5");
  EXPECT_EQ(pick.next_begin, std::nullopt);
  pick = PickManual(*version, 1, Range("d0", "f"), {}, layout);
  EXPECT_EQ(PlanText(pick.plan), "L1 3 + 5");
  EXPECT_EQ(pick.next_begin, std::nullopt);
}

TEST(PickManual, L0IsTakenWhole) {
  const ManualPick pick =
      Manual("L0: 1:[a..c]*9 2:[c..d]*9 3:[x..z] L1: 4:[a..b]", 0, Range("d", "d"));
  EXPECT_EQ(PlanText(pick.plan), "L0 2 1 + 4");
  EXPECT_EQ(pick.next_begin, std::nullopt);
}

TEST(PickManual, NothingToDo) {
  EXPECT_FALSE(Manual("L1: 1:[a..c]", 1, Range("d", "e")).plan);
  EXPECT_FALSE(Manual("L1: 1:[a..c]", 2, {}).plan);
  EXPECT_FALSE(Manual("L6: 1:[a..c]", 6, {}).plan) << "nothing is deeper";
  EXPECT_FALSE(Manual("L6: 1:[a..c]", 6, {}).conflict);
}

TEST(PickManual, WaitsForARunningJob) {
  const std::string tables = "L1: 1:[a..c] L2: 2:[b..k]";
  for (const RunningRange& job :
       std::vector<RunningRange>{{1, 2, "c", "d"}, {0, 1, "a", "a"}, {2, 3, "k", "z"}}) {
    const ManualPick pick = Manual(tables, 1, {}, {job});
    EXPECT_FALSE(pick.plan);
    EXPECT_TRUE(pick.conflict);
    EXPECT_EQ(pick.next_begin, std::nullopt);
  }
  EXPECT_TRUE(Manual(tables, 1, {}, {{1, 2, "l", "z"}}).plan);
}

ManualPick Rewrite(const VersionRef& version, const UserRange& range,
                   const std::vector<RunningRange>& running = {}) {
  return PickRewrite(*version, 2, range, /*pass=*/5, running, {});
}

TEST(PickRewrite, StaysOnTheLevel) {
  const auto version = VersionFromText("L1: 1:[a..c] L2: 2:[a..c] 3:[d..f] L3: 4:[b..e]");
  const ManualPick pick = Rewrite(version, {});
  EXPECT_EQ(PlanText(pick.plan), "L2 2 3 | 4");
  EXPECT_TRUE(pick.plan->is_rewrite());
  EXPECT_FALSE(pick.plan->trivial_move);
  EXPECT_EQ(pick.plan->range, (RunningRange{2, 2, "a", "f"}));
  EXPECT_EQ(pick.plan->input_bytes, 2u << 20);
  EXPECT_EQ(pick.plan->next_pointer, "");
  EXPECT_EQ(pick.next_begin, std::nullopt);
  EXPECT_EQ(PlanText(Rewrite(version, Range("d", "z")).plan), "L2 3 | 4");
  EXPECT_FALSE(Rewrite(version, Range("g", "z")).plan);
}

TEST(PickRewrite, GoesInStepsPastTheOutputsOfTheLast) {
  const auto version = VersionFromText("L2: 1:[a..b]*32 2:[c..d]*32 3:[e..f]*32");
  const ManualPick pick = Rewrite(version, {});
  EXPECT_EQ(PlanText(pick.plan), "L2 1");
  EXPECT_EQ(pick.next_begin, "c");
}

TEST(PickRewrite, SkipsTablesOfThisPass) {
  const auto version = VersionFromText("L2: 1:[a..b] 2:[c..d] 3:[e..f] 4:[g..h]");
  for (const size_t written : {0, 2}) version->level(2)[written]->filter_pass = 5;
  ManualPick pick = Rewrite(version, {});
  EXPECT_EQ(PlanText(pick.plan), "L2 2");
  EXPECT_EQ(pick.next_begin, "e");
  pick = Rewrite(version, Range("e", "h"));
  EXPECT_EQ(PlanText(pick.plan), "L2 4");
  EXPECT_EQ(pick.next_begin, std::nullopt);
  for (const TableRef& table : version->level(2)) table->filter_pass = 6;
  EXPECT_FALSE(Rewrite(version, {}).plan);
}

// Otherwise an older value would reappear when the filter drops the newer one.
TEST(PickRewrite, KeepsSplitKeysTogether) {
  const auto version = VersionFromText("L2: 1:[a..c@9] 2:[c@8..c@7] 3:[c@6..d] 4:[e..f]");
  for (const size_t written : {1, 3}) version->level(2)[written]->filter_pass = 5;
  const ManualPick pick = Rewrite(version, Range("a", "b"));
  EXPECT_EQ(PlanText(pick.plan), "L2 1 2 3");
}

TEST(PickRewrite, WaitsForARunningJob) {
  const auto version = VersionFromText("L2: 1:[a..c]");
  for (const RunningRange& job :
       std::vector<RunningRange>{{1, 2, "c", "d"}, {2, 3, "a", "a"}, {2, 2, "b", "b"}}) {
    EXPECT_TRUE(Rewrite(version, {}, {job}).conflict);
  }
  EXPECT_TRUE(Rewrite(version, {}, {{3, 4, "a", "c"}}).plan);
}

TEST(PickRewrite, DoesNotEmptyALevelThatIsDue) {
  const auto version = VersionFromText("L1: 1:[a..c]*20 2:[d..f]*20");
  LayoutOptions layout;
  EXPECT_FALSE(Pick(*version, JobClass::kDeep, {{1, 2, "a", "f"}}, {}, layout));
  const auto plan = Pick(*version, JobClass::kDeep, {{1, 1, "a", "c"}}, {}, layout);
  EXPECT_EQ(PlanText(plan), "L1 2 move");
}

// ---- many tables in L0: the picker holds the store's mutex, so its work must be nearly linear

constexpr uint64_t kTables = 20'000;
// About four sorts. The square would be 200 times as much.
constexpr uint64_t kComparisonsMax = 100 * kTables;

class CountingOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    ++comparisons_;
    return a.compare(b);
  }
  const char* Name() const override { return "counting"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
  uint64_t Take() const { return std::exchange(comparisons_, 0); }

 private:
  mutable uint64_t comparisons_ = 0;
};

TableMeta TableOf(uint64_t number, uint64_t first_key, uint64_t last_key) {
  const auto key = [&](uint64_t i) {
    return KeyFromText("k" + std::to_string(100'000 + i), number + 1);
  };
  return {0, number + 1, 4096, key(first_key), key(last_key)};
}

struct TableShape {
  const char* name;
  TableMeta (*table)(uint64_t index);
};
constexpr TableShape kShapes[] = {
    {"all alike", [](uint64_t i) { return TableOf(i, 0, 40'000); }},
    {"disjoint", [](uint64_t i) { return TableOf(i, 2 * i, 2 * i); }},
    {"ascending stairs", [](uint64_t i) { return TableOf(i, 2 * i, 2 * i + 3); }},
    {"descending stairs", [](uint64_t i) { return TableOf(i, 40'000 - 2 * i, 40'003 - 2 * i); }},
    {"nested", [](uint64_t i) { return TableOf(i, i, 40'000 - i); }},
};

class ManyL0TablesTest : public ::testing::Test {
 protected:
  void Build(const TableShape& shape) {
    VersionEdit edit;
    for (uint64_t i = 0; i < kTables; ++i) edit.new_tables.push_back(shape.table(i));
    TableMeta below = TableOf(kTables, 10, 20);
    below.level = 1;
    edit.new_tables.push_back(below);
    const auto empty =
        std::make_shared<const Version>(KeyOrder(&order_, KeyOrder::Keys::kInternal));
    version_ = Applied(empty, edit);
    ASSERT_NE(version_, nullptr);
    order_.Take();
  }

  const CountingOrder order_{};
  VersionRef version_;
};

TEST_F(ManyL0TablesTest, APickIsNearlyLinear) {
  std::vector<LayoutOptions> layouts(3);
  layouts[1].l0_job_bytes_max = 64 << 20;
  layouts[2].kind = LayoutKind::kVsst;
  const RunningRange everything{1, 2, "a", "z"};
  const RunningRange oldest{1, 2, "k100000", "k100000"};
  OutputLimit none;
  none.bytes_max = none.freeing_bytes_max = 0;
  for (const TableShape& shape : kShapes) {
    Build(shape);
    for (size_t layout = 0; layout < layouts.size(); ++layout) {
      SCOPED_TRACE(std::string(shape.name) + ", layout " + std::to_string(layout));
      const auto pick = [&](const std::vector<RunningRange>& running, const OutputLimit& room) {
        const auto plan = Pick(*version_, JobClass::kL0, running, {}, layouts[layout], room);
        EXPECT_LE(order_.Take(), kComparisonsMax);
        return plan;
      };
      const auto plan = pick({}, {});
      ASSERT_TRUE(plan);
      EXPECT_LE(plan->upper.size(), 256u) << "a job opens all its inputs";
      pick({oldest}, {});
      EXPECT_FALSE(pick({everything}, {}));
      pick({oldest}, none);
    }
  }
}

TEST_F(ManyL0TablesTest, ASearchForOverlapsIsNearlyLinear) {
  for (const TableShape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    Build(shape);
    for (const char* key : {"k100000", "k120000", "k140000"}) {
      version_->Overlapping(0, Range(key, key));
      EXPECT_LE(order_.Take(), kComparisonsMax);
    }
    EXPECT_EQ(version_->Overlapping(0, {}).size(), kTables);
  }
}

}  // namespace
}  // namespace lull::testing
