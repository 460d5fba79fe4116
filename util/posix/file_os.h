// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the Env's files ask of the operating system beyond POSIX; see util/os.h. An int result is 0
// or errno.
#pragma once

#include <cerrno>
#include <cstdint>

namespace lull::os {

/// Calls until the call is not interrupted. Returns 0 or errno.
template <class Call>
int Uninterrupted(Call call) {
  while (call() == -1) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Makes the file's data durable, with the metadata needed to read it.
int SyncData(int fd);
/// Makes the names in a directory durable. A removal after it never becomes durable before them.
int SyncNames(int fd);

/// Allocates the first `bytes` of a file; a shorter one grows. EOPNOTSUPP if the system or
/// file system cannot.
int Allocate(int fd, uint64_t bytes);

enum class Writeback { kBegin, kFinish, kBeginAndFinish };
/// Writes the pages from `begin` to `end` to the device, without making them durable. 0 if the
/// system cannot. But a device error must be returned: the kernel reports each one only once, so
/// the next sync would not report it.
int WriteBack(int fd, uint64_t begin, uint64_t end, Writeback writeback);

enum class FileUse { kSequential, kSoon, kNoLonger };
/// A hint about how the program will use pages of the file; `bytes` of 0: up to its end.
void Advise(int fd, FileUse use, uint64_t offset = 0, uint64_t bytes = 0);

/// A flag for open(2) that saves updates of the access time. Only the file's owner can use it. 0 if
/// the system has no such flag.
extern const int kOpenWithoutAccessTime;

/// A command for fcntl(2): a lock that belongs to the open file, unlike that of F_SETLK, which the
/// process loses when it closes any descriptor of the file. 0 if the system has none.
extern const int kSetOpenFileLock;

/// A process that has a lock of kSetOpenFileLock on the file; 0: unknown. fcntl(2) names only those
/// that have a lock of F_SETLK.
int64_t OpenFileLockHolder(int fd);

/// True if allocated space stays allocated. Otherwise a store into a mapping could fail for lack of
/// space and kill the process.
bool KeepsAllocations(int fd);
/// True if an overwrite changes no metadata.
bool OverwritesInPlace(int fd);
/// True if the process can use the blocks that a file system reserves for root.
bool OwnsReservedBlocks();

}  // namespace lull::os
