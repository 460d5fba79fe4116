// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Builds the contents of one block after another (format: block.h). One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/slice.h"

namespace lull {

class BlockBuilder {
 public:
  /// Stores every `restart_interval`-th key in full; values below 1 count as 1.
  explicit BlockBuilder(int restart_interval);

  /// REQUIRES: `key` sorts after the last key added; Fits(key, value).
  void Add(const leveldb::Slice& key, const leveldb::Slice& value);
  /// True if adding the entry keeps all offsets in the block within 32 bits.
  bool Fits(const leveldb::Slice& key, const leveldb::Slice& value) const;
  /// Ends the block. The contents are valid until Reset.
  leveldb::Slice Finish();
  void Reset();

  bool empty() const { return buffer_.empty(); }
  /// Size of the block if Finish were called now, in bytes.
  size_t ByteCount() const { return buffer_.size() + (restarts_.size() + 1) * sizeof(uint32_t); }
  const std::string& last_key() const { return last_key_; }
  void set_restart_interval(int interval) { restart_interval_ = interval < 1 ? 1 : interval; }

 private:
  int restart_interval_;
  int since_restart_ = 0;
  std::string buffer_;
  std::vector<uint32_t> restarts_{0};
  std::string last_key_;
};

}  // namespace lull
