// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/posix/lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "util/fork.h"
#include "util/os.h"
#include "util/posix/file_os.h"
#include "util/registry.h"

namespace lull::posix {

using leveldb::Status;

class LockTable::Token final : public leveldb::FileLock {
 public:
  explicit Token(Entry entry) : entry_(entry) {}
  Entry entry() const { return entry_; }
  bool is_inherited() const { return made_in_ != ForkGeneration(); }

 private:
  const Entry entry_;
  const uint32_t made_in_ = ForkGeneration();
};

namespace {

/// The descriptors of this process's locks, for its forked children.
using LockedFds = Registry<void, UniqueFd>;

void CloseInherited() {
  LockedFds::Get().ForEach([](UniqueFd* fd) { fd->Close(); });
}

/// Takes (F_WRLCK) or releases (F_UNLCK) a lock on the whole file. Returns 0 or errno.
int SetLock(int fd, short type) {
  struct flock request = {};
  request.l_type = type;
  request.l_whence = SEEK_SET;
  if (os::kSetOpenFileLock != 0) {
    if (fcntl(fd, os::kSetOpenFileLock, &request) == 0) return 0;
    if (errno != EINVAL) return errno;  // EINVAL: an old kernel, or an emulated one
  }
  return fcntl(fd, F_SETLK, &request) == 0 ? 0 : errno;
}

/// The process that has a lock which conflicts with one of `fd`; 0: unknown.
int64_t HolderOf(int fd) {
  struct flock conflict = {};
  conflict.l_type = F_WRLCK;
  conflict.l_whence = SEEK_SET;
  if (fcntl(fd, F_GETLK, &conflict) != 0 || conflict.l_type == F_UNLCK) return 0;
  return conflict.l_pid > 0 ? conflict.l_pid : os::OpenFileLockHolder(fd);
}

/// The same for all names of the file, whatever the working directory, as long as they lead to the
/// same directory.
std::string RealNameOf(const Path& path) {
  const std::string dir = os::RealName(path.Parent().name());
  const size_t base = path.name().find_last_of('/') + 1;
  return dir.empty() ? path.name() : dir + "/" + path.name().substr(base);
}

std::string ContextOf(const std::string& name) { return "lock " + name; }

/// These two begin with LevelDB's words, which programs look for.
Status AlreadyHeld(const std::string& name) {
  return Status::IOError(ContextOf(name),
                         "already held by process " + std::to_string(getpid()) + " (this process)");
}

Status HeldElsewhere(const std::string& name, int error, int fd) {
  const int64_t holder = HolderOf(fd);
  const std::string who = holder == getpid() ? "this process"
                          : holder > 0       ? "process " + std::to_string(holder)
                                             : "another process";
  return Status::IOError(ContextOf(name),
                         std::generic_category().message(error) + "; held by " + who);
}

}  // namespace

LockTable::LockTable() { os::OnFork(&CloseInherited); }

LockTable::Held* LockTable::FindLocked(dev_t device, ino_t inode) {
  for (Held& held : held_)
    if (held.is_identified && held.device == device && held.inode == inode) return &held;
  return nullptr;
}

bool LockTable::IsHeld(dev_t device, ino_t inode) {
  MutexLock lock(mutex_);
  return FindLocked(device, inode) != nullptr;
}

Status LockTable::Lock(const Path& path, leveldb::FileLock** result) {
  *result = nullptr;
  const std::string real_name = RealNameOf(path);
  Entry entry;
  {
    MutexLock lock(mutex_);
    for (const Held& held : held_)
      if (held.real_name == real_name) return AlreadyHeld(path.name());
    entry = held_.emplace(held_.begin(), real_name, path);
  }
  const Status status = Acquire(entry);
  if (status.ok()) {
    *result = new Token(entry);
  } else {
    Release(entry);
  }
  return status;
}

/// Opens and locks the file. After an error the caller releases the entry.
Status LockTable::Acquire(Entry entry) {
  const Path& path = entry->path;
  const std::string& name = path.name();
  struct stat info;
  if (fstatat(path.dir(), path.in_dir(), &info, 0) == 0 && IsHeld(info.st_dev, info.st_ino))
    return AlreadyHeld(name);

  UniqueFd fd;
  if (Status s = Open(path, O_RDWR | O_CREAT, &fd); !s.ok()) return s;
  if (fstat(fd.get(), &info) != 0) return Error(name, errno);
  {
    MutexLock lock(mutex_);
    if (Held* const other = FindLocked(info.st_dev, info.st_ino)) {
      other->kept_open.push_back(
          std::move(fd));  // the file was renamed meanwhile; closing would drop the lock
      return AlreadyHeld(name);
    }
    entry->is_identified = true;
    entry->device = info.st_dev;
    entry->inode = info.st_ino;
  }
  entry->fd = std::move(fd);
  LockedFds::Get().Add(&*entry, &entry->fd);
  const int error = SetLock(entry->fd.get(), F_WRLCK);
  // Such as NFS without its lock service.
  if (error == ENOLCK) return Status::IOError(ContextOf(name), "the file system has no locks");
  if (error == EAGAIN || error == EACCES) return HeldElsewhere(name, error, entry->fd.get());
  return error == 0 ? Status::OK() : Error(ContextOf(name), error);
}

Status LockTable::Check(leveldb::FileLock* lock) const {
  const auto* const token = static_cast<const Token*>(lock);
  const Held& held = *token->entry();
  struct stat info;
  const int failed = fstatat(held.path.dir(), held.path.in_dir(), &info, 0);
  if (failed != 0 && errno != ENOENT && errno != ENOTDIR && errno != ESTALE) return Status::OK();
  const bool is_own = failed == 0 && info.st_dev == held.device && info.st_ino == held.inode;
  return is_own ? Status::OK() : LockIsGone(held.path.name());
}

int LockTable::Release(Entry entry) {
  LockedFds::Get().Remove(&*entry);
  // A child that was forked without notice still has the open file.
  if (entry->fd.is_open()) SetLock(entry->fd.get(), F_UNLCK);
  const int error = entry->fd.Close();  // releases the lock even on an error
  while (true) {
    std::vector<UniqueFd> more;  // closed without the mutex
    MutexLock lock(mutex_);
    more.swap(entry->kept_open);
    if (!more.empty()) continue;
    held_.erase(entry);
    return error;
  }
}

Status LockTable::Unlock(leveldb::FileLock* lock) {
  const std::unique_ptr<Token> token(static_cast<Token*>(lock));
  if (token->is_inherited()) return Status::OK();
  const std::string name = token->entry()->path.name();
  const int error = Release(token->entry());
  return error != 0 ? Error("unlock " + name, error) : Status::OK();
}

}  // namespace lull::posix
