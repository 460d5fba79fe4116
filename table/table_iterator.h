// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator of one open table: a position in the index and a cursor over the current data block.
// One thread; the table must outlive it.
//
// An unreadable block stops the iterator: it is not Valid, and status() returns the cause until the
// next Seek. With BlockReadOptions::skip_damaged_blocks the iterator skips the block, and status()
// returns the first error until the iterator is deleted.
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

  /// Loads the block at the index position. Returns false, with no block, on an error or at the
  /// end.
  bool EnterBlock();
  /// Moves to the next block in `direction` until the data cursor is valid. Stops at an error
  /// unless damaged blocks are skipped.
  void LeaveBlock(Direction direction);
  /// Records the first error. Returns true if the iterator can skip the damage.
  bool PassOver(const leveldb::Status& cause);
  /// A Seek clears the error, unless damaged blocks are skipped: such an iterator can return
  /// incomplete data from the first error on.
  void ResetStatus() {
    if (!read_.skip_damaged_blocks) status_ = leveldb::Status::OK();
  }
  void ForgetBlock();

  const OpenTable& table_;
  const BlockReadOptions read_;
  const bool use_cache_;
  ReadaheadReader reader_;
  ByteBuffer buffer_;
  BlockLease lease_;
  BlockHandle handle_;  ///< handle of the block in data_
  bool has_block_ = false;
  leveldb::Status status_;
  size_t at_;  ///< index position of the block; index->size(): before the first or after the last
  BlockCursor data_;
};

}  // namespace lull
