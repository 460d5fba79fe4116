// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/range_removal.h"

#include <algorithm>

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

bool Overlaps(const KeyOrder& order, const TableFile& a, const TableFile& b) {
  return order.CompareUser(a.smallest_user(), b.largest_user()) <= 0 &&
         order.CompareUser(b.smallest_user(), a.largest_user()) <= 0;
}

bool Overlaps(const KeyOrder& order, const KeyBounds& span, const TableFile& table) {
  return (!span.begin || order.CompareUser(table.largest_user(), *span.begin) >= 0) &&
         (!span.end || order.CompareUser(table.smallest_user(), *span.end) < 0);
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
  VisitOldestFirst(version, [&](int, const TableRef& table) {
    if (!Overlaps(order, span, *table)) return;
    if (!touched) touched.emplace();
    if (!touched->smallest || order.CompareUser(table->smallest_user(), *touched->smallest) < 0)
      touched->smallest = table->smallest_user().ToString();
    if (!touched->largest || order.CompareUser(table->largest_user(), *touched->largest) > 0)
      touched->largest = table->largest_user().ToString();
  });
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
    if (!Overlaps(order, span, *table)) return;
    Contains(order, span, *table) ? Remove(level, *table, &removal) : Leave(*table, &removal);
  });
  return removal;
}

RangeRemoval RemoveWhatHidesNothing(const Version& version, const KeyBounds& span,
                                    const std::vector<RunningRange>& running) {
  const KeyOrder& order = version.order();
  RangeRemoval removal;
  std::vector<const TableFile*> staying;
  VisitOldestFirst(version, [&](int level, const TableRef& table) {
    if (!Overlaps(order, span, *table)) return;
    const RunningRange own{level, level, table->smallest_user().ToString(),
                           table->largest_user().ToString()};
    const bool stays = !Contains(order, span, *table) || Conflicts(order, own, running) ||
                       std::any_of(staying.begin(), staying.end(), [&](const TableFile* older) {
                         return Overlaps(order, *table, *older);
                       });
    if (!stays) return Remove(level, *table, &removal);
    Leave(*table, &removal);
    staying.push_back(table.get());
  });
  return removal;
}

}  // namespace lull
