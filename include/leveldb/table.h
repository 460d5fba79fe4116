// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_TABLE_H_
#define LULL_INCLUDE_LEVELDB_TABLE_H_

#include <cstdint>

#include "leveldb/export.h"
#include "leveldb/iterator.h"

namespace leveldb {

class Block;
class BlockHandle;
class Footer;
struct Options;
class RandomAccessFile;
struct ReadOptions;
class TableCache;

// A sorted table file, open for reading. Immutable and thread-safe.
class LEVELDB_EXPORT Table {
 public:
  // Opens the table in the first `file_size` bytes of `file`; reads its index and filter. On
  // success *table is a new object, which the caller deletes; on failure it is nullptr. The caller
  // keeps `file`, which must outlive the table.
  static Status Open(const Options& options, RandomAccessFile* file, uint64_t file_size,
                     Table** table);

  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  ~Table();

  // Returns an iterator over the entries, not yet positioned. The caller deletes it, before the
  // table.
  Iterator* NewIterator(const ReadOptions&) const;

  // Approximate file offset, in bytes, of the entry for `key`, or of its place if absent. After the
  // last key: about the file size.
  uint64_t ApproximateOffsetOf(const Slice& key) const;

 private:
  friend class TableCache;
  struct Rep;

  static Iterator* BlockReader(void*, const ReadOptions&, const Slice&);

  explicit Table(Rep* rep) : rep_(rep) {}

  // Passes the first entry at or after `key` to handle_result(arg, key, value). Does not call it if
  // there is no such entry, or if the filter excludes `key`.
  Status InternalGet(const ReadOptions&, const Slice& key, void* arg,
                     void (*handle_result)(void* arg, const Slice& k, const Slice& v));

  void ReadMeta(const Footer& footer);
  void ReadFilter(const Slice& filter_handle_value);

  Rep* const rep_;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_TABLE_H_
