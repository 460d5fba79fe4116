// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/posix/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <vector>

#include "util/fork.h"
#include "util/mutex.h"
#include "util/posix/file_os.h"

namespace lull::posix {

using leveldb::Status;

Status Error(const std::string& context, int error) {
  const std::string cause = std::generic_category().message(error);
  return error == ENOENT ? Status::NotFound(context, cause) : Status::IOError(context, cause);
}

Path Path::Parent() const {
  const size_t slash = name_.rfind('/');
  if (slash == std::string::npos) return Path(".");
  const std::string parent = name_.substr(0, std::max<size_t>(slash, 1));
  return dir_ == AT_FDCWD ? Path(parent) : Path(parent, dir_, skipped_);
}

namespace {

std::atomic<uint64_t> open_count{0};

constexpr int kStandardDescriptors = 3;

/// Takes up the descriptors of the standard streams that are closed, for the time of an open: even
/// for a moment, no file that is written may have one.
class StandardDescriptors {
 public:
  StandardDescriptors() {
    for (int& fd : taken_) {
      const auto standard = static_cast<int>(&fd - taken_);
      if (fcntl(standard, F_GETFD) < 0) fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
  }
  ~StandardDescriptors() {
    for (const int fd : taken_)
      if (fd >= 0) close(fd);
  }

 private:
  int taken_[kStandardDescriptors] = {-1, -1, -1};
};

/// Moves a descriptor out of the way of the program; see Open. Returns the new one, or -1.
int MoveUp(int fd) {
  if (fd < 0 || fd >= FD_SETSIZE) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FD_SETSIZE);
  if (moved < 0 && fd >= kStandardDescriptors) return fd;
  if (moved < 0) moved = fcntl(fd, F_DUPFD_CLOEXEC, kStandardDescriptors);
  const int error = errno;
  close(fd);
  errno = error;
  return moved;
}

/// Returns 0 or errno.
int TryOpen(const Path& path, int flags, UniqueFd* result) {
  std::optional<StandardDescriptors> standard;
  if ((flags & O_ACCMODE) != O_RDONLY) standard.emplace();
  int fd;
  do {
    fd = openat(path.dir(), path.in_dir(), flags | O_CLOEXEC, 0644);
  } while (fd < 0 && errno == EINTR);
  fd = MoveUp(fd);
  if (fd < 0) return errno;
  *result = UniqueFd(fd);
  return 0;
}

/// Reserves descriptors (of "/") for OpenWithReserve. Thread-safe.
class Reserve {
 public:
  void Fill() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (spare_.size() < kSize) {
      UniqueFd fd;
      if (TryOpen(Path("/"), O_RDONLY | O_DIRECTORY, &fd) != 0) return;
      spare_.push_back(std::move(fd));
    }
  }
  /// Closes one reserved descriptor; returns false if there are no more.
  bool Spend() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (spare_.empty()) return false;
    spare_.pop_back();
    return true;
  }

 private:
  static constexpr size_t kSize = 2;  // a flush's table and a concurrent directory sync
  Mutex mutex_;
  std::vector<UniqueFd> spare_ LULL_GUARDED_BY(mutex_);
};

}  // namespace

UniqueFd::UniqueFd(int fd) : fd_(fd) {
  if (is_open()) open_count.fetch_add(1, std::memory_order_relaxed);
}

uint64_t UniqueFd::OpenCount() { return open_count.load(std::memory_order_relaxed); }

int UniqueFd::Release() {
  if (is_open()) open_count.fetch_sub(1, std::memory_order_relaxed);
  return std::exchange(fd_, -1);
}

int UniqueFd::Close() {
  const int fd = Release();
  const int failed = fd >= 0 ? close(fd) : 0;
  return failed != 0 && errno != EINTR ? errno : 0;
}

Status Open(const Path& path, int flags, UniqueFd* result) {
  const int error = TryOpen(path, flags, result);
  return error == 0 ? Status::OK() : Error(path.name(), error);
}

Status OpenWithReserve(const Path& path, int flags, UniqueFd* result) {
  static constinit PerProcess<Reserve> reserves;
  Reserve& reserve = reserves.Get();
  reserve.Fill();
  int error = TryOpen(path, flags, result);
  while ((error == EMFILE || error == ENFILE) && reserve.Spend())
    error = TryOpen(path, flags, result);
  return error == 0 ? Status::OK() : Error(path.name(), error);
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

/// Calls `put`, which can write fewer bytes than asked, until all pieces are written.
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

Status SyncData(int fd, const std::string& name) {
  const int error = os::SyncData(fd);
  return error != 0 ? Error(name, error) : Status::OK();
}

Status SyncAgain(const Path& path, uint64_t bytes) {
  constexpr size_t kPieceBytes = 64 << 10;
  UniqueFd fd;
  Status s = Open(path, O_RDWR, &fd);
  const auto buffer = std::make_unique<char[]>(kPieceBytes);
  bytes = std::min(bytes, FileBytesMax());
  for (uint64_t at = 0; s.ok() && at < bytes;) {
    size_t read = 0;
    s = ReadAt(fd.get(), path.name(), at, buffer.get(),
               static_cast<size_t>(std::min<uint64_t>(bytes - at, kPieceBytes)), &read);
    if (!s.ok() || read == 0) break;
    iovec piece = {buffer.get(), read};
    s = WriteAllAt(fd.get(), path.name(), at, {&piece, 1});
    at += read;
  }
  return s.ok() ? SyncData(fd.get(), path.name()) : s;
}

Status SyncDirectory(const Path& dir) {
  UniqueFd fd;
  if (Status s = OpenWithReserve(dir, O_RDONLY | O_DIRECTORY, &fd); !s.ok()) return s;
  const int error = os::SyncNames(fd.get());
  // Some file systems cannot sync a directory. Names there are only as durable as it makes them.
  const bool cannot = error == EINVAL || error == EOPNOTSUPP || error == ENOSYS;
  return error == 0 || cannot ? Status::OK() : Error(dir.name(), error);
}

namespace {

/// Descriptor limit of the process. Read at each call, because a program can change it.
int64_t DescriptorLimit() {
  constexpr int64_t kWhenUnknown = 256;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kWhenUnknown;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<int32_t>::max();
  return static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace

int64_t TableDescriptorsMax() { return DescriptorLimit() / 5; }
int64_t LogDescriptorsMax() { return DescriptorLimit() / 8; }

std::optional<uint64_t> FreeBytes(const struct statvfs& info, bool owns_reserve) {
  return PlausibleFreeBytes(info.f_blocks, owns_reserve ? info.f_bfree : info.f_bavail,
                            info.f_frsize != 0 ? info.f_frsize : info.f_bsize);
}

Mount MountOf(const std::string& dir) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::canonical(dir, error);
  struct stat info, above;
  if (error || stat(at.c_str(), &info) != 0) return {};
  while (at.has_relative_path() && stat(at.parent_path().c_str(), &above) == 0 &&
         above.st_dev == info.st_dev)
    at = at.parent_path();
  return {at.string(), std::to_string(info.st_dev)};
}

uint64_t FileBytesMax() {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

}  // namespace lull::posix
