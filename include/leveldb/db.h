// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#ifndef LULL_INCLUDE_LEVELDB_DB_H_
#define LULL_INCLUDE_LEVELDB_DB_H_

#include <cstdint>
#include <cstdio>

#include "leveldb/export.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"

namespace leveldb {

// The LevelDB release whose API and file formats these headers follow.
static const int kMajorVersion = 1;
static const int kMinorVersion = 23;

struct Options;
struct ReadOptions;
struct WriteOptions;
class WriteBatch;

// A moment in the life of a store that reads can refer to. Immutable, so any thread may use it.
class LEVELDB_EXPORT Snapshot {
 protected:
  virtual ~Snapshot();
};

// The keys k with start <= k < limit.
struct LEVELDB_EXPORT Range {
  Range() = default;
  Range(const Slice& s, const Slice& l) : start(s), limit(l) {}

  Slice start;
  Slice limit;
};

// An open store: a sorted map from keys to values that lives in one directory. All methods may be
// called from any number of threads at once; only the destructor needs the object for itself. One
// process at a time can have a directory open.
class LEVELDB_EXPORT DB {
 public:
  // Opens the store in directory `name`, after replaying what a crash left in its logs. On success
  // *dbptr is a new object that the caller deletes; on failure it is nullptr. What `options` points
  // to must stay alive until then.
  static Status Open(const Options& options, const std::string& name, DB** dbptr);

  DB() = default;

  DB(const DB&) = delete;
  DB& operator=(const DB&) = delete;

  // Closes the store, waiting for background work to reach a point where it can stop. Iterators
  // must be deleted and snapshots released before.
  virtual ~DB();

  // Maps `key` to `value`, replacing an earlier value. On an error the write may or may not be
  // there after the next open. See WriteOptions::sync for what survives a power failure.
  virtual Status Put(const WriteOptions& options, const Slice& key, const Slice& value) = 0;

  // Removes `key`. Also OK if there was no such key.
  virtual Status Delete(const WriteOptions& options, const Slice& key) = 0;

  // Applies all updates of the batch as one: readers and a recovery see all of them or none. The
  // batch may be changed by the call only in ways that its public methods do not show.
  virtual Status Write(const WriteOptions& options, WriteBatch* updates) = 0;

  // Copies the value of `key` to *value. If there is no such key, the status is NotFound and *value
  // is left alone.
  virtual Status Get(const ReadOptions& options, const Slice& key, std::string* value) = 0;

  // A cursor over the whole store, standing nowhere yet. The caller deletes it, before the store.
  // While it lives, the files it reads from are kept, even if a compaction has replaced them.
  virtual Iterator* NewIterator(const ReadOptions& options) = 0;

  // Marks the present moment for ReadOptions::snapshot. What it can see is kept until
  // ReleaseSnapshot.
  virtual const Snapshot* GetSnapshot() = 0;

  // Ends the life of a snapshot of this store.
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;

  // Describes the store's inside. False, with *value untouched or empty, for a name that is not
  // known. Known are
  //   "leveldb.num-files-at-level<N>"     tables in level N, in decimal
  //   "leveldb.stats"                     text: files, sizes and compaction work by level
  //   "leveldb.sstables"                  a listing of all tables by level
  //   "leveldb.approximate-memory-usage"  bytes of memtables and block cache
  // and those of lull/lull.h.
  virtual bool GetProperty(const Slice& property, std::string* value) = 0;

  // For each of the `n` ranges at `range`, sets sizes[i] to about how many bytes its entries take
  // up: in table files (that is, compressed), and in memory what has not been flushed yet.
  virtual void GetApproximateSizes(const Range* range, int n, uint64_t* sizes) = 0;

  // Compacts all tables with keys from *begin to *end, both included, and waits for it: overwritten
  // and deleted entries go away unless a snapshot needs them. nullptr stands for "before all keys"
  // and "after all keys". Rarely needed; it costs reading and writing everything in the range.
  virtual void CompactRange(const Slice* begin, const Slice* end) = 0;
};

// Deletes the files of the store in directory `name`, and the directory if nothing else is in it.
// Fails if the store is open. A directory that cannot be listed counts as already gone: OK.
LEVELDB_EXPORT Status DestroyDB(const std::string& name, const Options& options);

// Makes a store that refuses to open usable again by salvaging what its files still hold. May lose
// data, and may bring back data that was deleted: a last resort.
LEVELDB_EXPORT Status RepairDB(const std::string& dbname, const Options& options);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_DB_H_
