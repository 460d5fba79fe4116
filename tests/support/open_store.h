// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The only code that differs between the two libraries that the tests compile against: stock
// LevelDB, which has no scheduling options, and Lull (LULL_BUILD defined).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "leveldb/db.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "tests/support/metamorphic.h"
#include "tests/support/model.h"

namespace lull::testing {

#ifdef LULL_BUILD
inline constexpr bool kIsStock = false;
#else
inline constexpr bool kIsStock = true;
#endif

// Opens a store. `scheduling` is an option string such as "policy=lull;compaction_threads=2"; stock
// ignores it. It also accepts three settings of StorePace. "manifest_bytes_min=300": MANIFESTs roll
// over at that length (and at four times their first length). "retry_ms=20": failed background work
// is retried after that time. "index_bytes_max=9000": a table ends before its index outgrows that.
leveldb::Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                          const std::string& name, leveldb::DB** db);

// Lull: waits until all writes are in tables and no background work is left. Stock: compacts all.
leveldb::Status FlushStore(leveldb::DB* db);
leveldb::Status WaitForIdleStore(leveldb::DB* db);

// Lull: sets a compaction filter that drops values that Expires, or with `on` false removes it.
// Stock: does nothing.
leveldb::Status FilterStore(leveldb::DB* db, bool on);
// The same with another rule, which can throw.
leveldb::Status FilterStoreBy(leveldb::DB* db, std::function<bool(std::string_view value)> drops);

// lull::DeleteRange, or with `files_only` DeleteFilesInRange. Null: no bound. Stock: NotSupported.
leveldb::Status RemoveRange(leveldb::DB* db, const leveldb::Slice* begin, const leveldb::Slice* end,
                            bool files_only);
leveldb::Status RemoveRange(leveldb::DB* db, const KeySpan& span, bool files_only);

// Whether IngestInto can make this commit: every operation writes a value.
bool IsIngestible(const WriteOps& ops);
// Writes the values of `ops` to one or two tables, whose paths begin with `prefix`, calls
// lull::IngestTables and removes the tables. `options`: of `db`. Stock: NotSupported.
leveldb::Status IngestInto(leveldb::DB* db, const leveldb::Options& options,
                           const std::string& prefix, const WriteOps& ops);

// Makes a second store with the content of `db`. Stock cannot: NotSupported.
leveldb::Status CheckpointStore(leveldb::DB* db, const std::string& directory);

// Hooks that open with `scheduling`, call the functions above and change options of disk space.
// Each open uses the next of the option strings, which "|" separates.
Hooks StoreHooks(const std::string& scheduling);

}  // namespace lull::testing
