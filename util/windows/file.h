// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Files of the Windows Env. Only util/windows includes this header.
//
// Every file is opened so that others can read, write, rename and delete it meanwhile, as on POSIX
// systems. Errors are Statuses with the file name and the system's message: NotFound if the name
// does not exist, IOError otherwise.
#pragma once

#include <windows.h>

#include <memory>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull::windows {

/// The Status of a system call on `context` that failed with `error`, from GetLastError. Where
/// errno has the same cause, the message is errno's, so that callers recognize it
/// (IsOutOfResources).
leveldb::Status Error(const std::string& context, DWORD error);

/// An open handle, closed by its owner's destructor.
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(HANDLE handle) : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept
      : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~UniqueHandle() { Close(); }

  HANDLE get() const { return handle_; }
  bool is_open() const { return handle_ != INVALID_HANDLE_VALUE; }
  /// Closes now; returns 0 or the error.
  DWORD Close();

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

/// `access`, `disposition`, `flags`: as for CreateFile.
leveldb::Status Open(const std::string& name, DWORD access, DWORD disposition, DWORD flags,
                     UniqueHandle* result);

leveldb::Status OpenSequential(const std::string& name, leveldb::SequentialFile** result);
/// See EnvExtension::OpenRegularFile.
leveldb::Status OpenRegular(const std::string& name, leveldb::SequentialFile** result);
/// `flags`: FILE_FLAG_RANDOM_ACCESS or FILE_FLAG_SEQUENTIAL_SCAN. Does not map the file: a read
/// error of a mapped file ends the process.
leveldb::Status OpenRandomAccess(const std::string& name, DWORD flags,
                                 leveldb::RandomAccessFile** result);

/// A buffered file. Appends of at least `buffer_bytes` bypass the buffer. After a failed operation,
/// all later ones fail with the same status: the file's contents are unknown.
std::unique_ptr<leveldb::WritableFile> MakeWritable(const std::string& name, UniqueHandle handle,
                                                    size_t buffer_bytes);

/// See Env::NewLogger.
leveldb::Status OpenLogger(const std::string& name, leveldb::Logger** result);

}  // namespace lull::windows
