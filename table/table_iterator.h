// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator over one open table: a cursor over the index, a cursor over the data block it stands
// on. One thread; the table must outlive it.
//
// An unreadable block stops the iterator: it is not Valid, and status() says why until the next
// Seek. With BlockReadOptions::skip_damaged_blocks the iterator skips the block, and status()
// returns the first error for the rest of the iterator's life.
#pragma once

#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/open_table.h"
#include "table/readahead.h"

namespace lull {

class TableIterator final : public leveldb::Iterator {
 public:
  TableIterator(const OpenTable& table, const BlockReadOptions& read);

  bool Valid() const override { return data_.Valid(); }
  leveldb::Slice key() const override { return data_.key(); }
  leveldb::Slice value() const override { return data_.value(); }
  leveldb::Status status() const override { return status_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const leveldb::Slice& target) override;
  void Next() override {
    data_.Next();
    if (!data_.Valid()) [[unlikely]] {
      LeaveBlock(Direction::kForward);
    }
  }
  void Prev() override {
    data_.Prev();
    if (!data_.Valid()) [[unlikely]] {
      LeaveBlock(Direction::kBackward);
    }
  }

 private:
  enum class Direction { kForward, kBackward };

  /// Loads the block that the index cursor stands on; false, and no block, when that fails or there
  /// is none.
  bool EnterBlock();
  /// While the data cursor is not valid, moves to the next block in `direction`. Stops at an error
  /// unless damaged blocks are skipped.
  void LeaveBlock(Direction direction);
  /// Records the first error. Returns whether the iterator may skip the damage.
  bool PassOver(const leveldb::Status& cause);
  /// A Seek clears the error, but not if damaged blocks are skipped: the entries that such an
  /// iterator returns may be incomplete from the first error on.
  void ResetStatus() {
    if (!read_.skip_damaged_blocks) status_ = leveldb::Status::OK();
  }
  void ForgetBlock();

  const OpenTable& table_;
  const BlockReadOptions read_;
  const bool use_cache_;
  const bool keep_;  ///< whether blocks go into the cache
  ReadaheadReader reader_;
  ByteBuffer buffer_;
  BlockLease lease_;
  BlockHandle handle_;  ///< of the block in data_
  bool has_block_ = false;
  leveldb::Status status_;
  BlockCursor index_;
  BlockCursor data_;
};

}  // namespace lull
