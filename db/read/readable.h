// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Readable: what lull/read.h and Refresh need of a store, open for writing or for reading only. Any
// thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/base/dbformat.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "util/registry.h"

namespace lull {

class Readable {
 public:
  /// As leveldb::DB::Get; `value` can be null.
  virtual leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                              std::string* value) = 0;
  /// See lull::MultiGet.
  virtual std::vector<leveldb::Status> MultiGet(const leveldb::ReadOptions& options,
                                                std::span<const leveldb::Slice> keys,
                                                std::vector<std::string>* values) = 0;
  virtual std::unique_ptr<leveldb::Iterator> NewIterator(const leveldb::ReadOptions& options,
                                                         const KeyBounds& bounds) = 0;
  /// See lull::Refresh. A store open for writing always shows its present state.
  virtual leveldb::Status Refresh() { return leveldb::Status::OK(); }

 protected:
  ~Readable() = default;
};

using Readables = Registry<leveldb::DB, Readable>;

/// The error of `function` for a DB that is not in Readables.
leveldb::Status NotOurs(const char* function);

}  // namespace lull
