// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The settings that LevelDB has. Their order and types are part of the binary interface:
// sizeof(Options) is 96 on 64-bit machines, and no field can be added. Lull's further settings are
// in lull/lull.h.

#ifndef LULL_INCLUDE_LEVELDB_OPTIONS_H_
#define LULL_INCLUDE_LEVELDB_OPTIONS_H_

#include <cstddef>

#include "leveldb/export.h"

namespace leveldb {

class Cache;
class Comparator;
class Env;
class FilterPolicy;
class Logger;
class Snapshot;

// How a table's blocks are compressed. The numbers stand in the files.
enum CompressionType {
  kNoCompression = 0x0,
  kSnappyCompression = 0x1,
  // LevelDB 1.23 cannot read tables that use this one.
  kZstdCompression = 0x2
};

// How to open a store. Objects pointed to remain the caller's and must outlive the store.
struct LEVELDB_EXPORT Options {
  Options();

  // ---- What the store does ----

  // The order of keys; BytewiseComparator() unless set. A store must always be opened with the
  // comparator that it was created with; names are compared, behaviour cannot be.
  const Comparator* comparator;

  // Create the store if the directory has none. Otherwise that is an error.
  bool create_if_missing = false;

  // Refuse to open a store that is already there.
  bool error_if_exists = false;

  // Damage in a log, other than an end that was not written whole, fails the open; otherwise replay
  // ends there, and the log is kept in lost/. Every read is compared with its checksum.
  bool paranoid_checks = false;

  // Access to files, threads and time; Env::Default() unless set.
  Env* env;

  // Receives notes about flushes, compactions and errors. nullptr: a file LOG in the directory.
  Logger* info_log = nullptr;

  // ---- How fast it does it ----

  // Bytes a memtable takes in before it is sealed and flushed to a table. More means fewer, larger
  // flushes, more memory and a longer replay at open.
  size_t write_buffer_size = 4 * 1024 * 1024;

  // Files kept open at once, tables above all. Reopening a table costs a few reads.
  int max_open_files = 1000;

  // Keeps uncompressed blocks in memory. nullptr: the store makes an 8 MiB cache of its own.
  Cache* block_cache = nullptr;

  // Bytes of keys and values that go into a block before compression. A block is what one read
  // fetches.
  size_t block_size = 4 * 1024;

  // Every so manyth key of a block is stored in full; the ones between share prefixes with their
  // predecessor.
  int block_restart_interval = 16;

  // Bytes after which a compaction starts the next output table.
  size_t max_file_size = 2 * 1024 * 1024;

  // For blocks of new tables. A block that hardly shrinks is stored uncompressed whatever is set
  // here, so the default costs little even for data that does not compress.
  CompressionType compression = kSnappyCompression;

  // Accepted, and without effect: an open always begins a new MANIFEST and a new log.
  bool reuse_logs = false;

  // Summaries that save reads for absent keys, NewBloomFilterPolicy() for one. nullptr: none.
  const FilterPolicy* filter_policy = nullptr;
};

// How to read.
struct LEVELDB_EXPORT ReadOptions {
  ReadOptions() = default;

  // Compare every block read from a file with its checksum.
  bool verify_checksums = false;

  // Leave the blocks read in the block cache. Turn off for scans larger than the cache.
  bool fill_cache = true;

  // Read the store as it was at this snapshot, which must be one of this store and not released.
  // nullptr: as it is when the call begins.
  const Snapshot* snapshot = nullptr;
};

// How to write.
struct LEVELDB_EXPORT WriteOptions {
  WriteOptions() = default;

  // Return only when the write is on stable storage, so that it survives a power failure. Without
  // it, a write survives the death of the process, but a crash of the machine may take the latest
  // writes with it; what remains is always a prefix of the writes in their order.
  bool sync = false;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_OPTIONS_H_
