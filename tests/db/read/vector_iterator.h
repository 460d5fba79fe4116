// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An iterator over internal keys in memory, in the given order. It can fail on request.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/iterator.h"
#include "table/key_order.h"

namespace lull::testing {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class VectorIterator final : public leveldb::Iterator {
 public:
  // Reaching position `fail_at` is an I/O error.
  VectorIterator(const KeyOrder& order, Pairs pairs, std::optional<size_t> fail_at = std::nullopt)
      : order_(order), pairs_(std::move(pairs)), fail_at_(fail_at), at_(pairs_.size()) {}

  bool Valid() const override { return at_ < pairs_.size() && !failed_; }
  leveldb::Slice key() const override { return key_; }
  leveldb::Slice value() const override { return pairs_[at_].second; }
  leveldb::Status status() const override {
    return failed_ ? leveldb::Status::IOError("made to fail") : leveldb::Status::OK();
  }
  void SeekToFirst() override { Stand(0); }
  void SeekToLast() override { Stand(pairs_.size() - 1); }
  void Seek(const leveldb::Slice& target) override {
    const auto before = [&](const auto& pair) {
      return !order_.Comparable(pair.first) || order_.Compare(pair.first, target) < 0;
    };
    Stand(std::partition_point(pairs_.begin(), pairs_.end(), before) - pairs_.begin());
  }
  void Next() override { Stand(at_ + 1); }
  void Prev() override { Stand(at_ - 1); }

 private:
  void Stand(size_t position) {  // the position before the first wraps around and becomes invalid
    at_ = std::min(position, pairs_.size());
    failed_ = fail_at_ == at_;
    // Each step frees the key's memory, so that the use of an older slice is detected.
    std::string().swap(key_);
    if (Valid()) key_ = pairs_[at_].first;
  }

  const KeyOrder order_;
  const Pairs pairs_;
  const std::optional<size_t> fail_at_;
  size_t at_;
  bool failed_ = false;
  std::string key_;
};

}  // namespace lull::testing
