// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A checkpoint: a second store, in its own directory, with the content of a store's tables at one
// moment. Its tables are hard links if the Env can create them, otherwise copies. Links are safe,
// since no file of a store changes after it is written. MANIFEST and CURRENT are new; there is no
// WAL. After any crash the directory is a complete store or no store (new_store_directory.h).
//
// Runs on a client's thread, while the store's threads and other clients continue.
#pragma once

#include <string>

#include "db/base/context.h"
#include "db/version/version.h"
#include "leveldb/status.h"

namespace lull {

struct CheckpointSource {
  VersionRef version;  ///< keeps its files from being deleted
  CompactPointers compact_pointers;
  SequenceNumber last_sequence = 0;  ///< of the newest entry in the tables of `version`
};

/// Creates `dir`, or fills it if it is an empty directory; otherwise returns InvalidArgument.
/// Durable when it returns OK. On an error removes what it created, as far as possible.
leveldb::Status WriteCheckpoint(const StoreContext& store, const CheckpointSource& source,
                                const std::string& dir);

}  // namespace lull
