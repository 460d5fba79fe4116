// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The layout `leveled`: LevelDB's rules. A job compacts several L0 tables, or one table of a deeper
// level.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "db/compaction/key_ranges.h"
#include "db/compaction/layout_rules.h"
#include "db/compaction/picker.h"

namespace lull {
namespace {

using Tables = Planner::Tables;

// An L0 job takes at most this many tables, since it opens each of them at once.
constexpr ptrdiff_t kL0TablesMax = 256;

class Leveled final : public LayoutRules {
 public:
  bool GoesBeforeL0(const Planner& planner, int level) const override;
  std::optional<CompactionPlan> PickL0(const Planner& planner,
                                       const std::string& pointer) const override {
    return planner.layout().l0_job_bytes_max > 0 ? PickOldest(planner)
                                                 : PickAround(planner, pointer);
  }
  std::optional<CompactionPlan> PickDeep(const Planner& planner, int level,
                                         const std::string& pointer) const override {
    return planner.PickOne(level, pointer);
  }

 private:
  std::optional<CompactionPlan> PickAround(const Planner& planner,
                                           const std::string& pointer) const;
  std::optional<CompactionPlan> PickOldest(const Planner& planner) const;
};

/// If L0 always went first, L1 would grow without limit under steady writes: each L0 job rewrites
/// L1, and no L1 job can run beside it. LevelDB orders levels by score. Policies that let L0 grow
/// postpone deep levels on purpose. Under them, L1 can hold as much as L0 or as one L0 job, and
/// deeper levels in proportion to their targets.
bool Leveled::GoesBeforeL0(const Planner& planner, int level) const {
  const LayoutOptions& layout = planner.layout();
  const Version& version = planner.version();
  const double score = LevelScore(version, level, layout);
  if (layout.l0_job_bytes_max == 0) return score > LevelScore(version, 0, layout);
  const double allowed =
      static_cast<double>(std::max(layout.l0_job_bytes_max, version.LevelBytes(0))) /
      static_cast<double>(std::max<uint64_t>(LevelTargets(layout)[1], 1));
  return score > allowed;
}

/// Divides tables, by smallest key, into sets: each has the tables that overlap each other,
/// directly or through others.
std::vector<Tables> OverlapSets(const KeyOrder& order, const Tables& tables) {
  std::vector<Tables> sets;
  leveldb::Slice end;  // of the last set
  for (const TableRef& table : tables) {
    const bool begins = sets.empty() || order.CompareUser(end, table->smallest_user()) < 0;
    if (begins) sets.emplace_back();
    if (begins || order.CompareUser(end, table->largest_user()) < 0) end = table->largest_user();
    sets.back().push_back(table);
  }
  return sets;
}

bool IsNewer(const TableRef& a, const TableRef& b) { return a->number() > b->number(); }

/// Takes one L0 table and all L0 tables that overlap it, directly or through others, or the oldest
/// of them.
std::optional<CompactionPlan> Leveled::PickAround(const Planner& planner,
                                                  const std::string& pointer) const {
  const KeyOrder& order = planner.version().order();
  Tables tables = planner.version().level(0);
  std::stable_sort(tables.begin(), tables.end(), [&](const TableRef& a, const TableRef& b) {
    const int by_key = order.Compare(a->smallest(), b->smallest());
    return by_key != 0 ? by_key < 0 : a->number() < b->number();
  });
  const TableRef& first = tables[FirstAfter(order, tables, pointer)];
  std::vector<Tables> sets = OverlapSets(order, tables);
  const auto begin = std::find_if(sets.begin(), sets.end(),
                                  [&](const Tables& set) { return Contains(set, first); });
  std::rotate(sets.begin(), begin, sets.end());
  for (Tables& set : sets) {
    const bool is_whole = std::ssize(set) <= kL0TablesMax;
    std::sort(set.begin(), set.end(), IsNewer);
    if (!is_whole) set.erase(set.begin(), set.end() - kL0TablesMax);
    auto plan = planner.Complete(0, set, /*widen=*/false);
    if (!plan) continue;
    // A wider job is only worth the search of all of L0 if this one can run.
    auto wide = is_whole ? planner.Complete(0, std::move(set), /*widen=*/true) : std::nullopt;
    return wide ? wide : plan;
  }
  return std::nullopt;
}

/// Takes the oldest L0 tables until the job is large enough. It takes at least the size of L1,
/// since the job can rewrite all of L1, and half of a long L0, so that few jobs do, but not more
/// than four sizes. Skips tables that overlap a running job, and newer ones that overlap a skipped
/// one.
std::optional<CompactionPlan> Leveled::PickOldest(const Planner& planner) const {
  const Version& version = planner.version();
  const uint64_t job_bytes = planner.layout().l0_job_bytes_max;
  const uint64_t bytes_wanted = std::max(
      {job_bytes, version.LevelBytes(1), std::min(version.LevelBytes(0) / 2, 4 * job_bytes)});
  const Tables& newest_first = version.level(0);
  Tables upper;
  uint64_t bytes = 0;
  KeyRanges skipped(version.order());
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    if (bytes >= bytes_wanted || std::ssize(upper) == kL0TablesMax) break;
    if (skipped.Touches(**next) || planner.Blocked(0, {*next})) {
      skipped.Add(**next);
      continue;
    }
    upper.push_back(*next);
    bytes += (*next)->file_bytes();
  }
  if (upper.empty()) return std::nullopt;
  do {
    if (auto plan = planner.Complete(0, Tables(upper.rbegin(), upper.rend()), /*widen=*/false))
      return plan;
    upper.resize(upper.size() / 2);
  } while (planner.has_output_limit() && upper.size() > 1);
  // Together they conflict with a running job; a single one might not.
  KeyRanges failed(version.order());
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    if (!failed.Touches(**next)) {
      if (auto plan = planner.Complete(0, {*next}, /*widen=*/false)) return plan;
    }
    failed.Add(**next);
  }
  return std::nullopt;
}

}  // namespace

const LayoutRules& LeveledRules() {
  static constexpr Leveled rules;
  return rules;
}

}  // namespace lull
