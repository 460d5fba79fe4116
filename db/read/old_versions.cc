// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/old_versions.h"

#include <unordered_set>
#include <utility>

namespace lull {

VersionRef OldVersions::ForView(const VersionRef& version, uint64_t now_nanos) {
  std::shared_ptr<const VersionRef> views = current_.views.lock();
  if (views == nullptr || *views != version) {
    std::erase_if(old_, [](const Entry& entry) { return entry.version.expired(); });
    current_.replaced_nanos = now_nanos;
    if (!current_.version.expired()) old_.push_back(std::move(current_));
    views = std::make_shared<const VersionRef>(version);
    current_ = {version, views, 0};
  }
  const Version* const listed = version.get();
  return {std::move(views), listed};
}

std::vector<OldVersions::Old> OldVersions::Existing() const {
  std::vector<Old> existing;
  for (const Entry& entry : old_) {
    // In this order: a view that still exists keeps its Version.
    const bool is_read = !entry.views.expired();
    if (VersionRef version = entry.version.lock())
      existing.push_back({std::move(version), entry.replaced_nanos, is_read});
  }
  return existing;
}

FileTotals TablesOnlyIn(const std::vector<OldVersions::Old>& old, const Version& current) {
  FileTotals totals;
  if (old.empty()) return totals;
  std::unordered_set<const TableFile*> seen;
  const auto visit = [&seen](const Version& version, const auto& on_new) {
    for (int level = 0; level < kLevels; ++level) {
      for (const TableRef& table : version.level(level)) {
        if (seen.insert(table.get()).second) on_new(*table);
      }
    }
  };
  visit(current, [](const TableFile&) {});
  for (const OldVersions::Old& each : old) {
    visit(*each.version, [&totals](const TableFile& table) {
      ++totals.count;
      totals.bytes += table.file_bytes();
    });
  }
  return totals;
}

}  // namespace lull
