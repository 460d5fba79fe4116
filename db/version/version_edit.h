// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// VersionEdit: one record of the MANIFEST, a change to the set of tables. A plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/base/dbformat.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

/// A table as the MANIFEST describes it.
struct TableMeta {
  int level = 0;
  uint64_t number = 0;
  uint64_t file_bytes = 0;
  std::string smallest;  ///< internal keys, both in the table
  std::string largest;
  bool operator==(const TableMeta&) const = default;
};

/// Per level: the internal key after which its next compaction begins. Empty: begin at the start.
using CompactPointers = std::array<std::string, kLevels>;

struct VersionEdit {
  /// Only at the beginning of a MANIFEST. Such an edit can delete tables that are not listed: see
  /// RemovedTables.
  std::optional<std::string> comparator;
  std::optional<uint64_t> log_number;       ///< the oldest WAL still needed
  std::optional<uint64_t> prev_log_number;  ///< always written as 0; nonzero only in old stores
  std::optional<uint64_t> next_file_number;
  std::optional<SequenceNumber> last_sequence;
  std::vector<std::pair<int, std::string>> compact_pointers;  ///< level, internal key
  std::vector<std::pair<int, uint64_t>> deleted_tables;       ///< level, number
  std::vector<TableMeta> new_tables;

  void EncodeTo(std::string* out) const;
  /// Returns Corruption with the malformed field for an invalid level, an invalid key or an unknown
  /// tag.
  leveldb::Status DecodeFrom(const leveldb::Slice& record);
  std::string DebugString() const;
  bool operator==(const VersionEdit&) const = default;
};

}  // namespace lull
