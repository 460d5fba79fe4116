// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a store needs of a file system beyond leveldb::Env. An Env may also derive from
// EnvExtension; the store finds it by dynamic_cast at open and falls back to the plain Env where it
// is missing (a fallback can be slower, and cannot make a new file's name durable before the next
// MANIFEST sync; nothing else changes).
//
// Env and EnvExtension differ in one thing: who syncs folders. By LevelDB's contract the sync of an
// Env's MANIFEST syncs its folder first; with an extension a store does so itself, where there are
// new names.
//
// Thread-safe, like Env itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

/// How the records of a log file reach the kernel.
enum class LogFileMode {
  kWrite,   ///< write(2) for each flush: right where appends are synced
  kMapped,  ///< stores into a shared mapping, faulted in ahead: no system call an append
};

/// How readers of a log go through it, as far as the owner of a recycled file has to know.
struct LogBlocks {
  size_t block_bytes;  ///< they look for a record at each multiple of this, whatever precedes it
  size_t mark_bytes;   ///< where so many zeros stand in place of a record, none is in that block
};

class EnvExtension {
 public:
  virtual ~EnvExtension() = default;

  /// Makes names created, renamed or removed in `dir` durable.
  virtual leveldb::Status SyncDirectory(const std::string& dir) = 0;

  /// Creates (truncates) a log file with `capacity_bytes` (may be 0) allocated and zeroed ahead, so
  /// that appends within it change no metadata. The file ends in zeros until it is closed (for
  /// good, if the object is destroyed without). After each successful Append + Flush the bytes
  /// outlive the process. Default: NotSupported, and the caller uses Env::NewWritableFile.
  virtual leveldb::Status NewLogFile(const std::string& name, uint64_t capacity_bytes,
                                     LogFileMode mode, leveldb::WritableFile** result);

  /// Makes a log file of an old one, whose contents nobody needs any more: `old_name`, made by
  /// NewLogFile with kWrite or by this, and not open. Its blocks were written before, so appends
  /// within its length change no metadata, and there are no zeros to be written first.
  ///
  /// The steps are these, so that a crash leaves either the old name or a log that reads as empty:
  /// the first block is zeroed and each later one marked as empty, which is made durable; then the
  /// file gets `new_name` (which is as durable as any new one). An append overwrites what is there,
  /// and puts a mark behind itself, in the same call: readers never see what is left of the old
  /// log. Close cuts that off.
  ///
  /// Default: NotSupported. After a failure the old file is of no use but to be removed.
  virtual leveldb::Status ReuseLogFile(const std::string& old_name, const std::string& new_name,
                                       const LogBlocks& blocks, leveldb::WritableFile** result);

  /// Opens a file for a compaction, which reads it mostly from front to back: large reads ahead.
  /// One thread uses the result. Default: NotSupported, and the caller uses
  /// Env::NewRandomAccessFile.
  virtual leveldb::Status NewCompactionInput(const std::string& name,
                                             leveldb::RandomAccessFile** result);

  /// Creates a file written once from front to back by a flush or a compaction: written out early
  /// and steadily, so that the Sync at its end is short. Default: NotSupported, and the caller uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewTableFile(const std::string& name, leveldb::WritableFile** result);

  /// Creates a MANIFEST whose sync leaves the folder to the caller. Default: NotSupported, and the
  /// caller uses Env::NewWritableFile.
  virtual leveldb::Status NewManifestFile(const std::string& name, leveldb::WritableFile** result);

  /// Gives the file `from` a second name, `to`, which must not exist. NotSupported where the two
  /// cannot share a file (another file system, one without hard links), as by default: the caller
  /// copies.
  virtual leveldb::Status LinkFile(const std::string& from, const std::string& to);
};

/// The extension of `env`, or nullptr.
EnvExtension* ExtensionOf(leveldb::Env* env);

}  // namespace lull
