// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/version/version.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "db/base/named_comparator.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

// A growing range of user keys. The keys must outlive it.
class Version::Hull {
 public:
  Hull(const KeyOrder& order, const UserRange& range) : order_(order) {
    if (range.smallest) smallest_ = Slice(*range.smallest);
    if (range.largest) largest_ = Slice(*range.largest);
  }

  bool EndsAfterBegin(const TableFile& table) const {
    return !(smallest_ && order_.CompareUser(table.largest_user(), *smallest_) < 0);
  }
  bool BeginsBeforeEnd(const TableFile& table) const {
    return !(largest_ && order_.CompareUser(table.smallest_user(), *largest_) > 0);
  }
  bool Touches(const TableFile& table) const {
    return EndsAfterBegin(table) && BeginsBeforeEnd(table);
  }

  // Returns false if the table was already inside.
  bool Grow(const TableFile& table) {
    bool grown = false;
    if (smallest_ && order_.CompareUser(table.smallest_user(), *smallest_) < 0) {
      smallest_ = table.smallest_user();
      grown = true;
    }
    if (largest_ && order_.CompareUser(table.largest_user(), *largest_) > 0) {
      largest_ = table.largest_user();
      grown = true;
    }
    return grown;
  }

 private:
  const KeyOrder& order_;
  std::optional<Slice> smallest_;
  std::optional<Slice> largest_;
};

namespace {

std::string Number(uint64_t value) { return std::to_string(value); }

Status Damaged(int level, const std::string& what) {
  return Status::Corruption("table list, level " + Number(level), what);
}

bool SameTable(const TableMeta& a, const TableMeta& b) {
  return a.number == b.number && a.file_bytes == b.file_bytes && a.smallest == b.smallest &&
         a.largest == b.largest;
}

}  // namespace

std::vector<TableMeta> Version::AllTables() const {
  std::vector<TableMeta> tables;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : levels_[level]) {
      tables.push_back(table->description);
      tables.back().level = level;
    }
  }
  return tables;
}

std::set<uint64_t> Version::TableNumbers() const {
  std::set<uint64_t> numbers;
  for (const std::vector<TableRef>& tables : levels_) {
    for (const TableRef& table : tables) numbers.insert(table->number());
  }
  return numbers;
}

size_t Version::FindTable(int level, const Slice& internal_key) const {
  const auto& tables = levels_[level];
  const auto ends_before = [&](const TableRef& table) {
    return order_.Compare(table->largest(), internal_key) < 0;
  };
  return std::partition_point(tables.begin(), tables.end(), ends_before) - tables.begin();
}

TableFile* Version::Find(const TableMeta& wanted) const {
  const auto& tables = levels_[wanted.level];
  const auto first =
      tables.begin() +
      (wanted.level == 0 ? 0 : static_cast<ptrdiff_t>(FindTable(wanted.level, wanted.largest)));
  const auto found = std::find_if(
      first, tables.end(), [&](const TableRef& table) { return table->number() == wanted.number; });
  return found == tables.end() ? nullptr : found->get();
}

std::vector<TableRef> Version::Overlapping(int level, const UserRange& range) const {
  const auto& tables = levels_[level];
  Hull hull(order_, range);
  if (level > 0) {
    const auto ends_before = [&](const TableRef& table) {
      return range.smallest && order_.CompareUser(table->largest_user(), *range.smallest) < 0;
    };
    const auto first = std::partition_point(tables.begin(), tables.end(), ends_before);
    const auto touches = [&](const TableRef& table) { return hull.Touches(*table); };
    return {first, std::partition_point(first, tables.end(), touches)};
  }

  return OverlappingInL0(hull);
}

/// Goes through the tables in the order of their smallest keys as the range grows to the right, and
/// in that of their largest keys as it grows to the left. So it looks at each twice.
std::vector<TableRef> Version::OverlappingInL0(Hull hull) const {
  const auto& tables = levels_[0];
  std::vector<bool> chosen(tables.size(), false);
  bool grown = false;
  const auto choose = [&](size_t i) {
    if (chosen[i] || !hull.Touches(*tables[i])) return;
    chosen[i] = true;
    grown = hull.Grow(*tables[i]) || grown;
  };
  for (size_t i = 0; i < tables.size(); ++i) choose(i);
  if (grown) {
    std::vector<size_t> by_smallest(tables.size());
    std::iota(by_smallest.begin(), by_smallest.end(), 0);
    std::vector<size_t> by_largest = by_smallest;
    std::stable_sort(by_smallest.begin(), by_smallest.end(), [&](size_t a, size_t b) {
      return order_.CompareUser(tables[a]->smallest_user(), tables[b]->smallest_user()) < 0;
    });
    std::stable_sort(by_largest.begin(), by_largest.end(), [&](size_t a, size_t b) {
      return order_.CompareUser(tables[a]->largest_user(), tables[b]->largest_user()) > 0;
    });
    auto right = by_smallest.begin();
    auto left = by_largest.begin();
    while (std::exchange(grown, false)) {
      while (right != by_smallest.end() && hull.BeginsBeforeEnd(*tables[*right])) choose(*right++);
      while (left != by_largest.end() && hull.EndsAfterBegin(*tables[*left])) choose(*left++);
    }
  }
  std::vector<TableRef> result;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (chosen[i]) result.push_back(tables[i]);
  }
  return result;
}

int Version::DeepestLevel() const {
  int level = kLevels - 1;
  while (level > 0 && levels_[level].empty()) --level;
  return level;
}

uint64_t Version::DebtBytes(const std::array<uint64_t, kLevels>& target_bytes,
                            int l0_trigger) const {
  // Bytes that leave a level count there, and add to the excess of the next level. L0 leaves as a
  // whole.
  uint64_t leaving = TableCount(0) >= l0_trigger ? level_bytes_[0] : 0;
  uint64_t debt = leaving;
  for (int level = 1; level + 1 < kLevels; ++level) {
    const uint64_t bytes = level_bytes_[level] + leaving;
    leaving = bytes > target_bytes[level] ? bytes - target_bytes[level] : 0;
    debt += leaving;
  }
  return debt;
}

VersionBuilder::VersionBuilder(VersionRef base, MakeTable make_table)
    : base_(std::move(base)), make_table_(std::move(make_table)) {}

/// The base's tables that the edit mentions, in one pass.
VersionBuilder::ByNumber VersionBuilder::NamedInBase(const VersionEdit& edit) const {
  std::unordered_set<uint64_t> numbers;
  for (const auto& [level, number] : edit.deleted_tables) numbers.insert(number);
  for (const TableMeta& table : edit.new_tables) numbers.insert(table.number);
  ByNumber named;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : base_->level(level)) {
      if (!numbers.contains(table->number())) continue;
      if (!removed_.contains(table->number()))
        named.emplace(table->number(), Listed{level, table, {}});
    }
  }
  return named;
}

Status VersionBuilder::Remove(int level, uint64_t number, const ByNumber& in_base,
                              ByNumber* removed) {
  if (level < 0 || level >= kLevels) return Damaged(level, "no such level");
  const auto added = added_.find(number);
  const auto listed = in_base.find(number);
  if (added != added_.end() && added->second.level == level) {
    removed->insert(added_.extract(added));
  } else if (listed != in_base.end() && listed->second.level == level &&
             removed_.insert(number).second) {
    removed->insert(*listed);
  } else {
    return Damaged(level, "table " + Number(number) + " is deleted but was not there");
  }
  changed_[level] = true;
  return Status::OK();
}

Status VersionBuilder::Add(const TableMeta& table, const ByNumber& in_base, ByNumber* removed) {
  if (table.level < 0 || table.level >= kLevels) return Damaged(table.level, "no such level");
  Listed entry{table.level, nullptr, table};
  if (const auto moved = removed->find(table.number); moved != removed->end()) {
    if (!SameTable(moved->second.about(), table)) {
      return Damaged(table.level, "table " + Number(table.number) + " changed while it moved");
    }
    entry.table = moved->second.table;
  }
  const bool is_in_base = in_base.contains(table.number) && !removed_.contains(table.number);
  const auto [listed, is_new] = added_.try_emplace(table.number, std::move(entry));
  // goleveldb lists tables recovered from logs twice, identically, in its new MANIFEST.
  const bool is_repeated =
      !is_new && listed->second.level == table.level && SameTable(listed->second.about(), table);
  if (is_in_base || !(is_new || is_repeated)) {
    return Damaged(table.level, "table " + Number(table.number) + " is added twice");
  }
  changed_[table.level] = true;
  return Status::OK();
}

Status VersionBuilder::Apply(const VersionEdit& edit) {
  const ByNumber in_base = NamedInBase(edit);
  ByNumber removed;  // by this edit
  for (const auto& [level, number] : edit.deleted_tables) {
    if (edit.comparator && !IsListed(number, in_base)) continue;
    if (Status status = Remove(level, number, in_base, &removed); !status.ok()) return status;
  }
  for (const TableMeta& table : edit.new_tables) {
    if (Status status = Add(table, in_base, &removed); !status.ok()) return status;
  }
  return Status::OK();
}

/// The tables of a level in the result, in order. The base's tables are already sorted.
std::vector<VersionBuilder::Item> VersionBuilder::Listing(int level) const {
  const KeyOrder& order = base_->order();
  const auto before = [&](const Item& a, const Item& b) {
    if (level == 0) return a.about->number > b.about->number;
    const int by_key = order.Compare(a.about->smallest, b.about->smallest);
    return by_key != 0 ? by_key < 0 : a.about->number < b.about->number;
  };
  std::vector<Item> kept;
  for (const TableRef& table : base_->level(level)) {
    if (!removed_.contains(table->number())) kept.push_back({&table->description, &table});
  }
  std::vector<Item> added;
  for (const auto& [number, entry] : added_) {
    if (entry.level == level)
      added.push_back({&entry.about(), entry.table ? &entry.table : nullptr});
  }
  std::stable_sort(added.begin(), added.end(), before);
  std::vector<Item> items(kept.size() + added.size());
  std::merge(kept.begin(), kept.end(), added.begin(), added.end(), items.begin(), before);
  return items;
}

Status VersionBuilder::CheckLevel(int level, const std::vector<Item>& items) const {
  const KeyOrder& order = base_->order();
  if (NamedComparator::IsNamed(order.user())) return Status::OK();
  for (size_t i = 0; i < items.size(); ++i) {
    const TableMeta& table = *items[i].about;
    if (order.Compare(table.smallest, table.largest) > 0) {
      return Damaged(level, "table " + Number(table.number) + " ends before it begins");
    }
    if (level == 0 || i == 0) continue;
    const TableMeta& before = *items[i - 1].about;
    if (order.Compare(before.largest, table.smallest) >= 0) {
      return Damaged(
          level, "tables " + Number(before.number) + " and " + Number(table.number) + " overlap");
    }
  }
  return Status::OK();
}

Status VersionBuilder::Build(VersionRef* result) const {
  const KeyOrder& order = base_->order();
  for (const auto& [number, entry] : added_) {
    const TableMeta& table = entry.about();
    if (!order.Comparable(table.smallest) || !order.Comparable(table.largest)) {
      return Damaged(entry.level, "table " + Number(number) + " has a key that is too short");
    }
  }
  std::array<std::vector<Item>, kLevels> levels;
  for (int level = 0; level < kLevels; ++level) {
    if (!changed_[level]) continue;
    levels[level] = Listing(level);
    if (Status status = CheckLevel(level, levels[level]); !status.ok()) return status;
  }

  auto version = std::make_shared<Version>(order);
  for (int level = 0; level < kLevels; ++level) {
    if (!changed_[level]) {
      version->levels_[level] = base_->levels_[level];
      version->level_bytes_[level] = base_->level_bytes_[level];
      continue;
    }
    version->levels_[level].reserve(levels[level].size());
    for (const Item& item : levels[level]) {
      TableRef table = item.table != nullptr ? *item.table : make_table_(*item.about);
      version->level_bytes_[level] += table->file_bytes();
      version->levels_[level].push_back(std::move(table));
    }
  }
  *result = std::move(version);
  return Status::OK();
}

}  // namespace lull
