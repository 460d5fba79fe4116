// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store's state at one moment, in terms common to all stores. Plain values; any thread.
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
    // By flushes (L0) or compactions into the level, since open. LevelDB and Lull only.
    uint64_t written_bytes = 0;
  };
  std::vector<Level> levels;  // L0 first
  uint64_t debt_bytes = 0;    // bytes to compact until every level is within its target
  uint64_t memory_bytes = 0;  // memtables and block cache, as the store reports it
  // By flushes and compactions that have finished since the store was opened.
  uint64_t background_read_bytes = 0;
  uint64_t background_written_bytes = 0;
};

// Parses the property leveldb.stats. False if it has a different format.
bool ParseLevelDbStats(std::string_view text, StoreState* state);

// Debt by LevelDB's targets: `l1_bytes` for L1 and ten times more for each further level. With
// `l0_trigger` tables or more, all of L0 is due. Bytes over a level's target move down and count
// again in the next level.
uint64_t DebtBytes(const std::vector<StoreState::Level>& levels, uint64_t l0_trigger,
                   uint64_t l1_bytes);

}  // namespace lull::bench
