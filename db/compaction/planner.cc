// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/planner.h"

#include <algorithm>
#include <utility>

#include "db/version/overlap_index.h"

namespace lull {

using leveldb::Slice;

namespace {

using Tables = Planner::Tables;

// The smallest range that covers the given tables. Points into the tables' keys.
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

std::optional<uint64_t> DeletionsSince(const CompactionPlan& plan) {
  std::optional<uint64_t> since;
  for (const auto* inputs : {&plan.upper, &plan.lower}) {
    for (const TableRef& table : *inputs) {
      const TableContents& contents = table->contents;
      const bool has_none = contents.entries > 0 && contents.deletions == 0;
      if (!has_none) since = std::min(since.value_or(UINT64_MAX), contents.deletions_since);
    }
  }
  return since;
}

}  // namespace

UserRange RangeOf(const KeyOrder& order, const std::vector<TableRef>& tables) {
  return SpanOf(order, tables).ToRange();
}

uint64_t SumBytes(const std::vector<TableRef>& tables) {
  uint64_t sum = 0;
  for (const TableRef& table : tables) sum += table->file_bytes();
  return sum;
}

bool UserRangesTouch(const KeyOrder& order, const TableFile& a, const TableFile& b) {
  return order.CompareUser(a.smallest_user(), b.largest_user()) <= 0 &&
         order.CompareUser(b.smallest_user(), a.largest_user()) <= 0;
}

bool Contains(const std::vector<TableRef>& tables, const TableRef& table) {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}

size_t FirstAfter(const KeyOrder& order, const std::vector<TableRef>& tables,
                  const std::string& pointer) {
  if (!order.Comparable(pointer)) return 0;  // no pointer yet
  const auto is_behind = [&](const TableRef& table) {
    return order.Compare(table->largest(), pointer) > 0;
  };
  const auto found = std::find_if(tables.begin(), tables.end(), is_behind);
  return found == tables.end() ? 0 : found - tables.begin();
}

uint64_t Planner::StayingBytes(int level) const {
  uint64_t bytes = 0;
  for (const TableRef& table : version_.level(level)) {
    const bool leaves = std::any_of(running_.begin(), running_.end(), [&](const RunningRange& job) {
      return job.input_level == level && job.output_level > level &&
             order_.CompareUser(job.smallest_user, table->smallest_user()) <= 0 &&
             order_.CompareUser(table->largest_user(), job.largest_user) <= 0;
    });
    if (!leaves) bytes += table->file_bytes();
  }
  return bytes;
}

bool Planner::Blocked(int level, const Tables& inputs) const {
  if (running_.empty()) return false;
  const KeySpan span = SpanOf(order_, inputs);
  return Conflicts(order_, {level, level + 1, span.smallest.ToString(), span.largest.ToString()},
                   running_);
}

void Planner::AddSplitKeys(int level, Tables* inputs) const {
  if (level == 0 || inputs->empty()) return;  // L0 inputs already include all overlaps
  const Tables& tables = version_.level(level);
  size_t next = version_.FindTable(level, inputs->back()->largest()) + 1;
  while (next < tables.size() &&
         order_.CompareUser(inputs->back()->largest_user(), tables[next]->smallest_user()) == 0) {
    inputs->push_back(tables[next++]);
  }
}

Tables Planner::LowerInputs(int level, const UserRange& range) const {
  Tables lower = version_.Overlapping(level + 1, range);
  AddSplitKeys(level + 1, &lower);
  return lower;
}

// Adds tables of the upper level, if this adds no table of the lower level.
void Planner::Widen(int level, Tables* upper, Tables* lower) const {
  if (lower->empty()) return;
  KeySpan span = SpanOf(order_, *upper);
  span.Add(order_, *lower);
  Tables more = version_.Overlapping(level, span.ToRange());
  AddSplitKeys(level, &more);
  if (more.size() <= upper->size()) return;
  const uint64_t bytes_max =
      std::min(layout_.expanded_inputs_tables_max * TableBytesAt(layout_, std::max(level, 1)),
               output_limit_.bytes_max);
  if (SumBytes(more) + SumBytes(*lower) >= bytes_max) return;

  const Tables lower_of_more = LowerInputs(level, RangeOf(order_, more));
  if (lower_of_more.size() != lower->size()) return;
  Tables all = more;
  all.insert(all.end(), lower->begin(), lower->end());
  if (!Blocked(level, all)) *upper = std::move(more);
}

bool Planner::CanMove(const CompactionPlan& plan) const {
  if (!plan.lower.empty()) return false;
  const auto share_a_key = [&](const TableRef& a, const TableRef& b) {
    return UserRangesTouch(order_, *a, *b);
  };
  const auto shared = std::adjacent_find(plan.upper.begin(), plan.upper.end(), share_a_key);
  // Never several tables of L0, even if disjoint: L0 is not sorted by key.
  if (shared != plan.upper.end() || (plan.level == 0 && plan.upper.size() > 1)) return false;
  if (plan.level + 2 >= kLevels) return true;
  const uint64_t bytes_max =
      layout_.grandparent_overlap_tables_max * TableBytesAt(layout_, plan.output_level);
  return std::all_of(plan.upper.begin(), plan.upper.end(), [&](const TableRef& table) {
    return SumBytes(version_.Overlapping(plan.level + 2, RangeOf(order_, {table}))) <= bytes_max;
  });
}

/// The bytes of the inputs without what their deletions hide, by estimate. At the deepest tables of
/// a range, deletions are dropped too.
uint64_t Planner::OutputBytes(const CompactionPlan& plan) const {
  TableSpace space;
  for (const auto* inputs : {&plan.upper, &plan.lower}) {
    for (const TableRef& table : *inputs) {
      space.Add(*table);
      if (table->contents.newest_deletion > output_limit_.oldest_snapshot)
        space.deletions -= table->contents.deletions;
    }
  }
  const uint64_t entries = space.values + space.deletions;
  const uint64_t freed = plan.lower.empty() && plan.level > 0 && entries > 0
                             ? static_cast<uint64_t>(static_cast<double>(space.known_bytes) *
                                                     static_cast<double>(space.deletions) /
                                                     static_cast<double>(entries))
                             : space.HiddenBytes();
  return plan.input_bytes - std::min(plan.input_bytes, freed);
}

bool Planner::MakeMerge(CompactionPlan* plan) const {
  plan->trivial_move = false;
  plan->output_bytes = OutputBytes(*plan);
  return output_limit_.Fits(*plan);
}

std::optional<CompactionPlan> Planner::Complete(int level, Tables upper, bool widen) const {
  CompactionPlan plan;
  plan.level = level;
  plan.output_level = level + 1;
  plan.lower = LowerInputs(level, RangeOf(order_, upper));
  plan.upper = std::move(upper);
  if (widen) Widen(level, &plan.upper, &plan.lower);
  return Finish(std::move(plan));
}

std::optional<CompactionPlan> Planner::Rewrite(int level, Tables tables) const {
  CompactionPlan plan;
  plan.level = plan.output_level = level;
  plan.upper = std::move(tables);
  return Finish(std::move(plan));
}

std::optional<CompactionPlan> Planner::CompleteScattered(int level, Tables upper) const {
  CompactionPlan plan;
  plan.level = level;
  plan.output_level = level + 1;
  const Tables& below = version_.level(level + 1);
  size_t taken = 0;          // position below, after all tables that the inputs so far overlap
  std::optional<Slice> end;  // user key: the largest of the inputs so far
  for (const TableRef& table : upper) {
    const auto ends_before = [&](const TableRef& lower) {
      return order_.CompareUser(lower->largest_user(), table->smallest_user()) < 0;
    };
    const size_t begin =
        std::partition_point(below.begin(), below.end(), ends_before) - below.begin();
    if (end && begin > taken) plan.fences.push_back(end->ToString());
    taken = std::max(taken, begin);
    const size_t overlapping = LowerInputs(level, RangeOf(order_, {table})).size();
    // More than there are if the comparator is no strict order.
    const size_t stop = std::min(begin + overlapping, below.size());
    for (; taken < stop; ++taken) plan.lower.push_back(below[taken]);

    end = table->largest_user();
    if (!plan.lower.empty() && order_.CompareUser(plan.lower.back()->largest_user(), *end) > 0) {
      end = plan.lower.back()->largest_user();
    }
  }
  plan.upper = std::move(upper);
  return Finish(std::move(plan));
}

std::optional<CompactionPlan> Planner::Finish(CompactionPlan plan) const {
  KeySpan span = SpanOf(order_, plan.upper);
  span.Add(order_, plan.lower);
  plan.range = {plan.level, plan.output_level, span.smallest.ToString(), span.largest.ToString()};
  if (Conflicts(order_, plan.range, running_)) return std::nullopt;

  if (plan.output_level + 1 < kLevels) {
    plan.grandparents = version_.Overlapping(plan.output_level + 1, span.ToRange());
  }
  plan.input_bytes = SumBytes(plan.upper) + SumBytes(plan.lower);
  plan.deletions_since = DeletionsSince(plan);
  plan.trivial_move = !plan.is_rewrite() && CanMove(plan);
  plan.output_bytes = plan.trivial_move ? 0 : OutputBytes(plan);
  if (!plan.trivial_move && !output_limit_.Fits(plan)) return std::nullopt;
  if (plan.is_rewrite()) return plan;
  const auto ends_first = [&](const TableRef& a, const TableRef& b) {
    return order_.Compare(a->largest(), b->largest()) < 0;
  };
  const auto last = std::max_element(plan.upper.begin(), plan.upper.end(), ends_first);
  plan.next_pointer = (*last)->largest().ToString();
  return plan;
}

std::optional<CompactionPlan> Planner::PickOne(int level, const std::string& pointer) const {
  std::optional<CompactionPlan> plan =
      layout_.pick_by_overlap ? PickByOverlap(level) : PickNext(level, pointer);
  if (plan && plan->trivial_move) return MoveMore(std::move(*plan));
  return plan;
}

CompactionPlan Planner::MoveMore(CompactionPlan plan) const {
  const Tables& tables = version_.level(plan.level);
  const uint64_t target = LevelTargets(layout_)[plan.level];
  const uint64_t staying = StayingBytes(plan.level);
  const uint64_t bytes_max = staying - std::min(staying, target);
  Tables upper = plan.upper;
  uint64_t bytes = SumBytes(upper);
  for (size_t next = version_.FindTable(plan.level, upper.back()->largest()) + 1;
       next < tables.size() && bytes < bytes_max; ++next) {
    const UserRange after_last{upper.back()->largest_user().ToString(),
                               tables[next]->largest_user().ToString()};
    if (!version_.Overlapping(plan.output_level, after_last).empty()) break;
    upper.push_back(tables[next]);
    bytes += tables[next]->file_bytes();
  }
  AddSplitKeys(plan.level, &upper);
  std::optional<CompactionPlan> more = Complete(plan.level, std::move(upper), /*widen=*/false);
  return more && more->trivial_move ? std::move(*more) : std::move(plan);
}

std::optional<CompactionPlan> Planner::PickNext(int level, const std::string& pointer) const {
  const Tables& tables = version_.level(level);
  const size_t first = FirstAfter(order_, tables, pointer);
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableRef& table = tables[(first + i) % tables.size()];
    if (Blocked(level, {table})) continue;
    Tables upper = {table};
    AddSplitKeys(level, &upper);
    if (auto plan = Complete(level, std::move(upper), /*widen=*/true)) return plan;
  }
  return std::nullopt;
}

std::optional<CompactionPlan> Planner::PickByOverlap(int level) const {
  struct Candidate {
    double cost;  // bytes rewritten below per byte moved down
    size_t position;
  };
  const Tables& tables = version_.level(level);
  const OverlapIndex overlap(version_, level);
  std::vector<Candidate> heap;
  heap.reserve(tables.size());
  for (size_t i = 0; i < tables.size(); ++i) {
    const double bytes = static_cast<double>(std::max<uint64_t>(tables[i]->file_bytes(), 1));
    heap.push_back({static_cast<double>(overlap.Bytes(i, i)) / bytes, i});
  }
  const auto dearer = [](const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.position > b.position;
  };
  // A heap, not a sort: usually the first candidate works, and a level can have thousands.
  std::make_heap(heap.begin(), heap.end(), dearer);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), dearer);
    Tables upper = {tables[heap.back().position]};
    heap.pop_back();
    if (Blocked(level, upper)) continue;
    AddSplitKeys(level, &upper);
    if (auto plan = Complete(level, std::move(upper), /*widen=*/true)) return plan;
  }
  return std::nullopt;
}

}  // namespace lull
