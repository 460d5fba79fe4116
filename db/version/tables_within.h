// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Which tables can have keys within bounds. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "db/base/dbformat.h"
#include "db/version/version.h"

namespace lull {

inline bool EndsBefore(const KeyOrder& order, const TableFile& table, const KeyBounds& bounds) {
  return bounds.begin && order.CompareUser(table.largest_user(), *bounds.begin) < 0;
}

inline bool BeginsAfter(const KeyOrder& order, const TableFile& table, const KeyBounds& bounds) {
  return bounds.end && order.CompareUser(table.smallest_user(), *bounds.end) >= 0;
}

inline bool Touches(const KeyOrder& order, const TableFile& table, const KeyBounds& bounds) {
  return !EndsBefore(order, table, bounds) && !BeginsAfter(order, table, bounds);
}

/// The tables of a sorted level that touch `bounds`. They point into `tables`.
inline std::span<const TableRef> TablesWithin(const KeyOrder& order,
                                              const std::vector<TableRef>& tables,
                                              const KeyBounds& bounds) {
  const auto first = std::partition_point(tables.begin(), tables.end(), [&](const TableRef& table) {
    return EndsBefore(order, *table, bounds);
  });
  const auto last = std::partition_point(first, tables.end(), [&](const TableRef& table) {
    return !BeginsAfter(order, *table, bounds);
  });
  return {first, last};
}

}  // namespace lull
