// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include "leveldb/comparator.h"
#include "table/key_order.h"

namespace lull::testing {

inline KeyOrder UserOrder() { return {leveldb::BytewiseComparator(), KeyOrder::Keys::kUser}; }
inline KeyOrder InternalOrder() {
  return {leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal};
}

}  // namespace lull::testing
