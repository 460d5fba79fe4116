// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/parts.h"

#include <algorithm>

namespace lull {
namespace {

// More than one, since sizes are estimates and another job can delay a worker. Few, since each part
// reads the index of each L0 input.
constexpr size_t kPartsPerWorkerMax = 2;

size_t PartsWanted(const CompactionPlan& plan, size_t at_once, uint64_t part_bytes_min) {
  // Deep levels have many small jobs instead.
  if (plan.level != 0 || plan.trivial_move || at_once < 2) return 1;
  const size_t parts =
      std::min<size_t>(plan.input_bytes / part_bytes_min, kPartsPerWorkerMax * at_once);
  // A multiple of the workers, so that they end together.
  return parts < at_once ? parts : parts - parts % at_once;
}

std::vector<WeightedKey> WeightedKeysOf(const CompactionPlan& plan) {
  std::vector<WeightedKey> keys;
  // An L0 table without samples counts as distributed like the other inputs.
  for (const TableRef& table : plan.upper) {
    for (const std::string& key : table->sample_keys)
      keys.push_back({key, table->file_bytes() / table->sample_keys.size()});
  }
  for (const TableRef& table : plan.lower)
    keys.push_back({table->smallest_user(), table->file_bytes()});
  if (!keys.empty()) return keys;
  for (const TableRef& table : plan.grandparents)
    keys.push_back({table->smallest_user(), table->file_bytes()});
  return keys;
}

}  // namespace

std::vector<PartRange> DivideKeys(const KeyOrder& order, std::vector<WeightedKey> keys,
                                  size_t parts_max) {
  std::stable_sort(keys.begin(), keys.end(), [&](const WeightedKey& a, const WeightedKey& b) {
    return order.CompareUser(a.user_key, b.user_key) < 0;
  });
  double total = 0;
  for (const WeightedKey& key : keys) total += static_cast<double>(key.bytes);

  const double due_share = total / static_cast<double>(std::max<size_t>(parts_max, 1));
  std::vector<PartRange> parts(1);
  double due = due_share;
  double before = 0;  // weight of the keys so far
  for (size_t i = 0; i < keys.size() && total > 0; ++i) {
    const auto bytes = static_cast<double>(keys[i].bytes);
    // Cuts here or at the next key, whichever is closer to the equal share.
    const bool is_due = before + bytes / 2 >= due;
    const bool is_enough =
        before - parts.back().from * total >= due_share / 2 && total - before >= due_share / 2;
    if (is_due && is_enough && i > 0 &&
        order.CompareUser(keys[i - 1].user_key, keys[i].user_key) < 0) {
      parts.back().end = keys[i].user_key.ToString();
      parts.back().to = before / total;
      PartRange& next = parts.emplace_back();
      next.begin = keys[i].user_key.ToString();
      next.from = before / total;
      while (due < before + due_share / 2) due += due_share;
    }
    before += bytes;
  }
  return parts;
}

std::vector<PartRange> PartsOf(const CompactionPlan& plan, const KeyOrder& order, int workers,
                               uint64_t part_bytes_min) {
  const size_t wanted = PartsWanted(plan, static_cast<size_t>(workers), part_bytes_min);
  if (wanted < 2) return {PartRange{}};
  return DivideKeys(order, WeightedKeysOf(plan), wanted);
}

CompactionPlan PlanOfPart(const CompactionPlan& whole, const PartRange& part,
                          const KeyOrder& order) {
  CompactionPlan plan = whole;
  const auto is_outside = [&](const TableRef& table) {
    return (part.begin && order.CompareUser(table->largest_user(), *part.begin) < 0) ||
           (part.end && order.CompareUser(table->smallest_user(), *part.end) >= 0);
  };
  for (auto* tables : {&plan.upper, &plan.lower, &plan.grandparents})
    std::erase_if(*tables, is_outside);
  if (part.begin) plan.range.smallest_user = *part.begin;
  if (part.end) plan.range.largest_user = *part.end;
  const auto bytes_before = [&](double share) {
    return static_cast<uint64_t>(static_cast<double>(whole.input_bytes) * share);
  };
  plan.input_bytes = bytes_before(part.to) - bytes_before(part.from);  // parts add up to the whole
  return plan;
}

}  // namespace lull
