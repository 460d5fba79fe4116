// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/store_state.h"

#include <sstream>

namespace lull::bench {

bool ParseLevelDbStats(std::string_view text, StoreState* state) {
  constexpr uint64_t kMiB = 1 << 20;
  std::istringstream lines{std::string(text)};
  std::string line;
  bool rows = false;  // whether the rows have begun
  while (std::getline(lines, line)) {
    if (line.starts_with("-----")) {
      rows = true;
      continue;
    }
    if (!rows) continue;
    std::istringstream row(line);
    size_t level = 0;
    uint64_t tables = 0;
    double size = 0;
    double seconds = 0;
    double read = 0;
    double written = 0;
    if (!(row >> level >> tables >> size >> seconds >> read >> written) || level > 63) return false;
    if (state->levels.size() <= level) state->levels.resize(level + 1);
    const uint64_t written_bytes = static_cast<uint64_t>(written) * kMiB;
    state->levels[level] = {tables, static_cast<uint64_t>(size) * kMiB, written_bytes};
    state->background_read_bytes += static_cast<uint64_t>(read) * kMiB;
    state->background_written_bytes += written_bytes;
  }
  return rows;
}

uint64_t DebtBytes(const std::vector<StoreState::Level>& levels, uint64_t l0_trigger,
                   uint64_t l1_bytes) {
  if (levels.empty()) return 0;
  uint64_t moving = levels[0].tables >= l0_trigger ? levels[0].bytes : 0;
  uint64_t debt = moving;
  uint64_t target = l1_bytes;
  constexpr size_t kLastLevel = 6;  // has no level below to move bytes to
  for (size_t level = 1; level < kLastLevel; ++level) {
    const uint64_t bytes = (level < levels.size() ? levels[level].bytes : 0) + moving;
    moving = bytes > target ? bytes - target : 0;
    debt += moving;
    target *= 10;
  }
  return debt;
}

}  // namespace lull::bench
