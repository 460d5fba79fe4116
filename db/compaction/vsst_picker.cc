// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The layout `vsst`: short compaction chains, after vLSM. A job compacts one L0 table into a small
// L1, or a few if L0 is a queue. L1 tables are cut (output_cutter.h) so that some overlap
// little of L2. Only these *good* tables move to L2. The other, *poor* ones stay in L1 until the
// next L0 compaction cuts them again.
#include <algorithm>
#include <utility>

#include "db/compaction/key_ranges.h"
#include "db/compaction/layout_rules.h"
#include "db/version/overlap_index.h"

namespace lull {
namespace {

using Tables = Planner::Tables;

// Consecutive L1 tables.
struct Run {
  size_t first, last;
  double cost;  // bytes of L2 per byte of L1
};

bool Cheaper(const Run& a, const Run& b) {
  return a.cost != b.cost ? a.cost < b.cost : a.first < b.first;
}

class Vsst final : public LayoutRules {
 public:
  bool GoesBeforeL0(const Planner& planner, int level) const override;
  std::optional<CompactionPlan> PickL0(const Planner& planner,
                                       const std::string& pointer) const override;
  std::optional<CompactionPlan> PickDeep(const Planner& planner, int level,
                                         const std::string& pointer) const override;

 private:
  Tables QueueFrom(const Planner& planner, Tables::const_reverse_iterator oldest,
                   const KeyRanges& older) const;
  std::optional<CompactionPlan> PickGood(const Planner& planner, const OverlapIndex& overlap) const;
  std::optional<CompactionPlan> PickLeastBad(const Planner& planner,
                                             const OverlapIndex& overlap) const;
};

double CostOf(const Tables& tables, const OverlapIndex& overlap, size_t first, size_t last) {
  uint64_t bytes = 0;
  for (size_t i = first; i <= last; ++i) bytes += tables[i]->file_bytes();
  return static_cast<double>(overlap.Bytes(first, last)) /
         static_cast<double>(std::max<uint64_t>(bytes, 1));
}

/// PickL0 itself makes room in L1. Policies that do not let L0 grow run deeper levels in order of
/// urgency, as in the layout `leveled`: if L0 always had a table, L2 would never shrink.
bool Vsst::GoesBeforeL0(const Planner& planner, int level) const {
  const LayoutOptions& layout = planner.layout();
  if (level == 1 || layout.l0_job_bytes_max > 0) return false;
  const double jobs = LevelScore(planner.version(), 0, layout) / layout.vsst_l0_tables_max;
  return LevelScore(planner.version(), level, layout) > jobs;
}

/// Whether any of these tables overlaps `table`.
bool AnyTouches(const KeyOrder& order, Tables::const_reverse_iterator begin,
                Tables::const_reverse_iterator end, const TableFile& table) {
  return std::any_of(begin, end,
                     [&](const TableRef& other) { return UserRangesTouch(order, *other, table); });
}

/// The table `oldest` and the next younger ones that overlap a chosen one, newest first. A table
/// that overlaps none of them would only widen the range of the job. Stops at the first that it
/// cannot take, since it overlaps one of `older`: no older entry is left above a newer one.
Tables Vsst::QueueFrom(const Planner& planner, Tables::const_reverse_iterator oldest,
                       const KeyRanges& older) const {
  const Version& version = planner.version();
  auto end = oldest + 1;
  const auto joins = [&](const TableRef& table) {
    return AnyTouches(version.order(), oldest, end, *table) && !older.Touches(*table);
  };
  const ptrdiff_t tables_max = planner.layout().vsst_l0_tables_max;
  while (end != version.level(0).rend() && end - oldest < tables_max && joins(*end)) {
    ++end;
  }
  Tables queue(oldest, end);
  std::reverse(queue.begin(), queue.end());
  return queue;
}

/// Takes the oldest L0 table that overlaps no older one and no running job, with those queued after
/// it. First makes room in L1 if it can: a larger L1 means more rewriting per L0 table. A policy
/// must not decide this, since one that puts deep compactions last would let L1 grow while L0 has
/// tables.
std::optional<CompactionPlan> Vsst::PickL0(const Planner& planner,
                                           const std::string& pointer) const {
  const Version& version = planner.version();
  if (planner.StayingBytes(1) >= LevelTargets(planner.layout())[1]) {
    if (auto plan = PickDeep(planner, 1, pointer)) return plan;
  }
  const Tables& newest_first = version.level(0);
  KeyRanges older(version.order());
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); older.Add(**next++)) {
    const TableRef& table = *next;
    if (older.Touches(*table) || planner.Blocked(0, {table})) continue;
    auto plan = planner.Complete(0, QueueFrom(planner, next, older), /*widen=*/false);
    if (!plan) plan = planner.Complete(0, {table}, /*widen=*/false);
    if (!plan) continue;
    // A trivial move would make it a poor table, and nothing would cut it before it moves to L2.
    const double overlap = static_cast<double>(SumBytes(plan->grandparents));
    const double bytes = static_cast<double>(table->file_bytes());
    const bool is_poor = overlap > planner.layout().growth_factor * bytes;
    if (is_poor && !planner.MakeMerge(&*plan)) continue;
    return plan;
  }
  return std::nullopt;
}

std::optional<CompactionPlan> Vsst::PickDeep(const Planner& planner, int level,
                                             const std::string& pointer) const {
  if (level > 1) return planner.PickOne(level, pointer);
  const OverlapIndex overlap(planner.version(), 1);
  if (auto plan = PickGood(planner, overlap)) return plan;
  return PickLeastBad(planner, overlap);
}

/// Takes good tables, cheapest first, up to the size of one full table.
std::optional<CompactionPlan> Vsst::PickGood(const Planner& planner,
                                             const OverlapIndex& overlap) const {
  const Tables& tables = planner.version().level(1);
  std::vector<Run> good;
  for (size_t i = 0; i < tables.size(); ++i) {
    const Run run{i, i, CostOf(tables, overlap, i, i)};
    if (run.cost <= planner.layout().growth_factor && !planner.Blocked(1, {tables[i]})) {
      good.push_back(run);
    }
  }
  std::sort(good.begin(), good.end(), Cheaper);

  std::optional<CompactionPlan> plan;
  Tables chosen;  // by smallest key
  for (const Run& run : good) {
    Tables more{tables[run.first]};
    planner.AddSplitKeys(1, &more);
    if (plan && SumBytes(chosen) + SumBytes(more) > planner.layout().table_bytes_max) continue;
    for (const TableRef& table : chosen) {
      if (!Contains(more, table)) more.push_back(table);
    }
    std::stable_sort(more.begin(), more.end(), [&](const TableRef& a, const TableRef& b) {
      return planner.version().order().Compare(a->smallest(), b->smallest()) < 0;
    });
    auto grown = planner.CompleteScattered(1, more);
    if (!grown) continue;  // a running job uses the gap
    chosen = std::move(more);
    plan = std::move(grown);
  }
  return plan;
}

/// Takes the cheapest run of neighbors, up to the size of one full table. Neighbors share the L2
/// tables under their common boundary.
std::optional<CompactionPlan> Vsst::PickLeastBad(const Planner& planner,
                                                 const OverlapIndex& overlap) const {
  const Tables& tables = planner.version().level(1);
  std::vector<Run> runs;
  for (size_t first = 0; first < tables.size(); ++first) {
    uint64_t bytes = 0;
    for (size_t last = first; last < tables.size(); ++last) {
      bytes += tables[last]->file_bytes();
      if (last > first && bytes > planner.layout().table_bytes_max) break;
      if (planner.Blocked(1, {tables[last]})) break;
      runs.push_back({first, last, CostOf(tables, overlap, first, last)});
    }
  }
  std::sort(runs.begin(), runs.end(), Cheaper);
  for (const Run& run : runs) {
    Tables upper(tables.begin() + static_cast<ptrdiff_t>(run.first),
                 tables.begin() + static_cast<ptrdiff_t>(run.last) + 1);
    planner.AddSplitKeys(1, &upper);
    auto plan = planner.Complete(1, std::move(upper), /*widen=*/false);
    if (!plan) continue;
    plan->least_bad = true;
    return plan;
  }
  return std::nullopt;
}

}  // namespace

const LayoutRules& VsstRules() {
  static constexpr Vsst rules;
  return rules;
}

}  // namespace lull
