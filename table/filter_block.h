// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The filter block: one filter for the keys of the data blocks that begin in each 2 KiB of the
// file, then the offsets of the filters (fixed32 each), then the offset of those offsets (fixed32),
// then the binary logarithm of the 2 KiB (one byte).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace lull {

/// The metaindex key under which the filter block of `policy` is found.
std::string FilterBlockName(const leveldb::FilterPolicy& policy);

/// One thread. Calls come as StartBlock (AddKey)* StartBlock (AddKey)* … Finish.
class FilterBlockBuilder {
 public:
  explicit FilterBlockBuilder(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  void StartBlock(uint64_t block_offset);
  void AddKey(const leveldb::Slice& user_key);
  /// The contents, which live as long as the builder.
  leveldb::Slice Finish();

 private:
  void EndFilter();

  const leveldb::FilterPolicy* policy_;
  std::string keys_;  ///< of the filter under construction, one behind the other
  std::vector<size_t> key_ends_;
  std::vector<leveldb::Slice> slices_;
  std::vector<uint32_t> offsets_;  ///< of the finished filters
  std::string result_;
};

/// Immutable, any thread.
class FilterBlockReader {
 public:
  /// Matches everything.
  FilterBlockReader() = default;

  /// `contents` must outlive the reader. Returns what is wrong with them, or nullptr; the reader
  /// matches everything if so.
  const char* Open(const leveldb::FilterPolicy* policy, const leveldb::Slice& contents);

  /// False only when the data block at `block_offset` does not hold `user_key`.
  bool MayMatch(uint64_t block_offset, const leveldb::Slice& user_key) const;

 private:
  const leveldb::FilterPolicy* policy_ = nullptr;
  const char* filters_ = nullptr;
  uint32_t filters_bytes_ = 0;  ///< the offsets stand behind
  uint64_t filter_count_ = 0;
  unsigned base_log2_ = 0;
};

}  // namespace lull
