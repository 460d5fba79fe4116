// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One open table file. Immutable after Open; thread-safe. leveldb::Table wraps it; the store uses
// it directly. Validates every size and offset it reads: a damaged file returns Status::Corruption
// with file, offset and cause, and never crashes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "table/compression.h"
#include "table/index_block.h"
#include "table/key_order.h"
#include "util/owned_counter.h"
#include "util/resizable_cache.h"

namespace lull {

/// Begins to read a part of a table's file into the page cache, without waiting for it. Any thread.
class Prefetcher {
 public:
  virtual void Prefetch(uint64_t offset, size_t bytes) const = 0;

 protected:
  ~Prefetcher() = default;
};

/// Options of a table, fixed at open.
struct TableReadOptions {
  KeyOrder order{leveldb::BytewiseComparator(), KeyOrder::Keys::kUser};
  const leveldb::FilterPolicy* filter_policy = nullptr;  ///< sees user keys
  leveldb::Cache* block_cache = nullptr;                 ///< null: blocks are not cached
  /// block_cache if it decides what it takes; null: it gets each block that is read.
  ResizableCache* admission = nullptr;
  const Prefetcher* prefetcher = nullptr;  ///< of the file, with its life; or null
  bool paranoid_checks = false;            ///< Open also fails on a damaged filter
  SeenCodec* seen = nullptr;               ///< notes the codecs of blocks; or null
  const TablePart* part = nullptr;  ///< for Open: what its user reads, see IndexBlock; null: all
  std::string file_name;            ///< for messages
};

/// Options of one read.
struct BlockReadOptions {
  bool verify_checksums = false;
  bool fill_cache = true;
  /// A get only begins to read its block from the file, unless it is cached, and finds nothing.
  bool prefetches = false;
  /// If not 0, the iterator expects a full scan: it reads ahead in growing steps and does not use
  /// the cache.
  size_t readahead_bytes = 0;
  /// For clients' iterators and for salvage: the iterator skips unreadable blocks, and its status
  /// stays the first error until it is deleted.
  bool skip_damaged_blocks = false;
  /// Can be null. An iterator adds the stored size of each block that it enters.
  OwnedCounter* bytes_entered = nullptr;
  /// Counters to which the read adds, kTableCounts for a get and kBlockCounts for an iterator;
  /// null: it counts nothing.
  OwnedCounter* counts = nullptr;
};

class TableReader {
 public:
  /// Takes ownership of `file`, which has `file_bytes` bytes.
  static leveldb::Status Open(const TableReadOptions& options,
                              std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t file_bytes,
                              std::unique_ptr<TableReader>* result);
  /// As Open, for a table without a readable index: finds the data blocks up to the first damage
  /// (lost_index.h). Corruption if it finds nothing. No filter and no cache.
  static leveldb::Status OpenWithoutIndex(const TableReadOptions& options,
                                          std::unique_ptr<leveldb::RandomAccessFile> file,
                                          uint64_t file_bytes,
                                          std::unique_ptr<TableReader>* result);
  /// Returns a reader of the same table through `file`. It shares the index and reads nothing here.
  /// It uses no filter and no cache.
  std::unique_ptr<TableReader> Through(std::unique_ptr<leveldb::RandomAccessFile> file) const;
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Looks up `target`: searches the only block that can have it, after checking the filter. If the
  /// block has an entry with key >= `target`, calls visit(arg, key, value) for the first one; the
  /// slices are valid during the call. The caller must check that its user key equals the target's.
  /// Returns OK too if nothing is found. Does not allocate if the block is cached.
  leveldb::Status Get(const BlockReadOptions& options, const leveldb::Slice& target, void* arg,
                      void (*visit)(void* arg, const leveldb::Slice& key,
                                    const leveldb::Slice& value)) const;

  /// Iterates over all entries; the reader must outlive the result. Unreadable data stops the
  /// iterator (see skip_damaged_blocks): it is not Valid, and status() returns the cause until the
  /// next Seek.
  std::unique_ptr<leveldb::Iterator> NewIterator(const BlockReadOptions& options) const;

  /// Calls `visit` with each key of up to `blocks_max` data blocks, spread evenly over the table.
  /// Sets `*share` to their share of all blocks; 1 for a table without any. Skips the cache.
  leveldb::Status Sample(size_t blocks_max,
                         const std::function<void(const leveldb::Slice& key)>& visit,
                         double* share) const;

  /// Whether the keys of the index, and those of each readable block, ascend. If not, the table was
  /// written in another order: damage has no correct checksums.
  bool IsInOrder() const;

  /// Reads all meta blocks, also those that no reader uses. Returns the first damage.
  leveldb::Status CheckMetaBlocks() const;
  /// Reads the meta block `name`. NotFound if the table has none.
  leveldb::Status ReadMetaBlock(const std::string& name, std::string* contents) const;

  /// Memory of the reader, in bytes, without cached blocks and the file object.
  uint64_t MemoryBytes() const;

  /// Approximate position in the file, in bytes, at which `key` is or would be.
  uint64_t ApproximateOffsetOf(const leveldb::Slice& key) const;

 private:
  struct Rep;
  static std::unique_ptr<Rep> NewRep(const TableReadOptions& options,
                                     std::unique_ptr<leveldb::RandomAccessFile> file,
                                     uint64_t file_bytes);
  explicit TableReader(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace lull
