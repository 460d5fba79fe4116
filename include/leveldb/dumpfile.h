// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_DUMPFILE_H_
#define LULL_INCLUDE_LEVELDB_DUMPFILE_H_

#include <string>

#include "leveldb/env.h"
#include "leveldb/export.h"
#include "leveldb/status.h"

namespace leveldb {

// Writes a readable form of one file of a store to `dst`: one Append per item, each ending in a
// newline. The file name says whether it is a WAL, a MANIFEST or a table. Fails if the name is not
// recognized or the file is unreadable; `dst` then keeps the output so far. Neither opens nor locks
// the store.
LEVELDB_EXPORT Status DumpFile(Env* env, const std::string& fname, WritableFile* dst);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_DUMPFILE_H_
