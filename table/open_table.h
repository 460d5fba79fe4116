// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The parts of an open table, and how it loads a data block. Immutable after open; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/block.h"
#include "table/filter_block.h"
#include "table/format.h"
#include "table/index_block.h"
#include "table/readahead.h"
#include "table/table_reader.h"

namespace lull {

/// A data block in use, and the owner of its memory: a block cache reference, its own memory, or
/// neither (the file object or an iterator's buffer has it).
class BlockLease {
 public:
  BlockLease() = default;
  ~BlockLease() { Drop(); }
  BlockLease(const BlockLease&) = delete;
  BlockLease& operator=(const BlockLease&) = delete;

  const Block& block() const { return block_; }
  void Drop() {
    if (handle_ != nullptr) cache_->Release(handle_);
    handle_ = nullptr;
    memory_.reset();
    block_ = Block();
  }

 private:
  friend struct OpenTable;
  Block block_;
  leveldb::Cache* cache_ = nullptr;
  leveldb::Cache::Handle* handle_ = nullptr;
  std::unique_ptr<char[]> memory_;
};

struct OpenTable {
  TableReadOptions options;
  std::unique_ptr<leveldb::RandomAccessFile> file;
  TableSource source;
  std::shared_ptr<const IndexBlock> index;
  FilterBlockReader filter;
  std::unique_ptr<char[]> filter_memory;
  uint64_t cache_id = 0;
  BlockHandle metaindex;
  uint64_t data_end = 0;  ///< all data blocks end before this offset

  /// Reads footer, index and filter. REQUIRES: `source`, `file` and `options` are set.
  leveldb::Status ReadTail();
  /// Finds the data blocks instead. REQUIRES: as ReadTail, and internal keys.
  leveldb::Status ReplaceIndex();
  /// Reads the index and, if that is not compressed, the first block, only so that `source.seen`
  /// notes the codec. REQUIRES: as ReadTail.
  void NoteCodec() const;
  /// Finds the meta block `name`. NotFound if the table has none.
  leveldb::Status FindMetaBlock(const FileWindow& tail, const std::string& name,
                                BlockHandle* handle) const;
  /// Reads a block and verifies its checksum; `*memory` then owns `*contents`.
  leveldb::Status ReadOwned(const FileWindow& tail, const BlockHandle& handle,
                            std::unique_ptr<char[]>* memory, leveldb::Slice* contents) const;

  /// Returns true if the block is in the cache. Otherwise sets `*keep` to whether it should be
  /// inserted. REQUIRES: *lease is empty.
  bool FindCached(const BlockReadOptions& read, const BlockHandle& handle, BlockLease* lease,
                  bool* keep) const;
  /// Gets the block from the cache, or by one read of the file; then inserts it into the cache if
  /// FindCached says so. REQUIRES: *lease is empty.
  leveldb::Status LoadBlock(const BlockReadOptions& read, const BlockHandle& handle,
                            BlockLease* lease) const;
  /// Begins to read the block from the file, unless it is cached.
  void Prefetch(const BlockHandle& handle) const;
  /// Gets the block from `reader`. If `keep`, inserts it into the cache. Otherwise the block can
  /// stay in `buffer` or the reader's memory, so that a scan allocates nothing. REQUIRES: *lease is
  /// empty.
  leveldb::Status LoadBlockAhead(const BlockReadOptions& read, const BlockHandle& handle, bool keep,
                                 ReadaheadReader* reader, ByteBuffer* buffer,
                                 BlockLease* lease) const;

 private:
  leveldb::Status ReadFooter(FileWindow* tail, Footer* footer) const;
  leveldb::Status ReadIndex(const FileWindow& tail, const BlockHandle& handle);
  leveldb::Status ReadFilter(const FileWindow& tail);
  leveldb::Status Decode(const BlockHandle& handle, const leveldb::Slice& stored,
                         bool verify_checksum, ByteBuffer* buffer, leveldb::Slice* contents) const;
  leveldb::Status Lease(const BlockHandle& handle, const leveldb::Slice& contents,
                        std::unique_ptr<char[]> memory, bool keep, BlockLease* lease) const;
};

}  // namespace lull
