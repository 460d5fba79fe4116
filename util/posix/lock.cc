// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/posix/lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "util/fork.h"

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

std::string ContextOf(const std::string& name) { return "lock " + name; }

Status AlreadyHeld(const std::string& name) {
  return Status::IOError(ContextOf(name), "already held by process");
}

}  // namespace

LockTable::Held* LockTable::FindLocked(dev_t device, ino_t inode) {
  for (Held& held : held_)
    if (held.is_identified && held.device == device && held.inode == inode) return &held;
  return nullptr;
}

bool LockTable::IsHeld(dev_t device, ino_t inode) {
  MutexLock lock(mutex_);
  return FindLocked(device, inode) != nullptr;
}

Status LockTable::Lock(const std::string& name, leveldb::FileLock** result) {
  *result = nullptr;
  Entry entry;
  {
    MutexLock lock(mutex_);
    for (const Held& held : held_)
      if (held.name == name) return AlreadyHeld(name);
    entry = held_.insert(held_.begin(), Held());
    entry->name = name;
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
  const std::string& name = entry->name;
  struct stat info;
  if (stat(name.c_str(), &info) == 0 && IsHeld(info.st_dev, info.st_ino)) return AlreadyHeld(name);

  UniqueFd fd;
  if (Status s = Open(name, O_RDWR | O_CREAT, &fd); !s.ok()) return s;
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
  struct flock request = {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  if (fcntl(entry->fd.get(), F_SETLK, &request) == 0) return Status::OK();
  // Such as NFS without its lock service.
  if (errno == ENOLCK) return Status::IOError(ContextOf(name), "the file system has no locks");
  return Error(ContextOf(name), errno);
}

int LockTable::Release(Entry entry) {
  const int error = entry->fd.Close();  // releases the record lock even on an error
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
  const std::string name = token->entry()->name;
  const int error = Release(token->entry());
  return error != 0 ? Error("unlock " + name, error) : Status::OK();
}

}  // namespace lull::posix
