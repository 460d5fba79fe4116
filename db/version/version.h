// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A Version: the set of tables at one moment, immutable once built. Everything here is data and
// pure questions about it; nothing opens a file or takes a lock. Built by VersionBuilder from a
// base and edits; held by views, iterators and jobs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "db/dbformat.h"
#include "db/version/version_edit.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/key_order.h"
#include "util/key_filter.h"

namespace lull {

class CachedTable;  // table_cache.h

/// One table file, shared by the Versions that list it. When the last of them lets go,
/// `on_unlisted` is called once (from whichever thread that is: it must only take note), unless the
/// store is closing.
struct TableFile {
  TableFile(TableMeta description_in, std::function<void(const TableFile&)> on_unlisted_in)
      : description(std::move(description_in)), on_unlisted(std::move(on_unlisted_in)) {}
  ~TableFile() {
    if (on_unlisted) on_unlisted(*this);
    delete key_filter.load(std::memory_order_relaxed);
  }
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  uint64_t number() const { return description.number; }
  uint64_t file_bytes() const { return description.file_bytes; }
  leveldb::Slice smallest() const { return description.smallest; }  ///< internal key
  leveldb::Slice largest() const { return description.largest; }
  leveldb::Slice smallest_user() const { return UserKeyOf(description.smallest); }
  leveldb::Slice largest_user() const { return UserKeyOf(description.largest); }

  const TableMeta description;  ///< its level field is not used: a moved table keeps its TableFile
  std::atomic<CachedTable*> opened{nullptr};  ///< owned by the table cache
  /// Owned; null where there is none. Only of tables that this process flushed, while they are in
  /// L0: a read looks into many of those, and their number is bounded. Whoever looks at it holds a
  /// guard of the store's grace domain.
  std::atomic<const KeyFilter*> key_filter{nullptr};
  const std::function<void(const TableFile&)> on_unlisted;
};

using TableRef = std::shared_ptr<TableFile>;

/// An inclusive range of user keys; a missing end is unbounded.
struct UserRange {
  std::optional<std::string> smallest;
  std::optional<std::string> largest;
};

class Version {
 public:
  explicit Version(const KeyOrder& order) : order_(order) {}

  const KeyOrder& order() const { return order_; }

  /// L0: newest first (by number, descending). Deeper: by smallest key, ranges of internal keys
  /// disjoint. Neighbours may share a user key, the newer entries in the first (LevelDB writes such
  /// tables; VersionBuilder lets them pass).
  const std::vector<TableRef>& level(int level) const { return levels_[level]; }
  int TableCount(int level) const { return static_cast<int>(levels_[level].size()); }
  uint64_t LevelBytes(int level) const { return level_bytes_[level]; }

  /// Position of the first table of a level >= 1 whose largest key is >= `internal_key`;
  /// TableCount(level) if none.
  size_t FindTable(int level, const leveldb::Slice& internal_key) const;

  /// The tables of `level` that share a user key with `range`. In L0 the answer is closed: a table
  /// that overlaps a chosen one is chosen too, so that no older version stays behind in front of a
  /// newer one. In Version's order.
  std::vector<TableRef> Overlapping(int level, const UserRange& range) const;

  /// Whether the key ranges of the levels deeper than `level` leave room for `user_key`.
  bool MayHoldBelow(int level, const leveldb::Slice& user_key) const;

  /// Bytes that must still be compacted until L0 is under `l0_trigger` tables and every level
  /// within its target: for each level the excess, counted once for every level it must still pass
  /// through. An estimate, used by policies.
  uint64_t DebtBytes(const std::array<uint64_t, kLevels>& target_bytes, int l0_trigger) const;

  std::string DebugString() const;

 private:
  friend class VersionBuilder;
  const KeyOrder order_;
  std::array<std::vector<TableRef>, kLevels> levels_;
  std::array<uint64_t, kLevels> level_bytes_{};
};

using VersionRef = std::shared_ptr<const Version>;

/// Applies edits to a base, in order; Build checks the result. Used by recovery (many edits) and by
/// each install (one).
class VersionBuilder {
 public:
  /// Makes the TableFile of a table that is new to the base. Called by Build, once its checks have
  /// passed, and only for tables that are still listed then: a table that came and went in between
  /// is never made.
  using MakeTable = std::function<TableRef(const TableMeta&)>;

  VersionBuilder(VersionRef base, MakeTable make_table);

  /// Deletions first, then additions: a table that an edit deletes and adds again has moved, and
  /// keeps its TableFile. Corruption when the edit deletes a table that is not there, or adds one
  /// twice. The builder is useless then.
  leveldb::Status Apply(const VersionEdit& edit);

  /// Corruption when tables of a level >= 1 overlap, or a table's keys are out of order; names
  /// level and numbers.
  leveldb::Status Build(VersionRef* result) const;

 private:
  struct Listed {
    int level = 0;
    TableRef table;         ///< null: new, described by `description`
    TableMeta description;  ///< of new tables only
    const TableMeta& about() const { return table ? table->description : description; }
  };
  /// A table of the result: one of the base, or one of `added_`.
  struct Item {
    const TableMeta* about;
    const TableRef* table;  ///< null: to be made
  };
  using ByNumber = std::unordered_map<uint64_t, Listed>;

  ByNumber NamedInBase(const VersionEdit& edit) const;
  leveldb::Status Remove(int level, uint64_t number, const ByNumber& in_base, ByNumber* removed);
  leveldb::Status Add(const TableMeta& table, const ByNumber& in_base, ByNumber* removed);
  std::vector<Item> Listing(int level) const;
  leveldb::Status CheckLevel(int level, const std::vector<Item>& items) const;

  // What differs from the base, which may be large: an install should not take the time to copy all
  // of it.
  const VersionRef base_;
  const MakeTable make_table_;
  std::unordered_set<uint64_t> removed_;  // tables of the base, by number
  ByNumber added_;                        // new tables and moved ones
  std::array<bool, kLevels> changed_{};
};

}  // namespace lull
