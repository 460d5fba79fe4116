// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Counts a client's reads, to compare them with what the store counts.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::testing {

struct ReadTally {
  uint64_t gets_found = 0;
  uint64_t gets_not_found = 0;
  uint64_t seeks = 0;
  uint64_t steps = 0;
};

/// Forwards to `iterator`, and counts its moves in `tally`, which must outlive it.
class CountedIterator final : public leveldb::Iterator {
 public:
  CountedIterator(std::unique_ptr<leveldb::Iterator> iterator, ReadTally* tally)
      : iterator_(std::move(iterator)), tally_(tally) {}

  bool Valid() const override { return iterator_->Valid(); }
  void SeekToFirst() override {
    ++tally_->seeks;
    iterator_->SeekToFirst();
  }
  void SeekToLast() override {
    ++tally_->seeks;
    iterator_->SeekToLast();
  }
  void Seek(const leveldb::Slice& target) override {
    ++tally_->seeks;
    iterator_->Seek(target);
  }
  void Next() override {
    ++tally_->steps;
    iterator_->Next();
  }
  void Prev() override {
    ++tally_->steps;
    iterator_->Prev();
  }
  leveldb::Slice key() const override { return iterator_->key(); }
  leveldb::Slice value() const override { return iterator_->value(); }
  leveldb::Status status() const override { return iterator_->status(); }

 private:
  const std::unique_ptr<leveldb::Iterator> iterator_;
  ReadTally* const tally_;
};

}  // namespace lull::testing
