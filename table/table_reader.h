// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// One open table file. Immutable after Open; every method may be called from any thread at once.
// leveldb::Table is a thin face over it; the store uses it directly. Checks every size and offset
// it reads: a damaged file gives Status::Corruption naming the file, the offset and the cause,
// never a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "table/key_order.h"
#include "util/owned_counter.h"

namespace lull {

/// How a table is read, fixed at open.
struct TableReadOptions {
  KeyOrder order{leveldb::BytewiseComparator(), KeyOrder::Keys::kUser};
  const leveldb::FilterPolicy* filter_policy = nullptr;  ///< asked about user keys
  leveldb::Cache* block_cache = nullptr;                 ///< may be null: blocks are then not kept
  bool paranoid_checks = false;                          ///< Open fails on a damaged filter too
  std::string file_name;                                 ///< for messages
};

/// How one read behaves.
struct BlockReadOptions {
  bool verify_checksums = false;
  bool fill_cache = true;
  /// The iterator expects to be read through to the end: it reads ahead in growing steps and leaves
  /// the cache alone.
  size_t readahead_bytes = 0;
  /// For clients' iterators and for salvage: an iterator skips blocks that it cannot read, and its
  /// status stays the first error until the iterator is deleted.
  bool skip_damaged_blocks = false;
  /// May be null. An iterator adds the stored bytes of each block that it enters.
  OwnedCounter* bytes_entered = nullptr;
};

class TableReader {
 public:
  /// Takes `file`, which is `file_bytes` long.
  static leveldb::Status Open(const TableReadOptions& options,
                              std::unique_ptr<leveldb::RandomAccessFile> file, uint64_t file_bytes,
                              std::unique_ptr<TableReader>* result);
  ~TableReader();
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  /// Finds the first entry with key >= `target` in the one block that can hold it (after asking the
  /// filter), without allocating where the block is cached. When there is one, calls visit(arg,
  /// key, value) once; the slices live for the call. Whether its user key equals the target's is
  /// for the caller to see.
  leveldb::Status Get(const BlockReadOptions& options, const leveldb::Slice& target, void* arg,
                      void (*visit)(void* arg, const leveldb::Slice& key,
                                    const leveldb::Slice& value)) const;

  /// Iterator over all entries; the reader must outlive it. Unreadable data stops it (but see
  /// skip_damaged_blocks): it is not Valid, and its status says why until the next Seek.
  std::unique_ptr<leveldb::Iterator> NewIterator(const BlockReadOptions& options) const;

  /// Where in the file the data of `key` begins or would begin.
  uint64_t ApproximateOffsetOf(const leveldb::Slice& key) const;

 private:
  struct Rep;
  explicit TableReader(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace lull
