// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "db/compaction/output_cutter.h"
#include "leveldb/comparator.h"

namespace lull::sim {
namespace {

constexpr double kSpace = 0x1p64;
constexpr double kPiecesOfATable = 64;

/// The model's key number as a user key in the same order.
std::string UserKey(uint64_t position) {
  std::string key(8, '\0');
  for (int i = 7; i >= 0; --i, position >>= 8) key[i] = static_cast<char>(position & 0xff);
  return key;
}

uint64_t PositionOf(const leveldb::Slice& internal_key) {
  uint64_t position = 0;
  for (int i = 0; i < 8; ++i) position = position << 8 | static_cast<uint8_t>(internal_key[i]);
  return position;
}

double Width(uint64_t first, uint64_t last) { return static_cast<double>(last - first) + 1; }

/// Builds tables from merged entries, cut where the store's own cutter says.
class Outputs {
 public:
  Outputs(OutputCutter cutter, double entry_bytes,
          std::function<void(uint64_t, uint64_t, double)> finish)
      : cutter_(std::move(cutter)), entry_bytes_(entry_bytes), finish_(std::move(finish)) {}

  /// Adds `entries` of a range, in order. Asks the cutter every `piece_bytes`.
  void Add(uint64_t first, uint64_t last, double entries, double piece_bytes) {
    const double width = Width(first, last);
    const double pieces =
        std::clamp(std::ceil(entries * entry_bytes_ / piece_bytes), 1.0, std::min(width, 1e6));
    for (double i = 0; i < pieces; ++i) {
      const uint64_t begin = first + static_cast<uint64_t>(width * (i / pieces));
      const uint64_t end =
          i + 1 < pieces ? first + static_cast<uint64_t>(width * ((i + 1) / pieces)) - 1 : last;
      const std::string key = MakeInternalKey(UserKey(begin), 1, ValueKind::kValue);
      const auto bytes = static_cast<uint64_t>(entries_ * entry_bytes_);
      if (cutter_.CutBefore(key, bytes, /*may_cut=*/true)) Finish();
      if (entries_ == 0) first_ = begin;
      entries_ += entries / pieces;
      last_ = end;
    }
  }

  void Finish() {
    if (entries_ > 0) finish_(first_, last_, entries_);
    entries_ = 0;
  }

 private:
  OutputCutter cutter_;
  const double entry_bytes_;
  const std::function<void(uint64_t, uint64_t, double)> finish_;
  uint64_t first_ = 0;
  uint64_t last_ = 0;
  double entries_ = 0;
};

}  // namespace

TableModel::TableModel(double key_count, double entry_bytes, const LayoutOptions& layout)
    : key_count_(key_count),
      entry_bytes_(entry_bytes),
      layout_(layout),
      targets_(LevelTargets(layout)),
      version_(std::make_shared<Version>(
          KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal))) {}

double TableModel::Distinct(double entries) const {
  if (key_count_ <= 0) return entries;
  return key_count_ * -std::expm1(-entries / key_count_);
}

TableMeta TableModel::Describe(int level, uint64_t first, uint64_t last, double entries) {
  TableMeta table;
  table.level = level;
  table.number = next_number_++;
  table.file_bytes = static_cast<uint64_t>(std::max(1.0, std::round(entries * entry_bytes_)));
  table.smallest = MakeInternalKey(UserKey(first), 1, ValueKind::kValue);
  table.largest = MakeInternalKey(UserKey(last), 1, ValueKind::kValue);
  return table;
}

void TableModel::Apply(const VersionEdit& edit) {
  VersionBuilder builder(
      version_, [](const TableMeta& table) { return std::make_shared<TableFile>(table, nullptr); });
  leveldb::Status status = builder.Apply(edit);
  if (status.ok()) status = builder.Build(&version_);
  if (!status.ok()) {
    std::fprintf(stderr, "simulation: invalid version edit: %s\n", status.ToString().c_str());
    std::abort();
  }
  debt_bytes_ = version_->DebtBytes(targets_, layout_.l0_trigger);
  l0_searched_in_vain_ = CountL0SearchedInVain();
  due_[0] = LevelScore(*version_, 0, layout_) >= 1;
  due_[1] = false;
  for (int level = 1; level + 1 < kLevels; ++level) {
    due_[1] = due_[1] || version_->LevelBytes(level) >= targets_[level];
  }
  ++changes_;
}

void TableModel::Populate(double bytes) {
  VersionEdit edit;
  for (int level = 1; level < kLevels && bytes > 0; ++level) {
    const double level_bytes =
        level + 1 < kLevels ? std::min(bytes, 0.98 * static_cast<double>(targets_[level])) : bytes;
    const auto count = std::max<uint64_t>(
        1, static_cast<uint64_t>(level_bytes / static_cast<double>(TableBytesAt(layout_, level))));
    const uint64_t width = UINT64_MAX / count;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t last = i + 1 < count ? (i + 1) * width - 1 : UINT64_MAX;
      edit.new_tables.push_back(Describe(level, i * width, last,
                                         level_bytes / static_cast<double>(count) / entry_bytes_));
    }
    bytes -= level_bytes;
  }
  Apply(edit);
}

/// L0 tables cover the whole key space, so a get cannot skip any of them by range.
double TableModel::CountL0SearchedInVain() const {
  double count = 0;
  double not_found = 1;
  for (const TableRef& table : version_->level(0)) {
    const double entries = static_cast<double>(table->file_bytes()) / entry_bytes_;
    const double holds = key_count_ > 0 ? std::min(1.0, entries / key_count_) : 0.0;
    not_found *= 1 - holds;
    count += not_found;
  }
  return count;
}

void TableModel::AddFlushed(double entries) {
  VersionEdit edit;
  edit.new_tables.push_back(Describe(0, 0, UINT64_MAX, entries));
  Apply(edit);
}

double TableModel::EntriesListed() const {
  double bytes = 0;
  for (int level = 0; level < kLevels; ++level) {
    bytes += static_cast<double>(version_->LevelBytes(level));
  }
  return bytes / entry_bytes_;
}

std::optional<TableMerge> TableModel::Begin(JobClass job_class, uint64_t table_bytes) {
  // The picker is a pure function: do not call it again until its input changes.
  uint64_t& refused = refused_[job_class == JobClass::kL0 ? 0 : 1];
  if (refused == changes_) return std::nullopt;
  std::optional<CompactionPlan> plan = Pick(*version_, job_class, running_, pointers_, layout_);
  if (!plan) {
    refused = changes_;
    return std::nullopt;
  }
  ++changes_;
  TableMerge merge;
  merge.plan = std::move(*plan);
  running_.push_back(merge.plan.range);
  if (!merge.plan.trivial_move) {
    Merge(&merge, table_bytes > 0 ? table_bytes : layout_.table_bytes_max);
  }
  return merge;
}

/// The density of entries after merging overlapping tables.
double TableModel::MergedDensity(const std::vector<Spread>& inputs, uint64_t position) const {
  const double keys_per_position = key_count_ / kSpace;
  double sum = 0;
  double absent = 1;
  for (const Spread& input : inputs) {
    if (input.first > position || input.last < position) continue;
    sum += input.density;
    if (key_count_ > 0) absent *= 1 - std::min(1.0, input.density / keys_per_position);
  }
  return key_count_ > 0 ? (1 - absent) * keys_per_position : sum;
}

void TableModel::Merge(TableMerge* merge, uint64_t table_bytes) {
  std::vector<Spread> inputs;
  std::vector<uint64_t> starts;  // of the key ranges with the same set of overlapping tables
  const auto add_ends = [&](const TableRef& table) {
    starts.push_back(PositionOf(table->smallest()));
    const uint64_t last = PositionOf(table->largest());
    if (last < UINT64_MAX) starts.push_back(last + 1);
  };
  for (const std::vector<TableRef>* tables : {&merge->plan.upper, &merge->plan.lower}) {
    for (const TableRef& table : *tables) {
      const uint64_t first = PositionOf(table->smallest());
      const uint64_t last = PositionOf(table->largest());
      const double entries = static_cast<double>(table->file_bytes()) / entry_bytes_;
      inputs.push_back({first, last, entries / Width(first, last)});
      add_ends(table);
      merge->entries_in += entries;
      merge->bytes_in += table->file_bytes();
    }
  }
  for (const TableRef& table : merge->plan.grandparents) add_ends(table);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  LayoutOptions layout = layout_;
  layout.table_bytes_max = table_bytes;
  OutputCutter cutter(version_->order(), CutRuleFor(layout, merge->plan.output_level),
                      merge->plan.grandparents, merge->plan.fences);
  Outputs outputs(
      std::move(cutter), entry_bytes_, [&](uint64_t first, uint64_t last, double entries) {
        merge->outputs.push_back(Describe(merge->plan.output_level, first, last, entries));
        merge->bytes_out += merge->outputs.back().file_bytes;
      });
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t first = starts[i];
    const uint64_t last = i + 1 < starts.size() ? starts[i + 1] - 1 : UINT64_MAX;
    const double density = MergedDensity(inputs, first);
    if (density <= 0) continue;
    outputs.Add(first, last, density * Width(first, last),
                static_cast<double>(table_bytes) / kPiecesOfATable);
  }
  outputs.Finish();
  merge->entries_out = static_cast<double>(merge->bytes_out) / entry_bytes_;
}

void TableModel::Install(const TableMerge& merge) {
  const CompactionPlan& plan = merge.plan;
  VersionEdit edit;
  for (const TableRef& table : plan.upper)
    edit.deleted_tables.emplace_back(plan.level, table->number());
  for (const TableRef& table : plan.lower) {
    edit.deleted_tables.emplace_back(plan.output_level, table->number());
  }
  edit.new_tables = merge.outputs;
  if (plan.trivial_move) {
    for (const TableRef& table : plan.upper) {
      edit.new_tables.push_back(table->description);
      edit.new_tables.back().level = plan.output_level;
    }
  }
  if (!plan.next_pointer.empty()) pointers_[plan.level] = plan.next_pointer;
  entries_dropped_ += merge.entries_in - merge.entries_out;
  Release(merge);
  Apply(edit);
  layout_stats_.OnCompaction(plan, merge.outputs, *version_, layout_);
}

void TableModel::Release(const TableMerge& merge) {
  std::erase(running_, merge.plan.range);  // running ranges are disjoint, so this removes one
  ++changes_;
}

std::vector<bool> TableModel::BlockL0(const std::vector<const TableMerge*>& merges) const {
  std::vector<RunningRange> others = running_;
  for (const TableMerge* merge : merges) std::erase(others, merge->plan.range);
  const std::optional<CompactionPlan> plan =
      Pick(*version_, JobClass::kL0, others, pointers_, layout_);
  std::vector<bool> block;
  for (const TableMerge* merge : merges)
    block.push_back(plan && Conflicts(version_->order(), plan->range, {merge->plan.range}));
  return block;
}

}  // namespace lull::sim
