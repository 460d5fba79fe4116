// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// File system operations that the store needs beyond leveldb::Env. Only Lull's own Envs and test
// Envs derive from it. A store looks for the extension when it opens. Without one it uses the plain
// Env. That can be slower, and a new file's name is durable only after the next MANIFEST sync.
//
// Env and EnvExtension differ in who syncs directories. By LevelDB's contract, syncing the MANIFEST
// of an Env first syncs its directory. With an extension, the store itself syncs the directory
// after it creates files.
//
// Thread-safe, like Env.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/memory_charge.h"

namespace lull {

class DescriptorBudget;

/// How the records of a log file reach the kernel.
enum class LogFileMode {
  kWrite,   ///< write(2) for each flush: for logs whose appends are synced
  kMapped,  ///< stores into a shared mapping: no system call per append
};

/// How log readers scan a file, as far as recycling depends on it.
struct LogBlocks {
  size_t block_bytes;     ///< readers look for a record at each multiple of this
  std::string_view mark;  ///< a block with this in place of a record has no more records

  /// What an append that ends at `offset` writes after itself.
  std::string_view MarkAt(uint64_t offset) const {
    return mark.substr(0, block_bytes - offset % block_bytes);
  }
};

/// A file for log records, created by NewLogFile or ReuseLogFile.
class LogFile : public leveldb::WritableFile {
 public:
  /// Called after the last Append. Releases the preallocated space and, if Sync does not need it,
  /// the descriptor. Sync and Close still work.
  virtual leveldb::Status Seal() { return leveldb::Status::OK(); }
  virtual bool HoldsDescriptor() const { return true; }

  /// Lets Grow preallocate up to `bytes_max`. Call before the first Append.
  virtual void Reserve(uint64_t bytes_max) { (void)bytes_max; }
  /// Preallocates the first `bytes` (at most what was reserved) like NewLogFile. Any thread, during
  /// appends too, but not of a file that is closed meanwhile. Default: NotSupported; appends past
  /// the preallocated part work nevertheless.
  virtual leveldb::Status Grow(uint64_t bytes) {
    (void)bytes;
    return leveldb::Status::NotSupported("the log cannot be preallocated further");
  }

  // Memory of a mapped file. Any thread, during appends too; the defaults do nothing. Only memory
  // changes: the contents stay in the page cache.
  /// Counts the loaded pages of the file in `counter`, which outlives it.
  virtual void CountMemory(MemoryCounter* counter) { (void)counter; }
  /// Faults in all pages. Otherwise the first Append does so.
  virtual void LoadPages() {}
  /// Drops the pages of what was appended so far. `all`: all pages, if no append comes soon.
  virtual void DropPages(bool all) { (void)all; }
};

/// Size of the buffer of a file from NewTableFile.
inline constexpr size_t kTableFileBufferBytes = 256 << 10;

/// Identifies the content of a file without reading it. A file that is written to or replaced gets
/// another stamp, unless someone sets its time back.
struct FileStamp {
  uint64_t inode = 0;
  uint64_t modified_nanos = 0;  ///< since 1970
  bool operator==(const FileStamp&) const = default;
};

/// Where a file system is. Both are empty if unknown.
struct Mount {
  std::string path;    ///< its mount point, or a parent on the same file system
  std::string device;  ///< its number, as `stat --format=%d` prints it
};

/// The writer of a table. A flush frees memory and logs, so it can use the last descriptors.
enum class TableWriterKind { kFlush, kCompaction };

class EnvExtension {
 public:
  /// Extends `env` during the lifetime of this object. `env` is the object under construction.
  explicit EnvExtension(leveldb::Env* env);
  virtual ~EnvExtension();
  EnvExtension(const EnvExtension&) = delete;
  EnvExtension& operator=(const EnvExtension&) = delete;

  /// An Env for the files of the directory `dir`, which exists. It finds them wherever the name
  /// leads later: after the working directory has changed, a link in the name was switched, or the
  /// directory was moved or replaced. For other names it is like this Env, which outlives it.
  /// Default: NotSupported; the caller then goes on with names.
  virtual leveldb::Status OpenDirectory(const std::string& dir,
                                        std::unique_ptr<leveldb::Env>* result) {
    result->reset();
    return leveldb::Status::NotSupported("OpenDirectory", dir);
  }
  /// For an Env from OpenDirectory: IOError if the name of the directory, which was made absolute
  /// when it was opened, now leads to another one. OK while the name leads to none: the directory
  /// was only moved. Default: OK.
  virtual leveldb::Status CheckDirectory() { return leveldb::Status::OK(); }
  /// IOError if the file of `lock`, from LockFile, is no longer found under its name, so that it
  /// excludes nobody: it or its directory was removed or replaced. Default: OK.
  virtual leveldb::Status CheckLock(leveldb::FileLock*) { return leveldb::Status::OK(); }

  /// Makes the first `bytes` of a file that nobody writes durable, even if a sync in another
  /// process has failed: the kernel reports that only once, and then takes the bytes for written.
  /// So this writes them again. Default: NotSupported.
  virtual leveldb::Status SyncAgain(const std::string& name, uint64_t /*bytes*/) {
    return leveldb::Status::NotSupported("SyncAgain", name);
  }
  /// Makes durable which names were created, renamed or removed in `dir`. OK,
  /// without effect, if the file system cannot sync directories.
  virtual leveldb::Status SyncDirectory(const std::string& dir) = 0;

  /// Creates (truncates) a log file with `capacity_bytes` (0 is allowed) preallocated and zeroed,
  /// so that appends within it change no metadata. The file ends in zeros until it is closed;
  /// permanently if the object is destroyed without Close. After each successful Append + Flush,
  /// the bytes survive a crash of the process. Default: NotSupported; the caller then uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewLogFile(const std::string& name, uint64_t /*capacity_bytes*/,
                                     LogFileMode, LogFile** result) {
    return NoFile("NewLogFile", name, result);
  }

  /// Recycles `old_name`, an obsolete log that is not open, as a new log. `old_name` must come from
  /// NewLogFile with kWrite or from this method. Its blocks are already written, so appends within
  /// its length change no metadata and no zeros need to be written first.
  ///
  /// A crash must leave either the old name or a log that reads as empty. So the method first
  /// zeroes the first block, marks each later block as empty, extends the file to end with a mark,
  /// and syncs. Then it renames the file to `new_name` (as durable as any new name). Each append
  /// overwrites old bytes and, in the same call, writes a mark after the new ones, as far as the
  /// block reaches: readers never see remains of the old log. Close truncates the file after the
  /// last append.
  ///
  /// Default: NotSupported. After a failure the old file is unusable; remove it.
  virtual leveldb::Status ReuseLogFile(const std::string& old_name, const std::string& /*new_name*/,
                                       const LogBlocks&, LogFile** result) {
    return NoFile("ReuseLogFile", old_name, result);
  }

  /// Opens a file for a compaction, which reads it mostly sequentially and in large pieces.
  /// Default: NotSupported; the caller then uses Env::NewRandomAccessFile.
  virtual leveldb::Status NewCompactionInput(const std::string& name,
                                             leveldb::RandomAccessFile** result) {
    return NoFile("NewCompactionInput", name, result);
  }

  /// Begins to read a part of `file`, from NewRandomAccessFile of this Env, into the page cache,
  /// and does not wait for it. Default: no effect.
  virtual void Prefetch(leveldb::RandomAccessFile* /*file*/, uint64_t /*offset*/,
                        size_t /*bytes*/) {}

  /// Creates a file that a flush or compaction writes sequentially. Starts writeback early and
  /// steadily, so that the final Sync is short. Default: NotSupported; the caller then uses
  /// Env::NewWritableFile.
  virtual leveldb::Status NewTableFile(const std::string& name, TableWriterKind,
                                       leveldb::WritableFile** result) {
    return NoFile("NewTableFile", name, result);
  }

  /// Creates a MANIFEST whose sync does not sync the directory; the caller does. Default:
  /// NotSupported; the caller then uses Env::NewWritableFile.
  virtual leveldb::Status NewManifestFile(const std::string& name, leveldb::WritableFile** result) {
    return NoFile("NewManifestFile", name, result);
  }

  /// Creates a file, which must not exist: not even as a link. Default: NotSupported.
  virtual leveldb::Status NewExclusiveFile(const std::string& name,
                                           leveldb::WritableFile** result) {
    return NoFile("NewExclusiveFile", name, result);
  }
  /// Opens a file that anyone can have put there. InvalidArgument unless `name` itself is a regular
  /// file, so neither a link nor a FIFO. Waits for nobody. Default: NotSupported.
  virtual leveldb::Status OpenRegularFile(const std::string& name,
                                          leveldb::SequentialFile** result) {
    return NoFile("OpenRegularFile", name, result);
  }

  /// Whether `name` exists, but leads to no regular file: to a directory, FIFO, socket, device, or
  /// as a link to nothing. False if that is unknown. Default: finds only directories.
  virtual bool IsNoFile(const std::string& name);

  /// Creates the hard link `to`, which must not exist, to the file `from`. NotSupported if the file
  /// system cannot link the two; the caller then copies. Default: NotSupported.
  virtual leveldb::Status LinkFile(const std::string& from, const std::string& /*to*/) {
    return leveldb::Status::NotSupported("LinkFile", from);
  }

  /// The stamp of a file. NotSupported, as by default, if the file system cannot tell its contents
  /// apart; the caller then reads the file.
  virtual leveldb::Status GetFileStamp(const std::string& name, FileStamp* /*stamp*/) {
    return leveldb::Status::NotSupported("GetFileStamp", name);
  }

  /// Sets the time of change that GetFileStamp returns; of a link itself, not of what it leads to.
  /// Default: NotSupported.
  virtual leveldb::Status SetModifiedNanos(const std::string& name, uint64_t /*nanos*/) {
    return leveldb::Status::NotSupported("SetModifiedNanos", name);
  }

  /// The file system of the directory `dir`. Default: unknown.
  virtual Mount MountOf(const std::string& /*dir*/) { return {}; }
  /// Bytes available to this process in the file system of `dir`; nullopt: unknown, as by default.
  virtual std::optional<uint64_t> FreeBytes(const std::string& /*dir*/) { return std::nullopt; }
  /// Maximum size of a file that this process can write, in bytes. Default: unlimited.
  virtual uint64_t FileBytesMax() { return UINT64_MAX; }
  /// Truncates a file, which must not be open, to `bytes`. Default: NotSupported.
  virtual leveldb::Status TruncateFile(const std::string& name, uint64_t /*bytes*/) {
    return leveldb::Status::NotSupported("TruncateFile", name);
  }

  /// The limit on descriptors of logs, shared by all stores; nullptr (the default): no limit.
  virtual DescriptorBudget* log_descriptors() { return nullptr; }
  /// Number of descriptors that files of this Env hold now. Default: 0 (unknown).
  virtual uint64_t OpenDescriptors() const { return 0; }

 private:
  template <class File>
  static leveldb::Status NoFile(const char* function, const std::string& name, File** result) {
    *result = nullptr;
    return leveldb::Status::NotSupported(function, name);
  }

  leveldb::Env* const env_;
};

/// The free bytes of a file system that reports these figures; nullopt if they cannot be true. Some
/// file systems, such as ramfs, report nothing but zeros.
std::optional<uint64_t> PlausibleFreeBytes(uint64_t blocks, uint64_t free_blocks,
                                           uint64_t block_bytes);

/// What CheckLock returns of a lock whose file is not found.
leveldb::Status LockIsGone(const std::string& name);

/// True if an operation failed because a resource ran out that can become available again:
/// descriptors, disk space or memory. A retry can succeed, and a smaller one sooner.
bool IsOutOfResources(const leveldb::Status& status);
/// True if no descriptor was available. The file was not opened, so it is unchanged.
bool IsOutOfDescriptors(const leveldb::Status& status);

/// The extension of `env`, or nullptr. Works for Env classes without type information (-fno-rtti).
EnvExtension* ExtensionOf(leveldb::Env* env);

}  // namespace lull
