// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a damaged store's directory and MANIFESTs reveal about its tables. Used only by RepairDB;
// one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/version/version_edit.h"
#include "leveldb/status.h"

namespace lull {

/// The files of a store, by kind. Names without the directory.
struct DirectoryListing {
  std::map<uint64_t, std::string> tables;
  std::map<uint64_t, std::string> wals;
  std::map<uint64_t, std::string> manifests;
  std::vector<std::string> temps;
  std::vector<std::string> twins;  ///< NNNNNN.sst next to an NNNNNN.ldb, which a store prefers
  std::string current;             ///< empty if missing
  std::string in_the_way;          ///< CURRENT if that is no file; otherwise empty
  bool empty() const {
    return tables.empty() && wals.empty() && manifests.empty() && current.empty();
  }
};

/// Lists the directory. Marks all file numbers in it and in lost/ as used.
leveldb::Status ListDirectory(StoreContext* context, DirectoryListing* listing);

/// Moves the MANIFESTs of repairs that were interrupted before CURRENT named them to `temps`. What
/// they replaced still exists, and as evidence they would hide it: deletions that only a WAL has
/// would be lost.
void DropUnfinishedRepairs(const StoreContext& context, DirectoryListing* listing);

/// The records of all MANIFESTs, in order, as far as they are readable.
class TableHistory {
 public:
  /// Returns InvalidArgument if the store has another comparator. Damage ends a MANIFEST without an
  /// error.
  leveldb::Status Read(StoreContext* context, const DirectoryListing& listing);

  /// The tables that were dropped or compacted into others, so their entries must not reappear. A
  /// table counts only if each successor is `whole` or superseded itself. Otherwise its entries can
  /// be the last copy.
  std::set<uint64_t> Superseded(const std::function<bool(uint64_t)>& whole) const;

  /// A flush and a compaction change the files, not the contents. So an earlier state of the store
  /// has the contents of the last one if the files that were replaced since are still there: its
  /// tables, and its logs among `wals`. That is so after a kill before their removal.
  /// Returns after how many records of `manifest` the fewest tables are not `whole`. Of several
  /// such numbers, returns the greatest; nullopt if it is the number of all records.
  std::optional<uint64_t> LeastDamaged(uint64_t manifest,
                                       const std::map<uint64_t, std::string>& wals,
                                       const std::function<bool(uint64_t)>& whole) const;

  /// WALs below this number were flushed.
  uint64_t log_number() const { return log_number_; }
  SequenceNumber last_sequence() const { return last_sequence_; }

 private:
  /// A record. A table that only moved is neither removed nor added.
  struct Change {
    uint64_t manifest = 0;
    uint64_t log_number = 0;  ///< 0: as before
    std::vector<uint64_t> removed;
    std::vector<uint64_t> added;
  };

  leveldb::Status Take(StoreContext* context, uint64_t manifest, const VersionEdit& edit);

  std::vector<Change> changes_;
  bool knows_comparator_ = false;
  uint64_t log_number_ = 0;
  SequenceNumber last_sequence_ = 0;
};

}  // namespace lull
