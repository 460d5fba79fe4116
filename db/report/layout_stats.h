// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LayoutStats: what a layout costs, counted since the open. No lock or clock; the store calls it
// under its mutex, at each install.
//
// A *chain* is what was compacted until L0 had room: all compactions since the last one out of L0,
// up to and including the next. Its width is the input bytes of its merges; its length is the
// number of levels they were taken from. Trivial moves cost no bytes and do not count.
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
    uint64_t moved_bytes = 0;  ///< not in the fields below
    uint64_t upper_bytes = 0;  ///< input from this level
    uint64_t lower_bytes = 0;  ///< input from the next level, rewritten
    uint64_t written_bytes = 0;
  };
  std::array<Level, kLevels> levels{};

  struct Flushes {
    uint64_t count = 0;
    uint64_t memtables = 0;  ///< that they freed
    uint64_t written_bytes = 0;
  };
  Flushes flushes;

  /// Groups of merges; empty ones do not count.
  struct Chains {
    uint64_t chains = 0;
    uint64_t merges_sum = 0;
    uint64_t merges_max = 0;
    uint64_t width_bytes_sum = 0;
    uint64_t width_bytes_max = 0;
    uint64_t length_sum = 0;
    uint64_t length_max = 0;
  };
  Chains chains;
  /// Likewise, what was compacted from one flush to the next.
  Chains between_flushes;

  /// Tables that L0 compactions wrote into L1, by their overlap with L2.
  struct Tables {
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t overlap_bytes = 0;
  };
  Tables good;  ///< at most growth_factor bytes of L2 per byte of their own
  Tables poor;
  /// The vLSM paper's count: of all these, tables that overlap at most growth_factor tables of L2.
  uint64_t over_few_tables = 0;

  /// Compactions from L1 to L2 under vsst, by whether they took good tables.
  uint64_t picks_good = 0;
  uint64_t picks_least_bad = 0;
};

class LayoutStats {
 public:
  /// Call after the install of a compaction. `after`: the Version with its outputs.
  void OnCompaction(const CompactionPlan& plan, const std::vector<TableMeta>& outputs,
                    const Version& after, const LayoutOptions& layout);
  /// Call after the install of a flush that freed `memtables` memtables.
  void OnFlush(uint64_t memtables, uint64_t written_bytes);

  const LayoutFigures& figures() const { return figures_; }

 private:
  /// The merges of a chain that has not ended.
  struct Merges {
    uint64_t count = 0;
    uint64_t width_bytes = 0;
    std::array<bool, kLevels> levels{};

    void Add(int level, uint64_t input_bytes);
    void End(LayoutFigures::Chains* chains);
  };

  LayoutFigures figures_;
  Merges chain_;
  Merges since_flush_;
};

/// Returns one JSON object.
std::string LayoutJson(const LayoutFigures& figures, const LayoutOptions& layout);

}  // namespace lull
