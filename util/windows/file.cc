// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/windows/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "leveldb/slice.h"
#include "util/logging.h"
#include "util/windows/text.h"

namespace lull::windows {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// The errno with the same cause, or 0.
int ErrnoOf(DWORD error) {
  switch (error) {
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NO_SYSTEM_RESOURCES:
      return ENOMEM;
    case ERROR_FILE_TOO_LARGE:
      return EFBIG;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    default:
      return 0;
  }
}

/// A transfer at `offset`: OVERLAPPED carries it also for handles that are not asynchronous.
OVERLAPPED At(uint64_t offset) {
  OVERLAPPED at = {};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return at;
}

/// One call transfers at most this much.
constexpr size_t kTransferMax = 1u << 30;

class SequentialReader final : public leveldb::SequentialFile {
 public:
  SequentialReader(std::string name, UniqueHandle handle)
      : name_(std::move(name)), handle_(std::move(handle)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    size_t filled = 0;
    Status s;
    while (filled < n) {
      const auto wanted = static_cast<DWORD>(std::min(n - filled, kTransferMax));
      DWORD got = 0;
      if (ReadFile(handle_.get(), scratch + filled, wanted, &got, nullptr) == 0)
        s = Error(name_, GetLastError());
      if (!s.ok() || got == 0) break;
      filled += got;
    }
    *result = Slice(scratch, filled);
    return s;
  }

  Status Skip(uint64_t n) override {
    LARGE_INTEGER distance;
    distance.QuadPart = static_cast<LONGLONG>(n);
    const bool moved = SetFilePointerEx(handle_.get(), distance, nullptr, FILE_CURRENT) != 0;
    return moved ? Status::OK() : Error(name_, GetLastError());
  }

 private:
  const std::string name_;
  const UniqueHandle handle_;
};

class RandomReader final : public leveldb::RandomAccessFile {
 public:
  RandomReader(std::string name, UniqueHandle handle)
      : name_(std::move(name)), handle_(std::move(handle)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    size_t filled = 0;
    while (filled < n) {
      const auto wanted = static_cast<DWORD>(std::min(n - filled, kTransferMax));
      OVERLAPPED at = At(offset + filled);
      DWORD got = 0;
      if (ReadFile(handle_.get(), scratch + filled, wanted, &got, &at) == 0) {
        const DWORD error = GetLastError();
        if (error == ERROR_HANDLE_EOF) break;
        *result = Slice();
        return Error(name_, error);
      }
      if (got == 0) break;
      filled += got;
    }
    *result = Slice(scratch, filled);
    return Status::OK();
  }

 private:
  const std::string name_;
  const UniqueHandle handle_;
};

Status WriteAll(HANDLE handle, const std::string& name, const char* data, size_t size) {
  while (size > 0) {
    DWORD written = 0;
    const auto wanted = static_cast<DWORD>(std::min(size, kTransferMax));
    if (WriteFile(handle, data, wanted, &written, nullptr) == 0) return Error(name, GetLastError());
    data += written;
    size -= written;
  }
  return Status::OK();
}

class BufferedFile final : public leveldb::WritableFile {
 public:
  BufferedFile(std::string name, UniqueHandle handle, size_t buffer_bytes)
      : name_(std::move(name)),
        buffer_bytes_(buffer_bytes),
        buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)),
        handle_(std::move(handle)) {}

  ~BufferedFile() override {
    if (handle_.is_open()) BufferedFile::Flush();  // a destructor cannot report an error
  }

  Status Append(const Slice& data) override {
    if (!failure_.ok()) return failure_;
    if (data.size() > buffer_bytes_ - buffered_) {
      if (Status s = Flush(); !s.ok()) return s;
    }
    if (data.size() >= buffer_bytes_) {
      failure_ = WriteAll(handle_.get(), name_, data.data(), data.size());
      return failure_;
    }
    std::memcpy(buffer_.get() + buffered_, data.data(), data.size());
    buffered_ += data.size();
    return Status::OK();
  }

  Status Flush() override {
    if (!failure_.ok() || buffered_ == 0) return failure_;
    failure_ = WriteAll(handle_.get(), name_, buffer_.get(), buffered_);
    if (failure_.ok()) buffered_ = 0;
    return failure_;
  }

  Status Sync() override {
    if (Status s = Flush(); !s.ok()) return s;
    if (FlushFileBuffers(handle_.get()) == 0) failure_ = Error(name_, GetLastError());
    return failure_;
  }

  Status Close() override {
    Status s = Flush();
    const DWORD error = handle_.Close();
    if (s.ok() && error != 0) s = Error(name_, error);
    return s;
  }

 private:
  const std::string name_;
  const size_t buffer_bytes_;
  const std::unique_ptr<char[]> buffer_;
  UniqueHandle handle_;
  size_t buffered_ = 0;
  Status failure_;
};

/// Appends each line with one call, so lines of different threads do not mix. Write errors are
/// ignored: there is nowhere to report them.
class FileLogger final : public leveldb::Logger {
 public:
  FileLogger(std::string name, UniqueHandle handle)
      : name_(std::move(name)), handle_(std::move(handle)) {}

  void Logv(const char* format, std::va_list arguments) override {
    const std::string line = LogLine(format, arguments);
    WriteAll(handle_.get(), name_, line.data(), line.size());
  }

 private:
  const std::string name_;
  const UniqueHandle handle_;
};

}  // namespace

Status Error(const std::string& context, DWORD error) {
  const int known = ErrnoOf(error);
  const std::string cause = known != 0 ? std::generic_category().message(known)
                                       : std::system_category().message(static_cast<int>(error));
  return known == ENOENT ? Status::NotFound(context, cause) : Status::IOError(context, cause);
}

DWORD UniqueHandle::Close() {
  if (!is_open()) return 0;
  return CloseHandle(std::exchange(handle_, INVALID_HANDLE_VALUE)) != 0 ? 0 : GetLastError();
}

Status Open(const std::string& name, DWORD access, DWORD disposition, DWORD flags,
            UniqueHandle* result) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  UniqueHandle handle(CreateFileW(PathOf(name).c_str(), access, kShared, nullptr, disposition,
                                  FILE_ATTRIBUTE_NORMAL | flags, nullptr));
  if (!handle.is_open()) return Error(name, GetLastError());
  *result = std::move(handle);
  return Status::OK();
}

Status OpenSequential(const std::string& name, leveldb::SequentialFile** result) {
  *result = nullptr;
  UniqueHandle handle;
  Status s = Open(name, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN, &handle);
  if (s.ok()) *result = new SequentialReader(name, std::move(handle));
  return s;
}

Status OpenRegular(const std::string& name, leveldb::SequentialFile** result) {
  *result = nullptr;
  UniqueHandle handle;
  Status s = Open(name, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, &handle);
  if (!s.ok()) return s;
  BY_HANDLE_FILE_INFORMATION info;
  const bool is_regular = GetFileType(handle.get()) == FILE_TYPE_DISK &&
                          GetFileInformationByHandle(handle.get(), &info) != 0 &&
                          (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  if (!is_regular) return Status::InvalidArgument(name, "is not a regular file");
  *result = new SequentialReader(name, std::move(handle));
  return s;
}

Status OpenRandomAccess(const std::string& name, DWORD flags, leveldb::RandomAccessFile** result) {
  *result = nullptr;
  UniqueHandle handle;
  Status s = Open(name, GENERIC_READ, OPEN_EXISTING, flags, &handle);
  if (s.ok()) *result = new RandomReader(name, std::move(handle));
  return s;
}

std::unique_ptr<leveldb::WritableFile> MakeWritable(const std::string& name, UniqueHandle handle,
                                                    size_t buffer_bytes) {
  return std::make_unique<BufferedFile>(name, std::move(handle), buffer_bytes);
}

Status OpenLogger(const std::string& name, leveldb::Logger** result) {
  *result = nullptr;
  UniqueHandle handle;
  // The right to append, without that to write, makes each write an append.
  Status s = Open(name, FILE_APPEND_DATA, OPEN_ALWAYS, 0, &handle);
  if (s.ok()) *result = new FileLogger(name, std::move(handle));
  return s;
}

}  // namespace lull::windows
