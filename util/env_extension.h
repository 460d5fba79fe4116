// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a store needs of a file system beyond leveldb::Env. An Env may also derive from
// EnvExtension; the store finds it by dynamic_cast at open and falls back to the plain Env where it
// is missing (a fallback can be slower, and cannot make a new file's name durable before the next
// MANIFEST sync; nothing else changes).
//
// Thread-safe, like Env itself.
#pragma once

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

class EnvExtension {
 public:
  virtual ~EnvExtension() = default;

  /// Makes names created, renamed or removed in `dir` durable.
  virtual leveldb::Status SyncDirectory(const std::string& dir) = 0;

  /// Creates (truncates) a log file with `capacity_bytes` allocated and zeroed ahead, so that
  /// appends within it change no metadata. The file ends in zeros until it is closed. After each
  /// successful Append
  /// + Flush the bytes outlive the process. Default: NotSupported, and the caller uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewLogFile(const std::string& name, uint64_t capacity_bytes,
                                     LogFileMode mode, leveldb::WritableFile** result);

  /// Opens a file for a compaction, which reads it mostly from front to back: large reads ahead.
  /// One thread uses the result. Default: NotSupported, and the caller uses
  /// Env::NewRandomAccessFile.
  virtual leveldb::Status NewCompactionInput(const std::string& name,
                                             leveldb::RandomAccessFile** result);

  /// Creates a file written once from front to back by a flush or a compaction: written out early
  /// and steadily, so that the Sync at its end is short. Default: NotSupported, and the caller uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewTableFile(const std::string& name, leveldb::WritableFile** result);

  /// Gives the file `from` a second name, `to`, which must not exist. NotSupported where the two
  /// cannot share a file (another file system, one without hard links), as by default: the caller
  /// copies.
  virtual leveldb::Status LinkFile(const std::string& from, const std::string& to);
};

/// The extension of `env`, or nullptr.
EnvExtension* ExtensionOf(leveldb::Env* env);

}  // namespace lull
