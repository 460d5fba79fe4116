// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// KeySample: user keys of a table with about equal numbers of bytes between them, collected while
// the table is written. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/slice.h"

namespace lull {

class KeySample {
 public:
  static constexpr size_t kKeysMax = 32;

  /// Call for every key in order, with its offset in the table.
  void Add(const leveldb::Slice& user_key, uint64_t offset_bytes) {
    if (offset_bytes < next_bytes_) return;
    if (keys_.size() == kKeysMax) Thin();
    keys_.push_back(user_key.ToString());
    next_bytes_ = offset_bytes + step_bytes_;
  }

  /// Returns at most kKeysMax keys, and at least half as many for a large table. The first one is
  /// the table's first key.
  std::vector<std::string> Take() { return std::move(keys_); }

 private:
  /// Keeps every second key, since the table is larger than assumed so far.
  void Thin() {
    for (size_t i = 1; i < kKeysMax / 2; ++i) keys_[i] = std::move(keys_[2 * i]);
    keys_.resize(kKeysMax / 2);
    step_bytes_ *= 2;
  }

  std::vector<std::string> keys_;
  uint64_t step_bytes_ = 4 << 10;
  uint64_t next_bytes_ = 0;
};

}  // namespace lull
