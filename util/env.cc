// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/env.h"

#include <algorithm>
#include <cstdarg>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace leveldb {
namespace {

Status WriteWholeFile(Env* env, const Slice& data, const std::string& name, bool sync) {
  WritableFile* opened;
  if (Status s = env->NewWritableFile(name, &opened); !s.ok()) return s;
  std::unique_ptr<WritableFile> file(opened);
  Status s = file->Append(data);
  if (s.ok() && sync) s = file->Sync();
  if (s.ok()) s = file->Close();
  file.reset();
  if (!s.ok()) env->RemoveFile(name);  // do not leave a partial file
  return s;
}

}  // namespace

Env::Env() = default;
Env::~Env() = default;
SequentialFile::~SequentialFile() = default;
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;
Logger::~Logger() = default;
FileLock::~FileLock() = default;
EnvWrapper::~EnvWrapper() = default;

Status Env::NewAppendableFile(const std::string& fname, WritableFile** result) {
  *result = nullptr;
  return Status::NotSupported("NewAppendableFile", fname);
}

// The old and the new names call each other: an Env overrides one of the two. An Env that overrides
// neither recurses, as in LevelDB.
Status Env::RemoveFile(const std::string& name) { return DeleteFile(name); }
Status Env::RemoveDir(const std::string& dir) { return DeleteDir(dir); }
Status Env::DeleteFile(const std::string& name) { return RemoveFile(name); }
Status Env::DeleteDir(const std::string& dir) { return RemoveDir(dir); }

void Log(Logger* info_log, const char* format, ...) {
  if (info_log == nullptr) return;
  std::va_list arguments;
  va_start(arguments, format);
  info_log->Logv(format, arguments);
  va_end(arguments);
}

Status WriteStringToFile(Env* env, const Slice& data, const std::string& fname) {
  return WriteWholeFile(env, data, fname, false);
}

Status ReadFileToString(Env* env, const std::string& fname, std::string* data) {
  constexpr size_t kChunkBytes = 64 << 10;
  data->clear();
  SequentialFile* opened;
  if (Status s = env->NewSequentialFile(fname, &opened); !s.ok()) return s;
  const std::unique_ptr<SequentialFile> file(opened);
  const auto scratch = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  while (true) {
    Slice chunk;
    if (Status s = file->Read(kChunkBytes, &chunk, scratch.get()); !s.ok()) return s;
    if (chunk.empty()) return Status::OK();
    data->append(chunk.data(), chunk.size());
  }
}

}  // namespace leveldb

namespace lull {

leveldb::Status WriteStringToFileSync(leveldb::Env* env, const leveldb::Slice& data,
                                      const std::string& name) {
  return leveldb::WriteWholeFile(env, data, name, true);
}

leveldb::Status OpenForReading(leveldb::Env* env, const std::string& name,
                               std::unique_ptr<leveldb::SequentialFile>* file) {
  leveldb::SequentialFile* raw = nullptr;
  leveldb::Status status = env->NewSequentialFile(name, &raw);
  file->reset(status.ok() ? raw : nullptr);
  return status;
}

leveldb::Status SyncNamesIn(leveldb::Env* env, const std::string& dir) {
  EnvExtension* const extension = ExtensionOf(env);
  return extension == nullptr ? leveldb::Status::OK() : extension->SyncDirectory(dir);
}

leveldb::Status SyncClosedFile(leveldb::Env* env, const std::string& name, uint64_t bytes) {
  EnvExtension* const extension = ExtensionOf(env);
  leveldb::Status status = extension == nullptr ? leveldb::Status::NotSupported(name)
                                                : extension->SyncAgain(name, bytes);
  if (!status.IsNotSupportedError()) return status;
  leveldb::WritableFile* raw = nullptr;
  status = env->NewAppendableFile(name, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::WritableFile> file(raw);
  status = file->Sync();
  return status.ok() ? file->Close() : status;
}

/// A client's Env can return any error for a missing file. Then the listing of the directory
/// decides.
leveldb::Status FindFile(leveldb::Env* env, const std::string& name, bool* exists) {
  *exists = env->FileExists(name);
  uint64_t bytes = 0;
  const leveldb::Status status = *exists ? leveldb::Status::OK() : env->GetFileSize(name, &bytes);
  *exists = status.ok();
  if (status.ok() || status.IsNotFound()) return leveldb::Status::OK();
  const size_t slash = name.rfind('/');
  const std::string directory =
      slash == name.npos ? "." : name.substr(0, std::max<size_t>(slash, 1));
  std::vector<std::string> names;
  const leveldb::Status listed = env->GetChildren(directory, &names);
  const bool is_listed = std::ranges::find(names, name.substr(slash + 1)) != names.end();
  const bool is_missing = listed.ok() ? !is_listed : listed.IsNotFound();
  return is_missing ? leveldb::Status::OK() : status;
}

bool IsDirectory(leveldb::Env* env, const std::string& name) {
  std::vector<std::string> names;  // with "." and "..", so never empty
  return env->GetChildren(name, &names).ok() && !names.empty();
}

bool IsNoFile(leveldb::Env* env, const std::string& name) {
  EnvExtension* const extension = ExtensionOf(env);
  return extension != nullptr ? extension->IsNoFile(name) : IsDirectory(env, name);
}

}  // namespace lull
