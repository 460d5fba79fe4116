// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/picker.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lull {

using leveldb::Slice;

namespace {

using Tables = std::vector<TableRef>;

uint64_t SumBytes(const Tables& tables) {
  uint64_t sum = 0;
  for (const TableRef& table : tables) sum += table->file_bytes();
  return sum;
}

bool UserRangesTouch(const KeyOrder& order, const TableFile& a, const TableFile& b) {
  return order.CompareUser(a.smallest_user(), b.largest_user()) <= 0 &&
         order.CompareUser(b.smallest_user(), a.largest_user()) <= 0;
}

// The smallest range that holds all tables given. Borrows the keys of the tables.
struct KeySpan {
  Slice smallest;  // user keys
  Slice largest;
  bool empty = true;

  void Add(const KeyOrder& order, const Tables& tables) {
    for (const TableRef& table : tables) {
      if (empty || order.CompareUser(table->smallest_user(), smallest) < 0) {
        smallest = table->smallest_user();
      }
      if (empty || order.CompareUser(table->largest_user(), largest) > 0) {
        largest = table->largest_user();
      }
      empty = false;
    }
  }
  UserRange ToRange() const { return {smallest.ToString(), largest.ToString()}; }
};

KeySpan SpanOf(const KeyOrder& order, const Tables& tables) {
  KeySpan span;
  span.Add(order, tables);
  return span;
}

// Works out one plan at a time against one Version and the jobs that run on it.
class Planner {
 public:
  Planner(const Version& version, const std::vector<RunningRange>& running,
          const LayoutOptions& layout)
      : version_(version), order_(version.order()), running_(running), layout_(layout) {}

  std::optional<CompactionPlan> PickL0(const std::string& pointer) const;
  std::optional<CompactionPlan> PickDeep(int level, const std::string& pointer) const;

  // Everything of a plan that follows from its upper inputs; nullopt when it conflicts.
  std::optional<CompactionPlan> Complete(int level, Tables upper, bool widen) const;

  bool Blocked(int level, const Tables& inputs) const;
  // Extends `inputs`, which are consecutive, by tables that go on with the user key on which they
  // end. If a part of a key's entries moved down and older ones stayed behind, those would come to
  // light again.
  void AddSplitKeys(int level, Tables* inputs) const;

 private:
  std::optional<CompactionPlan> PickOldestL0() const;
  void CloseOverOlder(Tables* chosen) const;
  Tables LowerInputs(int level, const KeySpan& span) const;
  void Widen(int level, Tables* upper, Tables* lower) const;
  bool CanMove(const CompactionPlan& plan) const;

  const Version& version_;
  const KeyOrder& order_;
  const std::vector<RunningRange>& running_;
  const LayoutOptions& layout_;
};

// Where to begin trying tables: behind `pointer`, or from the start when nothing lies there.
size_t FirstBehind(const KeyOrder& order, const Tables& tables, const std::string& pointer) {
  if (!order.Comparable(pointer)) return 0;  // no pointer yet
  const auto is_behind = [&](const TableRef& table) {
    return order.Compare(table->largest(), pointer) > 0;
  };
  const auto found = std::find_if(tables.begin(), tables.end(), is_behind);
  return found == tables.end() ? 0 : found - tables.begin();
}

bool Contains(const Tables& tables, const TableRef& table) {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}

bool Planner::Blocked(int level, const Tables& inputs) const {
  const KeySpan span = SpanOf(order_, inputs);
  return Conflicts(order_, {level, level + 1, span.smallest.ToString(), span.largest.ToString()},
                   running_);
}

void Planner::AddSplitKeys(int level, Tables* inputs) const {
  if (level == 0 || inputs->empty()) return;  // L0 inputs are closed over whole overlaps
  const Tables& tables = version_.level(level);
  size_t next = version_.FindTable(level, inputs->back()->largest()) + 1;
  while (next < tables.size() &&
         order_.CompareUser(inputs->back()->largest_user(), tables[next]->smallest_user()) == 0) {
    inputs->push_back(tables[next++]);
  }
}

Tables Planner::LowerInputs(int level, const KeySpan& span) const {
  Tables lower = version_.Overlapping(level + 1, span.ToRange());
  AddSplitKeys(level + 1, &lower);
  return lower;
}

// More of the upper level can come along for free where that touches no further lower table.
void Planner::Widen(int level, Tables* upper, Tables* lower) const {
  if (lower->empty()) return;
  KeySpan span = SpanOf(order_, *upper);
  span.Add(order_, *lower);
  Tables more = version_.Overlapping(level, span.ToRange());
  AddSplitKeys(level, &more);
  if (more.size() <= upper->size()) return;
  const uint64_t bytes_max = layout_.expanded_inputs_tables_max * layout_.table_bytes_max;
  if (SumBytes(more) + SumBytes(*lower) >= bytes_max) return;

  const Tables lower_of_more = LowerInputs(level, SpanOf(order_, more));
  if (lower_of_more.size() != lower->size()) return;
  Tables all = more;
  all.insert(all.end(), lower->begin(), lower->end());
  if (!Blocked(level, all)) *upper = std::move(more);
}

bool Planner::CanMove(const CompactionPlan& plan) const {
  return plan.upper.size() == 1 && plan.lower.empty() &&
         SumBytes(plan.grandparents) <=
             layout_.grandparent_overlap_tables_max * layout_.table_bytes_max;
}

std::optional<CompactionPlan> Planner::Complete(int level, Tables upper, bool widen) const {
  CompactionPlan plan;
  plan.level = level;
  plan.output_level = level + 1;
  plan.lower = LowerInputs(level, SpanOf(order_, upper));
  plan.upper = std::move(upper);
  if (widen) Widen(level, &plan.upper, &plan.lower);

  KeySpan span = SpanOf(order_, plan.upper);
  span.Add(order_, plan.lower);
  plan.range = {level, level + 1, span.smallest.ToString(), span.largest.ToString()};
  if (Conflicts(order_, plan.range, running_)) return std::nullopt;

  if (level + 2 < kLevels) plan.grandparents = version_.Overlapping(level + 2, span.ToRange());
  plan.trivial_move = CanMove(plan);
  plan.input_bytes = SumBytes(plan.upper) + SumBytes(plan.lower);
  const auto ends_first = [&](const TableRef& a, const TableRef& b) {
    return order_.Compare(a->largest(), b->largest()) < 0;
  };
  const auto last = std::max_element(plan.upper.begin(), plan.upper.end(), ends_first);
  plan.next_pointer = (*last)->largest().ToString();
  return plan;
}

std::optional<CompactionPlan> Planner::PickL0(const std::string& pointer) const {
  if (layout_.l0_job_bytes_max > 0) return PickOldestL0();
  Tables tables = version_.level(0);
  std::sort(tables.begin(), tables.end(), [&](const TableRef& a, const TableRef& b) {
    const int by_key = order_.Compare(a->smallest(), b->smallest());
    return by_key != 0 ? by_key < 0 : a->number() < b->number();
  });
  const size_t first = FirstBehind(order_, tables, pointer);
  Tables tried;  // every table of a closed set leads to that same set
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableRef& table = tables[(first + i) % tables.size()];
    if (Contains(tried, table) || Blocked(0, {table})) continue;
    const UserRange range{table->smallest_user().ToString(), table->largest_user().ToString()};
    Tables upper = version_.Overlapping(0, range);
    tried.insert(tried.end(), upper.begin(), upper.end());
    if (auto plan = Complete(0, std::move(upper), /*widen=*/true)) return plan;
  }
  return std::nullopt;
}

void Planner::CloseOverOlder(Tables* chosen) const {
  for (size_t i = 0; i < chosen->size(); ++i) {
    const TableRef newer = (*chosen)[i];
    for (const TableRef& table : version_.level(0)) {
      if (table->number() < newer->number() && UserRangesTouch(order_, *table, *newer) &&
          !Contains(*chosen, table)) {
        chosen->push_back(table);
      }
    }
  }
}

// L0 as a queue: the oldest tables first, until the job is long enough. It takes at least as much
// as L1 holds, since it may have to rewrite all of L1. Tables that overlap a running job are passed
// over.
std::optional<CompactionPlan> Planner::PickOldestL0() const {
  const uint64_t bytes_wanted = std::max(layout_.l0_job_bytes_max, version_.LevelBytes(1));
  const auto by_age = [](const TableRef& a, const TableRef& b) {
    return a->number() > b->number();
  };
  const Tables& newest_first = version_.level(0);
  Tables upper;
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    if (SumBytes(upper) >= bytes_wanted) break;
    if (Contains(upper, *next) || Blocked(0, {*next})) continue;
    upper.push_back(*next);
    CloseOverOlder(&upper);
  }
  if (upper.empty()) return std::nullopt;
  std::sort(upper.begin(), upper.end(), by_age);
  if (auto plan = Complete(0, std::move(upper), /*widen=*/false)) return plan;
  // Together they reach into a running job's range; one of them alone may not.
  for (auto next = newest_first.rbegin(); next != newest_first.rend(); ++next) {
    Tables alone{*next};
    CloseOverOlder(&alone);
    std::sort(alone.begin(), alone.end(), by_age);
    if (auto plan = Complete(0, std::move(alone), /*widen=*/false)) return plan;
  }
  return std::nullopt;
}

std::optional<CompactionPlan> Planner::PickDeep(int level, const std::string& pointer) const {
  const Tables& tables = version_.level(level);
  const size_t first = FirstBehind(order_, tables, pointer);
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableRef& table = tables[(first + i) % tables.size()];
    if (Blocked(level, {table})) continue;
    Tables upper = {table};
    AddSplitKeys(level, &upper);
    if (auto plan = Complete(level, std::move(upper), /*widen=*/true)) return plan;
  }
  return std::nullopt;
}

// Bytes of a deep level's tables that running jobs are already taking down.
uint64_t LeavingBytes(const Version& version, int level, const std::vector<RunningRange>& running) {
  const KeyOrder& order = version.order();
  uint64_t bytes = 0;
  for (const TableRef& table : version.level(level)) {
    const bool leaves = std::any_of(running.begin(), running.end(), [&](const RunningRange& job) {
      return job.input_level == level &&
             order.CompareUser(job.smallest_user, table->smallest_user()) <= 0 &&
             order.CompareUser(table->largest_user(), job.largest_user) <= 0;
    });
    if (leaves) bytes += table->file_bytes();
  }
  return bytes;
}

}  // namespace

std::array<uint64_t, kLevels> LevelTargets(const LayoutOptions& layout) {
  constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
  std::array<uint64_t, kLevels> targets{};
  double bytes = static_cast<double>(layout.l1_bytes_target);
  for (int level = 1; level + 1 < kLevels; ++level) {
    // 2^63 is far beyond any disk, and safely converted.
    targets[level] = bytes < 0x1p63 ? static_cast<uint64_t>(bytes) : kUnlimited;
    bytes *= layout.level_multiplier;
  }
  targets[kLevels - 1] = kUnlimited;
  return targets;
}

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
  if (level + 1 >= kLevels) return 0;  // nowhere to go
  const uint64_t target = std::max<uint64_t>(LevelTargets(layout)[level], 1);
  return static_cast<double>(version.LevelBytes(level)) / static_cast<double>(target);
}

std::optional<CompactionPlan> Pick(const Version& version, Depth depth,
                                   const std::vector<RunningRange>& running,
                                   const CompactPointers& pointers, const LayoutOptions& layout) {
  const Planner planner(version, running, layout);
  if (depth == Depth::kL0) {
    if (version.TableCount(0) == 0 || LevelScore(version, 0, layout) < 1) return std::nullopt;
    return planner.PickL0(pointers[0]);
  }

  const auto targets = LevelTargets(layout);
  std::vector<std::pair<double, int>> due;
  for (int level = 1; level + 1 < kLevels; ++level) {
    if (version.TableCount(level) == 0) continue;
    // Several workers must not take down more than the excess: what is on its way counts once.
    const uint64_t staying = version.LevelBytes(level) - LeavingBytes(version, level, running);
    if (staying >= targets[level]) due.emplace_back(LevelScore(version, level, layout), level);
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, level] : due) {
    if (auto plan = planner.PickDeep(level, pointers[level])) return plan;
  }
  return std::nullopt;
}

ManualPick PickManual(const Version& version, int level, const UserRange& range,
                      const std::vector<RunningRange>& running, const LayoutOptions& layout) {
  ManualPick pick;
  if (level + 1 >= kLevels) return pick;
  const Tables wanted = version.Overlapping(level, range);
  if (wanted.empty()) return pick;

  const Planner planner(version, running, layout);
  Tables upper = wanted;
  if (level > 0) {
    upper.clear();
    uint64_t bytes = 0;
    do {
      upper.push_back(wanted[upper.size()]);
      bytes += upper.back()->file_bytes();
    } while (upper.size() < wanted.size() && bytes < layout.table_bytes_max);
    planner.AddSplitKeys(level, &upper);
  }
  pick.plan = planner.Complete(level, std::move(upper), /*widen=*/true);
  if (!pick.plan) {
    pick.conflict = true;
    return pick;
  }
  // A client asks for this to be rid of deletions, and moving a file drops none.
  pick.plan->trivial_move = false;
  const Tables& taken = pick.plan->upper;
  if (!Contains(taken, wanted.back())) {
    pick.next_begin = UserKeyOf(pick.plan->next_pointer).ToString();
  }
  return pick;
}

}  // namespace lull
