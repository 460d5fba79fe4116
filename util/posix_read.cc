// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "leveldb/slice.h"
#include "util/posix_file.h"

namespace lull::posix {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// Reads at the descriptor's position, so that pipes and devices work too.
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
    // A position past the end is fine: nothing is read there.
    const off_t position = lseek(fd_.get(), static_cast<off_t>(n), SEEK_CUR);
    return position < 0 ? Error(name_, errno) : Status::OK();
  }

 private:
  const std::string name_;
  const UniqueFd fd_;
};

/// Holds its descriptor, or opens the file for each read when there are too many.
class RandomReader final : public leveldb::RandomAccessFile {
 public:
  /// A null `budget` means that `fd` is closed: open the file for each read.
  RandomReader(std::string name, UniqueFd fd, FdBudget* budget)
      : name_(std::move(name)), fd_(std::move(fd)), budget_(budget) {}
  ~RandomReader() override {
    if (budget_ != nullptr) budget_->GiveBack();
  }

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    *result = Slice();
    UniqueFd for_this_read;
    if (!fd_.is_open()) {
      if (Status s = Open(name_, O_RDONLY, &for_this_read); !s.ok()) return s;
    }
    size_t read;
    const int fd = fd_.is_open() ? fd_.get() : for_this_read.get();
    if (Status s = ReadAt(fd, name_, offset, scratch, n, &read); !s.ok()) return s;
    *result = Slice(scratch, read);
    return Status::OK();
  }

 private:
  const std::string name_;
  const UniqueFd fd_;
  FdBudget* const budget_;
};

/// Serves reads from a window of the file that it moves ahead in large steps.
class WindowReader final : public leveldb::RandomAccessFile {
 public:
  WindowReader(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    *result = Slice();
    size_t read = 0;
    if (n >= kWindowBytes) {
      if (Status s = ReadAt(fd_.get(), name_, offset, scratch, n, &read); !s.ok()) return s;
    } else {
      if (!Covers(offset, n)) {
        if (Status s = MoveWindow(offset); !s.ok()) return s;
      }
      const uint64_t skipped = offset - window_start_;
      read = skipped < window_size_ ? std::min<size_t>(n, window_size_ - skipped) : 0;
      std::memcpy(scratch, window_.get() + skipped, read);
    }
    *result = Slice(scratch, read);
    return Status::OK();
  }

 private:
  static constexpr size_t kWindowBytes = 256 << 10;

  bool Covers(uint64_t offset, size_t n) const {
    return offset >= window_start_ && offset - window_start_ <= window_size_ &&
           n <= window_size_ - (offset - window_start_);
  }

  Status MoveWindow(uint64_t offset) const {
    window_start_ = offset;
    window_size_ = 0;
    size_t read;
    if (Status s = ReadAt(fd_.get(), name_, offset, window_.get(), kWindowBytes, &read); !s.ok())
      return s;
    window_size_ = read;
    return Status::OK();
  }

  const std::string name_;
  const UniqueFd fd_;
  // Used by one thread, so `const` of the interface costs no lock.
  const std::unique_ptr<char[]> window_ = std::make_unique_for_overwrite<char[]>(kWindowBytes);
  mutable uint64_t window_start_ = 0;
  mutable size_t window_size_ = 0;
};

}  // namespace

Status OpenSequential(const std::string& name, leveldb::SequentialFile** result) {
  *result = nullptr;
  UniqueFd fd;
  if (Status s = Open(name, O_RDONLY, &fd); !s.ok()) return s;
  *result = new SequentialReader(name, std::move(fd));
  return Status::OK();
}

Status OpenRandomAccess(const std::string& name, FdBudget* budget,
                        leveldb::RandomAccessFile** result) {
  *result = nullptr;
  UniqueFd fd;
  // Whose file it is may read it without noting the time, which costs each read a tenth.
  Status s = Open(name, O_RDONLY | O_NOATIME, &fd);
  if (!s.ok()) s = Open(name, O_RDONLY, &fd);
  if (!s.ok()) return s;
  if (budget->TryTake()) {
    *result = new RandomReader(name, std::move(fd), budget);
  } else {
    *result = new RandomReader(name, UniqueFd(), nullptr);
  }
  return Status::OK();
}

Status OpenCompactionInput(const std::string& name, leveldb::RandomAccessFile** result) {
  *result = nullptr;
  UniqueFd fd;
  if (Status s = Open(name, O_RDONLY, &fd); !s.ok()) return s;
  posix_fadvise(fd.get(), 0, 0,
                POSIX_FADV_SEQUENTIAL);  // advice: where it is not taken, nothing is lost
  *result = new WindowReader(name, std::move(fd));
  return Status::OK();
}

}  // namespace lull::posix
