// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The layout `leveled`: LevelDB's rules. A job compacts several L0 tables, or one table of a deeper
// level.
#include <algorithm>
#include <utility>

#include "db/compaction/layout_rules.h"
#include "db/compaction/picker.h"

namespace lull {
namespace {

using Tables = Planner::Tables;

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

/// Takes one L0 table and all L0 tables that overlap it, directly or through others.
std::optional<CompactionPlan> Leveled::PickAround(const Planner& planner,
                                                  const std::string& pointer) const {
  const Version& version = planner.version();
  const KeyOrder& order = version.order();
  Tables tables = version.level(0);
  std::sort(tables.begin(), tables.end(), [&](const TableRef& a, const TableRef& b) {
    const int by_key = order.Compare(a->smallest(), b->smallest());
    return by_key != 0 ? by_key < 0 : a->number() < b->number();
  });
  const size_t first = FirstAfter(order, tables, pointer);
  Tables tried;  // every table of an overlap set leads to the same set
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableRef& table = tables[(first + i) % tables.size()];
    if (Contains(tried, table) || planner.Blocked(0, {table})) continue;
    const UserRange range{table->smallest_user().ToString(), table->largest_user().ToString()};
    Tables upper = version.Overlapping(0, range);
    tried.insert(tried.end(), upper.begin(), upper.end());
    if (auto plan = planner.Complete(0, std::move(upper), /*widen=*/true)) return plan;
  }
  return std::nullopt;
}

/// Takes the oldest L0 tables until the job is large enough. It takes at least the size of L1,
/// since the job can rewrite all of L1. Skips tables that overlap a running job.
std::optional<CompactionPlan> Leveled::PickOldest(const Planner& planner) const {
  const Version& version = planner.version();
  const uint64_t bytes_wanted = std::max(planner.layout().l0_job_bytes_max, version.LevelBytes(1));
  const auto by_age = [](const TableRef& a, const TableRef& b) {
    return a->number() > b->number();
  };
  const Tables& newest_first = version.level(0);
  Tables upper;
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    if (SumBytes(upper) >= bytes_wanted) break;
    if (Contains(upper, *next) || planner.Blocked(0, {*next})) continue;
    upper.push_back(*next);
    planner.CloseOverOlder(&upper);
  }
  if (upper.empty()) return std::nullopt;
  std::sort(upper.begin(), upper.end(), by_age);
  if (auto plan = planner.Complete(0, std::move(upper), /*widen=*/false)) return plan;
  // Together they conflict with a running job; a single one might not.
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    Tables alone{*next};
    planner.CloseOverOlder(&alone);
    std::sort(alone.begin(), alone.end(), by_age);
    if (auto plan = planner.Complete(0, std::move(alone), /*widen=*/false)) return plan;
  }
  return std::nullopt;
}

}  // namespace

const LayoutRules& LeveledRules() {
  static constexpr Leveled rules;
  return rules;
}

}  // namespace lull
