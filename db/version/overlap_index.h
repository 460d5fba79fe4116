// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OverlapIndex: how many bytes of the next level the tables of a level overlap. Built in O(tables
// of both levels); each query is O(1). Immutable; the Version outlives it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/version/version.h"

namespace lull {

class OverlapIndex {
 public:
  /// REQUIRES: 1 <= level < kLevels - 1.
  OverlapIndex(const Version& version, int level);

  /// Bytes of the next level that share a user key with the range from table `first` to `last` of
  /// the level, inclusive.
  uint64_t Bytes(size_t first, size_t last) const {
    return sums_[std::max(reaches_[first].begin, reaches_[last].end)] -
           sums_[reaches_[first].begin];
  }

 private:
  struct Reach {
    size_t begin, end;  // positions in the next level
  };

  std::vector<Reach> reaches_;  // of each table of the level
  std::vector<uint64_t> sums_;  // bytes of the next level's tables before each position
};

}  // namespace lull
