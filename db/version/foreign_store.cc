// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/foreign_store.h"

#include <memory>
#include <vector>

#include "util/file_util.h"

namespace lull {
namespace {

constexpr size_t kBeginningBytes = 4096;

/// The beginning of a file, where these programs write their version.
leveldb::Status ReadBeginning(leveldb::Env* env, const std::string& path, std::string* text) {
  leveldb::SequentialFile* raw = nullptr;
  leveldb::Status status = env->NewSequentialFile(path, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::SequentialFile> file(raw);
  std::string scratch(kBeginningBytes, '\0');
  leveldb::Slice read;
  status = file->Read(kBeginningBytes, &read, scratch.data());
  *text = read.ToString();
  return status;
}

}  // namespace

leveldb::Status CheckNotForeign(leveldb::Env* env, const std::string& directory) {
  std::vector<std::string> names;
  if (!env->GetChildren(directory, &names).ok()) return leveldb::Status::OK();
  for (const std::string& name : names) {
    if (!name.starts_with("OPTIONS-") || IsNoFile(env, directory + "/" + name)) continue;
    std::string text;
    const leveldb::Status status = ReadBeginning(env, directory + "/" + name, &text);
    if (!status.ok()) return status;
    if (text.find("pebble_version") != std::string::npos)
      return leveldb::Status::NotSupported(directory, "is a Pebble store; use its tool pebble");
    if (text.find("rocksdb_version") != std::string::npos)
      return leveldb::Status::NotSupported(directory, "is a RocksDB store; use its tool ldb");
  }
  return leveldb::Status::OK();
}

}  // namespace lull
