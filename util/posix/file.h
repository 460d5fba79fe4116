// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files of the POSIX Env and their shared functions. Only util/posix includes this header.
//
// Everything here retries interrupted calls and opens files with O_CLOEXEC. Errors are Statuses
// with the file name and the system's message: NotFound if the name does not exist, IOError
// otherwise.
#pragma once

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/descriptor_budget.h"
#include "util/env_extension.h"

namespace lull::posix {

/// The Status of a system call on `context` that failed with errno `error`.
leveldb::Status Error(const std::string& context, int error);

/// An open file descriptor, closed by its owner's destructor, and counted.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd);
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// The caller closes the descriptor.
  int Release();
  /// Closes now; returns 0 or errno. On Linux, close(2) closes the descriptor even if interrupted.
  int Close();
  /// Number of open descriptors of this class.
  static uint64_t OpenCount();

 private:
  int fd_ = -1;
};

/// The name of a file, and the directory from which a system call finds it.
class Path {
 public:
  /// Found from the working directory.
  Path(std::string name) : name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  /// Found from the open directory `dir`, whose own name is the first `dir_bytes` bytes.
  Path(std::string name, int dir, size_t dir_bytes)
      : name_(std::move(name)), dir_(dir), skipped_(name_.find_first_not_of('/', dir_bytes)) {}

  /// In messages.
  const std::string& name() const { return name_; }
  /// For system calls.
  int dir() const { return dir_; }
  const char* in_dir() const {
    return skipped_ == std::string::npos ? "." : name_.c_str() + skipped_;
  }
  bool is_open_dir() const { return skipped_ == std::string::npos; }
  /// Of the directory that has the file.
  Path Parent() const;

 private:
  std::string name_;
  int dir_ = AT_FDCWD;
  size_t skipped_ = 0;  // npos: it is the name of the open directory
};

/// Opens a file with `flags`; creates files with mode 0644. The descriptor is never that of the
/// standard input, output or error, or a program that has closed these would print into the file.
/// If the limit allows it, it is at least FD_SETSIZE: those below are for programs that use
/// select(2).
leveldb::Status Open(const Path& path, int flags, UniqueFd* result);

/// Like Open, for operations that free resources: a flush or the MANIFEST. If the process has no
/// descriptor left, uses one of two reserved ones. A later call reserves them again.
leveldb::Status OpenWithReserve(const Path& path, int flags, UniqueFd* result);

/// Reads `size` bytes at `offset`, fewer only at the end of the file; sets *read to the number
/// read.
leveldb::Status ReadAt(int fd, const std::string& name, uint64_t offset, char* out, size_t size,
                       size_t* read);

/// Writes all pieces, in order, at the current position. Modifies `pieces`.
leveldb::Status WriteAll(int fd, const std::string& name, std::span<iovec> pieces);

/// Like WriteAll, but at `offset`; does not change the current position.
leveldb::Status WriteAllAt(int fd, const std::string& name, uint64_t offset,
                           std::span<iovec> pieces);

/// Makes the file's data durable, with the metadata needed to read it.
leveldb::Status SyncData(int fd, const std::string& name);

/// See EnvExtension::SyncAgain.
leveldb::Status SyncAgain(const Path& path, uint64_t bytes);

/// Makes the directory entries of `dir` durable.
leveldb::Status SyncDirectory(const Path& dir);

/// Maximum number of descriptors for tables: a fifth of the process limit.
int64_t TableDescriptorsMax();
/// Maximum number of descriptors for logs: an eighth of the process limit.
int64_t LogDescriptorsMax();

/// What `info` says of the free space; nullopt if it says nothing. `owns_reserve`: the process can
/// also use the blocks that a file system reserves.
std::optional<uint64_t> FreeBytes(const struct statvfs& info, bool owns_reserve);

/// See EnvExtension::MountOf.
Mount MountOf(const std::string& dir);

/// RLIMIT_FSIZE. A write past it kills the process with SIGXFSZ.
uint64_t FileBytesMax();

leveldb::Status OpenSequential(const Path& path, leveldb::SequentialFile** result);

/// See EnvExtension::OpenRegularFile.
leveldb::Status OpenRegular(const Path& path, leveldb::SequentialFile** result);

/// If `budget` is used up, each read opens the file again. Does not map the file: a read error or
/// truncation of a mapped file kills the process.
leveldb::Status OpenRandomAccess(const Path& path, DescriptorBudget* budget,
                                 leveldb::RandomAccessFile** result);

/// See EnvExtension::Prefetch. `file` is from OpenRandomAccess.
void Prefetch(leveldb::RandomAccessFile* file, uint64_t offset, size_t bytes);

/// See EnvExtension::NewCompactionInput. Otherwise as OpenRandomAccess.
leveldb::Status OpenCompactionInput(const Path& path, DescriptorBudget* budget,
                                    leveldb::RandomAccessFile** result);

/// How a file is written.
struct WriteStyle {
  size_t buffer_bytes = 64 << 10;
  /// Appends of at least this size bypass the buffer: one call writes the buffer and the new data.
  size_t direct_bytes = 64 << 10;
  /// After each this many bytes, asks the kernel to start writeback; 0: the kernel decides.
  size_t writeback_bytes = 0;
  /// The file has preallocated space: Close and Seal truncate it after the last append. Destruction
  /// without Close does not: the file will be removed or recycled.
  bool trims = false;
  /// Syncing a file named MANIFEST first syncs its directory, like LevelDB's Env.
  bool manifest_syncs_directory = true;
};

/// A buffered file. After a failed operation, all later ones fail with the same status: the file
/// contents after the failure are unknown, and after a failed sync the kernel may have dropped the
/// data.
std::unique_ptr<LogFile> MakeWritable(const Path& path, UniqueFd fd, const WriteStyle& style);

/// See EnvExtension::NewLogFile.
leveldb::Status CreateLogFile(const Path& path, uint64_t capacity_bytes, LogFileMode mode,
                              LogFile** result);

/// See EnvExtension::ReuseLogFile.
leveldb::Status RecycleLogFile(const Path& from, const Path& to, const LogBlocks& blocks,
                               LogFile** result);

/// See Env::NewLogger.
leveldb::Status OpenLogger(const Path& path, leveldb::Logger** result);

}  // namespace lull::posix
