// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.

#ifndef LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_
#define LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_

#include "leveldb/export.h"

namespace leveldb {

class Env;

// Creates an Env that keeps files in memory; deleting the Env deletes the files. Threads and time
// come from `base_env`, which must outlive it. The caller deletes the result, after everything
// opened with it.
//
// Files behave as on disk. A removed file stays readable through open handles, locks exclude each
// other, and only an empty directory can be removed. One difference: a file can be created in a
// directory that does not exist.
LEVELDB_EXPORT Env* NewMemEnv(Env* base_env);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_
