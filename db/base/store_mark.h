// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A mark in CURRENT, in place of a MANIFEST's name: the files of the directory are no store, and
// can be removed. It is durable before DestroyDB removes the first file, and before a checkpoint or
// restore creates the first one. So after any interruption the directory is a store, or is marked.
// LevelDB refuses to open a marked directory. Any thread.
#pragma once

#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

enum class StoreMark {
  kNone,
  kDestroyed,   ///< by DestroyDB; an open with create_if_missing removes the rest
  kUnfinished,  ///< a checkpoint or restore; its next attempt replaces it
};

/// kNone if there is no CURRENT, or if it cannot be read.
StoreMark ReadMark(leveldb::Env* env, const std::string& dir);

/// The mark in the text of a CURRENT.
StoreMark MarkIn(const std::string& current);

/// OK for kNone; otherwise InvalidArgument, with a remedy.
leveldb::Status RefuseMarked(const std::string& dir, StoreMark mark);

/// Durable when it returns OK.
leveldb::Status WriteMark(leveldb::Env* env, const std::string& dir, StoreMark mark);

/// Removes the files of a store, except LOCK and LOG, and CURRENT last. Notes in lost/ are removed
/// too, since they are about this store only. Returns the first error.
leveldb::Status RemoveStoreFiles(leveldb::Env* env, const std::string& dir);

}  // namespace lull
