// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The sizes that a layout sets, its statistics, and the tables that a store makes in it.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "db/base/layout_options.h"
#include "db/base/option_values.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/picker.h"
#include "db/compaction/planner.h"
#include "db/report/layout_stats.h"
#include "leveldb/options.h"
#include "lull/lull.h"
#include "scheduler/policy.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/db/support/version_text.h"
#include "tests/support/crash_env.h"
#include "tests/support/json_value.h"
#include "tests/support/units.h"
#include "util/random.h"

namespace lull::testing {
namespace {

// ---- options

constexpr uint64_t kDefault = 2 << 20;

LayoutOptions Resolved(const OptionValues& options, uint64_t max_file_size) {
  return ResolveLayoutOptions(options, PolicyOptions(), max_file_size);
}

/// The sizes of tables in L1 to L6, in MiB.
std::string Sizes(const LayoutOptions& layout) {
  std::string text;
  for (int level = 1; level < kLevels; ++level)
    text += std::to_string(TableBytesAt(layout, level) >> 20) + " ";
  return text;
}

/// The plan for the first table of L2.
CompactionPlan Completed(const Version& version, const LayoutOptions& layout) {
  const std::vector<RunningRange> running;
  const Planner planner(version, running, layout, {});
  return planner.Complete(2, {version.level(2).front()}, /*widen=*/true).value();
}

TEST(LayoutOptions, TablesOfDeeperLevelsAreLargerUnlessTheUserChoseASize) {
  ASSERT_EQ(leveldb::Options().max_file_size, kDefault);
  LayoutOptions layout = Resolved({}, kDefault);
  EXPECT_EQ(Sizes(layout), "2 4 8 16 32 64 ");
  layout.table_bytes_max = 32 << 20;  // as a policy sets it
  EXPECT_EQ(Sizes(layout), "32 64 64 64 64 64 ");
  layout.table_bytes_max = 512 << 20;
  EXPECT_EQ(Sizes(layout), "512 512 512 512 512 512 ");

  EXPECT_EQ(Sizes(Resolved({}, 4 << 20)), "4 4 4 4 4 4 ");
  OptionValues options;
  options.table_bytes_max = kDefault;
  EXPECT_EQ(Sizes(Resolved(options, kDefault)), "2 2 2 2 2 2 ");
  options.table_bytes_max = 0;
  options.layout = "vsst";
  EXPECT_EQ(Sizes(Resolved(options, kDefault)), "8 8 8 8 8 8 ");
}

TEST(LayoutOptions, L1HoldsFortyMemtablesIfAJobTakesPartOfL0) {
  const auto target = [](uint64_t memtable_bytes, uint64_t l0_job_bytes_max) {
    PolicyOptions policy;
    policy.memtable_bytes = memtable_bytes;
    policy.l0_job_bytes_max = l0_job_bytes_max;
    return LevelTargets(ResolveLayoutOptions({}, policy, kDefault))[1];
  };
  EXPECT_EQ(target(kMiB, 64 * kMiB), 40 * kMiB);
  EXPECT_EQ(target(64 * kMiB, 64 * kMiB), 64 * kMiB) << "as much as a job";
  EXPECT_EQ(target(kMiB / 16, 64 * kMiB), 10 * kMiB) << "LevelDB's";
  EXPECT_EQ(target(4 * kMiB, 0), 10 * kMiB);
}

TEST(LayoutOptions, EveryRuleUsesTheSizeOfItsLevel) {
  const LayoutOptions layout = Resolved({}, kDefault);
  EXPECT_EQ(CutRuleFor(layout, 3).table_bytes_max, uint64_t{8} << 20);
  EXPECT_EQ(CutRuleFor(layout, 3).overlap_bytes_max, uint64_t{40} << 20);
  const VersionRef version = VersionFromText("L3: 1:[a..b]*50 2:[c..d]*50 3:[e..f]*50 4:[g..h]*50");
  const ManualPick manual = PickManual(*version, 3, {}, {}, layout);
  ASSERT_TRUE(manual.plan);
  EXPECT_EQ(Numbers(manual.plan->upper), "1 2 3") << "128 MiB or more";

  const auto moves = [&](const std::string& tables) {
    return Completed(*VersionFromText(tables), layout).trivial_move;
  };
  EXPECT_TRUE(moves("L2: 1:[a..z]*4 L4: 2:[a..b]*20 3:[c..d]*20"));
  EXPECT_FALSE(moves("L2: 1:[a..z]*4 L4: 2:[a..b]*20 3:[c..d]*21"));
  const auto widened = [&](const std::string& bytes_below) {
    const std::string tables = "L2: 1:[a..b]*4 2:[c..d]*4 L3: 3:[a..z]*" + bytes_below;
    return Numbers(Completed(*VersionFromText(tables), layout).upper);
  };
  EXPECT_EQ(widened("91"), "1 2");
  EXPECT_EQ(widened("92"), "1") << "25 tables of L2";
}

// ---- statistics

LayoutOptions SmallVsst() {
  return {.kind = LayoutKind::kVsst,
          .l0_trigger = 1,
          .growth_factor = 4,
          .vsst_phi = 32,
          .table_bytes_max = 8 * kMiB};
}

// Installs the picker's choice of `before`, with `outputs`. Besides these, `below` is left.
void Compact(LayoutStats* stats, const std::string& before, JobClass job_class,
             const std::string& outputs, const std::string& below = "") {
  const LayoutOptions layout = SmallVsst();
  const auto plan = Pick(*VersionFromText(before), job_class, {}, {}, layout);
  ASSERT_TRUE(plan);
  stats->OnCompaction(*plan, EditFromText(outputs).new_tables, *VersionFromText(outputs + below),
                      layout);
}

void CompactL0(LayoutStats* stats) {
  Compact(stats, "L0: 1:[a..c]*4 L1: 2:[b..d]*8", JobClass::kL0, "L1: 3:[a..d]*11");
}

void CompactL1(LayoutStats* stats) {
  Compact(stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "L2: 3:[a..d]*48");
}

void MoveFromL0(LayoutStats* stats) {
  Compact(stats, "L0: 1:[a..c]*4", JobClass::kL0, "L1: 1:[a..c]*4");
}

TEST(LayoutStats, AChainEndsWithACompactionOfL0) {
  LayoutStats stats;
  CompactL0(&stats);
  stats.OnFlush(1, 3 * kMiB);
  CompactL1(&stats);
  CompactL1(&stats);
  stats.OnFlush(1, 3 * kMiB);
  CompactL0(&stats);
  CompactL1(&stats);
  const LayoutFigures::Chains& chains = stats.figures().chains;
  EXPECT_EQ(chains.chains, 2u) << "the last one has not ended";
  EXPECT_EQ(chains.merges_sum, 4u);
  EXPECT_EQ(chains.merges_max, 3u);
  EXPECT_EQ(chains.width_bytes_sum, (12 + 48 + 48 + 12) * kMiB);
  EXPECT_EQ(chains.width_bytes_max, (48 + 48 + 12) * kMiB);
  EXPECT_EQ(chains.length_sum, 3u);
  EXPECT_EQ(chains.length_max, 2u);

  MoveFromL0(&stats);  // ends it too
  EXPECT_EQ(stats.figures().chains.chains, 3u);
  EXPECT_EQ(stats.figures().chains.merges_sum, 5u);
}

TEST(LayoutStats, MergesBetweenFlushesAreCountedLikewise) {
  LayoutStats stats;
  stats.OnFlush(2, 5 * kMiB);
  CompactL0(&stats);
  CompactL1(&stats);
  CompactL1(&stats);
  stats.OnFlush(1, 3 * kMiB);
  CompactL0(&stats);
  stats.OnFlush(1, 3 * kMiB);
  stats.OnFlush(1, 3 * kMiB);
  CompactL0(&stats);

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
  MoveFromL0(&stats);
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
          "L1: 3:[a..d]*2 4:[e..h]*2 5:[k..z]*8", " L2: 6:[a..b]*8 7:[f..g]*8.1");
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
          " L2: 5:[a..a]*0.1 6:[b..b]*0.1 7:[c..c]*0.1 8:[d..d]*0.1 9:[e..g]*0.1");
  EXPECT_EQ(stats.figures().good.count, 2u);
  EXPECT_EQ(stats.figures().over_few_tables, 1u) << "3 is over five tables";
}

TEST(LayoutStats, PicksOutOfL1AreCountedByKind) {
  LayoutStats stats;
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*8", JobClass::kDeep, "");
  Compact(&stats, "L1: 1:[a..c]*40 L2: 2:[b..d]*800", JobClass::kDeep, "");
  Compact(&stats, "L1: 1:[a..c]*40", JobClass::kDeep, "");
  EXPECT_EQ(stats.figures().picks_good, 2u);
  EXPECT_EQ(stats.figures().picks_least_bad, 1u);
}

TEST(LayoutStats, AsJson) {
  LayoutStats stats;
  stats.OnFlush(2, 7);
  const Json json = Json::Parse(LayoutJson(stats.figures(), SmallVsst()));
  EXPECT_EQ(json["layout"].Text(), "vsst");
  EXPECT_EQ(json["options"]["table_bytes_max"], 8 * kMiB);
  EXPECT_EQ(json["flushes"]["memtables"], 2);
  EXPECT_EQ(json["l1_picks"]["least_bad"], 0);
}

// ---- a store

// Under `leveldb` each memtable is flushed by itself.
constexpr char kVsst[] =
    "policy=leveldb;layout=vsst;table_bytes_max=32K;growth_factor=4;vsst_phi=8";
constexpr uint64_t kTableBytesMax = 32 << 10;
// The largest excess of a table: a block not yet written, its last entry, filter and index.
constexpr uint64_t kOverBytes = 8 << 10;

TEST(LayoutStoreTest, VsstKeepsItsSizes) {
  CrashEnv env;
  std::unique_ptr<leveldb::DB> db;
  ASSERT_TRUE(IsOk(OpenAt(SmallOptions(&env), "/store", &db, kVsst)));
  Random random(7);
  Contents values;
  for (int i = 0; i < 4000; ++i) {
    const std::string key = "key" + std::to_string(10000 + random.Uniform(1500));
    std::string& value = values[key];
    value.clear();  // cannot be compressed
    while (value.size() < 400) value.push_back(static_cast<char>(random.Uniform(256)));
    ASSERT_TRUE(db->Put({}, key, value).ok());
  }
  ASSERT_TRUE(WaitForIdle(db.get()).ok());
  EXPECT_EQ(ReadAll(db.get()), values);

  static const std::regex kTable(R"( \d+:(\d+)\[.*\])");
  std::map<int, uint64_t> level_bytes;
  std::istringstream lines(Property(db.get(), "leveldb.sstables"));
  int level = -1;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with("---")) ++level;
    if (!std::regex_match(line, match, kTable)) continue;
    const uint64_t bytes = std::stoull(match[1]);
    EXPECT_LT(bytes, kTableBytesMax + kOverBytes) << "in L" << level;
    level_bytes[level] += bytes;
  }
  EXPECT_EQ(level_bytes[0], 0u) << "one table is due";
  EXPECT_GT(level_bytes[1], 0u);
  EXPECT_LT(level_bytes[1], 4 * kTableBytesMax);
  EXPECT_GT(level_bytes[2], 4 * kTableBytesMax);
  const Json json = JsonProperty(db.get(), "lull.layout");
  EXPECT_EQ(json["options"]["table_bytes_max"], kTableBytesMax);
  EXPECT_GT(json["levels"][0]["merges"], 0);
  EXPECT_GT(json["flushes"]["count"], 0);
}

}  // namespace
}  // namespace lull::testing
