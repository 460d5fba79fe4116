// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The choices of the layout vsst, on versions made by hand.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/compaction/picker.h"
#include "db/version/overlap_index.h"
#include "tests/db/support/version_text.h"
#include "tests/support/units.h"

namespace lull::testing {
namespace {

// f = 4, S_M = 8 MiB: L1 holds 32 MiB, in tables that are cut at 2 to 8 MiB; L2 holds 8 GiB.
LayoutOptions SmallLayout() {
  return {.kind = LayoutKind::kVsst,
          .l0_trigger = 1,
          .growth_factor = 4,
          .vsst_phi = 256,
          .table_bytes_max = 8 * kMiB};
}

std::string VsstPick(const std::string& tables, JobClass job_class,
                     const std::vector<RunningRange>& running, const LayoutOptions& layout) {
  const VersionRef version = VersionFromText(tables);
  return version == nullptr ? "no such version"
                            : PlanText(Pick(*version, job_class, running, {}, layout));
}
std::string VsstL0(const std::string& tables, const std::vector<RunningRange>& running = {},
                   const LayoutOptions& layout = SmallLayout()) {
  return VsstPick(tables, JobClass::kL0, running, layout);
}
std::string VsstDeep(const std::string& tables, const std::vector<RunningRange>& running = {},
                     const LayoutOptions& layout = SmallLayout()) {
  return VsstPick(tables, JobClass::kDeep, running, layout);
}

TEST(VsstTargets, GrowByFTablesThenPhiThenF) {
  const auto targets = LevelTargets(SmallLayout());
  EXPECT_EQ(targets[1], 32 * kMiB);
  EXPECT_EQ(targets[2], 8192 * kMiB);
  EXPECT_EQ(targets[3], 32768 * kMiB);
  EXPECT_EQ(targets[4], 131072 * kMiB);
  EXPECT_EQ(targets[6], UINT64_MAX);
  LayoutOptions extreme = SmallLayout();
  extreme.growth_factor = 1;
  extreme.vsst_phi = 1;
  EXPECT_EQ(LevelTargets(extreme)[1], 8 * kMiB);
  EXPECT_EQ(LevelTargets(extreme)[5], 8 * kMiB);
  EXPECT_EQ(extreme.TableBytesMin(), 8 * kMiB);
  extreme.growth_factor = 1000;
  extreme.vsst_phi = 1000;
  EXPECT_EQ(LevelTargets(extreme)[2], 8000000 * kMiB);
  EXPECT_EQ(extreme.TableBytesMin(), 8 * kMiB / 1000);
}

TEST(VsstPick, L0IsAQueueOfWhichTheOldestGoAtOnce) {
  const std::string below = " L1: 7:[a..k] 8:[l..z] 9:[zz..zzz]";
  EXPECT_EQ(VsstL0("L0: 1:[a..z]" + below), "L0 1 + 7 8");
  EXPECT_EQ(VsstL0("L0: 1:[a..z] 2:[a..z]" + below), "L0 2 1 + 7 8");
  EXPECT_EQ(VsstL0("L0: 1:[a..z] 2:[a..z] 3:[a..z] 4:[a..z] 5:[a..z]" + below), "L0 4 3 2 1 + 7 8");
  LayoutOptions one_by_one = SmallLayout();  // as in the paper
  one_by_one.vsst_l0_tables_max = 1;
  EXPECT_EQ(VsstL0("L0: 1:[a..z] 2:[a..z]" + below, {}, one_by_one), "L0 1 + 7 8");
  EXPECT_EQ(VsstL0(""), "nothing");
  LayoutOptions patient = SmallLayout();
  patient.l0_trigger = 2;
  EXPECT_EQ(VsstL0("L0: 1:[a..z]", {}, patient), "nothing");
}

TEST(VsstPick, AYoungerL0TableMayGoWhenItOverlapsNoOlderOne) {
  const std::string tables = "L0: 1:[a..f] 2:[c..k] 3:[m..p] L1: 4:[a..b] 5:[j..n]";
  EXPECT_EQ(VsstL0(tables), "L0 2 1 + 4 5");
  EXPECT_EQ(VsstL0(tables, {{0, 1, "a", "f"}}), "L0 3 + 5");
  EXPECT_EQ(VsstL0(tables, {{0, 1, "a", "f"}, {0, 1, "j", "p"}}), "nothing");
  EXPECT_EQ(VsstL0("L0: 1:[a..f] 2:[f..k]", {{0, 1, "a", "f"}}), "nothing") << "both may contain f";
}

TEST(VsstPick, TheQueueHasOnlyTablesThatOverlap) {
  EXPECT_EQ(VsstL0("L0: 1:[a..c] 2:[d..f] 3:[a..c]"), "L0 1 move")
      << "the tables of a job follow each other in age, and 2 overlaps none before it";
  EXPECT_EQ(VsstL0("L0: 1:[a..c] 2:[c..f] 3:[f..h] 4:[k..m]"), "L0 3 2 1");
  // 2 waits for 1, which a running job uses, and 4 waits for 2.
  EXPECT_EQ(VsstL0("L0: 1:[a..c] 2:[c..f] 3:[k..m] 4:[f..l]", {{0, 1, "a", "c"}}), "L0 3 move");
  // 2 overlaps what another job writes into L1.
  EXPECT_EQ(VsstL0("L0: 1:[a..c] 2:[c..f]", {{1, 2, "e", "f"}}), "L0 1 move");
}

TEST(VsstPick, AnL0TableMovesOnlyWhenItIsGood) {
  EXPECT_EQ(VsstL0("L0: 1:[a..z]*2"), "L0 1 move");
  EXPECT_EQ(VsstL0("L0: 1:[a..z]*2 L2: 2:[c..d]*8"), "L0 1 | 2 move");
  EXPECT_EQ(VsstL0("L0: 1:[a..z]*2 L2: 2:[c..d]*8 3:[e..f]*0.1"), "L0 1 | 2 3");
}

TEST(VsstPick, AMergeInPlaceOfAMoveNeedsSpace) {
  const VersionRef version =
      VersionFromText("L0: 1:[a..c]*2 2:[x..z]*1 L2: 3:[a..a]*8 4:[b..b]*0.1");
  const auto pick = [&](uint64_t bytes_max) {
    const OutputLimit limit{.bytes_max = bytes_max, .freeing_bytes_max = bytes_max};
    return Pick(*version, JobClass::kL0, {}, {}, SmallLayout(), limit);
  };
  const auto merge = pick(2 * kMiB);
  EXPECT_EQ(PlanText(merge), "L0 1 | 3 4");
  ASSERT_TRUE(merge);
  EXPECT_EQ(merge->output_bytes, 2 * kMiB);
  EXPECT_EQ(PlanText(pick(2 * kMiB - 1)), "L0 2 move");
}

TEST(VsstPick, L1MakesRoomBeforeATableOfL0ComesIn) {
  const std::string full = "L0: 9:[a..z]*4 L1: 1:[a..c]*16 2:[d..f]*16 L2: 3:[a..b]*20";
  EXPECT_EQ(VsstL0(full), "L1 2 move");
  EXPECT_EQ(
      VsstL0("L0: 9:[x..z]*4 L1: 1:[a..c]*16 2:[d..f]*16 L2: 3:[a..b]*20", {{1, 2, "a", "f"}}),
      "L0 9 move")
      << "a job already makes room";
  EXPECT_EQ(
      VsstL0("L0: 9:[x..z]*4 L1: 1:[a..c]*32 2:[d..f]*32 L2: 3:[a..f]*20", {{2, 3, "a", "f"}}),
      "L0 9 move")
      << "room cannot be made";
}

TEST(VsstPick, AnUrgentDeepLevelGoesBeforeAShortQueue) {
  LayoutOptions layout = SmallLayout();
  layout.vsst_phi = 16;  // L2 holds 512 MiB
  const std::string twice = " L2: 5:[a..c]*600 6:[d..f]*600 L3: 7:[a..b]*20";
  EXPECT_EQ(VsstL0("L0: 9:[a..z]" + twice, {}, layout), "L2 5 + 7");
  std::string queue = "L0:";
  for (int i = 10; i < 20; ++i) queue += " " + std::to_string(i) + ":[g..z]";
  EXPECT_EQ(VsstL0(queue + twice, {}, layout), "L0 13 12 11 10");
  layout.vsst_l0_tables_max = 16;  // the queue is less than one job
  EXPECT_EQ(VsstL0(queue + twice, {}, layout), "L2 5 + 7");
  layout.l0_job_bytes_max = 1;  // the policy lets L0 grow, and says when deeper levels run
  EXPECT_EQ(VsstL0("L0: 9:[g..z]" + twice, {}, layout), "L0 9 move");
}

TEST(VsstPick, NothingLeavesL1WithinItsTarget) {
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*31.9"), "nothing");
  EXPECT_EQ(VsstDeep("L0: 9:[a..z] L1: 1:[a..c]*31.9"), "nothing");
}

TEST(VsstPick, WithAnEmptyL2TablesMoveInSetsOfOneTablesSize) {
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*5 2:[d..f]*3 3:[g..k]*8 4:[l..p]*8 5:[q..z]*8"), "L1 1 2 move");
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*40"), "L1 1 move") << "one table moves, whatever its size";
}

TEST(VsstPick, AMoveKeepsToWhatLiesTwoLevelsDown) {
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*40 L3: 2:[a..b]*80"), "L1 1 | 2 move");
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*40 L3: 2:[a..b]*80 3:[c..c]*0.1"), "L1 1 | 2 3");
}

// Their costs are 2, 5, 1 and 4, so 2 is poor.
constexpr char kMixed[] =
    "L1: 1:[a..c]*4 2:[d..f]*20 3:[m..p]*4 4:[s..u]*4.5"
    " L2: 5:[a..b]*8 6:[d..e]*100 7:[h..k]*8 8:[m..n]*4 9:[q..r]*8 10:[s..t]*18";

TEST(VsstPick, GoodTablesGoTheCheapestFirst) {
  EXPECT_EQ(VsstDeep(kMixed), "L1 1 3 + 5 8 #c")
      << "3 and then 1, 8 MiB in total, with a fence before the table between";
  LayoutOptions roomy = SmallLayout();
  roomy.table_bytes_max = 8 * kMiB + kMiB / 2;
  roomy.growth_factor = 3.5;  // L1 holds less, and 4 is poor too
  EXPECT_EQ(VsstDeep(kMixed, {}, roomy), "L1 1 3 + 5 8 #c");
  roomy.growth_factor = 1.5;
  EXPECT_EQ(VsstDeep(kMixed, {}, roomy), "L1 3 + 8");
}

TEST(VsstPick, WhatIsInUseIsLeftOut) {
  EXPECT_EQ(VsstDeep(kMixed, {{2, 3, "a", "b"}}), "L1 3 + 8")
      << "4 would still fit, but not within the size of a table";
  // 1 and 3 are both free, but a running job is between them.
  EXPECT_EQ(VsstDeep(kMixed, {{2, 3, "h", "k"}}), "L1 3 + 8");
  EXPECT_EQ(VsstDeep(kMixed, {{0, 1, "a", "z"}}), "nothing");
}

TEST(VsstPick, PoorTablesWaitUntilThereAreNoOthers) {
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*4 2:[d..f]*30 L2: 3:[a..c]*16 4:[d..f]*121"), "L1 1 + 3")
      << "at most f is good";
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*4 2:[d..f]*30 L2: 3:[a..c]*17 4:[d..f]*121"), "L1 2 + 4 !")
      << "4.03 is less bad than 4.25";
}

TEST(VsstPick, AllPoorNeighboursThatShareWhatLiesBelowGoTogether) {
  // Each alone overlaps 24 or 16 MiB; 2 and 3 together overlap 24.
  const std::string tables =
      "L1: 1:[a..c]*2 2:[d..e]*2 3:[f..g]*2 4:[h..z]*30"
      " L2: 5:[a..b]*8 6:[b1..b2]*8 7:[c..d]*8 8:[e..f]*8 9:[g..g]*8 10:[h..i]*990";
  EXPECT_EQ(VsstDeep(tables), "L1 2 3 + 7 8 9 !");
  LayoutOptions small = SmallLayout();
  small.table_bytes_max = 3 * kMiB;
  EXPECT_EQ(VsstDeep(tables, {}, small), "L1 2 + 7 8 !");
  EXPECT_EQ(VsstDeep(tables, {{2, 3, "e", "f"}}), "L1 1 + 5 6 7 !");
}

TEST(VsstPick, OneHugeOverlap) {
  EXPECT_EQ(VsstDeep("L1: 1:[a..c]*16 2:[d..f]*17 L2: 3:[a..z]*5000"), "L1 2 + 3 !");
}

TEST(VsstPick, TablesThatTouchAtABoundaryShareIt) {
  // b ends 4 and begins no other table, so 1 overlaps 4 by one key, and 2 does not overlap it.
  const std::string tables = "L1: 1:[b..c]*2 2:[d..e]*31 L2: 4:[a..b]*8 5:[c1..c2]*8 6:[e1..f]*8";
  EXPECT_EQ(VsstDeep(tables), "L1 2 move");
  EXPECT_EQ(VsstDeep(tables, {{1, 2, "d", "e"}}), "nothing") << "no excess is left";
  EXPECT_EQ(VsstDeep("L1: 1:[b..c]*2 2:[d..e]*61 L2: 4:[a..b]*8 5:[c1..c2]*8 6:[e..f]*800"),
            "L1 1 + 4");
}

TEST(VsstPick, NeighboursInOneGroupNeedNoFence) {
  // 5 overlaps 1 and 2; no table is between 2 and 3; 7 is between 3 and 4.
  const std::string tables =
      "L1: 1:[a..c]*2 2:[d..e]*2 3:[g..h]*2 4:[m..n]*2 6:[x..z]*40"
      " L2: 5:[b..d]*1 7:[j..k]*8 8:[x..y]*900";
  EXPECT_EQ(VsstDeep(tables), "L1 1 2 3 4 + 5 #h");
}

TEST(VsstPick, AUserKeyIsNotTornApart) {
  // As LevelDB can leave them: 1, 2 and 3 have entries of c; below are 7 and 8.
  EXPECT_EQ(VsstDeep("L1: 1:[a..c@9]*1 2:[c@8..c@5]*1 3:[c@4..d]*1 4:[e..f]*40"
                     " L2: 7:[a..a]*0.1 8:[d1..f]*900"),
            "L1 1 2 3 + 7");
  EXPECT_EQ(VsstDeep("L1: 1:[a..b@9]*40 L2: 4:[b@3..d@3] 5:[d@2..f@1] 6:[g..h]"), "L1 1 + 4 5");
}

TEST(VsstPick, DeeperLevelsGoAsInLeveled) {
  LayoutOptions layout = SmallLayout();
  layout.vsst_phi = 16;
  const std::string tables = "L2: 1:[a..c]*300 2:[d..f]*300 L3: 3:[a..b]*20 4:[d..e]*10";
  EXPECT_EQ(VsstDeep(tables, {}, layout), "L2 1 + 3");
  layout.pick_by_overlap = true;
  EXPECT_EQ(VsstDeep(tables, {}, layout), "L2 2 + 4");
}

TEST(VsstPick, TakesOverAStoreOfAnyShape) {
  // As `leveled` leaves it: many bytes in L1, in tables that are small for vsst.
  EXPECT_EQ(VsstL0("L0: 1:[a..z] 2:[a..z] 3:[a..z] 4:[a..z] L1: 5:[a..k]*2 6:[l..z]*2"),
            "L0 4 3 2 1 + 5 6");
  EXPECT_EQ(VsstDeep("L3: 1:[a..b]*33000"), "L3 1 move");
}

TEST(OverlapIndex, CountsEachTableBelowOnceForARange) {
  const VersionRef version = VersionFromText(
      "L1: 1:[b..c] 2:[e..f] 3:[g..h] 4:[x..z]"
      " L2: 5:[a..a]*1 6:[b..e]*2 7:[f..g]*4 8:[i..k]*8 9:[l..m]*16");
  const OverlapIndex overlap(*version, 1);
  EXPECT_EQ(overlap.Bytes(0, 0), 2 * kMiB);
  EXPECT_EQ(overlap.Bytes(1, 1), 6 * kMiB);
  EXPECT_EQ(overlap.Bytes(2, 2), 4 * kMiB);
  EXPECT_EQ(overlap.Bytes(3, 3), 0u);
  EXPECT_EQ(overlap.Bytes(0, 2), 6 * kMiB);
  EXPECT_EQ(overlap.Bytes(2, 3), 28 * kMiB) << "with the tables between them";
  EXPECT_EQ(OverlapIndex(*VersionFromText("L1: 1:[a..c]"), 1).Bytes(0, 0), 0u);
}

}  // namespace
}  // namespace lull::testing
