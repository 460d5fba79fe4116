// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Definitions of the opaque types of leveldb/c.h. For the files that implement C functions:
// db/api/c.cc, and those of lull/c.h.
//
// Each `rep` is the C++ object. A comment says which raw pointers are owned; the caller or the
// library owns the others.
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
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

// Owned: deleted by leveldb_close.
struct leveldb_t {
  leveldb::DB* rep;
};

// Released by leveldb_release_snapshot.
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

// The process's default Env, which is never deleted.
struct leveldb_env_t {
  leveldb::Env* rep;
};

// No C function creates one; leveldb_options_set_info_log accepts those of other libraries.
struct leveldb_logger_t {
  leveldb::Logger* rep;
};

namespace lull::c {

/// Returns a zero-terminated copy that a C caller free()s. Ends the process if memory runs out, as
/// the rest of the library does: a null pointer would mean "not found" or "no error".
char* MallocedCopy(std::string_view bytes);

/// Sets `errptr` as LevelDB does: unchanged if `status` is OK; otherwise frees the old message and
/// replaces it. Returns status.ok().
bool KeepError(const leveldb::Status& status, char** errptr);

/// A bound of a range; a C caller omits it with a null pointer.
inline const leveldb::Slice* NullIfUnset(const leveldb::Slice& bound) {
  return bound.data() == nullptr ? nullptr : &bound;
}

/// Common to all objects made of C functions: their state, and its destructor, which can
/// be null.
class CState {
 public:
  using Destructor = void (*)(void*);
  using NameFunction = const char* (*)(void*);

  CState(void* state, Destructor destructor, NameFunction name = nullptr)
      : state_(state), destructor_(destructor), name_(name) {}
  ~CState() {
    if (destructor_ != nullptr) destructor_(state_);
  }
  CState(const CState&) = delete;
  CState& operator=(const CState&) = delete;

  void* get() const { return state_; }
  const char* name() const { return name_(state_); }

 private:
  void* const state_;
  const Destructor destructor_;
  const NameFunction name_;
};

}  // namespace lull::c
