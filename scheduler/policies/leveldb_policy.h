// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// "leveldb": the rules of LevelDB 1.23, as the baseline of comparisons. One job at a time, a flush
// before any compaction, one sealed memtable; from `l0_slowdown` tables in L0, each write is
// delayed by 1 ms.
#pragma once

#include "scheduler/policy.h"

namespace lull {

class LevelDbPolicy final : public Policy {
 public:
  explicit LevelDbPolicy(const PolicyOptions& options) : options_(options) {}
  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override;

 private:
  const PolicyOptions options_;
};

}  // namespace lull
