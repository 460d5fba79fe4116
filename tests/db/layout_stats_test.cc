// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/report/layout_stats.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/db/version_text.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::EditFromText;
using testing::kMiB;
using testing::VersionFromText;

LayoutOptions SmallVsst() {
  LayoutOptions layout;
  layout.kind = LayoutKind::kVsst;
  layout.l0_trigger = 1;
  layout.growth_factor = 4;
  layout.vsst_phi = 32;
  layout.table_bytes_max = 8 * kMiB;
  return layout;
}

// Installs the picker's choice of `before`, with `outputs`.
void Compact(LayoutStats* stats, const std::string& before, JobClass job_class,
             const std::string& outputs, const std::string& after) {
  const LayoutOptions layout = SmallVsst();
  const auto plan = Pick(*VersionFromText(before), job_class, {}, {}, layout);
  ASSERT_TRUE(plan);
  stats->OnCompaction(*plan, EditFromText(outputs).new_tables, *VersionFromText(after), layout);
}

TEST(LayoutStats, AChainEndsWithACompactionOfL0) {
  LayoutStats stats;
  const auto compact_l0 = [&] {
    Compact(&stats, "L0: 1:[a..c]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..d]*11",
            "L1: 3:[a..d]*11");
  };
  const auto compact_l1 = [&] {
    Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "L2: 3:[a..d]*48",
            "L2: 3:[a..d]*48");
  };
  compact_l0();
  stats.OnFlush(1, 3 * kMiB);
  compact_l1();
  compact_l1();
  stats.OnFlush(1, 3 * kMiB);
  compact_l0();
  compact_l1();
  const LayoutFigures::Chains& chains = stats.figures().chains;
  EXPECT_EQ(chains.chains, 2u) << "the last one has not ended";
  EXPECT_EQ(chains.merges_sum, 4u);
  EXPECT_EQ(chains.merges_max, 3u);
  EXPECT_EQ(chains.width_bytes_sum, (12 + 48 + 48 + 12) * kMiB);
  EXPECT_EQ(chains.width_bytes_max, (48 + 48 + 12) * kMiB);
  EXPECT_EQ(chains.length_sum, 3u);
  EXPECT_EQ(chains.length_max, 2u);
}

TEST(LayoutStats, ATableThatMovesOutOfL0EndsAChainToo) {
  LayoutStats stats;
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "L2: 3:[a..d]*48",
          "L2: 3:[a..d]*48");
  Compact(&stats, "L0: 1:[a..c]*4", JobClass::kL0, "L1: 1:[a..c]*4", "L1: 1:[a..c]*4");
  EXPECT_EQ(stats.figures().chains.chains, 1u);
  EXPECT_EQ(stats.figures().chains.merges_sum, 1u);
}

TEST(LayoutStats, MergesBetweenFlushesAreCountedLikewise) {
  LayoutStats stats;
  stats.OnFlush(2, 5 * kMiB);
  Compact(&stats, "L0: 1:[a..c]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..d]*11",
          "L1: 3:[a..d]*11");
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "L2: 3:[a..d]*48",
          "L2: 3:[a..d]*48");
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "L2: 3:[a..d]*48",
          "L2: 3:[a..d]*48");
  stats.OnFlush(1, 3 * kMiB);
  Compact(&stats, "L0: 1:[a..c]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..d]*11",
          "L1: 3:[a..d]*11");
  stats.OnFlush(1, 3 * kMiB);
  stats.OnFlush(1, 3 * kMiB);
  Compact(&stats, "L0: 1:[a..c]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..d]*11",
          "L1: 3:[a..d]*11");

  const LayoutFigures::Flushes& flushes = stats.figures().flushes;
  EXPECT_EQ(flushes.count, 4u);
  EXPECT_EQ(flushes.memtables, 5u);
  EXPECT_EQ(flushes.written_bytes, 14 * kMiB);
  const LayoutFigures::Chains& chains = stats.figures().between_flushes;
  EXPECT_EQ(chains.chains, 2u) << "the last one has no flush yet";
  EXPECT_EQ(chains.width_bytes_sum, (12 + 48 + 48 + 12) * kMiB);
  EXPECT_EQ(chains.width_bytes_max, (12 + 48 + 48) * kMiB);
  EXPECT_EQ(chains.length_sum, 3u) << "two levels, then one";
  EXPECT_EQ(chains.length_max, 2u);
  EXPECT_EQ(stats.figures().levels[0].merges, 3u);
  EXPECT_EQ(stats.figures().levels[0].upper_bytes, 12 * kMiB);
  EXPECT_EQ(stats.figures().levels[0].lower_bytes, 24 * kMiB);
  EXPECT_EQ(stats.figures().levels[0].written_bytes, 33 * kMiB);
  EXPECT_EQ(stats.figures().levels[1].upper_bytes, 80 * kMiB);
}

TEST(LayoutStats, AMoveCostsNothing) {
  LayoutStats stats;
  Compact(&stats, "L0: 1:[a..c]*4", JobClass::kL0, "L1: 1:[a..c]*4", "L1: 1:[a..c]*4");
  stats.OnFlush(1, kMiB);
  const LayoutFigures& figures = stats.figures();
  EXPECT_EQ(figures.levels[0].moves, 1u);
  EXPECT_EQ(figures.levels[0].moved_bytes, 4 * kMiB);
  EXPECT_EQ(figures.levels[0].merges, 0u);
  EXPECT_EQ(figures.levels[0].written_bytes, 0u);
  EXPECT_EQ(figures.chains.chains, 0u);
  EXPECT_EQ(figures.chains.width_bytes_max, 0u);
}

TEST(LayoutStats, GoodAndPoorGoByTheOverlapWithL2) {
  LayoutStats stats;
  Compact(&stats, "L0: 1:[a..z]*4 L1: 2:[b..d]*8", JobClass::kL0,
          "L1: 3:[a..d]*2 4:[e..h]*2 5:[k..z]*8",
          "L1: 3:[a..d]*2 4:[e..h]*2 5:[k..z]*8 L2: 6:[a..b]*8 7:[f..g]*8.1");
  const LayoutFigures& figures = stats.figures();
  EXPECT_EQ(figures.good.count, 2u) << "just f, and none at all";
  EXPECT_EQ(figures.good.bytes, 10 * kMiB);
  EXPECT_EQ(figures.good.overlap_bytes, 8 * kMiB);
  EXPECT_EQ(figures.poor.count, 1u);
  EXPECT_EQ(figures.poor.bytes, 2 * kMiB);
  EXPECT_GT(figures.poor.overlap_bytes, 8 * kMiB);
  EXPECT_EQ(figures.over_few_tables, 3u) << "each is over one table at most";
}

TEST(LayoutStats, TablesOverManySmallTablesAreGoodOnlyByBytes) {
  LayoutStats stats;
  Compact(&stats, "L0: 1:[a..z]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..e]*2 4:[f..z]*8",
          "L1: 3:[a..e]*2 4:[f..z]*8 L2: 5:[a..a]*0.1 6:[b..b]*0.1 7:[c..c]*0.1 8:[d..d]*0.1 "
          "9:[e..g]*0.1");
  EXPECT_EQ(stats.figures().good.count, 2u);
  EXPECT_EQ(stats.figures().over_few_tables, 1u) << "3 is over five tables";
}

TEST(LayoutStats, PicksOutOfL1AreCountedByKind) {
  LayoutStats stats;
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "", "");
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*800", JobClass::kDeep, "", "");
  Compact(&stats, "L1: 1:[a..c]*40", JobClass::kDeep, "", "");
  EXPECT_EQ(stats.figures().picks_good, 2u);
  EXPECT_EQ(stats.figures().picks_least_bad, 1u);
}

TEST(LayoutStats, AsJson) {
  LayoutStats stats;
  stats.OnFlush(2, 7);
  const std::string text = LayoutJson(stats.figures(), SmallVsst());
  EXPECT_EQ(text.rfind("{\"layout\":\"vsst\",\"options\":{\"table_bytes_max\":8388608,"
                       "\"growth_factor\":4,\"vsst_phi\":32,\"pick_by_overlap\":0,"
                       "\"align_outputs\":1},\"levels\":[{\"from\":0,\"merges\":0,",
                       0),
            0u)
      << text;
  EXPECT_NE(text.find("\"flushes\":{\"count\":1,\"memtables\":2,\"written_bytes\":7},"
                      "\"chains\":{\"chains\":0,\"merges_sum\":0,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"l1_picks\":{\"good\":0,\"least_bad\":0}}"), std::string::npos);
}

}  // namespace
}  // namespace lull
