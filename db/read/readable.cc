// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/readable.h"

#include <algorithm>
#include <numeric>

namespace lull {

std::vector<size_t> InKeyOrder(const KeyOrder& order, std::span<const leveldb::Slice> keys) {
  std::vector<size_t> sorted(keys.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](size_t a, size_t b) { return order.CompareUser(keys[a], keys[b]) < 0; });
  return sorted;
}

}  // namespace lull
