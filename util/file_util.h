// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Operations on whole files, in addition to leveldb/env.h. Any thread.
#pragma once

#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

/// Like leveldb::WriteStringToFile, and syncs the bytes before returning OK. The name becomes
/// durable only with EnvExtension::SyncDirectory. On failure, removes the file.
leveldb::Status WriteStringToFileSync(leveldb::Env* env, const leveldb::Slice& data,
                                      const std::string& name);

/// Opens a file for reading it from its start.
leveldb::Status OpenForReading(leveldb::Env* env, const std::string& name,
                               std::unique_ptr<leveldb::SequentialFile>* file);

/// EnvExtension::SyncDirectory; OK if the Env has no extension.
leveldb::Status SyncNamesIn(leveldb::Env* env, const std::string& dir);

/// EnvExtension::SyncAgain; only syncs if the Env lacks that.
leveldb::Status SyncClosedFile(leveldb::Env* env, const std::string& name, uint64_t bytes);

/// Whether `name` exists, unlike Env::FileExists with the error if that is unknown, for example for
/// lack of permission.
leveldb::Status FindFile(leveldb::Env* env, const std::string& name, bool* exists);

/// Whether `name` is a directory. False if that is unknown.
bool IsDirectory(leveldb::Env* env, const std::string& name);

/// See EnvExtension. In a store, such a name counts as missing.
bool IsNoFile(leveldb::Env* env, const std::string& name);

}  // namespace lull
