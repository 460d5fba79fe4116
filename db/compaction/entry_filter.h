// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The client's compaction filter (lull/compaction_filter.h) inside the store.
//
// StoreFilter: the filter of a store, guarded by the store's mutex. EntryFilter: the filter of one
// job, with its totals; one thread at a time. A compaction takes the filter when it begins and
// shares ownership until it ends.
//
// A *pass* is a number that each CompactRange with a filter increments. A table records the pass of
// the compaction that wrote it (TableFile::filter_pass). So CompactRange finds the tables that its
// filter has not seen yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "lull/compaction_filter.h"

namespace lull {

/// A filter as one call of SetCompactionFilter registered it.
struct NamedFilter {
  std::shared_ptr<const CompactionFilter> filter;
  std::string name;
};
using FilterRef = std::shared_ptr<const NamedFilter>;

/// What a compaction knows about its filter when it begins.
struct FilterUse {
  FilterRef filter;  ///< null: none
  uint64_t pass = 0;
  bool snapshot_may_see = false;
};

/// What filters dropped.
struct FilterTotals {
  uint64_t entries = 0;
  uint64_t bytes = 0;  ///< of their keys and values
  void Add(const FilterTotals& more) {
    entries += more.entries;
    bytes += more.bytes;
  }
};

class StoreFilter {
 public:
  /// Replaces the filter, and forgets its error. Returns the former one: destroy it without the
  /// mutex.
  [[nodiscard]] FilterRef Set(FilterRef filter);
  /// The filter for a compaction that begins now.
  FilterUse Use(bool has_snapshots) const {
    return filter_ == nullptr ? FilterUse() : FilterUse{filter_, pass_, has_snapshots};
  }
  /// Tables of compactions that begin from now on, with a filter, have the returned pass or a later
  /// one. 0: there is no filter.
  uint64_t BeginPass() { return filter_ == nullptr ? 0 : ++pass_; }
  /// `filter` threw. Returns it if it was the store's until now, otherwise null.
  [[nodiscard]] FilterRef SetAside(const FilterRef& filter, const leveldb::Status& why);

  void CountDropped(const FilterTotals& totals) { dropped_.Add(totals); }
  const FilterTotals& dropped() const { return dropped_; }
  std::string name() const { return filter_ == nullptr ? "" : filter_->name; }
  /// Why the last filter was set aside; empty if it was not.
  const std::string& error() const { return error_; }

 private:
  FilterRef filter_;
  uint64_t pass_ = 0;
  FilterTotals dropped_;
  std::string error_;
};

class EntryFilter {
 public:
  /// REQUIRES: `use` has a filter.
  EntryFilter(FilterUse use, int output_level);

  /// Asks the client's filter about an entry. Fails if it throws.
  leveldb::Status Ask(const leveldb::Slice& user_key, const leveldb::Slice& value, bool* drop);
  /// The key of a deletion with the sequence of `internal_key`. Valid until the next call.
  leveldb::Slice DeletionOf(const leveldb::Slice& internal_key);

  const FilterRef& filter() const { return use_.filter; }
  bool has_failed() const { return has_failed_; }
  const FilterTotals& dropped() const { return dropped_; }

 private:

  const FilterUse use_;
  const FilterContext context_;
  FilterTotals dropped_;
  std::string deletion_;
  bool has_failed_ = false;
};

}  // namespace lull
