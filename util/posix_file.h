// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The files of the POSIX Env and what they share. Included by util/posix_*.cc and util/env_posix.cc
// only.
//
// Everything here retries calls that a signal interrupted, opens with O_CLOEXEC, and reports errors
// as Status with the file's name and the system's message: NotFound where the name does not exist,
// IOError otherwise.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/descriptor_budget.h"
#include "util/env_extension.h"

namespace lull::posix {

/// The failure of a system call on `context`, which ended with `error` in errno.
leveldb::Status Error(const std::string& context, int error);

/// An open file descriptor, closed with its owner, and counted.
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
  /// Closes now; returns errno's value, 0 on success. An interrupted close has closed all the same
  /// (Linux).
  int Close();
  /// How many are open now.
  static uint64_t OpenCount();

 private:
  int fd_ = -1;
};

/// Opens `name` with `flags`; files it creates have mode 0644.
leveldb::Status Open(const std::string& name, int flags, UniqueFd* result);

/// The same for what frees resources, a flush or the MANIFEST: where the process has no descriptor
/// left, takes one of two that are kept open for this. They are opened again by a later call.
leveldb::Status OpenWithReserve(const std::string& name, int flags, UniqueFd* result);

/// Reads `size` bytes at `offset`, fewer only where the file ends; *read tells how many.
leveldb::Status ReadAt(int fd, const std::string& name, uint64_t offset, char* out, size_t size,
                       size_t* read);

/// Writes all pieces, in order, at the descriptor's position. Uses up the entries of `pieces`.
leveldb::Status WriteAll(int fd, const std::string& name, std::span<iovec> pieces);

/// The same at `offset`; the descriptor's position stays.
leveldb::Status WriteAllAt(int fd, const std::string& name, uint64_t offset,
                           std::span<iovec> pieces);

/// sync_file_range(2) over [begin, end). That it may not be supported is no failure; an error of
/// the device is, since the kernel tells of each only once, and a sync that follows would not.
leveldb::Status WriteBack(int fd, const std::string& name, uint64_t begin, uint64_t end,
                          unsigned flags);

/// Makes what was written to the file durable, with the metadata needed to read it back.
leveldb::Status SyncData(int fd, const std::string& name);

/// Makes the names in `dir` durable.
leveldb::Status SyncDirectory(const std::string& dir);

/// How many descriptors tables may hold: a fifth of what the process may have open.
int64_t TableDescriptorsMax();
/// How many logs may hold: an eighth.
int64_t LogDescriptorsMax();

/// RLIMIT_FSIZE. A process that ignores it is killed by SIGXFSZ.
uint64_t FileBytesMax();

leveldb::Status OpenSequential(const std::string& name, leveldb::SequentialFile** result);

/// Beyond `budget` the file is opened anew for each read. No memory mapping: a mapped file that
/// shrinks or cannot be read kills the process.
leveldb::Status OpenRandomAccess(const std::string& name, DescriptorBudget* budget,
                                 leveldb::RandomAccessFile** result);

/// See EnvExtension::NewCompactionInput. Likewise reopened beyond `budget`. One thread uses the
/// result.
leveldb::Status OpenCompactionInput(const std::string& name, DescriptorBudget* budget,
                                    leveldb::RandomAccessFile** result);

/// How a file is written.
struct WriteStyle {
  size_t buffer_bytes = 64 << 10;
  /// Appends from this size on go to the kernel together with the buffer, without being copied into
  /// it.
  size_t direct_bytes = 64 << 10;
  /// After so many bytes the kernel is asked to begin writing them to the device; 0: it decides.
  size_t writeback_bytes = 0;
  /// Close and Seal cut the file after what was appended: it has space allocated ahead.
  /// (Destruction without Close does not: the file is about to be removed or recycled.)
  bool trims = false;
  /// Sync of a file called MANIFEST syncs its folder first, as LevelDB's Env does.
  bool manifest_syncs_folder = true;
};

/// A buffered file. Once an operation has failed, so do all later ones, with the same status: what
/// the file holds behind the failure is unknown, and after a failed sync the kernel may have
/// dropped the data.
std::unique_ptr<LogFile> MakeWritable(const std::string& name, UniqueFd fd,
                                      const WriteStyle& style);

/// See EnvExtension::NewLogFile.
leveldb::Status CreateLogFile(const std::string& name, uint64_t capacity_bytes, LogFileMode mode,
                              LogFile** result);

/// See EnvExtension::ReuseLogFile.
leveldb::Status RecycleLogFile(const std::string& old_name, const std::string& new_name,
                               const LogBlocks& blocks, LogFile** result);

/// See Env::NewLogger.
leveldb::Status OpenLogger(const std::string& name, leveldb::Logger** result);

}  // namespace lull::posix
