// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Env::Default() on Windows. A singleton, created at first use and never destroyed, because stores
// and its threads can outlive main.
//
// Windows has no call that makes a directory's entries durable: NTFS keeps them in its own journal,
// in order. A file that is deleted while it is open keeps its name until it is closed, or loses it
// at once where the file system can do so. Logs are written with WriteFile: not preallocated, not
// recycled, not mapped.
#include "leveldb/env.h"

#include <windows.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/env_extension.h"
#include "util/os.h"
#include "util/system_env.h"
#include "util/windows/file.h"
#include "util/windows/text.h"

namespace lull::windows {
namespace {

using leveldb::Status;

constexpr size_t kBufferBytes = 64 << 10;

/// Converts the result of a system call that returns FALSE on failure.
Status Check(BOOL done, const std::string& context) {
  return done != 0 ? Status::OK() : Error(context, GetLastError());
}

/// A lock on all bytes, as LevelDB takes it, so that the two exclude each other. It also excludes
/// other handles of this process.
class Lock final : public leveldb::FileLock {
 public:
  Lock(std::string name, UniqueHandle handle)
      : name_(std::move(name)), handle_(std::move(handle)) {}

  const std::string& name() const { return name_; }
  bool IsFileOf(const UniqueHandle& other) const {
    BY_HANDLE_FILE_INFORMATION own, its;
    return GetFileInformationByHandle(handle_.get(), &own) != 0 &&
           GetFileInformationByHandle(other.get(), &its) != 0 &&
           own.dwVolumeSerialNumber == its.dwVolumeSerialNumber &&
           own.nFileIndexHigh == its.nFileIndexHigh && own.nFileIndexLow == its.nFileIndexLow;
  }

  Status Release() {
    const DWORD error = handle_.Close();  // releases the lock
    return error == 0 ? Status::OK() : Error("unlock " + name_, error);
  }

 private:
  const std::string name_;
  UniqueHandle handle_;
};

class WindowsEnv final : public SystemEnv {
 public:
  Status NewSequentialFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenSequential(name, result);
  }
  Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenRandomAccess(name, FILE_FLAG_RANDOM_ACCESS, result);
  }
  Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, GENERIC_WRITE, CREATE_ALWAYS, kBufferBytes, result);
  }
  Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, FILE_APPEND_DATA, OPEN_ALWAYS, kBufferBytes, result);
  }

  bool FileExists(const std::string& name) override {
    return GetFileAttributesW(PathOf(name).c_str()) != INVALID_FILE_ATTRIBUTES;
  }

  Status GetChildren(const std::string& dir, std::vector<std::string>* result) override {
    result->clear();
    WIN32_FIND_DATAW entry;
    const HANDLE search = FindFirstFileW(PathOf(dir + "\\*").c_str(), &entry);
    if (search == INVALID_HANDLE_VALUE) return Error(dir, GetLastError());
    do {
      result->push_back(Utf8(entry.cFileName));  // includes "." and "..", like LevelDB
    } while (FindNextFileW(search, &entry) != 0);
    const DWORD error = GetLastError();
    FindClose(search);
    return error == ERROR_NO_MORE_FILES ? Status::OK() : Error(dir, error);
  }

  Status RemoveFile(const std::string& name) override {
    return Check(DeleteFileW(PathOf(name).c_str()), name);
  }
  Status CreateDir(const std::string& name) override {
    return Check(CreateDirectoryW(PathOf(name).c_str(), nullptr), name);
  }
  Status RemoveDir(const std::string& name) override {
    return Check(RemoveDirectoryW(PathOf(name).c_str()), name);
  }

  Status GetFileSize(const std::string& name, uint64_t* size) override {
    WIN32_FILE_ATTRIBUTE_DATA data;
    *size = 0;
    if (GetFileAttributesExW(PathOf(name).c_str(), GetFileExInfoStandard, &data) == 0)
      return Error(name, GetLastError());
    *size = uint64_t{data.nFileSizeHigh} << 32 | data.nFileSizeLow;
    return Status::OK();
  }

  Status RenameFile(const std::string& from, const std::string& to) override {
    constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    return Check(MoveFileExW(PathOf(from).c_str(), PathOf(to).c_str(), kHow), from);
  }

  Status LockFile(const std::string& name, leveldb::FileLock** lock) override {
    *lock = nullptr;
    UniqueHandle handle;
    Status s = Open(name, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, 0, &handle);
    if (!s.ok()) return s;
    OVERLAPPED begin = {};
    constexpr DWORD kHow = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    if (LockFileEx(handle.get(), kHow, 0, MAXDWORD, MAXDWORD, &begin) == 0)
      return Status::IOError("lock " + name, "already held by a process");
    *lock = new Lock(name, std::move(handle));
    return Status::OK();
  }
  Status UnlockFile(leveldb::FileLock* lock) override {
    return std::unique_ptr<Lock>(static_cast<Lock*>(lock))->Release();
  }

  Status GetTestDirectory(std::string* path) override {
    const char* const chosen = os::Environment("TEST_TMPDIR");
    if (chosen != nullptr && *chosen != '\0') {
      *path = chosen;
    } else {
      wchar_t directory[MAX_PATH + 1];
      const DWORD units = GetTempPathW(MAX_PATH + 1, directory);
      *path = Utf8({directory, units}) + "leveldbtest";
    }
    CreateDir(*path);  // usually exists; other errors show up at first use
    return Status::OK();
  }

  Status NewLogger(const std::string& name, leveldb::Logger** result) override {
    return OpenLogger(name, result);
  }

  // EnvExtension

  Status CheckLock(leveldb::FileLock* lock) override {
    const Lock& held = *static_cast<Lock*>(lock);
    UniqueHandle named;
    const Status s = Open(held.name(), 0, OPEN_EXISTING, 0, &named);
    const bool is_gone = s.ok() ? !held.IsFileOf(named) : s.IsNotFound();
    return is_gone ? LockIsGone(held.name()) : Status::OK();
  }

  Status SyncDirectory(const std::string&) override { return Status::OK(); }

  Status NewCompactionInput(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenRandomAccess(name, FILE_FLAG_SEQUENTIAL_SCAN, result);
  }

  Status NewExclusiveFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, GENERIC_WRITE, CREATE_NEW, kBufferBytes, result);
  }
  Status OpenRegularFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenRegular(name, result);
  }

  Status LinkFile(const std::string& from, const std::string& to) override {
    if (CreateHardLinkW(PathOf(to).c_str(), PathOf(from).c_str(), nullptr) != 0)
      return Status::OK();
    const DWORD error = GetLastError();
    const bool cannot = error == ERROR_NOT_SAME_DEVICE || error == ERROR_INVALID_FUNCTION ||
                        error == ERROR_NOT_SUPPORTED || error == ERROR_TOO_MANY_LINKS ||
                        error == ERROR_ACCESS_DENIED || error == ERROR_INVALID_PARAMETER;
    return cannot ? Status::NotSupported("link to " + to, from) : Error(from, error);
  }

  Status NewTableFile(const std::string& name, TableWriterKind,
                      leveldb::WritableFile** result) override {
    return OpenWritable(name, GENERIC_WRITE, CREATE_ALWAYS, kTableFileBufferBytes, result);
  }
  Status NewManifestFile(const std::string& name, leveldb::WritableFile** result) override {
    return NewWritableFile(name, result);
  }

  std::optional<uint64_t> FreeBytes(const std::string& dir) override {
    ULARGE_INTEGER free;
    ULARGE_INTEGER all;
    if (GetDiskFreeSpaceExW(PathOf(dir).c_str(), &free, &all, nullptr) == 0) return std::nullopt;
    return PlausibleFreeBytes(all.QuadPart, free.QuadPart, 1);
  }

  Status TruncateFile(const std::string& name, uint64_t bytes) override {
    UniqueHandle handle;
    if (Status s = Open(name, GENERIC_WRITE, OPEN_EXISTING, 0, &handle); !s.ok()) return s;
    FILE_END_OF_FILE_INFO end;
    end.EndOfFile.QuadPart = static_cast<LONGLONG>(bytes);
    return Check(SetFileInformationByHandle(handle.get(), FileEndOfFileInfo, &end, sizeof(end)),
                 name);
  }

 private:
  static Status OpenWritable(const std::string& name, DWORD access, DWORD disposition,
                             size_t buffer_bytes, leveldb::WritableFile** result) {
    *result = nullptr;
    UniqueHandle handle;
    Status s = Open(name, access, disposition, 0, &handle);
    if (s.ok()) *result = MakeWritable(name, std::move(handle), buffer_bytes).release();
    return s;
  }
};

}  // namespace
}  // namespace lull::windows

namespace leveldb {

Env* Env::Default() {
  static Env* const env = new lull::windows::WindowsEnv;
  return env;
}

}  // namespace leveldb
