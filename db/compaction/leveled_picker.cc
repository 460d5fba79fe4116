// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The layout `leveled`: LevelDB's rules. L0 goes down several tables at a time, a deeper level one
// table at a time.
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

/// Were L0 always first, writes without a pause would let L1 grow without end: every job of L0
/// rewrites L1, and leaves none of it to a job of L1. LevelDB's order is by score. Policies that
/// let L0 grow put deep levels off on purpose: with them L1 may hold as much as L0, or as one of
/// L0's jobs, and each deeper level as many times that as LevelDB's targets grow.
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

/// A table, and all of L0 that overlaps it, directly or through others.
std::optional<CompactionPlan> Leveled::PickAround(const Planner& planner,
                                                  const std::string& pointer) const {
  const Version& version = planner.version();
  const KeyOrder& order = version.order();
  Tables tables = version.level(0);
  std::sort(tables.begin(), tables.end(), [&](const TableRef& a, const TableRef& b) {
    const int by_key = order.Compare(a->smallest(), b->smallest());
    return by_key != 0 ? by_key < 0 : a->number() < b->number();
  });
  const size_t first = FirstBehind(order, tables, pointer);
  Tables tried;  // every table of a closed set leads to that same set
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

/// L0 as a queue: the oldest tables first, until the job is long enough. It takes at least as much
/// as L1 holds, since it may have to rewrite all of L1. Tables that overlap a running job are
/// passed over.
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
  // Together they reach into a running job's range; one of them alone may not.
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
  static const Leveled rules;
  return rules;
}

}  // namespace lull
