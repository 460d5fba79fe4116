// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Env::Default(): the files, threads and time of this machine. A singleton, created at first use
// and never destroyed, because stores and its threads can outlive main.

#include "leveldb/env.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/env_extension.h"
#include "util/fork.h"
#include "util/posix/file.h"
#include "util/posix/file_os.h"
#include "util/posix/lock.h"
#include "util/system_env.h"

namespace lull::posix {
namespace {

using leveldb::Status;

/// Converts the result of a system call that returns 0 on success.
Status Check(int returned, const std::string& context) {
  return returned == 0 ? Status::OK() : Error(context, errno);
}

uint64_t ModifiedNanos(const struct stat& info) {
#if defined(__APPLE__)
  const timespec& modified = info.st_mtimespec;
#else
  const timespec& modified = info.st_mtim;
#endif
  return static_cast<uint64_t>(modified.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(modified.tv_nsec);
}

class PosixEnv final : public SystemEnv {
 public:
  Status NewSequentialFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenSequential(name, result);
  }

  Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenRandomAccess(name, &table_descriptors_, result);
  }

  Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, O_TRUNC, WriteStyle(), result);
  }

  Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, O_APPEND, WriteStyle(), result);
  }

  // Asks as the effective user, unlike access(2), since that user will open the file.
  bool FileExists(const std::string& name) override {
    struct stat info;
    return stat(name.c_str(), &info) == 0;
  }

  Status GetChildren(const std::string& dir, std::vector<std::string>* result) override {
    result->clear();
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(dir.c_str()), &closedir);
    if (stream == nullptr) return Error(dir, errno);
    errno = 0;  // tells end of directory from an error
    while (const dirent* const entry = readdir(stream.get())) {
      result->emplace_back(entry->d_name);  // includes "." and "..", like LevelDB
      errno = 0;
    }
    return errno != 0 ? Error(dir, errno) : Status::OK();
  }

  Status RemoveFile(const std::string& name) override { return Check(unlink(name.c_str()), name); }
  Status CreateDir(const std::string& name) override {
    return Check(mkdir(name.c_str(), 0755), name);
  }
  Status RemoveDir(const std::string& name) override { return Check(rmdir(name.c_str()), name); }

  Status GetFileSize(const std::string& name, uint64_t* size) override {
    struct stat info;
    *size = 0;
    if (stat(name.c_str(), &info) != 0) return Error(name, errno);
    *size = static_cast<uint64_t>(info.st_size);
    return Status::OK();
  }

  Status RenameFile(const std::string& from, const std::string& to) override {
    return Check(std::rename(from.c_str(), to.c_str()), from);
  }

  Status LockFile(const std::string& name, leveldb::FileLock** lock) override {
    return locks_.Get().Lock(name, lock);
  }
  Status UnlockFile(leveldb::FileLock* lock) override { return locks_.Get().Unlock(lock); }

  Status GetTestDirectory(std::string* path) override {
    const char* const chosen = std::getenv("TEST_TMPDIR");
    if (chosen != nullptr && *chosen != '\0') {
      *path = chosen;
    } else {
      *path = "/tmp/leveldbtest-" + std::to_string(geteuid());
    }
    CreateDir(*path);  // usually exists; other errors show up at first use
    return Status::OK();
  }

  Status NewLogger(const std::string& name, leveldb::Logger** result) override {
    return OpenLogger(name, result);
  }

  // EnvExtension

  Status SyncDirectory(const std::string& dir) override { return posix::SyncDirectory(dir); }

  Status NewLogFile(const std::string& name, uint64_t capacity_bytes, LogFileMode mode,
                    LogFile** result) override {
    return CreateLogFile(name, capacity_bytes, mode, result);
  }

  Status ReuseLogFile(const std::string& old_name, const std::string& new_name,
                      const LogBlocks& blocks, LogFile** result) override {
    return RecycleLogFile(old_name, new_name, blocks, result);
  }

  Status NewCompactionInput(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenCompactionInput(name, &table_descriptors_, result);
  }

  Status NewExclusiveFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, O_EXCL, WriteStyle(), result);
  }
  Status OpenRegularFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenRegular(name, result);
  }

  Status LinkFile(const std::string& from, const std::string& to) override {
    if (link(from.c_str(), to.c_str()) == 0) return Status::OK();
    // These errors would stop a copy too. With any other, the system might only refuse the link.
    const bool stops_copy = errno == EEXIST || errno == ENOENT || errno == ENOTDIR ||
                            errno == EIO || errno == ENOSPC || errno == EDQUOT || errno == EROFS;
    return stops_copy ? Error(from, errno) : Status::NotSupported("link to " + to, from);
  }

  Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    struct stat info;
    if (stat(name.c_str(), &info) != 0) return Error(name, errno);
    *stamp = {static_cast<uint64_t>(info.st_ino), ModifiedNanos(info)};
    // Without a fraction of a second, the time is too coarse, or copied from another file.
    const bool tells = stamp->inode != 0 && stamp->modified_nanos % 1'000'000'000 != 0;
    return tells ? Status::OK() : Status::NotSupported(name, "has no exact time of change");
  }

  Status NewTableFile(const std::string& name, TableWriterKind writer,
                      leveldb::WritableFile** result) override {
    constexpr size_t kWritebackBytes = 512 << 10;
    const WriteStyle style = {.buffer_bytes = kTableFileBufferBytes,
                              .direct_bytes = kTableFileBufferBytes,
                              .writeback_bytes = kWritebackBytes};
    const auto open = writer == TableWriterKind::kFlush ? &OpenWithReserve : &Open;
    return OpenWritable(name, O_TRUNC, style, result, open);
  }

  Status NewManifestFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(name, O_TRUNC, {.manifest_syncs_folder = false}, result, &OpenWithReserve);
  }

  std::optional<uint64_t> FreeBytes(const std::string& dir) override {
    struct statvfs info;
    if (statvfs(dir.c_str(), &info) != 0) return std::nullopt;
    return posix::FreeBytes(info, os::OwnsReservedBlocks());
  }
  uint64_t FileBytesMax() override { return posix::FileBytesMax(); }
  Status TruncateFile(const std::string& name, uint64_t bytes) override {
    return Check(truncate(name.c_str(), static_cast<off_t>(bytes)), name);
  }

  DescriptorBudget* log_descriptors() override { return &log_descriptors_; }
  uint64_t OpenDescriptors() const override { return UniqueFd::OpenCount(); }

 private:
  static Status OpenWritable(const std::string& name, int flags, const WriteStyle& style,
                             leveldb::WritableFile** result,
                             Status (*open)(const std::string&, int, UniqueFd*) = &Open) {
    *result = nullptr;
    UniqueFd fd;
    if (Status s = open(name, O_WRONLY | O_CREAT | flags, &fd); !s.ok()) return s;
    *result = MakeWritable(name, std::move(fd), style).release();
    return Status::OK();
  }

  DescriptorBudget table_descriptors_{&TableDescriptorsMax};
  DescriptorBudget log_descriptors_{&LogDescriptorsMax};
  PerProcess<LockTable> locks_;
};

}  // namespace
}  // namespace lull::posix

namespace leveldb {

Env* Env::Default() {
  static Env* const env = new lull::posix::PosixEnv;
  return env;
}

}  // namespace leveldb
