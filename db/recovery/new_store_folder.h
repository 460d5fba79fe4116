// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// NewStoreFolder: the directory of a store that a checkpoint or a restore is writing. One thread.
//
// Invariant: CURRENT is created last, after everything it depends on is durable, and is removed
// first on a failure. So at each moment, and after any crash, the directory is a complete store or
// no store.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/env_extension.h"

namespace lull {

class NewStoreFolder {
 public:
  NewStoreFolder(leveldb::Env* env, std::string dir)
      : env_(env), extension_(ExtensionOf(env)), dir_(std::move(dir)) {}

  /// Creates the directory, or accepts an empty one. Otherwise returns InvalidArgument.
  leveldb::Status Make();
  /// Call before the file is created.
  void WillCreate(const std::string& path) { created_.push_back(path); }
  /// Creates CURRENT. REQUIRES: the MANIFEST, all tables and their names are durable.
  leveldb::Status Commit(uint64_t manifest_number);
  /// Removes what was created, after a failure. If CURRENT cannot be removed, keeps everything, so
  /// that the directory is a complete store.
  void TakeBack();

  leveldb::Status Sync() const { return SyncFolder(dir_); }

 private:
  leveldb::Status SyncFolder(const std::string& dir) const {
    return extension_ == nullptr ? leveldb::Status::OK() : extension_->SyncDirectory(dir);
  }

  leveldb::Env* const env_;
  EnvExtension* const extension_;
  const std::string dir_;
  bool made_folder_ = false;
  std::vector<std::string> created_;  // files that might exist, except CURRENT
};

}  // namespace lull
