// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "leveldb/comparator.h"

namespace lull::sim {
namespace {

constexpr double kSpace = 0x1p64;

/// A key of the model as a user key that sorts by its number.
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

/// A range, both ends included, and the share of its keys (or, without a bound on keys, the number
/// of entries for each position) that are in it.
struct Spread {
  uint64_t first, last;
  double density;
};

double Width(uint64_t first, uint64_t last) { return static_cast<double>(last - first) + 1; }

/// Cuts the merged entries into tables where a compaction would: when the table is full, or when it
/// overlaps too much of the level below.
class Cutter {
 public:
  Cutter(const std::vector<TableRef>& grandparents, double table_bytes, double overlap_bytes_max,
         double entry_bytes, std::function<void(uint64_t, uint64_t, double)> finish)
      : grandparents_(grandparents),
        table_bytes_(table_bytes),
        overlap_bytes_max_(overlap_bytes_max),
        entry_bytes_(entry_bytes),
        finish_(std::move(finish)) {}

  /// Entries of the range, in order; `entries` of them.
  void Add(uint64_t first, uint64_t last, double entries) {
    while (grandparent_ < grandparents_.size()) {
      const uint64_t end = PositionOf(grandparents_[grandparent_]->largest());
      if (end >= last) break;
      if (end >= first) {
        const double part = entries * Width(first, end) / Width(first, last);
        AddSimple(first, end, part);
        entries -= part;
        first = end + 1;
      }
      overlap_bytes_ += static_cast<double>(grandparents_[grandparent_++]->file_bytes());
      if (overlap_bytes_ > overlap_bytes_max_) Finish();
    }
    AddSimple(first, last, entries);
  }

  void Finish() {
    if (open_ && entries_ * entry_bytes_ >= 1) finish_(first_, last_, entries_);
    open_ = false;
    entries_ = overlap_bytes_ = 0;
  }

 private:
  void AddSimple(uint64_t first, uint64_t last, double entries) {
    while (entries > 0) {
      if (!open_) first_ = first;
      open_ = true;
      const double room = table_bytes_ / entry_bytes_ - entries_;
      const double width = Width(first, last);
      const double taken_width = std::floor(width * room / entries);
      if (entries < room || taken_width >= width - 1) {
        entries_ += entries;
        last_ = last;
        if (entries_ >= table_bytes_ / entry_bytes_) Finish();
        return;
      }
      const double steps = std::max(1.0, taken_width);
      const uint64_t split = first + static_cast<uint64_t>(steps) - 1;
      const double part = entries * steps / width;
      entries_ += part;
      entries -= part;
      last_ = split;
      first = split + 1;
      Finish();
    }
  }

  const std::vector<TableRef>& grandparents_;
  const double table_bytes_;
  const double overlap_bytes_max_;
  const double entry_bytes_;
  const std::function<void(uint64_t, uint64_t, double)> finish_;
  size_t grandparent_ = 0;
  double overlap_bytes_ = 0;
  bool open_ = false;
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

NewTable TableModel::Describe(int level, uint64_t first, uint64_t last, double entries) {
  NewTable table;
  table.level = level;
  table.number = next_number_++;
  table.file_bytes = static_cast<uint64_t>(std::max(1.0, std::round(entries * entry_bytes_)));
  table.smallest = MakeInternalKey(UserKey(first), 1, ValueKind::kValue);
  table.largest = MakeInternalKey(UserKey(last), 1, ValueKind::kValue);
  return table;
}

void TableModel::Apply(const VersionEdit& edit) {
  VersionBuilder builder(
      version_, [](const NewTable& table) { return std::make_shared<TableFile>(table, nullptr); });
  leveldb::Status status = builder.Apply(edit);
  if (status.ok()) status = builder.Build(&version_);
  if (!status.ok()) {
    std::fprintf(stderr, "the model made an edit that no store would: %s\n",
                 status.ToString().c_str());
    std::abort();
  }
  debt_bytes_ = version_->DebtBytes(targets_, layout_.l0_trigger);
}

void TableModel::Populate(double bytes) {
  VersionEdit edit;
  for (int level = 1; level < kLevels && bytes > 0; ++level) {
    const double level_bytes =
        level + 1 < kLevels ? std::min(bytes, 0.98 * static_cast<double>(targets_[level])) : bytes;
    const auto count = std::max<uint64_t>(
        1, static_cast<uint64_t>(level_bytes / static_cast<double>(layout_.table_bytes_max)));
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

void TableModel::AddFlushed(double entries) {
  VersionEdit edit;
  edit.new_tables.push_back(Describe(0, 0, UINT64_MAX, entries));
  Apply(edit);
}

bool TableModel::Due(Depth depth) const {
  if (depth == Depth::kL0) return LevelScore(*version_, 0, layout_) >= 1;
  for (int level = 1; level + 1 < kLevels; ++level) {
    if (version_->LevelBytes(level) >= targets_[level]) return true;
  }
  return false;
}

double TableModel::EntriesListed() const {
  double bytes = 0;
  for (int level = 0; level < kLevels; ++level) {
    bytes += static_cast<double>(version_->LevelBytes(level));
  }
  return bytes / entry_bytes_;
}

std::optional<TableMerge> TableModel::Begin(Depth depth, uint64_t table_bytes) {
  std::optional<CompactionPlan> plan = Pick(*version_, depth, running_, pointers_, layout_);
  if (!plan) return std::nullopt;
  TableMerge merge;
  merge.plan = std::move(*plan);
  running_.push_back(merge.plan.range);
  if (!merge.plan.trivial_move) {
    Merge(&merge, table_bytes > 0 ? table_bytes : layout_.table_bytes_max);
  }
  return merge;
}

void TableModel::Merge(TableMerge* merge, uint64_t table_bytes) {
  std::vector<Spread> inputs;
  std::vector<uint64_t> starts;  // of the stretches in which the same tables overlap
  for (const std::vector<TableRef>* tables : {&merge->plan.upper, &merge->plan.lower}) {
    for (const TableRef& table : *tables) {
      const uint64_t first = PositionOf(table->smallest());
      const uint64_t last = PositionOf(table->largest());
      const double entries = static_cast<double>(table->file_bytes()) / entry_bytes_;
      inputs.push_back({first, last, entries / Width(first, last)});
      starts.push_back(first);
      if (last < UINT64_MAX) starts.push_back(last + 1);
      merge->entries_in += entries;
      merge->bytes_in += table->file_bytes();
    }
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  Cutter cutter(
      merge->plan.grandparents, static_cast<double>(table_bytes),
      static_cast<double>(layout_.grandparent_overlap_tables_max) *
          static_cast<double>(table_bytes),
      entry_bytes_, [&](uint64_t first, uint64_t last, double entries) {
        merge->outputs.push_back(Describe(merge->plan.output_level, first, last, entries));
        merge->bytes_out += merge->outputs.back().file_bytes;
      });
  const double keys_per_position = key_count_ / kSpace;
  for (size_t i = 0; i < starts.size(); ++i) {
    const uint64_t first = starts[i];
    const uint64_t last = i + 1 < starts.size() ? starts[i + 1] - 1 : UINT64_MAX;
    double sum = 0;
    double absent = 1;
    for (const Spread& input : inputs) {
      if (input.first > first || input.last < first) continue;
      sum += input.density;
      if (key_count_ > 0) absent *= 1 - std::min(1.0, input.density / keys_per_position);
    }
    if (sum <= 0) continue;
    const double density = key_count_ > 0 ? (1 - absent) * keys_per_position : sum;
    cutter.Add(first, last, density * Width(first, last));
  }
  cutter.Finish();
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
    edit.new_tables.push_back(plan.upper.front()->description);
    edit.new_tables.back().level = plan.output_level;
  }
  Apply(edit);
  if (!plan.next_pointer.empty()) pointers_[plan.level] = plan.next_pointer;
  entries_dropped_ += merge.entries_in - merge.entries_out;
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const RunningRange& range) {
    return range.input_level == plan.range.input_level &&
           range.smallest_user == plan.range.smallest_user;
  });
  if (found != running_.end()) running_.erase(found);
}

}  // namespace lull::sim
