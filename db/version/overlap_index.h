// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the tables of one level lie over in the next: which tables, and how many bytes. Borrows the
// Version; immutable once made. Made in O(tables of both levels), each question is O(1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "db/version/version.h"

namespace lull {

class OverlapIndex {
 public:
  /// REQUIRES: 1 <= level, and level + 1 is a level.
  OverlapIndex(const Version& version, int level);

  /// Bytes of the next level that share a user key with the range from table `first` to table
  /// `last` of the level, both included.
  uint64_t Bytes(size_t first, size_t last) const {
    return sums_[std::max(reaches_[first].begin, reaches_[last].end)] -
           sums_[reaches_[first].begin];
  }

 private:
  struct Reach {
    size_t begin, end;  // positions in the next level
  };

  std::vector<Reach> reaches_;  // of each table of the level
  std::vector<uint64_t> sums_;  // of the next level's tables in front of a position
};

}  // namespace lull
