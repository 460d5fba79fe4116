// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/range_removal.h"

#include <span>

#include "db/compaction/key_ranges.h"
#include "db/version/tables_within.h"

namespace lull {
namespace {

/// Calls visit(level, table) for every table, of which two can have the same user key, the one with
/// the older entries first.
template <class Visit>
void VisitOldestFirst(const Version& version, Visit visit) {
  for (int level = kLevels - 1; level >= 0; --level) {
    const std::vector<TableRef>& tables = version.level(level);
    for (auto table = tables.rbegin(); table != tables.rend(); ++table) visit(level, *table);
  }
}

bool Contains(const KeyOrder& order, const KeyBounds& span, const TableFile& table) {
  return span.Includes(order, table.smallest_user()) && span.Includes(order, table.largest_user());
}

void Remove(int level, const TableFile& table, RangeRemoval* removal) {
  removal->edit.deleted_tables.emplace_back(level, table.number());
  removal->removed_bytes += table.file_bytes();
}

void Leave(const TableFile& table, RangeRemoval* removal) {
  ++removal->left_files;
  removal->left_bytes += table.file_bytes();
}

}  // namespace

std::optional<UserRange> TouchedRange(const Version& version, const KeyBounds& span) {
  const KeyOrder& order = version.order();
  std::optional<UserRange> touched;
  const auto add = [&](const TableFile& first, const TableFile& last) {
    if (!touched) touched.emplace();
    if (!touched->smallest || order.CompareUser(first.smallest_user(), *touched->smallest) < 0)
      touched->smallest = first.smallest_user().ToString();
    if (!touched->largest || order.CompareUser(last.largest_user(), *touched->largest) > 0)
      touched->largest = last.largest_user().ToString();
  };
  for (const TableRef& table : version.level(0)) {
    if (Touches(order, *table, span)) add(*table, *table);
  }
  for (int level = 1; level < kLevels; ++level) {
    const std::span<const TableRef> tables = TablesWithin(order, version.level(level), span);
    if (!tables.empty()) add(*tables.front(), *tables.back());
  }
  if (!touched) return touched;
  if (span.begin && order.CompareUser(*touched->smallest, *span.begin) < 0)
    touched->smallest = span.begin;
  if (span.end && order.CompareUser(*touched->largest, *span.end) > 0) touched->largest = span.end;
  return touched;
}

RangeRemoval RemoveAllInside(const Version& version, const KeyBounds& span) {
  const KeyOrder& order = version.order();
  RangeRemoval removal;
  VisitOldestFirst(version, [&](int level, const TableRef& table) {
    if (!Touches(order, *table, span)) return;
    Contains(order, span, *table) ? Remove(level, *table, &removal) : Leave(*table, &removal);
  });
  return removal;
}

RangeRemoval RemoveWhatHidesNothing(const Version& version, const KeyBounds& span,
                                    const std::vector<RunningRange>& running) {
  const KeyOrder& order = version.order();
  RangeRemoval removal;
  std::vector<KeyRanges> in_use(kLevels, KeyRanges(order));
  for (const RunningRange& job : running) {
    for (const int level : {job.input_level, job.output_level})
      in_use[level].Add(job.smallest_user, job.largest_user);
  }
  KeyRanges staying(order);
  VisitOldestFirst(version, [&](int level, const TableRef& table) {
    if (!Touches(order, *table, span)) return;
    const bool stays =
        !Contains(order, span, *table) || in_use[level].Touches(*table) || staying.Touches(*table);
    if (!stays) return Remove(level, *table, &removal);
    Leave(*table, &removal);
    staying.Add(*table);
  });
  return removal;
}

}  // namespace lull
