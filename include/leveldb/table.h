// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

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

// A sorted table file, open for reading. Never changes, so any number of threads may use it at
// once.
class LEVELDB_EXPORT Table {
 public:
  // Opens the table that the first `file_size` bytes of `file` hold; reads its index and filter at
  // once. On success *table is a new object that the caller deletes; on failure it is nullptr.
  // `file` remains the caller's and must outlive the table.
  static Status Open(const Options& options, RandomAccessFile* file, uint64_t file_size,
                     Table** table);

  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  ~Table();

  // A cursor over the entries, standing nowhere yet. The caller deletes it, before the table.
  Iterator* NewIterator(const ReadOptions&) const;

  // About where in the file, in bytes, the entry for `key` is or would be. Past the last key: about
  // the file's size.
  uint64_t ApproximateOffsetOf(const Slice& key) const;

 private:
  friend class TableCache;
  struct Rep;

  static Iterator* BlockReader(void*, const ReadOptions&, const Slice&);

  explicit Table(Rep* rep) : rep_(rep) {}

  // Looks for the first entry at or after `key` and passes it to handle_result(arg, key, value). No
  // call if there is none, or if the filter knows that `key` is absent.
  Status InternalGet(const ReadOptions&, const Slice& key, void* arg,
                     void (*handle_result)(void* arg, const Slice& k, const Slice& v));

  void ReadMeta(const Footer& footer);
  void ReadFilter(const Slice& filter_handle_value);

  Rep* const rep_;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_TABLE_H_
