// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store's functions that tell where its disk space is.
#include <algorithm>
#include <vector>

#include "db/filename.h"
#include "db/store.h"

namespace lull {
namespace {

/// The logs with these numbers, without those that were deleted meanwhile.
FileTotals TotalsOfLogs(const StoreContext& context, const std::vector<uint64_t>& numbers) {
  FileTotals totals;
  for (const uint64_t number : numbers) {
    uint64_t bytes = 0;
    if (!context.env()->GetFileSize(LogFileName(context.name, number), &bytes).ok()) continue;
    ++totals.count;
    totals.bytes += bytes;
  }
  return totals;
}

FileTotals TotalsOfTables(const Version& version) {
  FileTotals totals;
  for (int level = 0; level < kLevels; ++level) {
    totals.count += static_cast<uint64_t>(version.TableCount(level));
    totals.bytes += version.LevelBytes(level);
  }
  return totals;
}

void AddContents(const std::array<TableSpace, kLevels>& levels, SpaceReport* report) {
  for (int level = 0; level < kLevels; ++level) {
    const TableSpace& space = levels[level];
    report->levels[level] = {space.values, space.deletions, space.unknown_bytes};
  }
}

void AddReclaim(const ReclaimStats& reclaim, SpaceReport* report) {
  report->reclaim_compactions = reclaim.compactions;
  report->reclaim_freed_bytes =
      reclaim.read_bytes - std::min(reclaim.read_bytes, reclaim.written_bytes);
}

}  // namespace

SpaceReport Store::MeasureSpace() {
  SpaceReport report;
  const WalSet::Numbers logs = write_path_.wal().ListNumbers();
  report.logs = TotalsOfLogs(*context_, logs.in_use);
  report.prepared_logs = TotalsOfLogs(*context_, logs.prepared);
  report.obsolete_files = obsolete_.Totals();
  VersionRef current;
  std::vector<OldVersions::Old> old;
  {
    MutexLock lock(state_.mutex);
    current = state_.version;
    old = state_.old_versions.Existing();
    AddContents(SpaceByLevel(*current), &report);
    report.hidden_bytes = state_.board.Space(*current).HiddenBytes();
    AddReclaim(state_.installs.reclaim(), &report);
  }
  report.tables = TotalsOfTables(*current);
  report.pinned_tables = TablesOnlyIn(old, *current);
  return report;
}

}  // namespace lull
