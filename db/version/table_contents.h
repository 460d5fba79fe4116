// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TableContents: what a table contains, as compactions that free space must know it. The MANIFEST
// has no place for it, so each table has it in a meta block (docs/formats.md). Tables of other
// origin lack the block and are sampled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "db/base/dbformat.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

/// All zero if unknown.
struct TableContents {
  static constexpr char kBlockName[] = "lull.contents";

  uint64_t entries = 0;
  uint64_t deletions = 0;
  SequenceNumber newest_deletion = 0;
  /// No deletion was written before this time, in seconds since 1970. 0 if it is unknown, or
  /// without deletions.
  uint64_t deletions_since = 0;

  /// REQUIRES: internal_key.size() >= KeyOrder::kTrailerBytes.
  void Count(const leveldb::Slice& internal_key) {
    ++entries;
    if (internal_key[internal_key.size() - KeyOrder::kTrailerBytes] !=
        static_cast<char>(ValueKind::kDeletion))
      return;
    ParsedInternalKey entry;
    if (!ParseInternalKey(internal_key, &entry)) return;
    ++deletions;
    newest_deletion = std::max(newest_deletion, entry.sequence);
  }

  std::string ToBlock() const;
  /// Returns nullopt if the bytes are not from ToBlock.
  static std::optional<TableContents> FromBlock(leveldb::Slice block);

  bool operator==(const TableContents&) const = default;
};

}  // namespace lull
