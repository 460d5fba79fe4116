// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/compaction/picker.h"

#include <algorithm>
#include <utility>

#include "db/compaction/layout_rules.h"

namespace lull {

namespace {

// Picks from the most urgent due deep level. `before_l0`: only from levels that go before L0.
std::optional<CompactionPlan> PickDue(const Planner& planner, const LayoutRules& rules,
                                      const CompactPointers& pointers, bool before_l0) {
  const auto targets = LevelTargets(planner.layout());
  std::vector<std::pair<double, int>> due;
  for (int level = 1; level + 1 < kLevels; ++level) {
    if (planner.version().TableCount(level) == 0) continue;
    if (planner.StayingBytes(level) < targets[level]) continue;
    if (before_l0 && !rules.GoesBeforeL0(planner, level)) continue;
    due.emplace_back(LevelScore(planner.version(), level, planner.layout()), level);
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, level] : due) {
    if (auto plan = rules.PickDeep(planner, level, pointers[level])) return plan;
  }
  return std::nullopt;
}

/// Plans a merge of the first tables of `wanted`, until they have `bytes_max`; of L0, of all.
std::optional<CompactionPlan> PlanStep(const Planner& planner, int level,
                                       const Planner::Tables& wanted, uint64_t bytes_max) {
  Planner::Tables upper = wanted;
  if (level > 0) {
    upper.clear();
    uint64_t bytes = 0;
    do {
      upper.push_back(wanted[upper.size()]);
      bytes += upper.back()->file_bytes();
    } while (upper.size() < wanted.size() && bytes < bytes_max);
    planner.AddSplitKeys(level, &upper);
  }
  std::optional<CompactionPlan> plan = planner.Complete(level, std::move(upper), /*widen=*/true);
  // The client wants deletions dropped.
  if (plan && plan->trivial_move && !planner.MakeMerge(&*plan)) return std::nullopt;
  return plan;
}

}  // namespace

bool Conflicts(const KeyOrder& order, const RunningRange& candidate,
               const std::vector<RunningRange>& running) {
  return std::any_of(running.begin(), running.end(), [&](const RunningRange& job) {
    const bool shares_level =
        job.input_level == candidate.input_level || job.input_level == candidate.output_level ||
        job.output_level == candidate.input_level || job.output_level == candidate.output_level;
    return shares_level && order.CompareUser(job.smallest_user, candidate.largest_user) <= 0 &&
           order.CompareUser(candidate.smallest_user, job.largest_user) <= 0;
  });
}

double LevelScore(const Version& version, int level, const LayoutOptions& layout) {
  if (level == 0) {
    return static_cast<double>(version.TableCount(0)) / std::max(layout.l0_trigger, 1);
  }
  if (level + 1 >= kLevels) return 0;  // no deeper level
  const uint64_t target = std::max<uint64_t>(LevelTargets(layout)[level], 1);
  return static_cast<double>(version.LevelBytes(level)) / static_cast<double>(target);
}

std::optional<CompactionPlan> Pick(const Version& version, JobClass job_class,
                                   const std::vector<RunningRange>& running,
                                   const CompactPointers& pointers, const LayoutOptions& layout,
                                   const OutputLimit& limit) {
  const Planner planner(version, running, layout, limit);
  const LayoutRules& rules = layout.kind == LayoutKind::kVsst ? VsstRules() : LeveledRules();
  if (job_class == JobClass::kDeep) return PickDue(planner, rules, pointers, /*before_l0=*/false);

  if (version.TableCount(0) == 0 || LevelScore(version, 0, layout) < 1) return std::nullopt;
  if (auto plan = PickDue(planner, rules, pointers, /*before_l0=*/true)) return plan;
  return rules.PickL0(planner, pointers[0]);
}

namespace {

// Two neighboring steps both rewrite a table of the next level that overlaps both. Larger steps do
// so less often.
uint64_t StepBytes(const LayoutOptions& layout, int output_level) {
  constexpr uint64_t kStepTables = 8;
  return kStepTables * TableBytesAt(layout, output_level);
}

}  // namespace

ManualPick PickManual(const Version& version, int level, const UserRange& range,
                      const std::vector<RunningRange>& running, const LayoutOptions& layout,
                      const OutputLimit& limit) {
  ManualPick pick;
  if (level + 1 >= kLevels) return pick;
  const Planner::Tables wanted = version.Overlapping(level, range);
  if (wanted.empty()) return pick;

  const Planner planner(version, running, layout, limit);
  pick.plan = PlanStep(planner, level, wanted, StepBytes(layout, level + 1));
  if (!pick.plan && level > 0 && limit.IsLimited())
    pick.plan = PlanStep(planner, level, wanted, /*bytes_max=*/0);
  if (!pick.plan) {
    pick.conflict = true;
    return pick;
  }
  const Planner::Tables& taken = pick.plan->upper;
  if (!Contains(taken, wanted.back())) {
    pick.next_begin = UserKeyOf(pick.plan->next_pointer).ToString();
  }
  return pick;
}

ManualPick PickRewrite(const Version& version, int level, const UserRange& range, uint64_t pass,
                       const std::vector<RunningRange>& running, const LayoutOptions& layout,
                       const OutputLimit& limit) {
  ManualPick pick;
  const Planner::Tables tables = version.Overlapping(level, range);
  const auto is_wanted = [&](const TableRef& table) { return table->filter_pass < pass; };
  auto next = std::find_if(tables.begin(), tables.end(), is_wanted);
  if (next == tables.end()) return pick;

  Planner::Tables upper;
  const uint64_t bytes_max = StepBytes(layout, level);
  uint64_t bytes = 0;
  for (; next != tables.end() && is_wanted(*next) && bytes < bytes_max; ++next) {
    upper.push_back(*next);
    bytes += upper.back()->file_bytes();
  }
  const Planner planner(version, running, layout, limit);
  planner.AddSplitKeys(level, &upper);
  while (next != tables.end() && Contains(upper, *next)) ++next;
  pick.plan = planner.Rewrite(level, std::move(upper));
  if (!pick.plan) {
    pick.conflict = true;
    return pick;
  }
  // The outputs stay on the level, and must not be picked again.
  if (next != tables.end()) pick.next_begin = (*next)->smallest_user().ToString();
  return pick;
}

}  // namespace lull
