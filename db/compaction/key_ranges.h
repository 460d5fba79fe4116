// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// KeyRanges: the user keys that a growing set of tables covers. A picker that goes through L0 by
// age asks it whether a table overlaps one that must move first. Each call is O(log tables), so a
// pick stays fast in an L0 of thousands of tables. The tables must outlive it.
#pragma once

#include <iterator>
#include <map>

#include "db/version/version.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

class KeyRanges {
 public:
  explicit KeyRanges(const KeyOrder& order) : order_(order), ranges_(Before{&order_}) {}
  KeyRanges(const KeyRanges&) = delete;
  KeyRanges& operator=(const KeyRanges&) = delete;

  /// Whether a table so far shares a user key with `table`.
  bool Touches(const TableFile& table) const {
    const auto next = ranges_.upper_bound(table.largest_user());
    return next != ranges_.begin() &&
           order_.CompareUser(std::prev(next)->second, table.smallest_user()) >= 0;
  }

  void Add(const TableFile& table) {
    leveldb::Slice smallest = table.smallest_user();
    leveldb::Slice largest = table.largest_user();
    auto next = ranges_.upper_bound(largest);
    while (next != ranges_.begin()) {
      const auto touched = std::prev(next);
      if (order_.CompareUser(touched->second, smallest) < 0) break;
      if (order_.CompareUser(touched->second, largest) > 0) largest = touched->second;
      if (order_.CompareUser(touched->first, smallest) < 0) smallest = touched->first;
      next = ranges_.erase(touched);
    }
    ranges_.emplace_hint(next, smallest, largest);
  }

 private:
  struct Before {
    const KeyOrder* order;
    bool operator()(const leveldb::Slice& a, const leveldb::Slice& b) const {
      return order->CompareUser(a, b) < 0;
    }
  };

  const KeyOrder order_;
  std::map<leveldb::Slice, leveldb::Slice, Before> ranges_;  // disjoint: smallest to largest
};

}  // namespace lull
