// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#ifndef LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_
#define LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_

#include "leveldb/export.h"

namespace leveldb {

class Env;

// Makes an Env whose files live in memory, and are gone with it. Threads and time are those of
// `base_env`, which must outlive it. The caller deletes the result, after all that was opened with
// it.
//
// Files behave as on disk: one that is removed stays readable for those who have it open, locks
// exclude, a directory with something in it cannot be removed. Only directories need not be made
// before files are put into them.
LEVELDB_EXPORT Env* NewMemEnv(Env* base_env);

}  // namespace leveldb

#endif  // LULL_INCLUDE_LEVELDB_HELPERS_MEMENV_H_
