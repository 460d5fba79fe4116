// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// InfoLog: writes a store's LOG: a line for each job that ended, for notable stalls, and for the
// open and the close. It is an event listener, so it runs on the event thread, and no other thread
// waits for its I/O.
#pragma once

#include <array>
#include <cstdint>

#include "db/base/context.h"
#include "db/report/activity_stats.h"
#include "db/report/stats_report.h"
#include "leveldb/env.h"
#include "lull/listener.h"

namespace lull {

class InfoLog final : public EventListener {
 public:
  /// `logger` must outlive this.
  explicit InfoLog(leveldb::Logger* logger) : logger_(logger) {}

  void OnJobEnd(const JobInfo& job) override;
  void OnStallBegin(const StallInfo& stall) override;
  void OnStallEnd(const StallInfo& stall) override;
  void OnOptionsChange(const OptionsInfo& options) override;

 private:
  /// Limits the lines about many short stalls.
  struct StallLines {
    uint64_t last_us = 0;  // time of the last line about a begin
    bool began_with_line = false;
    uint64_t passed_over = 0;  // since the last line about an end
    uint64_t passed_over_us = 0;
  };

  leveldb::Logger* const logger_;
  std::array<StallLines, kStallKinds> stalls_{};
};

/// Writes the first line: the library's version and how it was built.
void LogBuild(leveldb::Logger* logger);
/// Write the lines of the open and the close. `recovered_tables` were written from WALs.
void LogOpen(leveldb::Logger* logger, const StoreContext& context, const StoreReport& report,
             size_t recovered_tables, size_t lost_files);
void LogClose(leveldb::Logger* logger, const StoreReport& report);

}  // namespace lull
