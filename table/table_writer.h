// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes one table file in LevelDB's format, front to back. One thread at a time.
// leveldb::TableBuilder is a thin face over it; flushes and compactions use it directly.
#pragma once

#include <cstdint>
#include <memory>

#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/key_order.h"

namespace lull {

struct TableWriteOptions {
  KeyOrder order{leveldb::BytewiseComparator(), KeyOrder::Keys::kUser};
  const leveldb::FilterPolicy* filter_policy = nullptr;  ///< fed with user keys
  size_t block_bytes = 4096;  ///< uncompressed size at which a data block is closed
  int block_restart_interval = 16;
  leveldb::CompressionType compression = leveldb::kSnappyCompression;
  int zstd_level = 1;
};

class TableWriter {
 public:
  /// `file` outlives the writer and is neither synced nor closed by it.
  TableWriter(const TableWriteOptions& options, leveldb::WritableFile* file);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// REQUIRES: key is after every key added before; neither Finish nor Abandon was called.
  void Add(const leveldb::Slice& key, const leveldb::Slice& value);

  /// Closes the block under construction, so that the next entry begins a new one.
  void FlushBlock();

  /// Writes what remains, filter, index and footer.
  leveldb::Status Finish();

  /// Gives the table up; its bytes in the file mean nothing.
  void Abandon();

  leveldb::Status status() const;
  uint64_t EntryCount() const;
  /// Bytes appended so far; after Finish the file's size.
  uint64_t FileBytes() const;
  /// Changes what may change between blocks (compression, block size); false when `options` changes
  /// the order.
  bool ChangeOptions(const TableWriteOptions& options);

  /// Bytes that the index would have if `next_key` were added and began a block: keys that share a
  /// long prefix are not shortened, so the index can be larger than the compressed data.
  uint64_t IndexBytesWith(const leveldb::Slice& next_key) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace lull
