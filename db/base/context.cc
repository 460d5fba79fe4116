// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/context.h"

#include <utility>

#include "util/os.h"

namespace lull {

leveldb::Status StoreContext::StayInDirectory() {
  leveldb::Status status = leveldb::Status::NotSupported(name);
  if (extension != nullptr) status = extension->OpenDirectory(name, &directory_env);
  if (status.ok()) {
    options.env = directory_env.get();
    extension = ExtensionOf(options.env);
    return status;
  }
  if (!status.IsNotSupportedError()) return status;
  // The Env need not mean the file system's names.
  const std::string real = os::RealName(name);
  if (real.empty() || !env()->FileExists(real)) return leveldb::Status::OK();
  name = real;
  ExtensionOf(leveldb::Env::Default())->OpenDirectory(name, &directory_env);
  return leveldb::Status::OK();
}

leveldb::Status StoreContext::CheckPlace(leveldb::FileLock* lock) const {
  if (extension != nullptr) return extension->CheckLock(lock);
  if (directory_env == nullptr) return leveldb::Status::OK();
  // Compares inodes. That of an open directory is in use, so no other directory has it.
  FileStamp opened, named;
  ExtensionOf(directory_env.get())->GetFileStamp(name, &opened);
  const leveldb::Status status = ExtensionOf(leveldb::Env::Default())->GetFileStamp(name, &named);
  const bool is_gone = status.IsNotFound() || (named.inode != 0 && named.inode != opened.inode);
  return is_gone ? LockIsGone(LockFileName(name)) : leveldb::Status::OK();
}

leveldb::Status StoreContext::RemoveFile(const std::string& path) const {
  const leveldb::Status status = extension == nullptr ? CheckPlace(nullptr) : leveldb::Status::OK();
  return status.ok() ? env()->RemoveFile(path) : status;
}

leveldb::Status StoreContext::NewFile(const std::string& path,
                                      leveldb::WritableFile** result) const {
  const leveldb::Status status = extension == nullptr ? CheckPlace(nullptr) : leveldb::Status::OK();
  return status.ok() ? env()->NewWritableFile(path, result) : status;
}

}  // namespace lull
