// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// InstallStats: costs of the flushes, compactions and ingestions installed since the open: by
// level, for LevelDB's properties, and by the rules of the layout. No lock or clock; the owner
// calls it under its mutex, at each install.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "db/compaction/picker.h"
#include "db/report/layout_stats.h"
#include "db/report/properties.h"
#include "db/version/version.h"

namespace lull {

/// Compactions that only freed space; trivial moves do not count.
struct ReclaimStats {
  uint64_t compactions = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
};

class InstallStats {
 public:
  void OnFlush(uint64_t memtables, uint64_t written_bytes, uint64_t busy_micros) {
    levels_[0].micros += busy_micros;
    levels_[0].bytes_written += written_bytes;
    layout_.OnFlush(memtables, written_bytes);
  }

  void OnIngestion(const std::vector<TableMeta>& tables) {
    for (const TableMeta& table : tables) levels_[table.level].bytes_written += table.file_bytes;
  }

  /// `after`: the Version with the outputs. A trivial move adds no cost to a level.
  void OnCompaction(const CompactionPlan& plan, const std::vector<TableMeta>& outputs,
                    uint64_t written_bytes, uint64_t busy_micros, const Version& after,
                    const LayoutOptions& layout) {
    layout_.OnCompaction(plan, outputs, after, layout);
    if (plan.trivial_move) return;
    LevelStats& level = levels_[plan.output_level];
    level.micros += busy_micros;
    level.bytes_read += plan.input_bytes;
    level.bytes_written += written_bytes;
    if (!plan.reclaims) return;
    ++reclaim_.compactions;
    reclaim_.read_bytes += plan.input_bytes;
    reclaim_.written_bytes += written_bytes;
  }

  const std::array<LevelStats, kLevels>& levels() const { return levels_; }
  const ReclaimStats& reclaim() const { return reclaim_; }
  const LayoutFigures& layout() const { return layout_.figures(); }

 private:
  std::array<LevelStats, kLevels> levels_{};
  ReclaimStats reclaim_;
  LayoutStats layout_;
};

}  // namespace lull
