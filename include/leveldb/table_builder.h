// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// TableBuilder: writes one sorted table file, from keys added in order.
//
// Threads: const methods can run concurrently; a non-const method needs exclusive access.

#ifndef LULL_INCLUDE_LEVELDB_TABLE_BUILDER_H_
#define LULL_INCLUDE_LEVELDB_TABLE_BUILDER_H_

#include <cstdint>

#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace leveldb {

class BlockBuilder;
class BlockHandle;
class WritableFile;

class LEVELDB_EXPORT TableBuilder {
 public:
  // Writes to `file`, which must be empty. The caller keeps it; the builder neither syncs nor
  // closes it.
  TableBuilder(const Options& options, WritableFile* file);

  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // REQUIRES: Finish or Abandon was called.
  ~TableBuilder();

  // Uses the block size, restart interval and compression of `options` for the following blocks.
  // InvalidArgument if the comparator differs; then nothing changes.
  Status ChangeOptions(const Options& options);

  // Appends an entry. Does nothing if status() is an error.
  // REQUIRES: `key` sorts after all keys added so far; neither Finish nor Abandon was called.
  void Add(const Slice& key, const Slice& value);

  // Ends the current block; the next entry starts a new one. A table is correct without it.
  // REQUIRES: neither Finish nor Abandon was called.
  void Flush();

  // OK, or the first error.
  Status status() const;

  // Writes the last block, filter, index and footer. The builder does not use the file afterwards.
  // The file is a table only if the result is OK.
  // REQUIRES: neither Finish nor Abandon was called.
  Status Finish();

  // Abandons the table. The builder does not use the file afterwards; the file is not a table.
  // REQUIRES: neither Finish nor Abandon was called.
  void Abandon();

  // Number of entries added.
  uint64_t NumEntries() const;

  // Bytes written so far; after a successful Finish, the size of the table.
  uint64_t FileSize() const;

 private:
  bool ok() const { return status().ok(); }
  void WriteBlock(BlockBuilder* block, BlockHandle* handle);
  void WriteRawBlock(const Slice& data, CompressionType, BlockHandle* handle);

  struct Rep;
  Rep* rep_;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_TABLE_BUILDER_H_
