// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// TableBuilder: writes one sorted table file, from keys given in order. One thread at a time: const
// methods may run beside each other, but nothing may run beside a non-const one.

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
  // Writes to `file`, which must be empty, remains the caller's, and is neither synced nor closed
  // here.
  TableBuilder(const Options& options, WritableFile* file);

  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // REQUIRES: Finish or Abandon was called.
  ~TableBuilder();

  // Takes over block size, restart interval and compression for the blocks to come. The comparator
  // cannot change: another one gives InvalidArgument, and nothing is taken over.
  Status ChangeOptions(const Options& options);

  // Appends an entry; does nothing once status() is an error.
  // REQUIRES: `key` sorts after the one added last; neither Finish nor Abandon was called.
  void Add(const Slice& key, const Slice& value);

  // Ends the current block, so that the next entry begins a new one. Not needed for a correct
  // table.
  // REQUIRES: neither Finish nor Abandon was called.
  void Flush();

  // OK, or the first error met.
  Status status() const;

  // Writes what is left: last block, filter, index, footer. The file is not used any more
  // afterwards, and holds a table only if the result is OK.
  // REQUIRES: neither Finish nor Abandon was called.
  Status Finish();

  // Gives up. The file is not used any more afterwards and holds no table.
  // REQUIRES: neither Finish nor Abandon was called.
  void Abandon();

  // Entries added.
  uint64_t NumEntries() const;

  // Bytes written; after a successful Finish, the size of the table.
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
