// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The index of an open table, in memory as long as the table is: a block with one entry for each
// data block, whose key is at or after the data block's last and before the next one's first, and
// whose value is the data block's handle. Immutable, any thread.
//
// For the bytewise order the search first looks at eight bytes of each restart point's key (those
// behind what all of them share), which stand in one array: most steps then touch neither the block
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
  /// `memory` holds `contents`. Returns what is wrong with them, or nullptr.
  const char* Open(const KeyOrder& order, std::unique_ptr<char[]> memory,
                   const leveldb::Slice& contents);

  const Block& block() const { return block_; }

  /// Moves `cursor`, which was reset to block(), to the entry of the one data block that can hold
  /// `target`.
  void Seek(const KeyOrder& order, const leveldb::Slice& target, BlockCursor* cursor) const;

  /// The handle that `cursor` stands on; false when it is malformed.
  static bool ReadHandle(const BlockCursor& cursor, BlockHandle* handle) {
    leveldb::Slice value = cursor.value();
    return handle->DecodeFrom(&value);
  }

 private:
  /// The restart points whose leading bytes do not tell how they compare with the target: [low,
  /// high).
  struct Range {
    uint32_t low;
    uint32_t high;
  };
  Range Narrow(const leveldb::Slice& user_target) const;
  bool EveryEntryRestarts(const KeyOrder& order) const;

  std::unique_ptr<char[]> memory_;
  Block block_;
  bool every_entry_restarts_ = false;  ///< as LevelDB writes its indexes
  std::string common_;                 ///< what the user keys of all restart points begin with
  /// The eight bytes behind it as big-endian numbers. Empty: not used.
  std::vector<uint64_t> leading_;
};

}  // namespace lull
