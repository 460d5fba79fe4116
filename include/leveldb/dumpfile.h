// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#ifndef LULL_INCLUDE_LEVELDB_DUMPFILE_H_
#define LULL_INCLUDE_LEVELDB_DUMPFILE_H_

#include <string>

#include "leveldb/env.h"
#include "leveldb/export.h"
#include "leveldb/status.h"

namespace leveldb {

// Writes a readable rendering of one file of a store (write-ahead log, MANIFEST or table; told
// apart by its name) to `dst`: one Append per item, each ending in a newline. Fails if the name is
// none of these or the file is unreadable; what was appended until then remains. Neither opens nor
// locks the store.
LEVELDB_EXPORT Status DumpFile(Env* env, const std::string& fname, WritableFile* dst);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_DUMPFILE_H_
