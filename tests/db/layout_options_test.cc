// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/layout_options.h"

#include <string>
#include <vector>

#include "db/api/option_values.h"
#include "db/compaction/output_cutter.h"
#include "db/compaction/picker.h"
#include "db/compaction/planner.h"
#include "gtest/gtest.h"
#include "leveldb/options.h"
#include "scheduler/policy.h"
#include "tests/db/version_text.h"
#include "tests/support/units.h"

namespace lull {
namespace {

using testing::kMiB;

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

TEST(LayoutOptions, TablesOfDeeperLevelsAreLarger) {
  ASSERT_EQ(leveldb::Options().max_file_size, kDefault);
  EXPECT_EQ(Sizes(Resolved({}, kDefault)), "2 4 8 16 32 64 ");
}

TEST(LayoutOptions, ASizeThatTheUserChoseHoldsForAllLevels) {
  EXPECT_EQ(Sizes(Resolved({}, 4 << 20)), "4 4 4 4 4 4 ");
  OptionValues options;
  options.table_bytes_max = kDefault;
  EXPECT_EQ(Sizes(Resolved(options, kDefault)), "2 2 2 2 2 2 ");
  options.table_bytes_max = 0;
  options.layout = "vsst";
  EXPECT_EQ(Sizes(Resolved(options, kDefault)), "8 8 8 8 8 8 ");
}

TEST(LayoutOptions, APolicyChangesTheSizeInL1) {
  LayoutOptions layout = Resolved({}, kDefault);
  layout.table_bytes_max = 32 << 20;
  EXPECT_EQ(Sizes(layout), "32 64 64 64 64 64 ");
  layout.table_bytes_max = 512 << 20;
  EXPECT_EQ(Sizes(layout), "512 512 512 512 512 512 ");
}

TEST(LayoutOptions, L1HoldsTenMemtablesIfAJobTakesPartOfL0) {
  const auto target = [](uint64_t memtable_bytes, uint64_t l0_job_bytes_max) {
    PolicyOptions policy;
    policy.memtable_bytes = memtable_bytes;
    policy.l0_job_bytes_max = l0_job_bytes_max;
    return LevelTargets(ResolveLayoutOptions({}, policy, kDefault))[1];
  };
  EXPECT_EQ(target(4 * kMiB, 64 * kMiB), 40 * kMiB);
  EXPECT_EQ(target(64 * kMiB, 64 * kMiB), 64 * kMiB) << "as much as a job";
  EXPECT_EQ(target(kMiB / 16, 64 * kMiB), 10 * kMiB) << "LevelDB's";
  EXPECT_EQ(target(4 * kMiB, 0), 10 * kMiB);
}

TEST(LayoutOptions, EveryRuleUsesTheSizeOfItsLevel) {
  const LayoutOptions layout = Resolved({}, kDefault);
  EXPECT_EQ(CutRuleFor(layout, 3).table_bytes_max, uint64_t{8} << 20);
  EXPECT_EQ(CutRuleFor(layout, 3).overlap_bytes_max, uint64_t{40} << 20);
  const VersionRef version =
      testing::VersionFromText("L3: 1:[a..b]*50 2:[c..d]*50 3:[e..f]*50 4:[g..h]*50");
  const ManualPick manual = PickManual(*version, 3, {}, {}, layout);
  ASSERT_TRUE(manual.plan);
  EXPECT_EQ(testing::Numbers(manual.plan->upper), "1 2 3") << "128 MiB or more";

  const auto moves = [&](const std::string& tables) {
    const VersionRef of_tables = testing::VersionFromText(tables);
    return Completed(*of_tables, layout).trivial_move;
  };
  EXPECT_TRUE(moves("L2: 1:[a..z]*4 L4: 2:[a..b]*20 3:[c..d]*20"));
  EXPECT_FALSE(moves("L2: 1:[a..z]*4 L4: 2:[a..b]*20 3:[c..d]*21"));
  const auto widened = [&](const std::string& bytes_below) {
    const VersionRef of_tables =
        testing::VersionFromText("L2: 1:[a..b]*4 2:[c..d]*4 L3: 3:[a..z]*" + bytes_below);
    return testing::Numbers(Completed(*of_tables, layout).upper);
  };
  EXPECT_EQ(widened("91"), "1 2");
  EXPECT_EQ(widened("92"), "1") << "25 tables of L2";
}

}  // namespace
}  // namespace lull
