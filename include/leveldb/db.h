// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_DB_H_
#define LULL_INCLUDE_LEVELDB_DB_H_

#include <cstdint>
#include <cstdio>

#include "leveldb/export.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"

namespace leveldb {

// The LevelDB release that defines the API and file formats of these headers.
static const int kMajorVersion = 1;
static const int kMinorVersion = 23;

struct Options;
struct ReadOptions;
struct WriteOptions;
class WriteBatch;

// A point in time of one store, for ReadOptions::snapshot. Immutable: any thread can use it.
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

// An open store: a sorted map from keys to values, in one directory. Thread-safe: any number of
// threads can call its methods at once, except the destructor. Only one process at a time can have
// a store open. Works until the process ends: also in exit handlers, and in the destructors of
// static and thread-local objects.
class LEVELDB_EXPORT DB {
 public:
  // Opens the store in directory `name`, and recovers the writes in its logs. On success *dbptr is
  // a new object, which the caller deletes; on failure it is nullptr. Objects that `options` points
  // to must outlive the store. Takes scheduling options from the environment variable LULL_OPTIONS,
  // if set (see lull/lull.h), but not in a set-user-ID program.
  //
  // InvalidArgument: an option is wrong, or the store exists or not contrary to `options`.
  // Corruption: files are damaged or missing. IOError: among others, the store is already open.
  static Status Open(const Options& options, const std::string& name, DB** dbptr);

  DB() = default;

  DB(const DB&) = delete;
  DB& operator=(const DB&) = delete;

  // Closes the store. Blocks until background work reaches a point where it can stop.
  // REQUIRES: all iterators are deleted, all snapshots released, and no other call is in progress.
  virtual ~DB();

  // Maps `key` to `value`, replacing any earlier value. After an error, the write can be present or
  // absent when the store is opened again. WriteOptions::sync says which writes survive a power
  // failure.
  virtual Status Put(const WriteOptions& options, const Slice& key, const Slice& value) = 0;

  // Removes `key`. OK if the store does not have it.
  virtual Status Delete(const WriteOptions& options, const Slice& key) = 0;

  // Applies all updates of the batch atomically: readers and recovery see all of them or none. The
  // batch keeps its updates, so it can be written again. No other thread can use it during the
  // call.
  virtual Status Write(const WriteOptions& options, WriteBatch* updates) = 0;

  // Copies the value of `key` to *value. Returns NotFound and leaves *value unchanged if there is
  // no such key.
  virtual Status Get(const ReadOptions& options, const Slice& key, std::string* value) = 0;

  // Returns an iterator over the whole store, not yet positioned. The caller deletes it, before it
  // deletes the store. While it exists, the store keeps the files it reads, even those that a
  // compaction has replaced.
  virtual Iterator* NewIterator(const ReadOptions& options) = 0;

  // Takes a snapshot of the current state. The store keeps everything visible in it until
  // ReleaseSnapshot.
  virtual const Snapshot* GetSnapshot() = 0;

  // Releases a snapshot of this store. It cannot be used afterwards.
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;

  // Reports on the internal state of the store. Returns false for an unknown name; *value is then
  // unchanged or empty. The names:
  //   "leveldb.num-files-at-level<N>"     number of tables in level N, in decimal
  //   "leveldb.stats"                     text: files, sizes and compaction work by level
  //   "leveldb.sstables"                  all tables by level
  //   "leveldb.approximate-memory-usage"  bytes of memtables and block cache
  //   "lull.stats", "lull.metrics"        statistics, as JSON and in the Prometheus text format
  //   "lull.space"                        JSON: where disk space is
  //   "lull.options"                      the current scheduling options, as an option string
  //   "lull.layout"                       JSON: what the layout of the tables costs
  virtual bool GetProperty(const Slice& property, std::string* value) = 0;

  // For each of the `n` ranges at `range`, sets sizes[i] to the approximate size of its entries in
  // bytes: compressed size in tables, memory in memtables.
  virtual void GetApproximateSizes(const Range* range, int n, uint64_t* sizes) = 0;

  // Compacts all tables that have keys from *begin to *end, both included, and blocks until done.
  // This removes overwritten and deleted entries that no snapshot needs. A null `begin` is before
  // all keys, a null `end` after all keys. After an error the call returns early; only the info log
  // reports it. Rarely needed; it reads and writes the whole range.
  virtual void CompactRange(const Slice* begin, const Slice* end) = 0;
};

// Deletes the files of the store in directory `name`, and the directory if it is then empty. Fails
// if the store is open, or if the directory cannot be listed. Returns OK if it does not exist.
// After an interruption the store is whole, or an open with create_if_missing or a second call
// removes the rest.
LEVELDB_EXPORT Status DestroyDB(const std::string& name, const Options& options);

// Repairs a store that fails to open: salvages what its files still contain. Can lose data and can
// bring back deleted data, so use it as a last resort. Keeps files that it does not use in the
// subdirectory lost/. Fails if the store is open. Changes nothing if an intact file cannot be read:
// InvalidArgument for another comparator, NotSupported for another format.
LEVELDB_EXPORT Status RepairDB(const std::string& dbname, const Options& options);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_DB_H_
