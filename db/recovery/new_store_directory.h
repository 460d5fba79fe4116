// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The directory of a store that a checkpoint or a restore writes. Any thread.
//
// Invariant: CURRENT names a MANIFEST only after everything that it depends on is durable. Before
// that, it marks the directory as unfinished (store_mark.h). So at each moment, and after any
// crash, the directory is a complete store, or the next attempt accepts it like an empty one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

/// Creates the directory, or accepts one that is empty or marked; otherwise returns
/// InvalidArgument. Marks it, and holds its LOCK. Then calls `write_files`, which makes the tables,
/// the MANIFEST `manifest_number` and their names durable, and makes CURRENT name that MANIFEST.
/// After an error removes what was created. What cannot be removed is marked, or a complete store.
leveldb::Status WriteNewStore(leveldb::Env* env, const std::string& dir, uint64_t manifest_number,
                              const std::function<leveldb::Status()>& write_files);

}  // namespace lull
