// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/context.h"

#include <algorithm>

#include "util/os.h"

namespace lull {

leveldb::Status CheckStoreOptions(leveldb::Options* options, const std::string& name) {
  const auto refuse = [&](const char* what) {
    return leveldb::Status::InvalidArgument(name, what);
  };
  if (name.empty()) return leveldb::Status::InvalidArgument("the store's name is empty");
  if (options->env == nullptr) return refuse("Options::env is null");
  if (options->comparator == nullptr) return refuse("Options::comparator is null");
  if (options->block_restart_interval < 1)
    return refuse("Options::block_restart_interval is less than 1");
  const int compression = static_cast<int>(options->compression);
  if (compression < leveldb::kNoCompression || compression > leveldb::kZstdCompression) {
    return refuse("Options::compression is not none, snappy or zstd");
  }
  options->max_open_files = std::clamp(options->max_open_files, 64 + 10, 50000);
  options->write_buffer_size = std::clamp<size_t>(options->write_buffer_size, 64 << 10, 1 << 30);
  options->max_file_size = std::clamp<size_t>(options->max_file_size, 1 << 20, 1 << 30);
  options->block_size = std::clamp<size_t>(options->block_size, 1 << 10, 4 << 20);
  return leveldb::Status::OK();
}

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
  if (extension != nullptr) {
    const leveldb::Status status =
        lock != nullptr ? extension->CheckLock(lock) : leveldb::Status::OK();
    return status.ok() ? extension->CheckDirectory() : status;
  }
  if (directory_env == nullptr) return leveldb::Status::OK();
  // Compares inodes. That of an open directory is in use, so no other directory has it.
  FileStamp opened, named;
  ExtensionOf(directory_env.get())->GetFileStamp(name, &opened);
  const leveldb::Status status = ExtensionOf(leveldb::Env::Default())->GetFileStamp(name, &named);
  const bool is_gone = status.IsNotFound() || (named.inode != 0 && named.inode != opened.inode);
  return is_gone ? LockIsGone(LockFileName(name)) : leveldb::Status::OK();
}

leveldb::Status StoreContext::OpenTableFile(
    uint64_t number, std::string* path, std::unique_ptr<leveldb::RandomAccessFile>* file) const {
  *path = TableFileName(name, number);
  leveldb::RandomAccessFile* raw = nullptr;
  leveldb::Status status = env()->NewRandomAccessFile(*path, &raw);
  if (!status.ok()) {
    const std::string legacy = LegacyTableFileName(name, number);
    if (env()->NewRandomAccessFile(legacy, &raw).ok()) {
      status = leveldb::Status::OK();
      *path = legacy;
    }
  }
  if (status.ok()) file->reset(raw);
  return status;
}

std::optional<FileStamp> StoreContext::StampOf(const std::string& path) const {
  FileStamp stamp;
  if (extension == nullptr || !extension->GetFileStamp(path, &stamp).ok()) return std::nullopt;
  return stamp;
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
