// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "benchmarks/simulation/sharing.h"
#include "benchmarks/simulation/tables.h"
#include "db/base/option_values.h"
#include "scheduler/policy.h"

namespace lull::sim {
namespace {

LayoutOptions SmallLayout() { return {.l1_bytes_target = 1 << 20, .table_bytes_max = 256 << 10}; }

/// Runs all due compactions, L0 first. Returns the bytes that they wrote.
double CompactAll(TableModel* tables) {
  double written = 0;
  while (true) {
    std::optional<TableMerge> merge = tables->Begin(JobClass::kL0, 0);
    if (!merge) merge = tables->Begin(JobClass::kDeep, 0);
    if (!merge) return written;
    written += static_cast<double>(merge->bytes_out);
    tables->Install(*merge);
  }
}

TEST(SimulationTablesTest, NothingIsLostOrMadeByMerging) {
  for (const double keys : {0.0, 50'000.0}) {
    SCOPED_TRACE(keys);
    TableModel tables(keys, 100, SmallLayout());
    double in = 0;
    for (int i = 0; i < 200; ++i) {
      const double distinct = tables.Distinct(5'000);
      tables.AddFlushed(distinct);
      in += std::round(distinct * 100) / 100;
      if (i % 3 == 0) CompactAll(&tables);
    }
    EXPECT_GT(CompactAll(&tables), 0);
    EXPECT_NEAR(tables.EntriesListed() + tables.entries_dropped(), in, 1);
    // Tables have whole bytes: rounding changes each by less than one byte.
    if (keys == 0) {
      EXPECT_NEAR(tables.entries_dropped() / in, 0, 1e-4);
    } else {
      EXPECT_GT(tables.entries_dropped(), in / 2);
    }
  }
}

/// Fills a store with 3 GB of random keys. Returns the bytes that compactions wrote and the count
/// of tables.
std::pair<double, int> Fill(const LayoutOptions& layout) {
  constexpr double kEntryBytes = 500;
  TableModel tables(6e6, kEntryBytes, layout);
  double written = 0;
  for (int i = 0; i < 750; ++i) {
    tables.AddFlushed(tables.Distinct(4e6 / kEntryBytes));
    written += CompactAll(&tables);
  }
  int count = 0;
  for (int level = 0; level < kLevels; ++level) count += tables.version().TableCount(level);
  return {written, count};
}

TEST(SimulationTablesTest, LargerTablesInDeeperLevelsCauseNoMoreWriting) {
  const LayoutOptions one_size;
  const LayoutOptions growing = ResolveLayoutOptions({}, PolicyOptions(), one_size.table_bytes_max);
  ASSERT_TRUE(growing.tables_grow);
  const auto [bytes_before, count_before] = Fill(one_size);
  const auto [bytes, count] = Fill(growing);
  EXPECT_LT(bytes, 1.03 * bytes_before);
  EXPECT_LT(count, count_before / 3);
}

TEST(SimulationTablesTest, AfterCompactionEveryLevelIsWithinItsTarget) {
  TableModel tables(0, 100, SmallLayout());
  for (int i = 0; i < 100; ++i) tables.AddFlushed(5'000);
  EXPECT_TRUE(tables.Due(JobClass::kL0));
  EXPECT_GT(tables.DebtBytes(), 0u);
  CompactAll(&tables);
  EXPECT_FALSE(tables.Due(JobClass::kL0));
  EXPECT_FALSE(tables.Due(JobClass::kDeep));
  EXPECT_EQ(tables.DebtBytes(), 0u);
  for (int level = 1; level < 3; ++level) {
    for (const TableRef& table : tables.version().level(level)) {
      // The cutter sees one piece at a time, and a table ends after the piece that fills it.
      EXPECT_LE(table->file_bytes(), (256u << 10) * 65 / 64 + 100);
    }
  }
}

TEST(SimulationTablesTest, MergingTwoHalvesOfAllKeysLeavesThreeQuarters) {
  LayoutOptions layout = SmallLayout();
  layout.l0_trigger = 2;
  layout.l1_bytes_target = 1 << 30;
  TableModel tables(10'000, 100, layout);
  tables.AddFlushed(5'000);
  tables.AddFlushed(5'000);
  const std::optional<TableMerge> merge = tables.Begin(JobClass::kL0, 0);
  ASSERT_TRUE(merge);
  EXPECT_NEAR(merge->entries_in, 10'000, 1);
  EXPECT_NEAR(merge->entries_out, 7'500, 1);
  EXPECT_EQ(tables.Begin(JobClass::kL0, 0), std::nullopt) << "its range is in flight";
}

TEST(SimulationTablesTest, DrawingAsOftenAsThereAreKeysHits63Percent) {
  const TableModel bounded(1'000, 100, SmallLayout());
  EXPECT_NEAR(bounded.Distinct(1'000), 632, 1);
  const TableModel unbounded(0, 100, SmallLayout());
  EXPECT_EQ(unbounded.Distinct(1'000), 1'000);
}

TEST(SimulationTablesTest, APopulatedStoreIsFullFromAboveAndOwesNothing) {
  TableModel tables(0, 450, {.l1_bytes_target = 256u << 20, .table_bytes_max = 64u << 20});
  tables.Populate(500e9);
  EXPECT_NEAR(tables.EntriesListed() * 450, 500e9, 1e6);
  EXPECT_EQ(tables.DebtBytes(), 0u);
  EXPECT_GT(tables.version().TableCount(1), 0);
  EXPECT_NEAR(tables.version().TableCount(5) + tables.version().TableCount(4), 7'000, 500);
}

TEST(SimulationTablesTest, TablesAreCutWhereTheDirectiveSays) {
  LayoutOptions layout = SmallLayout();
  layout.l1_bytes_target = 1 << 30;
  TableModel tables(0, 100, layout);
  for (int i = 0; i < 4; ++i) tables.AddFlushed(10'000);
  const std::optional<TableMerge> merge = tables.Begin(JobClass::kL0, 1 << 20);
  ASSERT_TRUE(merge);
  EXPECT_EQ(merge->outputs.size(), 4u);  // 4 MB
}

TEST(SimulationSharingTest, WhoWantsLittleGetsItAndTheOthersShareTheRest) {
  Demand demands[] = {{0.1}, {3}, {3}, {0.5, 2}};
  ShareOut(2, demands);
  EXPECT_DOUBLE_EQ(demands[0].granted, 0.1);
  EXPECT_DOUBLE_EQ(demands[3].granted, 0.5);
  EXPECT_DOUBLE_EQ(demands[1].granted, 0.7);
  EXPECT_DOUBLE_EQ(demands[2].granted, 0.7);
}

BackgroundThread Thread(std::optional<JobClass> job_class, CpuPriority cpu) {
  return {.job_class = job_class, .cpu = cpu, .cpu_seconds = 1, .write_bytes = 100e6};
}

TEST(SimulationSharingTest, IdleThreadsGetTheCoresThatAreLeft) {
  BackgroundThread threads[] = {Thread(JobClass::kDeep, CpuPriority::kNormal),
                                Thread(JobClass::kDeep, CpuPriority::kIdle)};
  const ClientShare clients = ShareMachine(2, {0.75, 0}, 1, threads);
  EXPECT_DOUBLE_EQ(clients.cores, 0.75);
  EXPECT_DOUBLE_EQ(threads[0].speed, 1);
  EXPECT_DOUBLE_EQ(threads[1].speed, 0.25);
}

TEST(SimulationSharingTest, OfRocksDbsLimitCompactionsHaveWhatFlushesLeave) {
  BackgroundThread threads[] = {
      Thread(std::nullopt, CpuPriority::kNormal), Thread(JobClass::kL0, CpuPriority::kNormal),
      Thread(JobClass::kDeep, CpuPriority::kNormal), Thread(JobClass::kDeep, CpuPriority::kNormal)};
  ShareMachine(8, {}, 1, threads, 250e6);
  EXPECT_DOUBLE_EQ(threads[0].speed, 1);
  for (int i = 1; i < 4; ++i) EXPECT_DOUBLE_EQ(threads[i].speed, 0.5) << i;
}

TEST(SimulationTablesTest, AGetSearchesL0UntilATableHoldsItsKey) {
  TableModel tables(1000, 100, LayoutOptions());
  EXPECT_EQ(tables.L0SearchedInVain(), 0);
  tables.AddFlushed(500);
  EXPECT_NEAR(tables.L0SearchedInVain(), 0.5, 0.01);
  tables.AddFlushed(500);
  EXPECT_NEAR(tables.L0SearchedInVain(), 0.75, 0.01);
  // If keys never repeat, a read searches every table.
  TableModel unique(0, 100, LayoutOptions());
  for (int i = 0; i < 3; ++i) unique.AddFlushed(500);
  EXPECT_EQ(unique.L0SearchedInVain(), 3);
}

TEST(SimulationSharingTest, ADeviceThatIsTakenSlowsEverybodyAlike) {
  BackgroundThread threads[] = {Thread(JobClass::kDeep, CpuPriority::kNormal),
                                Thread(JobClass::kDeep, CpuPriority::kNormal)};
  for (BackgroundThread& thread : threads) {
    thread.cpu_seconds = 0;
    thread.device_seconds = 1;
  }
  const ClientShare clients = ShareMachine(4, {0, 1}, 2, threads);
  EXPECT_DOUBLE_EQ(clients.device, 0.5);
  EXPECT_DOUBLE_EQ(threads[0].speed, 0.25);
}

}  // namespace
}  // namespace lull::sim
