// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/posix_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

namespace lull::posix {

using leveldb::Status;

Status Error(const std::string& context, int error) {
  const std::string cause = std::generic_category().message(error);
  return error == ENOENT ? Status::NotFound(context, cause) : Status::IOError(context, cause);
}

int UniqueFd::Close() {
  if (!is_open()) return 0;
  const int failed = close(std::exchange(fd_, -1));
  return failed != 0 && errno != EINTR ? errno : 0;
}

Status Open(const std::string& name, int flags, UniqueFd* result) {
  int fd;
  do {
    fd = open(name.c_str(), flags | O_CLOEXEC, 0644);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return Error(name, errno);
  *result = UniqueFd(fd);
  return Status::OK();
}

Status ReadAt(int fd, const std::string& name, uint64_t offset, char* out, size_t size,
              size_t* read) {
  *read = 0;
  while (*read < size) {
    const ssize_t got = pread(fd, out + *read, size - *read, static_cast<off_t>(offset + *read));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error(name, errno);
    if (got == 0) break;
    *read += static_cast<size_t>(got);
  }
  return Status::OK();
}

namespace {

/// Has `put` write the pieces, which it may do in part, until nothing is left of them.
template <typename Put>
Status PutAll(const std::string& name, std::span<iovec> pieces, Put put) {
  while (!pieces.empty()) {
    if (pieces.front().iov_len == 0) {
      pieces = pieces.subspan(1);
      continue;
    }
    const ssize_t written = put(pieces.data(), static_cast<int>(pieces.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error(name, errno);
    auto done = static_cast<size_t>(written);
    for (iovec& piece : pieces) {
      const size_t of_piece = std::min(done, piece.iov_len);
      piece.iov_base = static_cast<char*>(piece.iov_base) + of_piece;
      piece.iov_len -= of_piece;
      done -= of_piece;
    }
  }
  return Status::OK();
}

}  // namespace

Status WriteAll(int fd, const std::string& name, std::span<iovec> pieces) {
  return PutAll(name, pieces,
                [fd](const iovec* first, int count) { return writev(fd, first, count); });
}

Status WriteAllAt(int fd, const std::string& name, uint64_t offset, std::span<iovec> pieces) {
  return PutAll(name, pieces, [fd, &offset](const iovec* first, int count) {
    const ssize_t written = pwritev(fd, first, count, static_cast<off_t>(offset));
    if (written > 0) offset += static_cast<uint64_t>(written);
    return written;
  });
}

Status WriteBack(int fd, const std::string& name, uint64_t begin, uint64_t end, unsigned flags) {
  const int failed =
      sync_file_range(fd, static_cast<off_t>(begin), static_cast<off_t>(end - begin), flags);
  const bool lost = failed != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  return lost ? Error(name, errno) : Status::OK();
}

Status SyncData(int fd, const std::string& name) {
  int failed;
  do {
    failed = fdatasync(fd);
  } while (failed != 0 && errno == EINTR);
  return failed != 0 ? Error(name, errno) : Status::OK();
}

Status SyncDirectory(const std::string& dir) {
  UniqueFd fd;
  if (Status s = Open(dir, O_RDONLY | O_DIRECTORY, &fd); !s.ok()) return s;
  int failed;
  do {
    failed = fsync(fd.get());
  } while (failed != 0 && errno == EINTR);
  return failed != 0 ? Error(dir, errno) : Status::OK();
}

int64_t FdBudget::SystemLimit() {
  constexpr int64_t kOneIn = 5;
  constexpr int64_t kWhenUnknown = 50;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kWhenUnknown;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<int32_t>::max();
  return static_cast<int64_t>(limit.rlim_cur) / kOneIn;
}

}  // namespace lull::posix
