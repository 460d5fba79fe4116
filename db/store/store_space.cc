// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Store's functions that tell where its disk space is.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/store/store.h"
#include "util/env_extension.h"
#include "util/logging.h"

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
  totals.bytes = version.TotalBytes();
  for (int level = 0; level < kLevels; ++level)
    totals.count += static_cast<uint64_t>(version.TableCount(level));
  return totals;
}

void AddContents(const std::array<TableSpace, kLevels>& levels, SpaceReport* report) {
  for (int level = 0; level < kLevels; ++level) {
    const TableSpace& space = levels[level];
    report->levels[level] = {space.values, space.deletions, space.unknown_bytes};
  }
}

/// An upper bound on the age of the oldest deletion whose time is known, in seconds.
uint64_t OldestDeletionSeconds(const Version& version, uint64_t now_seconds) {
  uint64_t since = now_seconds;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (table->contents.deletions_since > 0)
        since = std::min(since, table->contents.deletions_since);
    }
  }
  return now_seconds - since;
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
  VersionRef current;
  std::vector<OldVersions::Old> old;
  const uint64_t now_seconds = context_->WallSeconds();
  {
    MutexLock lock(state_.mutex);
    current = state_.version();
    old = state_.old_versions.Existing();
    AddContents(SpaceByLevel(*current), &report);
    report.hidden_bytes = state_.compaction_state.Space(*current).HiddenBytes();
    report.overwritten_bytes = state_.compaction_state.OverwrittenBytes(*current);
    report.oldest_deletion_seconds = OldestDeletionSeconds(*current, now_seconds);
    AddReclaim(state_.installs.reclaim(), &report);
    report.snapshots = PinsOfSnapshotsLocked();
  }
  std::optional<uint64_t> free_bytes;
  if (context_->extension != nullptr) free_bytes = context_->extension->FreeBytes(context_->name);
  if (free_bytes) report.disk_free_bytes = std::max<uint64_t>(*free_bytes, 1);
  report.awaited_bytes = compactions_.bytes_awaiting_space();
  report.tables = TotalsOfTables(*current);
  report.pinned_tables = TablesOnlyIn(old, *current);
  report.readers = PinsOfReaders(old, *current);
  // After the Versions: a table that a reader releases meanwhile counts twice rather than never.
  report.obsolete_files = obsolete_.Totals();
  return report;
}

/// The age of a pin is the time since the Version was replaced, since only then can it keep
/// obsolete tables. An iterator need not read the clock for that.
SpaceReport::Pins Store::PinsOfReaders(const std::vector<OldVersions::Old>& old,
                                       const Version& current) const {
  std::vector<OldVersions::Old> read;
  std::copy_if(old.begin(), old.end(), std::back_inserter(read),
               [](const OldVersions::Old& each) { return each.is_read; });
  if (read.empty()) return {};
  return {read.size(), context_->pace.clock->NowNanos() - read.front().replaced_nanos,
          TablesOnlyIn(read, current).bytes};
}

SpaceReport::Pins Store::PinsOfSnapshotsLocked() const {
  const SnapshotList& snapshots = state_.snapshots;
  if (snapshots.count() == 0) return {};
  return {snapshots.count(), context_->pace.clock->NowNanos() - snapshots.oldest_taken_nanos(),
          HiddenBytesKept(*state_.version(), snapshots.OldestOr(0))};
}

/// Logs readers and snapshots that have kept much space for long. Returns the time until the next
/// look; nullopt if there is nothing to look at. Flush thread.
std::optional<uint64_t> Store::WatchPins() {
  const uint64_t now = context_->pace.clock->NowNanos();
  if (const uint64_t wait = pin_watch_.UntilNextLook(now); wait > 0) {
    MutexLock lock(state_.mutex);
    const bool pins = !state_.snapshots.empty() || !state_.old_versions.Existing().empty();
    return pins ? std::optional(wait) : std::nullopt;
  }
  VersionRef current;
  std::vector<OldVersions::Old> old;
  SpaceReport::Pins snapshots;
  {
    MutexLock lock(state_.mutex);
    current = state_.version();
    old = state_.old_versions.Existing();
    snapshots = PinsOfSnapshotsLocked();
  }
  const SpaceReport::Pins readers = PinsOfReaders(old, *current);
  for (const std::string& line : pin_watch_.Sample(now, readers, snapshots))
    Log(context_->logger(), "%s", line.c_str());
  if (readers.count + snapshots.count == 0) return std::nullopt;
  return pin_watch_.UntilNextLook(now);
}

}  // namespace lull
