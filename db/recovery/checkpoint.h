// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A checkpoint: a second store, in a folder of its own, that holds what a store's tables hold at
// one moment. The tables are hard links where the Env can make them (no file of a store is changed
// once it is written, so both stores may go on with theirs), and copies elsewhere; MANIFEST and
// CURRENT are new; there is no log.
//
// What always holds: CURRENT is made last, when everything that it leads to is durable, and is the
// first to go when something fails. So at each moment, and after a crash at any moment, the folder
// is a whole store or none.
//
// Called by a client's thread; the store's own threads and other clients go on meanwhile.
#pragma once

#include <string>

#include "db/context.h"
#include "db/version/version.h"
#include "leveldb/status.h"

namespace lull {

struct CheckpointSource {
  VersionRef version;  ///< keeps its files from being deleted
  CompactPointers compact_pointers;
  SequenceNumber last_sequence = 0;  ///< of the newest entry in the tables of `version`
};

/// Makes `dir`, or fills it if it is an empty folder; anything else is InvalidArgument. Durable
/// when it returns OK; otherwise what it made is removed, as far as it can be.
leveldb::Status WriteCheckpoint(const StoreContext& store, const CheckpointSource& source,
                                const std::string& dir);

}  // namespace lull
