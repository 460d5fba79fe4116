// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// KeyRanges: the user keys that a growing set of tables or ranges covers. A picker that goes
// through L0 by age asks it whether a table overlaps one that must move first. Each call is O(log
// ranges), so a pick stays fast in an L0 of thousands of tables. The order and the keys must
// outlive it.
#pragma once

#include <iterator>
#include <map>

#include "db/version/version.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

class KeyRanges {
 public:
  explicit KeyRanges(const KeyOrder& order) : order_(&order), ranges_(Before{&order}) {}

  /// Whether a range so far shares a user key with this one. Ranges include their ends.
  bool Touches(const leveldb::Slice& smallest, const leveldb::Slice& largest) const {
    const auto next = ranges_.upper_bound(largest);
    return next != ranges_.begin() && order_->CompareUser(std::prev(next)->second, smallest) >= 0;
  }
  bool Touches(const TableFile& table) const {
    return Touches(table.smallest_user(), table.largest_user());
  }

  void Add(leveldb::Slice smallest, leveldb::Slice largest) {
    auto next = ranges_.upper_bound(largest);
    while (next != ranges_.begin()) {
      const auto touched = std::prev(next);
      if (order_->CompareUser(touched->second, smallest) < 0) break;
      if (order_->CompareUser(touched->second, largest) > 0) largest = touched->second;
      if (order_->CompareUser(touched->first, smallest) < 0) smallest = touched->first;
      next = ranges_.erase(touched);
    }
    ranges_.emplace_hint(next, smallest, largest);
  }
  void Add(const TableFile& table) { Add(table.smallest_user(), table.largest_user()); }

 private:
  struct Before {
    const KeyOrder* order;
    bool operator()(const leveldb::Slice& a, const leveldb::Slice& b) const {
      return order->CompareUser(a, b) < 0;
    }
  };

  const KeyOrder* order_;
  std::map<leveldb::Slice, leveldb::Slice, Before> ranges_;  // disjoint: smallest to largest
};

}  // namespace lull
