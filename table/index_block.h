// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The index of an open table, decoded and kept in memory while the table is open. In the file it is
// a block with one entry per data block. The entry's key is at or after the last key of its data
// block and before the first key of the next one; its value is the data block's handle. Immutable;
// any thread.
//
// In bytewise order, a search first compares eight bytes of each key, those after the prefix that
// all keys share. One array contains them, so most steps do not access the keys, and the keys are
// kept without their first bytes. The last key is no part of this: writers shorten it to a
// successor of the table's keys, which rarely has their prefix. The result is a position in the
// array of handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "table/format.h"
#include "table/key_order.h"

namespace lull {

/// Keys of a table: those from `begin` on that are before `end`.
struct TablePart {
  std::optional<std::string> begin;
  std::optional<std::string> end;
};

class IndexBlock {
 public:
  /// Decodes `contents`. Returns the cause of damage, or nullptr. `part`: the index keeps only
  /// blocks that can have keys of it; null: all.
  const char* Open(const KeyOrder& order, const leveldb::Slice& contents,
                   const TablePart* part = nullptr);

  /// Number of data blocks.
  size_t size() const { return entries_.size(); }
  /// REQUIRES: i < size(). The handle is not checked against the file.
  BlockHandle handle(size_t i) const { return {entries_[i].offset, entries_[i].stored_bytes}; }
  /// Position of the only data block that can have `target`; size() if none can.
  size_t Find(const KeyOrder& order, const leveldb::Slice& target) const;

  /// Whether the keys ascend.
  bool IsInOrder(const KeyOrder& order) const;

  /// Heap memory of the index, in bytes.
  size_t MemoryBytes() const;

 private:
  struct Entry {
    uint64_t offset;
    uint32_t stored_bytes;
    uint32_t key_end;  ///< in keys_; the key begins where the previous one ends
  };
  /// The positions whose leading bytes equal the target's: [low, high).
  struct Range {
    size_t low;
    size_t high;
  };
  const char* Decode(const KeyOrder& order, const leveldb::Slice& contents);
  void KeepOnly(const KeyOrder& order, const TablePart& part);
  leveldb::Slice Key(size_t i) const;
  void SetLeading(const KeyOrder& order);
  void OmitFirstBytes(size_t count);
  Range Narrow(const leveldb::Slice& user_target) const;
  /// The first position in `range` whose key is at or after `target`; range.high if none is.
  size_t LowerBound(const KeyOrder& order, Range range, const leveldb::Slice& target) const;

  std::string keys_;  ///< all keys, one after the other; see omitted_
  std::vector<Entry> entries_;
  std::string common_;  ///< common prefix of all user keys except the last
  /// The eight bytes that follow it, as big-endian numbers. Empty: not used.
  std::vector<uint64_t> leading_;
  /// common_ and leading_ have these bytes of each user key; keys_ has them of the last one only.
  size_t omitted_ = 0;
  bool last_is_in_order_ = true;
};

}  // namespace lull
