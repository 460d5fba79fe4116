// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Version: the set of tables at one moment. Immutable once built, so any thread can read it. Pure
// data and queries: no files, no locks. VersionBuilder builds it from a base and edits. Views,
// iterators and jobs hold references.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "db/base/dbformat.h"
#include "db/version/table_contents.h"
#include "db/version/version_edit.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/key_order.h"
#include "util/key_filter.h"

namespace lull {

class CachedTable;  // table_cache.h

/// One table file, shared by the Versions that list it. When the last reference is released,
/// `on_unlisted` is called once, on that thread, unless the store is closing. It must return
/// quickly.
struct TableFile {
  TableFile(TableMeta description_in, std::function<void(const TableFile&)> on_unlisted_in)
      : description(std::move(description_in)), on_unlisted(std::move(on_unlisted_in)) {}
  ~TableFile() {
    if (on_unlisted) on_unlisted(*this);
    delete key_filter.load(std::memory_order_relaxed);
  }

  uint64_t number() const { return description.number; }
  uint64_t file_bytes() const { return description.file_bytes; }
  leveldb::Slice smallest() const { return description.smallest; }  ///< internal key
  leveldb::Slice largest() const { return description.largest; }
  leveldb::Slice smallest_user() const { return UserKeyOf(description.smallest); }
  leveldb::Slice largest_user() const { return UserKeyOf(description.largest); }

  const TableMeta description;  ///< level is unused: a moved table keeps its TableFile
  /// Set before the table is published, or by Preload under the store's mutex.
  TableContents contents;
  /// The pass of the compaction that wrote this table with a filter (entry_filter.h); 0: none, or
  /// in an earlier open. Set before the table is published.
  uint64_t filter_pass = 0;
  std::atomic<CachedTable*> opened{nullptr};  ///< owned by the table cache
  /// Owned; can be null. See StoreContext::HasKeyFilters. Set before the table is published, or by
  /// Preload. Readers must hold a guard of the store's grace domain.
  std::atomic<const KeyFilter*> key_filter{nullptr};
  /// Sampled user keys, for dividing a compaction of L0 into parts (key_sample.h). Only in L0, like
  /// the filter. Set before the table is published. Only the install of a trivial move clears them;
  /// it has reserved their range, so no other thread reads them.
  std::vector<std::string> sample_keys;
  const std::function<void(const TableFile&)> on_unlisted;
};

using TableRef = std::shared_ptr<TableFile>;

/// For a Version that no reader uses.
inline TableRef DescribedTable(const TableMeta& table) {
  return std::make_shared<TableFile>(table, nullptr);
}

/// An inclusive range of user keys; a missing end is unbounded.
struct UserRange {
  std::optional<std::string> smallest;
  std::optional<std::string> largest;
};

class Version {
 public:
  explicit Version(const KeyOrder& order) : order_(order) {}

  const KeyOrder& order() const { return order_; }

  /// L0: newest first, by descending number. Deeper levels: by smallest key, with disjoint ranges
  /// of internal keys. Neighbors can share a user key, with the newer entries in the first. LevelDB
  /// writes such tables, and VersionBuilder accepts them.
  const std::vector<TableRef>& level(int level) const { return levels_[level]; }
  int TableCount(int level) const { return static_cast<int>(levels_[level].size()); }
  uint64_t LevelBytes(int level) const { return level_bytes_[level]; }
  /// Of the tables of all levels.
  uint64_t TotalBytes() const {
    return std::accumulate(level_bytes_.begin(), level_bytes_.end(), uint64_t{0});
  }

  /// The tables of all levels, and their numbers.
  std::vector<TableMeta> AllTables() const;
  std::set<uint64_t> TableNumbers() const;

  /// Position of the first table of a level >= 1 whose largest key is >= `internal_key`;
  /// TableCount(level) if none.
  size_t FindTable(int level, const leveldb::Slice& internal_key) const;

  /// Finds a table by its level and number; null if not listed.
  TableFile* Find(const TableMeta& table) const;

  /// The tables of `level` that share a user key with `range`, in Version's order. In L0, tables
  /// that overlap a chosen one are chosen too. Otherwise an older version of a key could stay above
  /// a newer one.
  std::vector<TableRef> Overlapping(int level, const UserRange& range) const;

  /// An estimate for policies: bytes to compact until L0 is under `l0_trigger` tables and every
  /// level within its target. A level's excess counts once for every level it must still pass
  /// through.
  uint64_t DebtBytes(const std::array<uint64_t, kLevels>& target_bytes, int l0_trigger) const;

  /// The deepest level with a table; 0 in an empty Version.
  int DeepestLevel() const;

 private:
  friend class VersionBuilder;
  class Hull;
  std::vector<TableRef> OverlappingInL0(Hull hull) const;

  const KeyOrder order_;
  std::array<std::vector<TableRef>, kLevels> levels_;
  std::array<uint64_t, kLevels> level_bytes_{};
};

using VersionRef = std::shared_ptr<const Version>;

/// Applies edits to a base, in order. Build checks the result. Used by recovery (many edits) and by
/// each install (one). One thread at a time.
class VersionBuilder {
 public:
  /// Creates the TableFile of a new table. Called by Build after its checks, and only for tables
  /// still listed then.
  using MakeTable = std::function<TableRef(const TableMeta&)>;

  VersionBuilder(VersionRef base, MakeTable make_table);

  /// Applies deletions first, then additions. A table that an edit deletes and adds has moved, and
  /// keeps its TableFile. Returns Corruption if the edit deletes an unknown table, without naming
  /// the comparator, or adds one twice; the builder is then unusable.
  leveldb::Status Apply(const VersionEdit& edit);

  /// Returns Corruption if tables of a level >= 1 overlap or a table's keys are out of order. The
  /// error names level and numbers.
  leveldb::Status Build(VersionRef* result) const;

 private:
  struct Listed {
    int level = 0;
    TableRef table;         ///< null: a new table, described by `description`
    TableMeta description;  ///< of new tables only
    const TableMeta& about() const { return table ? table->description : description; }
  };
  /// A table of the result: one of the base, or one of `added_`.
  struct Item {
    const TableMeta* about;
    const TableRef* table;  ///< null: to create
  };
  using ByNumber = std::unordered_map<uint64_t, Listed>;

  ByNumber NamedInBase(const VersionEdit& edit) const;
  bool IsListed(uint64_t number, const ByNumber& in_base) const {
    return added_.contains(number) || (in_base.contains(number) && !removed_.contains(number));
  }
  leveldb::Status Remove(int level, uint64_t number, const ByNumber& in_base, ByNumber* removed);
  leveldb::Status Add(const TableMeta& table, const ByNumber& in_base, ByNumber* removed);
  std::vector<Item> Listing(int level) const;
  leveldb::Status CheckLevel(int level, const std::vector<Item>& items) const;

  // Only the differences from the base: the base can be large, and an install must not copy it.
  const VersionRef base_;
  const MakeTable make_table_;
  std::unordered_set<uint64_t> removed_;  // tables of the base, by number
  ByNumber added_;                        // new and moved tables
  std::array<bool, kLevels> changed_{};
};

}  // namespace lull
