// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The index of an open table, kept in memory while the table is open. It is a block with one entry
// per data block. The entry's key is at or after the last key of its data block and before the
// first key of the next one; its value is the data block's handle. Immutable; any thread.
//
// In bytewise order, a search first compares eight bytes of each restart point's key, those after
// the prefix that all keys share. One array contains them, so most steps touch neither the block
// nor memcmp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "table/block.h"
#include "table/format.h"
#include "table/key_order.h"

namespace lull {

class IndexBlock {
 public:
  /// `memory` owns `contents`. Returns the cause of damage, or nullptr.
  const char* Open(const KeyOrder& order, std::unique_ptr<char[]> memory,
                   const leveldb::Slice& contents);

  const Block& block() const { return block_; }

  /// Moves `cursor`, reset to block(), to the entry of the only data block that can have `target`.
  void Seek(const KeyOrder& order, const leveldb::Slice& target, BlockCursor* cursor) const;

  /// Memory used, in bytes.
  size_t MemoryBytes() const {
    return contents_bytes_ + common_.size() + leading_.size() * sizeof(leading_[0]);
  }

  /// Reads the handle at `cursor`; returns false if malformed.
  static bool ReadHandle(const BlockCursor& cursor, BlockHandle* handle) {
    leveldb::Slice value = cursor.value();
    return handle->DecodeFrom(&value);
  }

 private:
  /// Restart points whose leading bytes do not decide their order relative to the target: [low,
  /// high).
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  Range Narrow(const leveldb::Slice& user_target) const;
  bool EveryEntryRestarts(const KeyOrder& order) const;

  std::unique_ptr<char[]> memory_;
  size_t contents_bytes_ = 0;
  Block block_;
  bool every_entry_restarts_ = false;  ///< as in indexes that LevelDB writes
  std::string common_;                 ///< common prefix of the user keys of all restart points
  /// The eight bytes that follow it, as big-endian numbers. Empty: not used.
  std::vector<uint64_t> leading_;
};

}  // namespace lull
