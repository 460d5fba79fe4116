// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/level_iterator.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

using leveldb::Iterator;
using leveldb::Slice;
using leveldb::Status;

class LevelIterator final : public Iterator {
 public:
  LevelIterator(const KeyOrder& order, std::span<const TableRef> tables, OpenTableIterator open)
      : order_(order), tables_(tables), open_(std::move(open)), at_(tables.size()) {}

  bool Valid() const override { return valid_; }
  Slice key() const override { return key_; }
  Slice value() const override { return table_->value(); }
  Status status() const override { return table_ == nullptr ? Status::OK() : table_->status(); }

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
  /// Opens the table at a place, unless it is open already and well. False when there is no such
  /// place; one before the first wraps around to that.
  bool Enter(size_t place) {
    if (place >= tables_.size()) {
      table_.reset();
      return false;
    }
    if (table_ == nullptr || place != at_ || !table_->status().ok())
      table_ = open_(tables_[place].get());
    at_ = place;
    return true;
  }

  /// Takes notice of where the table's iterator stands; at its end goes on to the nearest table
  /// with entries, but past no error.
  void Settle(bool forward) {
    while (table_ != nullptr) {
      valid_ = table_->Valid();
      if (valid_) [[likely]] {
        key_ = table_->key();
        return;
      }
      if (!table_->status().ok()) return;
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
  size_t at_;  ///< the place of the table that is open
  std::unique_ptr<Iterator> table_;
  bool valid_ = false;
  Slice key_;
};

}  // namespace

std::unique_ptr<Iterator> NewLevelIterator(const KeyOrder& order, std::span<const TableRef> tables,
                                           OpenTableIterator open) {
  return std::make_unique<LevelIterator>(order, tables, std::move(open));
}

}  // namespace lull
