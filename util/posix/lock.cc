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
  explicit Token(std::list<Held>::iterator entry) : entry_(entry) {}
  std::list<Held>::iterator entry() const { return entry_; }
  bool is_inherited() const { return made_in_ != ForkGeneration(); }

 private:
  const std::list<Held>::iterator entry_;
  const uint32_t made_in_ = ForkGeneration();
};

LockTable::Held* LockTable::FindByNameLocked(const std::string& name) {
  for (Held& held : held_)
    if (held.name == name) return &held;
  return nullptr;
}

LockTable::Held* LockTable::FindByIdentityLocked(dev_t device, ino_t inode) {
  for (Held& held : held_)
    if (held.device == device && held.inode == inode) return &held;
  return nullptr;
}

Status LockTable::Lock(const std::string& name, leveldb::FileLock** result) {
  *result = nullptr;
  const std::string context = "lock " + name;
  const Status taken = Status::IOError(context, "already held by process");
  MutexLock lock(mutex_);
  struct stat info;
  if (FindByNameLocked(name) != nullptr) return taken;
  if (stat(name.c_str(), &info) == 0 && FindByIdentityLocked(info.st_dev, info.st_ino) != nullptr)
    return taken;

  UniqueFd fd;
  if (Status s = Open(name, O_RDWR | O_CREAT, &fd); !s.ok()) return s;
  if (fstat(fd.get(), &info) != 0) return Error(name, errno);
  if (Held* const other = FindByIdentityLocked(info.st_dev, info.st_ino)) {
    other->kept_open.push_back(
        std::move(fd));  // the file was renamed meanwhile; closing would drop the lock
    return taken;
  }
  struct flock request = {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  if (fcntl(fd.get(), F_SETLK, &request) != 0) {
    // Such as NFS without its lock service.
    if (errno == ENOLCK) return Status::IOError(context, "the file system has no locks");
    return Error(context, errno);
  }
  held_.push_front({name, info.st_dev, info.st_ino, std::move(fd), {}});
  *result = new Token(held_.begin());
  return Status::OK();
}

Status LockTable::Unlock(leveldb::FileLock* lock) {
  const std::unique_ptr<Token> token(static_cast<Token*>(lock));
  if (token->is_inherited()) return Status::OK();
  MutexLock table_lock(mutex_);
  const auto entry = token->entry();
  const int error = entry->fd.Close();  // releases the record lock even on an error
  const Status s = error != 0 ? Error("unlock " + entry->name, error) : Status::OK();
  held_.erase(entry);
  return s;
}

}  // namespace lull::posix
