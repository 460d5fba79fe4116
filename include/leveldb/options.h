// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// LevelDB's options. The order and types of the fields are part of the binary interface:
// sizeof(Options) is 96 on 64-bit machines, so no field can be added. lull/lull.h has Lull's own
// options.

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

// Compression of table blocks. The values are stored in the files.
enum CompressionType {
  kNoCompression = 0x0,
  kSnappyCompression = 0x1,
  // LevelDB 1.23 cannot read tables that use it.
  kZstdCompression = 0x2
};

// How to open a store. The caller owns all objects pointed to; they must outlive the store. Numbers
// out of range are clamped without an error; docs/options.md has the ranges.
struct LEVELDB_EXPORT Options {
  Options();

  // ---- Behavior ----

  // The order of keys. Default: BytewiseComparator(). Always open a store with the comparator that
  // created it; the store checks only the name.
  const Comparator* comparator;

  // Create the store if it does not exist. If false, opening a missing store fails with
  // InvalidArgument.
  bool create_if_missing = false;

  // Fail with InvalidArgument if the store exists.
  bool error_if_exists = false;

  // If true, every read verifies checksums, writes fail after a compaction has found damage, and
  // Open fails if a log or the MANIFEST is damaged (an incomplete last record is not damage). If
  // false, Open replays a damaged log up to the damage, and keeps the file in the directory lost/.
  bool paranoid_checks = false;

  // Access to files, threads and time. Default: Env::Default().
  Env* env;

  // Receives messages about flushes, compactions and errors. nullptr: the file LOG in the
  // directory.
  Logger* info_log = nullptr;

  // ---- Performance ----

  // Size at which a memtable is sealed and flushed to a table, in bytes. A larger value means fewer
  // and larger flushes, more memory and a longer replay at open.
  size_t write_buffer_size = 4 * 1024 * 1024;

  // Limit on open files. Reads keep at most max_open_files - 10 table files open; compactions open
  // their inputs separately. Further tables keep their indexes in memory, up to 64 MiB for all
  // tables.
  int max_open_files = 1000;

  // Cache of uncompressed blocks. nullptr: the store creates its own cache of 8 MiB, which also
  // uses memory that memtables leave free.
  Cache* block_cache = nullptr;

  // Size of a block before compression, in bytes of keys and values. A block is the unit of reads.
  size_t block_size = 4 * 1024;

  // In each block, one key in this many is stored in full. The others share prefixes with their
  // predecessors.
  int block_restart_interval = 16;

  // Size at which a compaction ends a table and starts the next one, in bytes. With the default,
  // tables of deeper levels are larger, up to 64 MiB.
  size_t max_file_size = 2 * 1024 * 1024;

  // Compression of new tables. A block that hardly shrinks is stored uncompressed, so the default
  // costs little even for incompressible data. A store with blocks of zlib, as Minecraft Bedrock
  // writes them, gets more of these, unless this is kNoCompression.
  CompressionType compression = kSnappyCompression;

  // Ignored: an open always starts a new MANIFEST and a new log.
  bool reuse_logs = false;

  // Filters that save reads of absent keys, such as NewBloomFilterPolicy(). nullptr: no filters.
  const FilterPolicy* filter_policy = nullptr;
};

// How to read.
struct LEVELDB_EXPORT ReadOptions {
  ReadOptions() = default;

  // Verify the checksum of every block read from a file.
  bool verify_checksums = false;

  // Insert blocks into the block cache after reading them. Set to false for scans larger than the
  // cache.
  bool fill_cache = true;

  // Read the store as of this snapshot, which must be an unreleased one of this store. nullptr: as
  // of the start of the call.
  const Snapshot* snapshot = nullptr;
};

// How to write.
struct LEVELDB_EXPORT WriteOptions {
  WriteOptions() = default;

  // Return only after this write and all earlier ones are on stable storage, so that they survive a
  // power failure. Without it, a write survives a crash of the process, but a crash of the machine
  // can lose the latest writes. The writes that survive are always a prefix of all writes, in
  // order.
  bool sync = false;
};

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_OPTIONS_H_
