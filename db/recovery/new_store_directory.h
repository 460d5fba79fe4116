// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// NewStoreDirectory: the directory of a store that a checkpoint or a restore is writing. One
// thread.
//
// Invariant: CURRENT names a MANIFEST only after everything that it depends on is durable. Before
// that, it marks the directory as unfinished (store_mark.h). So at each moment, and after any
// crash, the directory is a complete store, or the next attempt accepts it like an empty one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "util/env_extension.h"

namespace lull {

class NewStoreDirectory {
 public:
  NewStoreDirectory(leveldb::Env* env, std::string dir)
      : env_(env), extension_(ExtensionOf(env)), dir_(std::move(dir)) {}

  /// Creates the directory, or accepts one that is empty or marked. Otherwise returns
  /// InvalidArgument. Marks it, and holds its LOCK until Commit or TakeBack.
  leveldb::Status Make();
  /// Makes CURRENT name the MANIFEST. REQUIRES: the MANIFEST, all tables and their names are
  /// durable.
  leveldb::Status Commit(uint64_t manifest_number);
  /// Removes what was created, after a failure of any call but Make. What cannot be removed is
  /// marked, or a complete store.
  void TakeBack();

  leveldb::Status Sync() const { return SyncDirectory(dir_); }

 private:
  leveldb::Status SyncDirectory(const std::string& dir) const {
    return extension_ == nullptr ? leveldb::Status::OK() : extension_->SyncDirectory(dir);
  }

  leveldb::Status CheckIsEmpty();
  leveldb::Status Begin();
  void Unlock();

  leveldb::Env* const env_;
  EnvExtension* const extension_;
  const std::string dir_;
  leveldb::FileLock* lock_ = nullptr;
  bool is_ours_ = false;  // this attempt or an earlier one created the directory
};

}  // namespace lull
