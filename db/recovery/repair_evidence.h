// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a damaged store's folder and MANIFESTs tell about its tables. Used by RepairDB alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/context.h"
#include "db/version/version_edit.h"
#include "leveldb/status.h"

namespace lull {

/// The files of a store, by kind; names without folder.
struct FolderListing {
  std::map<uint64_t, std::string> tables;
  std::map<uint64_t, std::string> wals;
  std::map<uint64_t, std::string> manifests;
  std::vector<std::string> temps;
  std::vector<std::string> twins;  ///< tables NNNNNN.sst beside NNNNNN.ldb, which a store reads
  std::string current;             ///< empty: there is none
  bool empty() const {
    return tables.empty() && wals.empty() && manifests.empty() && current.empty();
  }
};

/// Lists the folder, and marks all numbers found, in lost/ too, as used.
leveldb::Status ListFolder(StoreContext* context, FolderListing* listing);

/// The MANIFESTs' records in order, as far as each can be read.
class TableHistory {
 public:
  /// InvalidArgument when the store has another comparator; damage ends the reading, silently.
  leveldb::Status Read(StoreContext* context, const FolderListing& listing);

  /// The tables that were compacted into others, or dropped, so that their entries must not come
  /// back. A table whose successors are not all `whole` (or superseded themselves) does not count:
  /// its entries may be the last copy.
  std::set<uint64_t> Superseded(const std::function<bool(uint64_t)>& whole) const;

  /// WALs before this number were flushed.
  uint64_t log_number() const { return log_number_; }
  SequenceNumber last_sequence() const { return last_sequence_; }

 private:
  struct Change {
    std::vector<uint64_t> removed;
    std::vector<uint64_t> added;
  };

  leveldb::Status Take(StoreContext* context, const VersionEdit& edit);

  std::vector<Change> changes_;
  uint64_t log_number_ = 0;
  SequenceNumber last_sequence_ = 0;
};

}  // namespace lull
