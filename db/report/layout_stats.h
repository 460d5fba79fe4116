// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a layout costs, counted by the store itself since it was opened. An accumulator without lock
// or clock: the store feeds it under its mutex, at each install.
//
// A *chain* is what was compacted from one flush to the next: the work that makes room for the
// memtables of that flush. Its width is the bytes that went into the merges of the chain, its
// length the number of levels that they were taken from. Moves cost no bytes and are no part of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "db/compaction/picker.h"
#include "db/version/version.h"

namespace lull {

struct LayoutFigures {
  /// Compactions from one level into the next.
  struct Level {
    uint64_t merges = 0;
    uint64_t moves = 0;        ///< tables
    uint64_t moved_bytes = 0;  ///< not in the figures below
    uint64_t upper_bytes = 0;  ///< taken from the level
    uint64_t lower_bytes = 0;  ///< of the next level: rewritten
    uint64_t written_bytes = 0;
  };
  std::array<Level, kLevels> levels{};

  struct Chains {
    uint64_t flushes = 0;
    uint64_t memtables = 0;  ///< that they freed
    uint64_t flushed_bytes = 0;
    uint64_t chains = 0;  ///< flushes before which something was compacted
    uint64_t width_bytes_sum = 0;
    uint64_t width_bytes_max = 0;
    uint64_t length_sum = 0;
    uint64_t length_max = 0;
  };
  Chains chains;

  /// Tables that L0 compactions wrote into L1, by their overlap with L2.
  struct Tables {
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t overlap_bytes = 0;
  };
  Tables good;  ///< at most growth_factor bytes of L2 for each of their own
  Tables poor;

  /// Compactions out of L1 in vsst, by whether they took good tables.
  uint64_t picks_good = 0;
  uint64_t picks_least_bad = 0;
};

class LayoutStats {
 public:
  /// A compaction was installed; `after` is the Version with its outputs.
  void OnCompaction(const CompactionPlan& plan, const std::vector<TableMeta>& outputs,
                    const Version& after, const LayoutOptions& layout);
  /// A flush that freed so many memtables was installed.
  void OnFlush(uint64_t memtables, uint64_t written_bytes);

  const LayoutFigures& figures() const { return figures_; }

 private:
  LayoutFigures figures_;
  // Of the chain that the next flush ends.
  uint64_t width_bytes_ = 0;
  std::array<bool, kLevels> touched_{};
};

/// One JSON object.
std::string LayoutJson(const LayoutFigures& figures, const LayoutOptions& layout);

}  // namespace lull
