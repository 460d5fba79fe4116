// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/level_iterator.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

using leveldb::Iterator;
using leveldb::Slice;
using leveldb::Status;

class LevelIterator final : public Iterator {
 public:
  LevelIterator(const KeyOrder& order, std::span<const TableRef> tables, OpenTableIterator open,
                OnError on_error)
      : order_(order),
        tables_(tables),
        open_(std::move(open)),
        on_error_(on_error),
        at_(tables.size()) {}

  bool Valid() const override { return valid_; }
  Slice key() const override { return key_; }
  Slice value() const override { return table_->value(); }
  Status status() const override {
    return table_ == nullptr || !skipped_.ok() ? skipped_ : table_->status();
  }

  void SeekToFirst() override {
    if (Enter(0)) table_->SeekToFirst();
    Settle(/*forward=*/true);
  }
  void SeekToLast() override {
    if (Enter(tables_.size() - 1)) table_->SeekToLast();
    Settle(/*forward=*/false);
  }
  void Seek(const Slice& target) override {
    const auto found = std::partition_point(
        tables_.begin(), tables_.end(),
        [&](const TableRef& table) { return order_.Compare(table->largest(), target) < 0; });
    if (Enter(static_cast<size_t>(found - tables_.begin()))) table_->Seek(target);
    Settle(/*forward=*/true);
  }
  void Next() override {
    table_->Next();
    Settle(/*forward=*/true);
  }
  void Prev() override {
    table_->Prev();
    Settle(/*forward=*/false);
  }

 private:
  /// Opens the table at `place`, unless it is open without an error. Returns false if `place` is
  /// out of range; the place before the first wraps around to a huge number.
  bool Enter(size_t place) {
    if (table_ != nullptr && (place != at_ || !table_->status().ok())) Close();
    if (place >= tables_.size()) return false;
    if (table_ == nullptr) table_ = open_(tables_[place].get());
    at_ = place;
    return true;
  }

  /// REQUIRES: a table is open.
  void Close() {
    if (on_error_ == OnError::kSkip && skipped_.ok()) skipped_ = table_->status();
    table_.reset();
  }

  /// Reads the position of the table's iterator. At its end, moves to the nearest table with
  /// entries.
  void Settle(bool forward) {
    while (table_ != nullptr) {
      valid_ = table_->Valid();
      if (valid_) [[likely]] {
        key_ = table_->key();
        return;
      }
      if (on_error_ == OnError::kStop && !table_->status().ok()) return;
      if (forward) {
        if (Enter(at_ + 1)) table_->SeekToFirst();
      } else {
        if (Enter(at_ - 1)) table_->SeekToLast();
      }
    }
    valid_ = false;
  }

  const KeyOrder order_;
  const std::span<const TableRef> tables_;
  const OpenTableIterator open_;
  const OnError on_error_;
  Status skipped_;  ///< the first error of a table already closed; stays OK with kStop
  size_t at_;       ///< the place of the open table
  std::unique_ptr<Iterator> table_;
  bool valid_ = false;
  Slice key_;
};

}  // namespace

std::unique_ptr<Iterator> NewLevelIterator(const KeyOrder& order, std::span<const TableRef> tables,
                                           OpenTableIterator open, OnError on_error) {
  return std::make_unique<LevelIterator>(order, tables, std::move(open), on_error);
}

}  // namespace lull
