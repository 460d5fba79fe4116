// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "leveldb/slice.h"
#include "util/posix/file.h"
#include "util/posix/file_os.h"

namespace lull::posix {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// Reads at the current position, so that pipes and devices work too.
class SequentialReader final : public leveldb::SequentialFile {
 public:
  SequentialReader(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    Status s;
    size_t filled = 0;
    while (filled < n) {
      const ssize_t got = read(fd_.get(), scratch + filled, n - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) s = Error(name_, errno);
      if (got <= 0) break;
      filled += static_cast<size_t>(got);
    }
    *result = Slice(scratch, filled);
    return s;
  }

  Status Skip(uint64_t n) override {
    // Seeking past the end is fine: the next read returns nothing.
    const off_t position = lseek(fd_.get(), static_cast<off_t>(n), SEEK_CUR);
    return position < 0 ? Error(name_, errno) : Status::OK();
  }

 private:
  const std::string name_;
  const UniqueFd fd_;
};

/// Opens a file of a store. What is no regular file counts as missing; waits for nobody.
Status OpenFile(const Path& path, int flags, UniqueFd* fd) {
  const Status status = Open(path, O_RDONLY | O_NONBLOCK | flags, fd);
  struct stat info;
  const int failed = status.ok() ? fstat(fd->get(), &info)
                                 : fstatat(path.dir(), path.in_dir(), &info, 0);  // a socket
  const bool is_no_file = failed == 0 && !S_ISREG(info.st_mode);
  return is_no_file ? Status::NotFound(path.name(), "is no file") : status;
}

/// A file for reads at offsets. Keeps its descriptor if the budget allows; otherwise opens the file
/// for each read.
class RandomReader final : public leveldb::RandomAccessFile {
 public:
  RandomReader(Path path, UniqueFd fd, DescriptorBudget* budget) : path_(std::move(path)) {
    if (!budget->TryTake()) return;  // `fd` closes
    budget_ = budget;
    fd_ = std::move(fd);
  }
  ~RandomReader() override {
    if (budget_ != nullptr) budget_->GiveBack();
  }

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    *result = Slice();
    UniqueFd for_this_read;
    if (!fd_.is_open()) {
      if (Status s = OpenFile(path_, 0, &for_this_read); !s.ok()) return s;
    }
    const UniqueFd& fd = fd_.is_open() ? fd_ : for_this_read;
    size_t read;
    Status s = ReadAt(fd.get(), path_.name(), offset, scratch, n, &read);
    if (s.ok()) *result = Slice(scratch, read);
    return s;
  }

  void Prefetch(uint64_t offset, size_t bytes) const {
    if (fd_.is_open()) os::Advise(fd_.get(), os::FileUse::kSoon, offset, bytes);
  }

 private:
  const Path path_;
  UniqueFd fd_;
  DescriptorBudget* budget_ = nullptr;  // the budget that counts fd_
};

}  // namespace

void Prefetch(leveldb::RandomAccessFile* file, uint64_t offset, size_t bytes) {
  static_cast<RandomReader*>(file)->Prefetch(offset, bytes);
}

Status OpenSequential(const Path& path, leveldb::SequentialFile** result) {
  *result = nullptr;
  UniqueFd fd;
  // Programs can also read pipes and devices.
  const Status s = path.dir() == AT_FDCWD ? Open(path, O_RDONLY, &fd) : OpenFile(path, 0, &fd);
  if (!s.ok()) return s;
  *result = new SequentialReader(path.name(), std::move(fd));
  return Status::OK();
}

Status OpenRegular(const Path& path, leveldb::SequentialFile** result) {
  *result = nullptr;
  const auto check = [&path](int failed, const struct stat& info) {
    if (failed != 0) return Error(path.name(), errno);
    return S_ISREG(info.st_mode) ? Status::OK()
                                 : Status::InvalidArgument(path.name(), "is not a regular file");
  };
  struct stat info;
  // First, since to open a device can do something.
  const int failed = fstatat(path.dir(), path.in_dir(), &info, AT_SYMLINK_NOFOLLOW);
  if (Status s = check(failed, info); !s.ok()) return s;
  UniqueFd fd;
  // Others can replace the file at any time.
  if (Status s = Open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, &fd); !s.ok()) return s;
  if (Status s = check(fstat(fd.get(), &info), info); !s.ok()) return s;
  *result = new SequentialReader(path.name(), std::move(fd));
  return Status::OK();
}

Status OpenRandomAccess(const Path& path, DescriptorBudget* budget,
                        leveldb::RandomAccessFile** result) {
  *result = nullptr;
  UniqueFd fd;
  // The flag saves a tenth of a read.
  Status s = OpenFile(path, os::kOpenWithoutAccessTime, &fd);
  if (!s.ok()) s = OpenFile(path, 0, &fd);
  if (!s.ok()) return s;
  *result = new RandomReader(path, std::move(fd), budget);
  return Status::OK();
}

Status OpenCompactionInput(const Path& path, DescriptorBudget* budget,
                           leveldb::RandomAccessFile** result) {
  *result = nullptr;
  UniqueFd fd;
  if (Status s = OpenFile(path, 0, &fd); !s.ok()) return s;
  os::Advise(fd.get(), os::FileUse::kSequential);
  *result = new RandomReader(path, std::move(fd), budget);
  return Status::OK();
}

}  // namespace lull::posix
