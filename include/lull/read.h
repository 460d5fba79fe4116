// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads that LevelDB's API lacks: several keys at once, whether a key exists, and iterators with
// bounds. For stores from leveldb::DB::Open, lull::Open and lull::OpenReadOnly of this library;
// any other DB gets InvalidArgument. As for leveldb::DB::Get, every function can be called from any
// thread, and a snapshot in the options applies.
#pragma once

#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

/// Reads several keys, all as of one moment. On return, result[i] is what Get would return for
/// keys[i], and (*values)[i] is its value if result[i] is OK; otherwise it is unspecified. Reads in
/// key order, so keys near each other cost less than single Gets. Keys can repeat. `values` must
/// not be null.
LEVELDB_EXPORT std::vector<leveldb::Status> MultiGet(leveldb::DB* db,
                                                     const leveldb::ReadOptions& options,
                                                     const std::vector<leveldb::Slice>& keys,
                                                     std::vector<std::string>* values);

/// OK if the store has the key, NotFound if not. As Get, but copies no value.
LEVELDB_EXPORT leveldb::Status Exists(leveldb::DB* db, const leveldb::ReadOptions& options,
                                      const leveldb::Slice& key);

/// Returns an iterator over the keys from `begin` to just before `end`, in the comparator's order;
/// a null pointer means no bound. It copies the bounds. SeekToFirst and SeekToLast go to the first
/// and last key within them; a Seek before `begin` goes to the first, and after a Seek to `end` or
/// beyond the iterator is not Valid. It opens no table, reads no block and skips no deletion
/// outside the bounds, so a short scan does not pay for what is next to it. Never returns null: for
/// a DB of another library, the iterator's status is InvalidArgument. The caller
/// deletes it before `db`.
LEVELDB_EXPORT leveldb::Iterator* NewIterator(leveldb::DB* db, const leveldb::ReadOptions& options,
                                              const leveldb::Slice* begin,
                                              const leveldb::Slice* end);

/// The same over the keys that begin with `prefix`. REQUIRES: the comparator is
/// leveldb::BytewiseComparator, or orders keys with a common prefix as it does.
LEVELDB_EXPORT leveldb::Iterator* NewPrefixIterator(leveldb::DB* db,
                                                    const leveldb::ReadOptions& options,
                                                    const leveldb::Slice& prefix);

}  // namespace lull
