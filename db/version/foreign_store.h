// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RocksDB and Pebble descend from LevelDB, and name their files in the same way. What looks like
// damage can be an intact store of theirs.
#pragma once

#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

/// Returns NotSupported if the directory contains a store of RocksDB or Pebble. Looks for their
/// OPTIONS files; fails if one cannot be read.
leveldb::Status CheckNotForeign(leveldb::Env* env, const std::string& directory);

}  // namespace lull
