// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How a store stands at a moment, in terms that all stores have. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lull::bench {

struct StoreState {
  struct Level {
    uint64_t tables = 0;
    uint64_t bytes = 0;
  };
  std::vector<Level> levels;  // L0 first
  uint64_t debt_bytes = 0;    // that must move down until every level is within its target
  uint64_t memory_bytes = 0;  // memtables and block cache, by the store's own account
  // By flushes and compactions that have ended, since the store was opened.
  uint64_t background_read_bytes = 0;
  uint64_t background_written_bytes = 0;
};

// Reads the property leveldb.stats. False if it is not of that form.
bool ParseLevelDbStats(std::string_view text, StoreState* state);

// Debt by LevelDB's targets: L1 may hold `l1_bytes`, each level below ten times as much; L0 is due
// as a whole from `l0_trigger` tables on. What is over a level's target moves down, and counts
// there again.
uint64_t DebtBytes(const std::vector<StoreState::Level>& levels, uint64_t l0_trigger,
                   uint64_t l1_bytes);

}  // namespace lull::bench
