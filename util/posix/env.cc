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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/env_extension.h"
#include "util/fork.h"
#include "util/os.h"
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

/// Keeps links, unlike os::RealName. "" if the working directory has no name any more.
std::string Absolute(const std::string& name) {
  if (name.starts_with('/')) return name;
  const std::string here = os::RealName(".");
  return here.empty() ? here : here + "/" + name;
}

/// What all Envs of this process share.
struct SharedState {
  DescriptorBudget table_descriptors{&TableDescriptorsMax};
  DescriptorBudget log_descriptors{&LogDescriptorsMax};
  PerProcess<LockTable> locks;
};

/// Env::Default(), or with `dir` that of an open directory; see EnvExtension::OpenDirectory.
class PosixEnv final : public SystemEnv {
 public:
  explicit PosixEnv(SharedState* shared) : shared_(shared) {}
  PosixEnv(SharedState* shared, const std::string& dir, UniqueFd fd)
      : shared_(shared), dir_(dir), absolute_dir_(Absolute(dir)), fd_(std::move(fd)) {}

  Status NewSequentialFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenSequential(At(name), result);
  }

  Status NewRandomAccessFile(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenRandomAccess(At(name), &shared_->table_descriptors, result);
  }

  Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(At(name), O_TRUNC, WriteStyle(), result);
  }

  Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(At(name), O_APPEND, WriteStyle(), result);
  }

  // Asks as the effective user, unlike access(2), since that user will open the file.
  bool FileExists(const std::string& name) override {
    struct stat info;
    return GetStat(name, &info).ok();
  }

  Status GetChildren(const std::string& dir, std::vector<std::string>* result) override {
    result->clear();
    UniqueFd fd;
    if (Status s = Open(At(dir), O_RDONLY | O_DIRECTORY, &fd); !s.ok()) return s;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd.get()), &closedir);
    if (stream == nullptr) return Error(dir, errno);
    fd.Release();  // the stream closes it
    errno = 0;     // tells end of directory from an error
    while (const dirent* const entry = readdir(stream.get())) {
      result->emplace_back(entry->d_name);  // includes "." and "..", like LevelDB
      errno = 0;
    }
    return errno != 0 ? Error(dir, errno) : Status::OK();
  }

  Status RemoveFile(const std::string& name) override { return Remove(name, 0); }
  Status CreateDir(const std::string& name) override {
    const Path path = At(name);
    return Check(mkdirat(path.dir(), path.in_dir(), 0755), name);
  }
  Status RemoveDir(const std::string& name) override { return Remove(name, AT_REMOVEDIR); }

  Status GetFileSize(const std::string& name, uint64_t* size) override {
    struct stat info;
    *size = 0;
    if (Status s = GetStat(name, &info); !s.ok()) return s;
    *size = static_cast<uint64_t>(info.st_size);
    return Status::OK();
  }

  Status RenameFile(const std::string& from, const std::string& to) override {
    const Path old_path = At(from), new_path = At(to);
    return Check(renameat(old_path.dir(), old_path.in_dir(), new_path.dir(), new_path.in_dir()),
                 from);
  }

  Status LockFile(const std::string& name, leveldb::FileLock** lock) override {
    return shared_->locks.Get().Lock(At(name), lock);
  }
  Status UnlockFile(leveldb::FileLock* lock) override { return shared_->locks.Get().Unlock(lock); }

  Status GetTestDirectory(std::string* path) override {
    const char* const chosen = os::Environment("TEST_TMPDIR");
    if (chosen != nullptr && *chosen != '\0') {
      *path = chosen;
    } else {
      *path = "/tmp/leveldbtest-" + std::to_string(geteuid());
    }
    CreateDir(*path);  // usually exists; other errors show up at first use
    return Status::OK();
  }

  Status NewLogger(const std::string& name, leveldb::Logger** result) override {
    return OpenLogger(At(name), result);
  }

  // EnvExtension

  Status OpenDirectory(const std::string& dir, std::unique_ptr<leveldb::Env>* result) override {
    UniqueFd fd;
    if (Status s = Open(At(dir), O_RDONLY | O_DIRECTORY, &fd); !s.ok()) return s;
    *result = std::make_unique<PosixEnv>(shared_, dir, std::move(fd));
    return Status::OK();
  }
  // Compares with the open directory as it is now: its number is in use, so no other one has it.
  Status CheckDirectory() override {
    struct stat named, opened;
    const bool is_other = fd_.is_open() && stat(absolute_dir_.c_str(), &named) == 0 &&
                          S_ISDIR(named.st_mode) && fstat(fd_.get(), &opened) == 0 &&
                          (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino);
    return is_other ? Status::IOError(dir_,
                                      "leads to another directory since the store was opened: "
                                      "it was replaced, or a link switched; open it again")
                    : Status::OK();
  }
  Status CheckLock(leveldb::FileLock* lock) override { return shared_->locks.Get().Check(lock); }

  Status SyncAgain(const std::string& name, uint64_t bytes) override {
    return posix::SyncAgain(At(name), bytes);
  }
  Status SyncDirectory(const std::string& dir) override { return posix::SyncDirectory(At(dir)); }

  Status NewLogFile(const std::string& name, uint64_t capacity_bytes, LogFileMode mode,
                    LogFile** result) override {
    return CreateLogFile(At(name), capacity_bytes, mode, result);
  }

  Status ReuseLogFile(const std::string& old_name, const std::string& new_name,
                      const LogBlocks& blocks, LogFile** result) override {
    return RecycleLogFile(At(old_name), At(new_name), blocks, result);
  }

  void Prefetch(leveldb::RandomAccessFile* file, uint64_t offset, size_t bytes) override {
    posix::Prefetch(file, offset, bytes);
  }

  Status NewCompactionInput(const std::string& name, leveldb::RandomAccessFile** result) override {
    return OpenCompactionInput(At(name), &shared_->table_descriptors, result);
  }

  Status NewExclusiveFile(const std::string& name, leveldb::WritableFile** result) override {
    return OpenWritable(At(name), O_EXCL, WriteStyle(), result);
  }
  Status OpenRegularFile(const std::string& name, leveldb::SequentialFile** result) override {
    return OpenRegular(At(name), result);
  }

  bool IsNoFile(const std::string& name) override {
    const Path path = At(name);
    struct stat info;
    if (fstatat(path.dir(), path.in_dir(), &info, 0) == 0) return !S_ISREG(info.st_mode);
    return errno == ENOENT &&
           fstatat(path.dir(), path.in_dir(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  }

  Status LinkFile(const std::string& from, const std::string& to) override {
    const Path old_path = At(from), new_path = At(to);
    const int failed =
        linkat(old_path.dir(), old_path.in_dir(), new_path.dir(), new_path.in_dir(), 0);
    if (failed == 0) return Status::OK();
    // These errors would stop a copy too. With any other, the system might only refuse the link.
    const bool stops_copy = errno == EEXIST || errno == ENOENT || errno == ENOTDIR ||
                            errno == EIO || errno == ENOSPC || errno == EDQUOT || errno == EROFS;
    return stops_copy ? Error(from, errno) : Status::NotSupported("link to " + to, from);
  }

  Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    struct stat info;
    if (Status s = GetStat(name, &info); !s.ok()) return s;
    *stamp = {static_cast<uint64_t>(info.st_ino), ModifiedNanos(info)};
    // Without a fraction of a second, the time is too coarse, or copied from another file.
    const bool tells = stamp->inode != 0 && stamp->modified_nanos % 1'000'000'000 != 0;
    return tells ? Status::OK() : Status::NotSupported(name, "has no exact time of change");
  }

  Status SetModifiedNanos(const std::string& name, uint64_t nanos) override {
    const Path path = At(name);
    const timespec times[2] = {{0, UTIME_OMIT},
                               {static_cast<time_t>(nanos / 1'000'000'000),
                                static_cast<long>(nanos % 1'000'000'000)}};  // NOLINT
    return Check(utimensat(path.dir(), path.in_dir(), times, AT_SYMLINK_NOFOLLOW), name);
  }

  Status NewTableFile(const std::string& name, TableWriterKind writer,
                      leveldb::WritableFile** result) override {
    constexpr size_t kWritebackBytes = 512 << 10;
    const WriteStyle style = {.buffer_bytes = kTableFileBufferBytes,
                              .direct_bytes = kTableFileBufferBytes,
                              .writeback_bytes = kWritebackBytes};
    const auto open = writer == TableWriterKind::kFlush ? &OpenWithReserve : &Open;
    return OpenWritable(At(name), O_TRUNC, style, result, open);
  }

  Status NewManifestFile(const std::string& name, leveldb::WritableFile** result) override {
    const WriteStyle style = {.manifest_syncs_directory = false};
    return OpenWritable(At(name), O_TRUNC, style, result, &OpenWithReserve);
  }

  Mount MountOf(const std::string& dir) override { return posix::MountOf(dir); }
  std::optional<uint64_t> FreeBytes(const std::string& dir) override {
    struct statvfs info;
    const bool is_open_dir = At(dir).is_open_dir();
    if ((is_open_dir ? fstatvfs(fd_.get(), &info) : statvfs(dir.c_str(), &info)) != 0)
      return std::nullopt;
    return posix::FreeBytes(info, os::OwnsReservedBlocks());
  }
  uint64_t FileBytesMax() override { return posix::FileBytesMax(); }
  Status TruncateFile(const std::string& name, uint64_t bytes) override {
    UniqueFd fd;
    if (Status s = Open(At(name), O_WRONLY, &fd); !s.ok()) return s;
    return Check(ftruncate(fd.get(), static_cast<off_t>(bytes)), name);
  }

  DescriptorBudget* log_descriptors() override { return &shared_->log_descriptors; }
  uint64_t OpenDescriptors() const override { return UniqueFd::OpenCount(); }

 private:
  Path At(const std::string& name) const {
    const bool is_in_dir = fd_.is_open() && name.starts_with(dir_) &&
                           (name.size() == dir_.size() || name[dir_.size()] == '/');
    return is_in_dir ? Path(name, fd_.get(), dir_.size()) : Path(name);
  }

  Status GetStat(const std::string& name, struct stat* info) const {
    const Path path = At(name);
    return Check(fstatat(path.dir(), path.in_dir(), info, 0), name);
  }
  Status Remove(const std::string& name, int flags) const {
    const Path path = At(name);
    return Check(unlinkat(path.dir(), path.in_dir(), flags), name);
  }
  static Status OpenWritable(const Path& path, int flags, const WriteStyle& style,
                             leveldb::WritableFile** result,
                             Status (*open)(const Path&, int, UniqueFd*) = &Open) {
    *result = nullptr;
    UniqueFd fd;
    if (Status s = open(path, O_WRONLY | O_CREAT | flags, &fd); !s.ok()) return s;
    *result = MakeWritable(path, std::move(fd), style).release();
    return Status::OK();
  }

  SharedState* const shared_;
  const std::string dir_;
  const std::string absolute_dir_;  // with its links; "" if it is unknown
  const UniqueFd fd_;               // of dir_; not open in Env::Default()
};

}  // namespace
}  // namespace lull::posix

namespace leveldb {

Env* Env::Default() {
  static Env* const env = new lull::posix::PosixEnv(new lull::posix::SharedState);
  return env;
}

}  // namespace leveldb
