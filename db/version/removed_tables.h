// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RemovedTables: the tables that edits of MANIFESTs removed and whose files may still exist, since
// an iterator uses them or a kill came before their deletion. A new MANIFEST repeats these
// removals. Otherwise RepairDB would use such files, and deleted entries would come back. A plain
// value.
#pragma once

#include <cstdint>
#include <set>

#include "db/version/version_edit.h"

namespace lull {

class RemovedTables {
 public:
  /// Takes the next edit that became durable.
  void Take(const VersionEdit& edit) {
    for (const auto& [level, number] : edit.deleted_tables) numbers_.insert(number);
    for (const TableMeta& table : edit.new_tables) numbers_.erase(table.number);  // it moved
  }
  /// Takes tables that an open found and does not use.
  void TakeUnused(const std::set<uint64_t>& numbers) {
    numbers_.insert(numbers.begin(), numbers.end());
  }

  bool Has(uint64_t number) const { return numbers_.contains(number); }
  bool empty() const { return numbers_.empty(); }
  void Clear() { numbers_.clear(); }
  /// Forgets the tables that are not among `present`.
  void KeepOnly(const std::set<uint64_t>& present) {
    std::erase_if(numbers_, [&](uint64_t number) { return !present.contains(number); });
  }

  /// The edit that repeats the removals.
  VersionEdit Edit() const {
    VersionEdit edit;
    for (const uint64_t number : numbers_) edit.deleted_tables.emplace_back(0, number);
    return edit;
  }

 private:
  std::set<uint64_t> numbers_;
};

}  // namespace lull
