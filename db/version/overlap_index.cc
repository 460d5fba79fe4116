// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/overlap_index.h"

namespace lull {

OverlapIndex::OverlapIndex(const Version& version, int level) {
  const KeyOrder& order = version.order();
  const std::vector<TableRef>& below = version.level(level + 1);
  sums_.reserve(below.size() + 1);
  sums_.push_back(0);
  for (const TableRef& table : below) sums_.push_back(sums_.back() + table->file_bytes());

  reaches_.reserve(version.level(level).size());
  Reach reach{0, 0};  // only advances, since both levels are sorted
  for (const TableRef& table : version.level(level)) {
    while (reach.begin < below.size() &&
           order.CompareUser(below[reach.begin]->largest_user(), table->smallest_user()) < 0) {
      ++reach.begin;
    }
    reach.end = std::max(reach.end, reach.begin);
    while (reach.end < below.size() &&
           order.CompareUser(below[reach.end]->smallest_user(), table->largest_user()) <= 0) {
      ++reach.end;
    }
    reaches_.push_back(reach);
  }
}

}  // namespace lull
