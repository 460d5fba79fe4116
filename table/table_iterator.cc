// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/table_iterator.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

TableIterator::TableIterator(const OpenTable& table, const BlockReadOptions& read)
    : table_(table),
      read_(read),
      use_cache_(table.options.block_cache != nullptr && read.readahead_bytes == 0),
      reader_(table.source, table.data_end, read.readahead_bytes),
      at_(table.index->size()) {
  data_.Reset(Block(), table.options.order);
}

void TableIterator::ForgetBlock() {
  data_.Reset(Block(), table_.options.order);
  lease_.Drop();
  has_block_ = false;
}

bool TableIterator::PassOver(const Status& cause) {
  // What is intact but unsupported must not be hidden by damage before it.
  if (status_.ok() || cause.IsNotSupportedError()) status_ = cause;
  return read_.skip_damaged_blocks;
}

bool TableIterator::EnterBlock() {
  if (at_ == table_.index->size()) {
    ForgetBlock();
    return false;
  }
  const BlockHandle handle = table_.index->handle(at_);
  if (has_block_ && handle.offset == handle_.offset) return true;
  ForgetBlock();
  Status status;
  bool keep = false;
  if (use_cache_ && table_.FindCached(read_, handle, &lease_, &keep)) {
    reader_.Skip(handle);
  } else {
    status = table_.LoadBlockAhead(read_, handle, keep, &reader_, &buffer_, &lease_);
  }
  if (!status.ok()) {
    PassOver(status);
    return false;
  }
  if (read_.bytes_entered != nullptr) *read_.bytes_entered += handle.size + kBlockTrailerBytes;
  handle_ = handle;
  has_block_ = true;
  data_.Reset(lease_.block(), table_.options.order);
  return true;
}

void TableIterator::LeaveBlock(Direction direction) {
  while (!data_.Valid()) {
    if (data_.damage() != nullptr &&
        !PassOver(table_.source.Damaged(handle_.offset, data_.damage())))
      return;
    if (!status_.ok() && !read_.skip_damaged_blocks) return;
    if (at_ == table_.index->size()) return;
    if (direction == Direction::kForward) {
      ++at_;
      if (EnterBlock()) data_.SeekToFirst();
    } else {
      at_ = at_ == 0 ? table_.index->size() : at_ - 1;
      if (EnterBlock()) data_.SeekToLast();
    }
  }
}

void TableIterator::SeekToFirst() {
  ResetStatus();
  at_ = 0;
  if (EnterBlock()) data_.SeekToFirst();
  LeaveBlock(Direction::kForward);
}

void TableIterator::SeekToLast() {
  ResetStatus();
  at_ = table_.index->size() == 0 ? 0 : table_.index->size() - 1;
  if (EnterBlock()) data_.SeekToLast();
  LeaveBlock(Direction::kBackward);
}

void TableIterator::Seek(const Slice& target) {
  ResetStatus();
  at_ = table_.index->Find(table_.options.order, target);
  if (EnterBlock()) data_.Seek(table_.options.order, target);
  LeaveBlock(Direction::kForward);
}

}  // namespace lull
