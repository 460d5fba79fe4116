// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The filter block. It has one filter for each 2 KiB of the file, with the keys of the data blocks
// that begin there. After the filters come their offsets (fixed32 each), the offset of those
// offsets (fixed32), and the binary logarithm of the 2 KiB (one byte).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace lull {

/// The metaindex key of the filter block of `policy`.
std::string FilterBlockName(const leveldb::FilterPolicy& policy);

/// Builds a filter block. One thread. Calls: for each data block, StartBlock and then AddKey for
/// its keys; then Finish.
class FilterBlockBuilder {
 public:
  explicit FilterBlockBuilder(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  void StartBlock(uint64_t block_offset);
  void AddKey(const leveldb::Slice& user_key);
  /// Returns the contents, which live as long as the builder.
  leveldb::Slice Finish();

 private:
  void EndFilter();

  const leveldb::FilterPolicy* policy_;
  std::string keys_;  ///< of the filter under construction, concatenated
  std::vector<size_t> key_ends_;
  std::vector<leveldb::Slice> slices_;
  std::vector<uint32_t> offsets_;  ///< of the finished filters
  std::string result_;
};

/// Reads a filter block. Immutable; any thread.
class FilterBlockReader {
 public:
  /// Without a filter: every key may match.
  FilterBlockReader() = default;

  /// `contents` must outlive the reader. Returns the cause of damage, or nullptr. After damage
  /// every key may match.
  const char* Open(const leveldb::FilterPolicy* policy, const leveldb::Slice& contents);

  /// Approximate size of the contents, in bytes.
  size_t MemoryBytes() const { return filters_bytes_ + filter_count_ * sizeof(uint32_t); }

  bool IsOpen() const { return policy_ != nullptr; }
  /// False only if the data block at `block_offset` does not have `user_key`.
  bool MayMatch(uint64_t block_offset, const leveldb::Slice& user_key) const;

 private:
  const leveldb::FilterPolicy* policy_ = nullptr;
  const char* filters_ = nullptr;
  uint32_t filters_bytes_ = 0;  ///< the offsets follow
  uint64_t filter_count_ = 0;
  unsigned base_log2_ = 0;
};

}  // namespace lull
