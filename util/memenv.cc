// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// NewMemEnv: files in memory.
//
// Names and contents are separate, as in a file system. A MemoryFile is like an inode: its name and
// all open files share it, and it has its own mutex. MemEnv's mutex guards only the names. No
// thread ever holds two of these mutexes.

#include "leveldb/helpers/memenv.h"

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "util/logging.h"
#include "util/mutex.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// The contents of a file; grow only at the end. Thread-safe.
class MemoryFile {
 public:
  void Truncate() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    chunks_.clear();
    size_ = 0;
  }

  void Append(Slice data) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!data.empty()) {
      const size_t at = size_ % kChunkBytes;
      if (at == 0) chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkBytes));
      const size_t bytes = std::min(data.size(), kChunkBytes - at);
      std::memcpy(chunks_.back().get() + at, data.data(), bytes);
      data.remove_prefix(bytes);
      size_ += bytes;
    }
  }

  /// Reads up to `n` bytes from `offset`. An offset past the end is an error, as in LevelDB's
  /// memory Env; a read at the end returns no bytes.
  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    *result = Slice();
    if (offset > size_) return Status::IOError("read of a file in memory", "offset beyond its end");
    const size_t wanted = std::min<uint64_t>(n, size_ - offset);
    for (size_t done = 0; done < wanted;) {
      const size_t at = (offset + done) % kChunkBytes;
      const size_t bytes = std::min(wanted - done, kChunkBytes - at);
      std::memcpy(scratch + done, chunks_[(offset + done) / kChunkBytes].get() + at, bytes);
      done += bytes;
    }
    *result = Slice(scratch, wanted);
    return Status::OK();
  }

  uint64_t size() const LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return size_;
  }

 private:
  // Chunks, so that a growing file never moves. Small ones, because a store has many small files.
  static constexpr size_t kChunkBytes = 8 << 10;

  mutable Mutex mutex_;
  std::vector<std::unique_ptr<char[]>> chunks_ LULL_GUARDED_BY(mutex_);
  uint64_t size_ LULL_GUARDED_BY(mutex_) = 0;
};

using MemoryFileRef = std::shared_ptr<MemoryFile>;

class Sequential final : public leveldb::SequentialFile {
 public:
  explicit Sequential(MemoryFileRef file) : file_(std::move(file)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    const Status status = file_->Read(at_, n, result, scratch);
    at_ += result->size();
    return status;
  }
  Status Skip(uint64_t n) override {
    const uint64_t size = file_->size();
    at_ = n < size - std::min(at_, size) ? at_ + n : std::max(at_, size);
    return Status::OK();
  }

 private:
  const MemoryFileRef file_;
  uint64_t at_ = 0;
};

class RandomAccess final : public leveldb::RandomAccessFile {
 public:
  explicit RandomAccess(MemoryFileRef file) : file_(std::move(file)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    return file_->Read(offset, n, result, scratch);
  }

 private:
  const MemoryFileRef file_;
};

/// Only Append does anything: there is no storage to flush or sync to.
class Writable final : public leveldb::WritableFile {
 public:
  explicit Writable(MemoryFileRef file) : file_(std::move(file)) {}

  Status Append(const Slice& data) override {
    file_->Append(data);
    return {};
  }
  Status Flush() override { return {}; }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }

 private:
  const MemoryFileRef file_;
};

class MemoryLogger final : public leveldb::Logger {
 public:
  explicit MemoryLogger(MemoryFileRef file) : file_(std::move(file)) {}

  void Logv(const char* format, std::va_list arguments) override {
    std::optional<std::string> line = FormatV(format, arguments);
    if (!line) return;
    if (!line->ends_with('\n')) line->push_back('\n');
    file_->Append(*line);
  }

 private:
  const MemoryFileRef file_;
};

class MemoryLock final : public leveldb::FileLock {
 public:
  explicit MemoryLock(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

/// "a/b/" and "a//b" become "a/b".
std::string Normalised(const std::string& name) {
  std::string path;
  for (const char c : name) {
    if (c != '/' || path.empty() || path.back() != '/') path.push_back(c);
  }
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// The common prefix of the paths in a directory.
std::string PrefixOf(const std::string& directory) {
  return directory == "/" ? directory : directory + "/";
}

class MemEnv final : public leveldb::EnvWrapper {
 public:
  explicit MemEnv(leveldb::Env* base) : EnvWrapper(base) {}

  Status NewSequentialFile(const std::string& name, leveldb::SequentialFile** result) override {
    return Open<Sequential>(name, result);
  }
  Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    return Open<RandomAccess>(name, result);
  }
  Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    return Create<Writable>(name, Content::kEmptied, result);
  }
  Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    return Create<Writable>(name, Content::kKept, result);
  }
  Status NewLogger(const std::string& name, leveldb::Logger** result) override {
    return Create<MemoryLogger>(name, Content::kKept, result);
  }

  bool FileExists(const std::string& name) override LULL_EXCLUDES(mutex_);
  Status GetChildren(const std::string& dir, std::vector<std::string>* result) override
      LULL_EXCLUDES(mutex_);
  Status RemoveFile(const std::string& name) override LULL_EXCLUDES(mutex_);
  Status DeleteFile(const std::string& name) override { return RemoveFile(name); }
  Status CreateDir(const std::string& name) override LULL_EXCLUDES(mutex_);
  Status RemoveDir(const std::string& name) override LULL_EXCLUDES(mutex_);
  Status DeleteDir(const std::string& name) override { return RemoveDir(name); }
  Status GetFileSize(const std::string& name, uint64_t* bytes) override;
  Status RenameFile(const std::string& from, const std::string& to) override LULL_EXCLUDES(mutex_);
  Status LockFile(const std::string& name, leveldb::FileLock** lock) override LULL_EXCLUDES(mutex_);
  Status UnlockFile(leveldb::FileLock* lock) override LULL_EXCLUDES(mutex_);
  Status GetTestDirectory(std::string* path) override {
    *path = "/test";
    return Status::OK();
  }

 private:
  enum class Content { kKept, kEmptied };

  MemoryFileRef Find(const std::string& name) LULL_EXCLUDES(mutex_);
  /// Null if `name` is a directory.
  MemoryFileRef FindOrCreate(const std::string& name) LULL_EXCLUDES(mutex_);
  bool IsDirectoryLocked(const std::string& path) const LULL_REQUIRES(mutex_);
  bool HoldsSomethingLocked(const std::string& directory) const LULL_REQUIRES(mutex_);

  static Status NoSuchFile(const std::string& name) {
    return Status::NotFound(name, "no such file in memory");
  }
  static Status IsDirectory(const std::string& name) {
    return Status::IOError(name, "is a directory in memory");
  }

  template <class Handle, class Interface>
  Status Open(const std::string& name, Interface** result) {
    MemoryFileRef file = Find(name);
    *result = file == nullptr ? nullptr : new Handle(std::move(file));
    return *result == nullptr ? NoSuchFile(name) : Status::OK();
  }

  template <class Handle, class Interface>
  Status Create(const std::string& name, Content content, Interface** result) {
    MemoryFileRef file = FindOrCreate(name);
    *result = nullptr;
    if (file == nullptr) return IsDirectory(name);
    if (content == Content::kEmptied) file->Truncate();
    *result = new Handle(std::move(file));
    return Status::OK();
  }

  mutable Mutex mutex_;
  std::map<std::string, MemoryFileRef> files_ LULL_GUARDED_BY(mutex_);  // by normalized path
  // Only the created ones; the parent directories of a file exist implicitly.
  std::set<std::string> directories_ LULL_GUARDED_BY(mutex_);
  std::set<std::string> locks_ LULL_GUARDED_BY(mutex_);
};

MemoryFileRef MemEnv::Find(const std::string& name) {
  MutexLock lock(mutex_);
  const auto found = files_.find(Normalised(name));
  return found == files_.end() ? nullptr : found->second;
}

MemoryFileRef MemEnv::FindOrCreate(const std::string& name) {
  const std::string path = Normalised(name);
  MutexLock lock(mutex_);
  if (IsDirectoryLocked(path)) return nullptr;
  MemoryFileRef& file = files_[path];
  if (file == nullptr) file = std::make_shared<MemoryFile>();
  return file;
}

bool MemEnv::HoldsSomethingLocked(const std::string& directory) const {
  const std::string prefix = PrefixOf(directory);
  const auto file = files_.lower_bound(prefix);
  const auto inner = directories_.lower_bound(prefix);
  return (file != files_.end() && file->first.starts_with(prefix)) ||
         (inner != directories_.end() && inner->starts_with(prefix));
}

bool MemEnv::IsDirectoryLocked(const std::string& path) const {
  return path == "/" || directories_.contains(path) || HoldsSomethingLocked(path);
}

bool MemEnv::FileExists(const std::string& name) {
  const std::string path = Normalised(name);
  MutexLock lock(mutex_);
  return files_.contains(path) || IsDirectoryLocked(path);
}

Status MemEnv::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  result->clear();
  const std::string path = Normalised(dir);
  const std::string prefix = PrefixOf(path);
  MutexLock lock(mutex_);
  if (!IsDirectoryLocked(path)) return Status::NotFound(dir, "no such directory in memory");
  std::set<std::string> names;
  const auto take = [&](const std::string& inner) {
    if (!inner.starts_with(prefix) || inner.size() == prefix.size()) return;
    names.insert(inner.substr(prefix.size(), inner.find('/', prefix.size()) - prefix.size()));
  };
  for (const auto& [name, file] : files_) take(name);
  for (const std::string& name : directories_) take(name);
  result->assign(names.begin(), names.end());
  return Status::OK();
}

Status MemEnv::RemoveFile(const std::string& name) {
  MutexLock lock(mutex_);
  return files_.erase(Normalised(name)) > 0 ? Status::OK() : NoSuchFile(name);
}

Status MemEnv::CreateDir(const std::string& name) {
  const std::string path = Normalised(name);
  MutexLock lock(mutex_);
  if (files_.contains(path)) return Status::IOError(name, "is a file in memory");
  directories_.insert(path);
  return Status::OK();
}

Status MemEnv::RemoveDir(const std::string& name) {
  const std::string path = Normalised(name);
  MutexLock lock(mutex_);
  if (HoldsSomethingLocked(path)) return Status::IOError(name, "is not empty");
  return directories_.erase(path) > 0 ? Status::OK()
                                      : Status::NotFound(name, "no such directory in memory");
}

Status MemEnv::GetFileSize(const std::string& name, uint64_t* bytes) {
  const MemoryFileRef file = Find(name);
  *bytes = file == nullptr ? 0 : file->size();
  return file == nullptr ? NoSuchFile(name) : Status::OK();
}

Status MemEnv::RenameFile(const std::string& from, const std::string& to) {
  const std::string target = Normalised(to);
  MutexLock lock(mutex_);
  const auto found = files_.find(Normalised(from));
  if (found == files_.end()) return NoSuchFile(from);
  if (IsDirectoryLocked(target)) return IsDirectory(to);
  MemoryFileRef file = std::move(found->second);
  files_.erase(found);
  files_[target] = std::move(file);
  return Status::OK();
}

Status MemEnv::LockFile(const std::string& name, leveldb::FileLock** lock) {
  *lock = nullptr;
  std::string path = Normalised(name);
  if (FindOrCreate(name) == nullptr) return IsDirectory(name);
  MutexLock guard(mutex_);
  if (!locks_.insert(path).second) return Status::IOError("lock " + name, "is already held");
  *lock = new MemoryLock(std::move(path));
  return Status::OK();
}

Status MemEnv::UnlockFile(leveldb::FileLock* lock) {
  const std::unique_ptr<MemoryLock> mine(static_cast<MemoryLock*>(lock));
  MutexLock guard(mutex_);
  locks_.erase(mine->path());
  return Status::OK();
}

}  // namespace
}  // namespace lull

namespace leveldb {

Env* NewMemEnv(Env* base_env) { return new lull::MemEnv(base_env); }

}  // namespace leveldb
