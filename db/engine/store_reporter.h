// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreReporter: what a store tells about itself: the properties, the lines of LOG at open and
// close and of pins that keep space, and the stats file. Any thread, except where noted. Takes the
// store's mutex for short sections, never during I/O.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/disk_space.h"
#include "db/base/option_values.h"
#include "db/engine/compactions.h"
#include "db/engine/engine_parts.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/store_state.h"
#include "db/engine/write_path.h"
#include "db/recovery/recovery.h"
#include "db/report/pin_watch.h"
#include "db/report/reporting.h"
#include "db/report/stats_file.h"
#include "db/report/stats_report.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

class StoreReporter {
 public:
  StoreReporter(const EngineParts& parts, WritePath* writes, const Compactions* compactions);

  /// Begins events and LOG. Opening thread, after recovery.
  leveldb::Status Begin(const OptionValues& scheduling, const Recovered& recovered);
  /// Other processes read the file. So if the program's Env cannot create it safely, the machine's
  /// does. `option`: the value of stats_file. Opening thread, at the end.
  void StartStatsFile(const std::string& option);
  void StopStatsFile() { stats_file_.reset(); }
  /// REQUIRES: all other threads of the store have ended. A listener can read the store until this
  /// returns. `logs`: writes the last lines to LOG.
  void End(bool logs);

  /// The option, resolved.
  void SetDebtBytesMax(uint64_t bytes) { debt_bytes_max_.store(bytes, std::memory_order_relaxed); }
  /// All properties but lull.options; see leveldb::DB::GetProperty.
  bool GetProperty(const leveldb::Slice& property, std::string* value)
      LULL_EXCLUDES(state_->mutex());
  /// I/O costs of the layout since the open.
  LayoutFigures GetLayoutFigures() LULL_EXCLUDES(state_->mutex());

  /// Logs readers and snapshots that have kept much space for long. Returns the time until the next
  /// call; nullopt if there is nothing to look at. Flush thread.
  std::optional<uint64_t> WatchPins() LULL_EXCLUDES(state_->mutex());

 private:
  StoreReport MakeReport() LULL_EXCLUDES(state_->mutex());
  /// With what only lull.metrics has.
  StoreReport MakeFullReport() LULL_EXCLUDES(state_->mutex());
  void ReportStateLocked(StoreReport* report) LULL_REQUIRES(state_->mutex());
  MemoryReport MeasureMemory();
  SpaceReport MeasureSpace() LULL_EXCLUDES(state_->mutex());
  SpaceReport::Pins PinsOfReaders(const std::vector<OldVersions::Old>& old,
                                  const Version& current) const;
  SpaceReport::Pins PinsOfSnapshotsLocked() const LULL_REQUIRES(state_->mutex());

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  const DiskSpace* const disk_;
  const ObsoleteFiles* const obsolete_;
  Reporting* const reporting_;
  WritePath* const writes_;
  const Compactions* const compactions_;
  Mount mount_;  // constant after Begin
  std::atomic<uint64_t> debt_bytes_max_{0};
  PinWatch pin_watch_;                     // flush thread only
  std::unique_ptr<StatsFile> stats_file_;  // null without the option
};

}  // namespace lull
