// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes one table file in LevelDB's format, from start to end. One thread at a time.
// leveldb::TableBuilder wraps it; flushes and compactions use it directly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/compression.h"
#include "table/key_order.h"

namespace lull {

struct TableWriteOptions {
  KeyOrder order{leveldb::BytewiseComparator(), KeyOrder::Keys::kUser};
  const leveldb::FilterPolicy* filter_policy = nullptr;  ///< receives user keys
  size_t block_bytes = 4096;  ///< uncompressed size at which a data block is closed
  int block_restart_interval = 16;
  Codec compression = Codec::kSnappy;
  int zstd_level = 1;
};

/// A block for readers that know its name; others ignore it.
struct MetaBlock {
  std::string name;
  leveldb::Slice contents;
};

class TableWriter {
 public:
  /// `file` must outlive the writer, which neither syncs nor closes it.
  TableWriter(const TableWriteOptions& options, leveldb::WritableFile* file);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// REQUIRES: `key` sorts after all keys added so far; neither Finish nor Abandon was called.
  void Add(const leveldb::Slice& key, const leveldb::Slice& value);

  /// Ends the current block; the next entry begins a new one.
  void FlushBlock();

  /// Writes the last block, filter, `meta_blocks`, index and footer. Returns status(). REQUIRES:
  /// the names are in ascending order, and above "filter.".
  leveldb::Status Finish(std::span<const MetaBlock> meta_blocks = {});

  /// Abandons the table; the file is not a valid table.
  void Abandon();

  /// The first error. After it, calls write nothing.
  leveldb::Status status() const;
  uint64_t EntryCount() const;
  /// Bytes appended so far; after Finish, the file size.
  uint64_t FileBytes() const;
  /// Changes compression and block size for the following blocks. Returns false if `options` has a
  /// different order.
  bool ChangeOptions(const TableWriteOptions& options);

  /// Size of the index in bytes if `next_key` were added and began a block. Keys with a long common
  /// prefix are not shortened, so the index can be larger than the compressed data.
  uint64_t IndexBytesWith(const leveldb::Slice& next_key) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace lull
