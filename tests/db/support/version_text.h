// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Versions written as text, for tests that need no files:
//
//   "L0: 7:[a..m]  L1: 3:[a..c]*2 4:[d@9..f@1]"
//
// A table is number:[smallest..largest], user keys with an optional @sequence (otherwise the
// table's number), then an optional *size in MiB (otherwise 1).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/compaction/picker.h"
#include "db/version/version.h"
#include "tests/table/key_orders.h"

namespace lull::testing {

// The internal key of "user_key@sequence", or of "user_key" with `default_sequence`.
std::string KeyFromText(const std::string& text, uint64_t default_sequence);

// An edit that adds the tables that `text` lists, and removes `deleted` (level and number).
VersionEdit EditFromText(const std::string& text,
                         std::vector<std::pair<int, uint64_t>> deleted = {});

inline VersionRef EmptyVersion() { return std::make_shared<const Version>(InternalOrder()); }

// `base` after the edits; null if the builder refuses one. `make`: of each table that is listed.
VersionRef Applied(VersionRef base, const std::vector<VersionEdit>& edits,
                   VersionBuilder::MakeTable make = DescribedTable);
inline VersionRef Applied(VersionRef base, const VersionEdit& edit) {
  return Applied(std::move(base), std::vector<VersionEdit>{edit});
}

inline VersionRef VersionFromText(const std::string& text) {
  return Applied(EmptyVersion(), EditFromText(text));
}

// The tables of all levels with their keys.
std::string TablesText(const Version& version);

void SetContents(const Version& version, uint64_t number, const TableContents& contents);

// The numbers of `tables`, as "3 4".
std::string Numbers(const std::vector<TableRef>& tables);

/// "L1 3 4 + 7 8 | 9": inputs, inputs below, grandparents; then fences as "#c", "move", and "!" for
/// the least bad.
std::string PlanText(const std::optional<CompactionPlan>& plan);

inline UserRange Range(const std::string& smallest, const std::string& largest) {
  return {smallest, largest};
}

}  // namespace lull::testing
