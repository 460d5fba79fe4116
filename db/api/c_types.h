// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What stands behind the opaque types of leveldb/c.h. For the files that implement C functions:
// db/api/c.cc, and those of lull/c.h.
//
// Each `rep` is what a C++ program would hold. Which objects own theirs is said at the type; all
// others point to something that the caller, or the library, owns.
#pragma once

#include <memory>
#include <string_view>

#include "leveldb/c.h"
#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

// Owned: deleted by leveldb_close.
struct leveldb_t {
  leveldb::DB* rep;
};

// Given back by leveldb_release_snapshot.
struct leveldb_snapshot_t {
  const leveldb::Snapshot* rep;
};

struct leveldb_iterator_t {
  std::unique_ptr<leveldb::Iterator> rep;
};

struct leveldb_writebatch_t {
  leveldb::WriteBatch rep;
};

struct leveldb_options_t {
  leveldb::Options rep;
};

struct leveldb_readoptions_t {
  leveldb::ReadOptions rep;
};

struct leveldb_writeoptions_t {
  leveldb::WriteOptions rep;
};

struct leveldb_cache_t {
  std::unique_ptr<leveldb::Cache> rep;
};

struct leveldb_comparator_t {
  std::unique_ptr<const leveldb::Comparator> rep;
};

struct leveldb_filterpolicy_t {
  std::unique_ptr<const leveldb::FilterPolicy> rep;
};

// The process's own Env, which nobody deletes.
struct leveldb_env_t {
  leveldb::Env* rep;
};

// No C function makes one; leveldb_options_set_info_log takes those of other libraries.
struct leveldb_logger_t {
  leveldb::Logger* rep;
};

namespace lull::c {

/// A copy for a C caller to free(), with a zero behind it. Ends the process when there is no
/// memory, as the library does elsewhere: a null pointer would mean "not found" or "no error".
char* MallocedCopy(std::string_view bytes);

/// Keeps the convention of `errptr`: untouched when `status` is OK; otherwise the old message is
/// freed and replaced. Returns status.ok().
bool KeepError(const leveldb::Status& status, char** errptr);

}  // namespace lull::c
