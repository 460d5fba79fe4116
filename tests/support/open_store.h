// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The one place where the tests choose between the two libraries they are compiled against: stock
// LevelDB, which has no scheduling options, and Lull (LULL_BUILD defined).
#pragma once

#include <string>

#include "leveldb/db.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "tests/support/metamorphic.h"

namespace lull::testing {

#ifdef LULL_BUILD
inline constexpr bool kIsStock = false;
#else
inline constexpr bool kIsStock = true;
#endif

// Opens a store. `scheduling` is an option string such as "policy=lull;compaction_threads=2"; stock
// ignores it. It also knows three settings of StorePace. "manifest_bytes_min=300": MANIFESTs roll
// over at that length (and four times their first length). "retry_ms=20": failed background work is
// retried after that time. "index_bytes_max=9000": a table ends before its index outgrows that.
leveldb::Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                          const std::string& name, leveldb::DB** db);

// Lull: all that was written is in tables; the store has nothing left to do. Stock: compacts all.
leveldb::Status FlushStore(leveldb::DB* db);
leveldb::Status WaitForIdleStore(leveldb::DB* db);

// Makes a second store of what `db` holds. Stock cannot: NotSupported.
leveldb::Status CheckpointStore(leveldb::DB* db, const std::string& directory);

// Hooks that open with `scheduling` and flush and wait as above. Several option strings with "|"
// between them are taken in turn, a store being opened again and again.
Hooks StoreHooks(const std::string& scheduling);

}  // namespace lull::testing
