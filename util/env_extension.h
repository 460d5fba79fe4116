// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a store needs of a file system beyond leveldb::Env. Only our own Envs and those of tests
// derive from it. A store looks for the extension when it opens. Without one it uses the plain Env,
// which can be slower and cannot make a new file's name durable before the next MANIFEST sync;
// nothing else changes.
//
// Env and EnvExtension differ in who syncs folders. By LevelDB's contract the sync of an Env's
// MANIFEST syncs its folder first. With an extension the store syncs the folder itself where there
// are new names.
//
// Thread-safe, like Env itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

class DescriptorBudget;

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

/// A file for log records, as NewLogFile and ReuseLogFile make it.
class LogFile : public leveldb::WritableFile {
 public:
  /// Called after the last Append. Gives back the space allocated ahead and, where Sync can do
  /// without it, the descriptor. Sync and Close still work.
  virtual leveldb::Status Seal() { return leveldb::Status::OK(); }
  virtual bool HoldsDescriptor() const { return true; }
};

/// Who writes a table. A flush frees memory and logs, so it may use the last descriptors.
enum class TableWriterKind { kFlush, kCompaction };

class EnvExtension {
 public:
  /// The extension of `env` for as long as this exists. `env` is the object that is being built.
  explicit EnvExtension(leveldb::Env* env);
  virtual ~EnvExtension();
  EnvExtension(const EnvExtension&) = delete;
  EnvExtension& operator=(const EnvExtension&) = delete;

  /// Makes names created, renamed or removed in `dir` durable.
  virtual leveldb::Status SyncDirectory(const std::string& dir) = 0;

  /// Creates (truncates) a log file with `capacity_bytes` (may be 0) allocated and zeroed ahead, so
  /// that appends within it change no metadata. The file ends in zeros until it is closed (for
  /// good, if the object is destroyed without). After each successful Append + Flush the bytes
  /// outlive the process. Default: NotSupported, and the caller uses Env::NewWritableFile.
  virtual leveldb::Status NewLogFile(const std::string& name, uint64_t capacity_bytes,
                                     LogFileMode mode, LogFile** result);

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
                                       const LogBlocks& blocks, LogFile** result);

  /// Opens a file for a compaction, which reads it mostly from front to back: large reads ahead.
  /// One thread uses the result. Default: NotSupported, and the caller uses
  /// Env::NewRandomAccessFile.
  virtual leveldb::Status NewCompactionInput(const std::string& name,
                                             leveldb::RandomAccessFile** result);

  /// Creates a file written once from front to back by a flush or a compaction: written out early
  /// and steadily, so that the Sync at its end is short. Default: NotSupported, and the caller uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewTableFile(const std::string& name, TableWriterKind writer,
                                       leveldb::WritableFile** result);

  /// Creates a MANIFEST whose sync leaves the folder to the caller. Default: NotSupported, and the
  /// caller uses Env::NewWritableFile.
  virtual leveldb::Status NewManifestFile(const std::string& name, leveldb::WritableFile** result);

  /// Gives the file `from` a second name, `to`, which must not exist. NotSupported where the two
  /// cannot share a file (another file system, one without hard links), as by default: the caller
  /// copies.
  virtual leveldb::Status LinkFile(const std::string& from, const std::string& to);

  /// Bytes that can still be written to the file system of `dir`. Default: unlimited.
  virtual uint64_t FreeBytes(const std::string& dir);
  /// The longest file that this process may write. Default: unlimited.
  virtual uint64_t FileBytesMax();
  /// Cuts a file that nobody has open down to `bytes`. Default: NotSupported.
  virtual leveldb::Status TruncateFile(const std::string& name, uint64_t bytes);

  /// The share of the process' descriptors that logs may hold, all stores together; nullptr: no
  /// limit, as by default.
  virtual DescriptorBudget* log_descriptors() { return nullptr; }
  /// How many descriptors the files of this Env hold now. Default: 0, not known.
  virtual uint64_t OpenDescriptors() const { return 0; }

 private:
  leveldb::Env* const env_;
};

/// Whether an operation failed for want of something that may come back: descriptors, disk space,
/// memory. A retry can succeed, and a smaller one sooner.
bool IsOutOfResources(const leveldb::Status& status);
/// The same for descriptors alone: the file was not opened, so nothing was done to it.
bool IsOutOfDescriptors(const leveldb::Status& status);

/// The extension of `env`, or nullptr. `env` may be of a class without type information.
EnvExtension* ExtensionOf(leveldb::Env* env);

}  // namespace lull
