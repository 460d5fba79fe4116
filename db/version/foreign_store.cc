// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/foreign_store.h"

#include <memory>
#include <vector>

namespace lull {
namespace {

constexpr size_t kBeginningBytes = 4096;

/// The beginning of a file, where these programs write their version.
std::string BeginningOf(leveldb::Env* env, const std::string& path) {
  leveldb::SequentialFile* raw = nullptr;
  if (!env->NewSequentialFile(path, &raw).ok()) return "";
  const std::unique_ptr<leveldb::SequentialFile> file(raw);
  std::string scratch(kBeginningBytes, '\0');
  leveldb::Slice read;
  return file->Read(kBeginningBytes, &read, scratch.data()).ok() ? read.ToString() : "";
}

}  // namespace

leveldb::Status CheckNotForeign(leveldb::Env* env, const std::string& directory) {
  std::vector<std::string> names;
  if (!env->GetChildren(directory, &names).ok()) return leveldb::Status::OK();
  for (const std::string& name : names) {
    if (!name.starts_with("OPTIONS-")) continue;
    const std::string text = BeginningOf(env, directory + "/" + name);
    if (text.find("pebble_version") != std::string::npos)
      return leveldb::Status::NotSupported(directory, "is a Pebble store; use its tool pebble");
    if (text.find("rocksdb_version") != std::string::npos)
      return leveldb::Status::NotSupported(directory, "is a RocksDB store; use its tool ldb");
  }
  return leveldb::Status::OK();
}

}  // namespace lull
