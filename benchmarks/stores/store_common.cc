// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <cstdio>
#include <cstdlib>

#include "benchmarks/measure/platform.h"
#include "benchmarks/stores/store.h"

namespace lull::bench {

void StallLog::Logv(const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof(line), format, arguments);
  if (const auto cause = StallCauseInLog(line)) causes_->Note(*cause, NowNs());
}

StoreState ReadLevelDbState(leveldb::DB* db) {
  constexpr uint64_t kL0Trigger = 4;
  constexpr uint64_t kL1Bytes = 10 << 20;
  StoreState state;
  std::string text;
  if (db->GetProperty("leveldb.stats", &text) && ParseLevelDbStats(text, &state)) {
    state.debt_bytes = DebtBytes(state.levels, kL0Trigger, kL1Bytes);
  }
  if (db->GetProperty("leveldb.approximate-memory-usage", &text)) {
    state.memory_bytes = std::strtoull(text.c_str(), nullptr, 10);
  }
  return state;
}

}  // namespace lull::bench
